// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/product.h: the shared parts of ops that sum products: dtypes, axes, factors, sums and
// derivative.
#pragma once
#include "ops/kit/arith.h"
#include "ops/kit/kit.h"
#include "weft/lax/dot.h"

namespace weft {

// Requires two operands of one numeric dtype, and a result dtype that can hold their products.
void require_product(const char* op, const Types& in, DType out);
// For each axis of two operands of these ranks, returns the axis of their product. For the kth pair
// of contracted axes it returns -1 - k.
std::array<Ints, 2> axes_in_product(const std::array<int64_t, 2>& ranks, const lax::DotDims& d);
// Converts the factors to the numbers with which products of dtype Out are computed. Because of
// this the rest of an op is compiled once for each result dtype, not for each pair of dtypes.
template <class Out>
using factor_t =
    std::conditional_t<std::is_same_v<Out, bfloat16_t> || std::is_same_v<Out, float16_t>, float,
                       Out>;
Arrays factors_of(const Arrays& x, DType out);
// The same for a loop-nest element of an operand of dtype `in`.
Elem factor_elem(const Elem& e, DType in, DType out);

template <class R>
Elem term_elem(const R& x) {
  return {x.id, nest::no_id};
}
template <class R>
Elem term_elem(const num::Cx<R>& x) {
  return {x.re.id, x.im.id};
}

template <class R>
constexpr bool find_fma() {
  if constexpr (arith::is_cx<R>)
    return false;
  else
    return std::is_floating_point_v<num::scalar_t<R>>;
}
template <class R>
inline constexpr bool has_fma = find_fma<R>();

// A product that is a term of a sum. If there is a fused multiply-add for R, it consists of the two
// factors.
template <class R>
struct Factors {
  R a, b;
};
template <class R>
auto product_term(const R& a, const R& b) {
  if constexpr (has_fma<R>)
    return Factors<R>{a, b};
  else
    return arith::mul(a, b);
}
template <class R>
Elem term_elem(const Factors<R>& x) {
  return {x.a.id, x.b.id};
}
// Adds such a term, or another sum.
struct SumOfProducts {
  template <class R>
  R operator()(const R& sum, const R& x) const {
    return arith::add(sum, x);
  }
  template <class R>
  R operator()(const R& sum, const Factors<R>& x) const {
    return num::fma(x.a, x.b, sum);
  }
};

// The jvp of an op that is linear in each of its two operands.
template <class P>
Arrays product_jvp(const JvpArgs<P>& j) {
  Array t;
  if (!j.dx[0].empty_handle()) t = j.op({j.dx[0], j.x[1]}, j.params);
  if (!j.dx[1].empty_handle()) {
    const Array u = j.op({j.x[0], j.dx[1]}, j.params);
    t = t.empty_handle() ? u : base::add(t, u);
  }
  return {t};
}

// Sets how products of dtype Out are summed.
template <class Out>
void describe_sum(Lowering* r) {
  using Ir = typename Element<Out>::ir;
  r->combine.assign(arith::is_cx<Ir> ? 2 : 1, nest::Combine::Add);
  r->identity = [](nest::Builder&) {
    const Elem e = term_elem(arith::constant<Ir>(0));
    return e.im == nest::no_id ? std::vector<nest::Id>{e.re} : std::vector<nest::Id>{e.re, e.im};
  };
  r->results = [](const std::vector<nest::Id>& id) {
    return std::vector<Elem>{
        Element<Out>::out(Element<Out>::in({id[0], id.size() > 1 ? id[1] : nest::no_id}))};
  };
}
// The same for the terms that product_term returns.
template <class Out>
void describe_fused_sum(Lowering* r) {
  describe_sum<Out>(r);
  if constexpr (has_fma<typename Element<Out>::ir>) r->combine = {nest::Combine::MulAdd};
}

}  // namespace weft
