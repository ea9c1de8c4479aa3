// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/product.cpp: the dtypes and axes of products.
#include "ops/linear/product.h"

#include <fmt/format.h>

#include <limits>

namespace weft {
namespace {

// Calls f(T*, Out*) with the element types of the operands and of the result.
template <class F>
void with_product(DType in, DType out, F&& f) {
  with_class<DTypes::numbers>(in, [&](auto* q) {
    with_class<DTypes::numbers>(out, [&](auto* o) {
      using T = std::remove_pointer_t<decltype(q)>;
      using Out = std::remove_pointer_t<decltype(o)>;
      if constexpr (is_complex(dtype_of_v<T>) == is_complex(dtype_of_v<Out>) &&
                    (is_inexact(dtype_of_v<Out>) || !is_inexact(dtype_of_v<T>)))
        f(q, o);
    });
  });
}

// Converts the number x of dtype T to the type with which products of dtype Out are computed.
template <class V>
inline constexpr bool is_nest = num::is_ir<V>;
template <class R>
inline constexpr bool is_nest<num::Cx<R>> = num::is_ir<R>;
template <class Out, class V>
auto factor(const V& x) {
  using P = std::conditional_t<is_nest<V>, typename Element<Out>::ir, typename Element<Out>::plain>;
  if constexpr (arith::is_cx<P> && arith::is_cx<V>) {
    using S = num::scalar_t<decltype(P::re)>;
    return P(num::convert<S>(x.re), num::convert<S>(x.im));
  } else if constexpr (!arith::is_cx<P> && !arith::is_cx<V>) {
    return num::convert<num::scalar_t<P>>(x);
  } else {
    return P{};  // the type rule rejects products of real and complex numbers
  }
}

}  // namespace

Arrays factors_of(const Arrays& x, DType out) {
  Arrays r;
  for (const Array& a : x)
    with_product(a.dtype(), out, [&](auto* q, auto* o) {
      using T = std::remove_pointer_t<decltype(q)>;
      using Out = std::remove_pointer_t<decltype(o)>;
      using F = factor_t<Out>;
      if constexpr (std::is_same_v<T, F>) {
        r.push_back(a);
      } else {
        const Fresh f = fresh_array(Type(dtype_of_v<F>, a.shape()));
        const T* from = data_of<T>(a);
        F* to = static_cast<F*>(f.data);
        for (int64_t i = 0; i < a.size(); ++i)
          to[i] = Element<F>::store(factor<Out>(Element<T>::load(from[i])));
        r.push_back(f.array);
      }
    });
  return r;
}

Elem factor_elem(const Elem& e, DType in, DType out) {
  Elem r = e;
  with_product(in, out, [&](auto* q, auto* o) {
    using T = std::remove_pointer_t<decltype(q)>;
    using Out = std::remove_pointer_t<decltype(o)>;
    if constexpr (!std::is_same_v<T, factor_t<Out>>) r = term_elem(factor<Out>(Element<T>::in(e)));
  });
  return r;
}

void require_product(const char* op, const Types& in, DType out) {
  require_operands(op, in, 2);
  if (in[0].dtype() != in[1].dtype())
    reject_dtype(op, "requires arguments to have the same dtypes", in);
  if (!is_number(in[0].dtype())) reject_dtype(op, "takes numbers", in);
  if (!is_number(out) || is_complex(out) != is_complex(in[0].dtype()) ||
      (is_inexact(in[0].dtype()) && !is_inexact(out)))
    reject_dtype(
        op, fmt::format("preferred_element_type {} does not hold the product", short_name(out)),
        in);
}

std::array<Ints, 2> axes_in_product(const std::array<int64_t, 2>& ranks, const lax::DotDims& d) {
  constexpr int64_t unknown = std::numeric_limits<int64_t>::max();
  const std::array<const Ints*, 2> contract = {&d.lhs_contract, &d.rhs_contract},
                                   batch = {&d.lhs_batch, &d.rhs_batch};
  std::array<Ints, 2> axes;
  int64_t next = std::ssize(d.lhs_batch);  // axes that only one operand has come after these
  for (size_t k = 0; k < 2; ++k) {
    axes[k].assign(ranks[k], unknown);
    for (size_t i = 0; i < contract[k]->size(); ++i)
      axes[k][(*contract[k])[i]] = -1 - static_cast<int64_t>(i);
    for (size_t i = 0; i < batch[k]->size(); ++i) axes[k][(*batch[k])[i]] = static_cast<int64_t>(i);
    for (int64_t& a : axes[k])
      if (a == unknown) a = next++;
  }
  return axes;
}

}  // namespace weft
