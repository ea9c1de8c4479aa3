// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/product.h: what ops that sum products share: their dtypes, axes, factors, sums and
// derivative.
#pragma once
#include "weft/ops/kit/arith.h"
#include "weft/ops/kit/kit.h"
#include "weft/ops/linear/dot.h"

namespace weft {

// Two operands of one dtype, of numbers, and a result that holds their products.
void require_product(const char* op, const Types& in, DType out);
// For each axis of two operands of these ranks, the axis of their product that it is; -1 - k of the
// kth pair of contracted ones.
std::array<Ints, 2> axes_in_product(const std::array<int64_t, 2>& ranks, const lax::DotDims& d);
// Factors are converted to the numbers that products of dtype Out are computed with, here, so that
// the rest of an op is compiled for each dtype of a result and not for each pair.
template <class Out>
using factor_t =
    std::conditional_t<std::is_same_v<Out, bfloat16_t> || std::is_same_v<Out, float16_t>, float,
                       Out>;
Arrays factors_of(const Arrays& x, DType out);
// The same of an element of a nest that an operand of dtype `in` has.
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

// A product that is a term of a sum: where there is a fused multiply-add its two factors.
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

// The derivative of an op that is linear in each of its two operands.
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

// How products of dtype Out add up.
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
// The same of what product_term gives.
template <class Out>
void describe_fused_sum(Lowering* r) {
  describe_sum<Out>(r);
  if constexpr (has_fma<typename Element<Out>::ir>) r->combine = {nest::Combine::MulAdd};
}

}  // namespace weft
