// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/monoid.h: the monoids of reductions and cumulative ops: the join of two terms, the
// identity, the loop-nest combiner, and native code for dtypes without a combiner.
#pragma once
#include <cstring>
#include <limits>

#include "core/loops/implementation.h"
#include "ops/kit/arith.h"
#include "ops/kit/element.h"
#include "weft/detail/literal.h"

namespace weft::monoid {

using nest::Combine;

template <class T>
constexpr Combine by_type(Combine of_floats, Combine of_signed, Combine of_unsigned,
                          Combine of_bools) {
  if constexpr (is_floating(dtype_of_v<T>))
    return of_floats;
  else if constexpr (std::is_same_v<T, bool>)
    return of_bools;
  else
    return std::is_signed_v<T> ? of_signed : of_unsigned;
}
// Returns the largest (sign = 1) or smallest number of a type, including infinities.
template <class T>
auto extreme(int sign) {
  using V = typename Element<T>::plain;
  using S = arith::real_t<V>;
  using Lim = std::numeric_limits<S>;
  if constexpr (arith::is_cx<V>)
    return V(S(sign) * Lim::infinity(), S(sign) * Lim::infinity());
  else if constexpr (Lim::has_infinity)
    return V(S(sign) * Lim::infinity());
  else
    return sign > 0 ? Lim::max() : Lim::lowest();
}

// A monoid M supports the dtypes in M::classes. Those in M::combined have a loop-nest combiner. A
// dtype has no combiner if the two parts of its value depend on each other.
struct Sum {
  static constexpr unsigned classes = DTypes::numbers;
  template <class R>
  static R join(R a, R b) {
    return arith::add(a, b);
  }
  template <class T>
  static auto identity() {
    return arith::constant<typename Element<T>::plain>(0);
  }
  template <class T>
  static constexpr Combine combine = Combine::Add;
  static constexpr unsigned combined = DTypes::numbers;
};
struct Product {
  static constexpr unsigned classes = DTypes::numbers;
  template <class R>
  static R join(R a, R b) {
    return arith::mul(a, b);
  }
  template <class T>
  static auto identity() {
    return arith::constant<typename Element<T>::plain>(1);
  }
  template <class T>
  static constexpr Combine combine = Combine::Mul;
  static constexpr unsigned combined = DTypes::real_numbers;
};
struct Max {
  static constexpr unsigned classes = DTypes::any;
  template <class R>
  static R join(R a, R b) {
    return arith::maximum(a, b);
  }
  template <class T>
  static auto identity() {
    return extreme<T>(-1);
  }
  template <class T>
  static constexpr Combine combine =
      by_type<T>(Combine::FMax, Combine::SMax, Combine::UMax, Combine::Or);
  static constexpr unsigned combined = DTypes::bools | DTypes::real_numbers;
};
struct Min {
  static constexpr unsigned classes = DTypes::any;
  template <class R>
  static R join(R a, R b) {
    return arith::minimum(a, b);
  }
  template <class T>
  static auto identity() {
    return extreme<T>(1);
  }
  template <class T>
  static constexpr Combine combine =
      by_type<T>(Combine::FMin, Combine::SMin, Combine::UMin, Combine::And);
  static constexpr unsigned combined = DTypes::bools | DTypes::real_numbers;
};
constexpr unsigned bits = DTypes::bools | DTypes::ints;
struct All {
  static constexpr unsigned classes = bits;
  template <class R>
  static R join(R a, R b) {
    return num::bit_and(a, b);
  }
  template <class T>
  static T identity() {
    return static_cast<T>(-1);
  }
  template <class T>
  static constexpr Combine combine = Combine::And;
  static constexpr unsigned combined = bits;
};
struct AnyOf {
  static constexpr unsigned classes = bits;
  template <class R>
  static R join(R a, R b) {
    return num::bit_or(a, b);
  }
  template <class T>
  static T identity() {
    return T{0};
  }
  template <class T>
  static constexpr Combine combine = Combine::Or;
  static constexpr unsigned combined = bits;
};
struct Parity {
  static constexpr unsigned classes = bits;
  template <class R>
  static R join(R a, R b) {
    return num::bit_xor(a, b);
  }
  template <class T>
  static T identity() {
    return T{0};
  }
  template <class T>
  static constexpr Combine combine = Combine::Xor;
  static constexpr unsigned combined = bits;
};

// M::join as a function object, for folds.
template <class M>
struct JoinOf {
  template <class R>
  R operator()(R a, R b) const {
    return M::join(a, b);
  }
};

// Returns the identity element for a dtype that has a combiner.
template <class M>
Literal identity_literal(DType t) {
  Literal l{t, false, {0, 0}};
  with_class<M::classes & M::combined>(t, [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    const T v = Element<T>::store(M::template identity<T>());
    std::memcpy(l.bits, &v, sizeof v);
  });
  return l;
}

// Returns a loop nest for the dtypes that have a combiner, and native code for the others. Returns
// {} if all dtypes have a combiner.
template <class M, class P>
std::vector<Implementation<P>> nest_or_native(NativeCall (*make)(const Use<P>&)) {
  const auto combined = [](const Use<P>& u) { return dtype_in(u.in[0].dtype(), M::combined); };
  const Implementation<P> nest{.name = std::string(generated), .applies = combined};
  const Implementation<P> native{.name = "native",
                                 .applies = [combined](const Use<P>& u) { return !combined(u); },
                                 .make = make};
  if constexpr (!(M::classes & ~M::combined)) return {};
  if constexpr (!(M::classes & M::combined)) return {native};
  return {nest, native};
}

// The lowering of folds along `axes` of operand 0, of type T.
template <class M, class T>
Lowering fold_lowering(Lowering::Form form, const Shape& space, const Ints& axes) {
  using Ir = typename Element<T>::ir;
  Lowering r;
  r.form = form;
  r.space = space;
  r.axes = axes;
  r.combine.assign(arith::is_cx<Ir> ? 2 : 1, M::template combine<T>);
  r.element = [](Reader& x, int, const Coords& at) { return x.read(0, at); };
  r.identity = [](nest::Builder&) -> std::vector<nest::Id> {
    const auto e = M::template identity<T>();
    if constexpr (arith::is_cx<Ir>)
      return {decltype(Ir::re)(e.re).id, decltype(Ir::im)(e.im).id};
    else
      return {Ir(e).id};
  };
  // Narrow floats are folded in F32 and rounded here.
  r.results = [](const std::vector<nest::Id>& id) {
    return std::vector<Elem>{
        Element<T>::out(Element<T>::in({id[0], id.size() > 1 ? id[1] : nest::no_id}))};
  };
  return r;
}

}  // namespace weft::monoid
