// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/apply.h: application of functions of elements, rows and axes to whole
// arrays.
#pragma once
#include <string>

#include "weft/axis.h"
#include "weft/detail/callable.h"

namespace weft {

// Applies f to each row of x along an axis, in one vectorized call. f takes a vector and returns an
// Array, whose shape replaces the axis. Raises IndexError for an axis that x does not have. Source:
// jax.numpy.apply_along_axis.
Array apply_along_axis(ir::FunctionRef<Array(Array)> f, int64_t axis, const typing::Arg& x);
// Calls f(a, axis) for each of the axes in turn, with the result of the previous call. f keeps the
// axis or removes it; a removed axis is restored with size 1. Raises ShapeError if f returns
// another rank. Source: jax.numpy.apply_over_axes.
Array apply_over_axes(ir::FunctionRef<Array(Array, int64_t)> f, const typing::Arg& x,
                      const typing::AxisList& axes);

namespace typing {
// The value of one piece of piecewise: a number, or a function of an element of x.
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
// Evaluates a piecewise function. Each element of x gets the piece of the last condition that is
// true there, in x's dtype. Where no condition is true it gets one extra piece, or 0 without one.
// Conditions are broadcast with x. Raises ShapeError for another number of pieces. Source:
// jax.numpy.piecewise.
Array piecewise(const typing::Arg& x, const Arrays& conditions,
                const std::vector<typing::Piece>& pieces);

namespace typing {
struct VectorizeOptions {
  // The axes of one call's operands and results, "(n),(n)->()"; empty: all are scalars.
  std::string signature = {};
  // The positions, from 0, of the operands that are passed to f unchanged.
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
    const ir::SourceScope source(at_);
    signature_ = parse_core_axes(options_);
  }
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    static_assert((std::same_as<P, Array> && ...),
                  "weft::vectorize: the function must take Arrays");
    using R = result_t<F, P...>;
    const ir::SourceScope source(at_);
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

// The number of Arrays that f takes.
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

// Vectorizes f, a function of Arrays. The result takes operands with additional leading axes, which
// are broadcast together, and applies f to each position in one vectorized call. The results have
// these leading axes. Raises ShapeError for an invalid signature and for one that does not match
// operands or results. Raises IndexError for an excluded operand that does not exist. Source:
// jax.numpy.vectorize.
//     vectorize([](Array a, Array b) { return dot(a, b); }, {.signature = "(n),(n)->()"})(x, y)
template <class F>
auto vectorize(F f, typing::VectorizeOptions o = {},
               typing::Location at = typing::Location::here()) {
  return detail::Vectorized<F>(std::move(f), std::move(o), at);
}

// Calls f(i, j, …) at each index of a shape of up to four axes, in one vectorized call. The indices
// are scalars of `dtype`. The result has this shape followed by the shape of f's result. Raises
// ShapeError unless f takes as many indices as there are axes. Source: jax.numpy.fromfunction.
template <class F>
Array fromfunction(F f, const Shape& shape, DType dtype = F32,
                   typing::Location at = typing::Location::here()) {
  constexpr int n = detail::count_of_indices<F>();
  static_assert(n > 0, "weft::fromfunction: the function must take one to four Arrays");
  const ir::SourceScope source(at);
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
