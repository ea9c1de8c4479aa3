// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/apply/apply.h: functions of elements, rows and axes, on whole arrays.
#pragma once
#include <string>

#include "weft/functions/axis.h"
#include "weft/tracer/callable.h"

namespace weft {

// f of each row of x along an axis, all at once: x's shape with that of what f returns for the
// axis. f takes a vector and returns an Array. IndexError for an axis that there is not. Source:
// jax.numpy.apply_along_axis.
Array apply_along_axis(ir::FunctionRef<Array(Array)> f, int64_t axis, const typing::Arg& x);
// f(a, axis) for each of the axes in turn, of what the one before returned; f keeps the axis or
// takes it away, and then it stays with size 1. ShapeError for another rank. Source:
// jax.numpy.apply_over_axes.
Array apply_over_axes(ir::FunctionRef<Array(Array, int64_t)> f, const typing::Arg& x,
                      const typing::AxisList& axes);

namespace typing {
// What piecewise gives where a condition holds: a number, or a function of an element of x.
struct Piece {
  Array value;
  ir::Function<Array(Array)> f = {};
  Piece(const Array& x) : value(x) {}
  template <ir::Number T>
  Piece(T x) : value(x) {}
  template <class F>
    requires(std::is_invocable_r_v<Array, const std::decay_t<F>&, Array> &&
             !std::is_convertible_v<F, Array>)
  Piece(F&& function) : f(std::forward<F>(function)) {}
};
}  // namespace typing
// For each element of x what the piece of the last condition that holds there gives, in x's dtype;
// one piece more stands for where none holds, else 0. Conditions are broadcast with x. ShapeError
// for another number of pieces. Source: jax.numpy.piecewise.
Array piecewise(const typing::Arg& x, const Arrays& conditions,
                const std::vector<typing::Piece>& pieces);

namespace typing {
struct VectorizeOptions {
  // The axes of one call's operands and results by names, "(n),(n)->()"; empty: scalars.
  std::string signature = {};
  // The operands, counted from 0, that are handed on as they are.
  std::vector<int64_t> excluded = {};
};
}  // namespace typing

namespace detail {
struct CoreAxes {
  std::vector<std::vector<std::string>> in, out;
  bool given = false;
};
CoreAxes parse_core_axes(const typing::VectorizeOptions& o);
Arrays run_vectorized(const CoreAxes& s, const std::vector<int64_t>& excluded, const Arrays& x,
                      ir::FunctionRef<Arrays(const Arrays&)> f);
Arrays run_from_function(ir::FunctionRef<Arrays(const Arrays&)> f, const Shape& shape, DType dtype);

template <class F>
class Vectorized : public CallOperator<Vectorized<F>, F> {
 public:
  Vectorized(F f, typing::VectorizeOptions o, typing::Location at)
      : f_(std::move(f)), options_(std::move(o)), at_(at) {
    const ir::Source source(at_);
    signature_ = parse_core_axes(options_);
  }
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    static_assert((std::same_as<P, Array> && ...),
                  "weft::vectorize: the function must take Arrays");
    using R = result_t<F, P...>;
    const ir::Source source(at_);
    Flat<F, std::tuple<P...>, R> flat(f_, args);
    return flat.result(run_vectorized(signature_, options_.excluded, tree::leaves(args), flat));
  }
  bool weft_identify(KeyWriter& key) const {
    key.add_bytes(options_.signature.data(), options_.signature.size());
    for (int64_t i : options_.excluded) key.add(static_cast<uint64_t>(i));
    key.add(options_.excluded.size());
    return identify(f_, key);
  }

 private:
  mutable F f_;
  typing::VectorizeOptions options_;
  CoreAxes signature_;
  typing::Location at_;
};

// How many Arrays f takes.
template <class F>
constexpr int count_of_indices() {
  if constexpr (std::is_invocable_v<F&, Array>)
    return 1;
  else if constexpr (std::is_invocable_v<F&, Array, Array>)
    return 2;
  else if constexpr (std::is_invocable_v<F&, Array, Array, Array>)
    return 3;
  else if constexpr (std::is_invocable_v<F&, Array, Array, Array, Array>)
    return 4;
  else
    return 0;
}
void check_indices(int takes, const Shape& shape);
}  // namespace detail

// f, a function of Arrays, as one whose operands have more axes in front, which are broadcast
// together: f sees one place of them at a time, all at once. Results have these axes in front.
// ShapeError where a signature is none, or does not fit operands or results; IndexError for an
// excluded operand that there is not. Source: jax.numpy.vectorize.
//   vectorize([](Array a, Array b) { return dot(a, b); }, {.signature = "(n),(n)->()"})(x, y)
template <class F>
auto vectorize(F f, typing::VectorizeOptions o = {},
               typing::Location at = typing::Location::here()) {
  return detail::Vectorized<F>(std::move(f), std::move(o), at);
}

// f(i, j, …) at each index of a shape of up to four axes, as scalars of `dtype`, all at once: the
// shape with that of what f returns behind it. ShapeError unless f takes as many indices as there
// are axes. Source: jax.numpy.fromfunction.
template <class F>
Array fromfunction(F f, const Shape& shape, DType dtype = F32,
                   typing::Location at = typing::Location::here()) {
  constexpr int n = detail::count_of_indices<F>();
  static_assert(n > 0, "weft::fromfunction: the function must take one to four Arrays");
  const ir::Source source(at);
  detail::check_indices(n, shape);
  return detail::run_from_function(
      [&](const Arrays& i) -> Arrays {
        if constexpr (n == 1)
          return {f(i[0])};
        else if constexpr (n == 2)
          return {f(i[0], i[1])};
        else if constexpr (n == 3)
          return {f(i[0], i[1], i[2])};
        else
          return {f(i[0], i[1], i[2], i[3])};
      },
      shape, dtype)[0];
}
template <class F>
Array fromfunction(F f, const Shape& shape, const typing::DTypeOption& o,
                   typing::Location at = typing::Location::here()) {
  return fromfunction(std::move(f), shape, o.dtype.value_or(F32), at);
}

}  // namespace weft
