// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/argnums.h: the arguments by which a function is differentiated: grad<0,
// 2>(f).
#pragma once
#include "weft/detail/callable.h"

namespace weft::detail {

// The number of Arrays in each argument, and which arguments are selected.
struct ArgumentLeaves {
  const size_t* leaves;
  const bool* on;
  size_t size;
  // One bool per Array: true if its argument is selected.
  std::vector<bool> mask() const;
  // The Arrays of the arguments number order[0 … n-1], taken from the list of the selected Arrays.
  Arrays in_order(const size_t* order, size_t n, const Array* listed) const;
};

// The arguments number N…; a negative number counts from the end.
template <int... N>
struct Argnums {
  template <class T>
  static constexpr bool fit = ((N < static_cast<int>(std::tuple_size_v<T>) &&
                                N >= -static_cast<int>(std::tuple_size_v<T>)) &&
                               ...);
  static constexpr size_t place(int k, size_t n) {
    return static_cast<size_t>(k < 0 ? k + static_cast<int>(n) : k);
  }
  template <class T>
  static constexpr bool has(size_t k) {
    return ((place(N, std::tuple_size_v<T>) == k) || ...);
  }
  // One bool for each Array of args: true if it belongs to a selected argument.
  template <class T>
  static std::vector<bool> mask(const T& args) {
    return with_leaves(args, [](const ArgumentLeaves& a) { return a.mask(); });
  }
  // The selected argument, or a tuple of them in the order of N.
  template <class T>
  static auto chosen(const T& args) {
    constexpr size_t n = std::tuple_size_v<T>;
    if constexpr (sizeof...(N) == 1)
      return std::get<place((N + ...), n)>(args);
    else
      return std::tuple<std::tuple_element_t<place(N, n), T>...>(std::get<place(N, n)>(args)...);
  }
  // The Arrays of chosen(args), taken from the list of those that mask(args) marks.
  template <class T>
  static Arrays in_order(const T& args, const Array* listed) {
    constexpr size_t order[] = {place(N, std::tuple_size_v<T>)...};
    return with_leaves(
        args, [&](const ArgumentLeaves& a) { return a.in_order(order, sizeof...(N), listed); });
  }

 private:
  template <class T, class F>
  static auto with_leaves(const T& args, F f) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      const size_t leaves[] = {tree::count(std::get<I>(args))..., 0};
      constexpr bool on[] = {has<T>(I)..., false};
      return f(ArgumentLeaves{leaves, on, sizeof...(I)});
    }(std::make_index_sequence<std::tuple_size_v<T>>{});
  }
};
// Without numbers, argument 0 is selected.
template <>
struct Argnums<> : Argnums<0> {};

// A function that returns {out, aux}, on flat lists; it counts the Arrays of out.
template <class F, class Args, class R>
class FlatAux : public Flat<F, Args, R> {
 public:
  using Flat<F, Args, R>::Flat;
  Arrays operator()(const Arrays& x) {
    Arrays y = Flat<F, Args, R>::operator()(x);
    results = tree::count(std::get<0>(this->out()));
    return y;
  }
  size_t results = 0;
};

// The parts of the result type of a function with auxiliary results.
template <class R>
struct OutAux {
  static_assert(
      is_two<R>,
      "weft: expected function with aux output to return a two-element tuple, {out, aux}");
  using out = std::tuple_element_t<0, R>;
  using aux = std::tuple_element_t<1, R>;
};

}  // namespace weft::detail
