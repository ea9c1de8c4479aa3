// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/typed.h: elementwise ops that depend on the dtype in memory, not only on the type in
// which it is computed. Examples are ops on the bits of narrow floats.
#pragma once
#include "ops/kit/bits.h"
#include "ops/kit/kit.h"
#include "tracer/types_of.h"

namespace weft {

// float_bits returns the bits with which a number is stored in memory, and float_of_bits returns
// the number. T is the type in memory.
template <class T, class R>
auto float_bits(R x) {
  if constexpr (std::is_same_v<T, bfloat16_t>)
    return bf16_bits(x);
  else if constexpr (std::is_same_v<T, float16_t>)
    return f16_bits(x);
  else
    return num::uint_of<R>(num::bitcast<num::scalar_t<num::uint_of<R>>>(x));
}
template <class T, class R, class U>
R float_of_bits(U b) {
  if constexpr (std::is_same_v<T, bfloat16_t>)
    return bf16_from_bits(b);
  else if constexpr (std::is_same_v<T, float16_t>)
    return f16_from_bits(b);
  else
    return R(num::bitcast<num::scalar_t<R>>(b));
}

// Like elementwise_with, for f.template operator()<T>(params, x…).
template <class P, unsigned classes, int n, class F>
Def<P> elementwise_typed(std::string name, std::string doc, F f) {
  using Seq = std::make_index_sequence<n>;
  auto d = elementwise_with<P, classes, n>(std::move(name), std::move(doc),
                                           [](const P&, auto x, auto...) { return x; });
  d.reference = [f, type = d.type](const Arrays& x, const P& p) {
    const Type t = type(types_of(x), p)[0];
    Array r;
    with_class<classes>(t.dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      r = detail::map_elements<T, T>(
          x, t, [&](auto... v) { return f.template operator()<T>(p, v...); }, Seq{});
    });
    return Arrays{r};
  };
  d.lower = [f](const LowerArgs<P>& l) {
    Lowering r;
    with_class<classes>(l.in[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      r = detail::pull_elements<T, T>(
          l.in, [f, p = l.params](auto... v) { return f.template operator()<T>(p, v...); }, Seq{});
    });
    return r;
  };
  return d;
}

}  // namespace weft
