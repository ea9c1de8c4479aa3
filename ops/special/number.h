// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/number.h: special functions that need loops, each written once for numbers R. R is
// double (the reference) or Traced (recorded as a program that replaces the op). The elements of an
// array are lanes of that program, so the loops of each element end independently. Narrow floats
// are computed in F64.
#pragma once
#include <array>
#include <utility>

#include "core/scalar/math.h"
#include "ops/control/control_flow.h"
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/integrals.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"

namespace weft::special {

inline constexpr double inf = std::numeric_limits<double>::infinity(),
                        nan = std::numeric_limits<double>::quiet_NaN(), pi = 3.14159265358979323846,
                        euler_gamma = 0.57721566490153286061, ln_2 = 0.69314718055994530942;

// An F64 scalar of the program being recorded, and a mask.
struct TracedMask {
  Array a;
};
struct Traced {
  Array a;
  Traced() = default;
  Traced(double v) : a(lax::convert_element_type(Array(v), F64)) {}
  static Traced of(Array x) {
    Traced t;
    t.a = std::move(x);
    return t;
  }
  friend Traced operator+(const Traced& x, const Traced& y) { return of(lax::add(x.a, y.a)); }
  friend Traced operator-(const Traced& x, const Traced& y) { return of(lax::sub(x.a, y.a)); }
  friend Traced operator*(const Traced& x, const Traced& y) { return of(lax::mul(x.a, y.a)); }
  friend Traced operator/(const Traced& x, const Traced& y) { return of(lax::div(x.a, y.a)); }
  friend Traced operator-(const Traced& x) { return of(lax::neg(x.a)); }
  friend TracedMask operator<(const Traced& x, const Traced& y) { return {lax::lt(x.a, y.a)}; }
  friend TracedMask operator<=(const Traced& x, const Traced& y) { return {lax::le(x.a, y.a)}; }
  friend TracedMask operator>(const Traced& x, const Traced& y) { return {lax::gt(x.a, y.a)}; }
  friend TracedMask operator>=(const Traced& x, const Traced& y) { return {lax::ge(x.a, y.a)}; }
  friend TracedMask operator==(const Traced& x, const Traced& y) { return {lax::eq(x.a, y.a)}; }
  friend TracedMask operator!=(const Traced& x, const Traced& y) { return {lax::ne(x.a, y.a)}; }
};
template <class R>
using Mask = std::conditional_t<std::is_same_v<R, double>, bool, TracedMask>;

inline bool both(bool a, bool b) { return a && b; }
inline bool either(bool a, bool b) { return a || b; }
inline bool no(bool a) { return !a; }
inline TracedMask both(const TracedMask& a, const TracedMask& b) {
  return {lax::bitwise_and(a.a, b.a)};
}
inline TracedMask either(const TracedMask& a, const TracedMask& b) {
  return {lax::bitwise_or(a.a, b.a)};
}
inline TracedMask no(const TracedMask& a) { return {lax::bitwise_not(a.a)}; }
inline double select(bool m, double x, double y) { return m ? x : y; }
inline Traced select(const TracedMask& m, const Traced& x, const Traced& y) {
  return Traced::of(lax::select(m.a, x.a, y.a));
}

#define WEFT_SPECIAL_UNARY(name)                         \
  inline double name(double x) { return math::name(x); } \
  inline Traced name(const Traced& x) { return Traced::of(lax::name(x.a)); }
WEFT_SPECIAL_UNARY(exp)
WEFT_SPECIAL_UNARY(log)
WEFT_SPECIAL_UNARY(log1p)
WEFT_SPECIAL_UNARY(expm1)
WEFT_SPECIAL_UNARY(sin)
WEFT_SPECIAL_UNARY(cos)
WEFT_SPECIAL_UNARY(erfc)
WEFT_SPECIAL_UNARY(erfcx)
WEFT_SPECIAL_UNARY(lgamma)
WEFT_SPECIAL_UNARY(digamma)
WEFT_SPECIAL_UNARY(sqrt)
WEFT_SPECIAL_UNARY(floor)
WEFT_SPECIAL_UNARY(abs)
#undef WEFT_SPECIAL_UNARY
inline double pow(double x, double y) { return math::pow(x, y); }
inline Traced pow(const Traced& x, const Traced& y) { return Traced::of(lax::pow(x.a, y.a)); }
template <class R>
Mask<R> is_nan(const R& x) {
  return x != x;
}
template <class R>
Mask<R> is_whole(const R& x) {
  return floor(x) == x;
}
template <class R>
R minimum(const R& x, const R& y) {
  return select(x < y, x, y);
}
template <class R>
R maximum(const R& x, const R& y) {
  return select(x > y, x, y);
}

// Runs a loop: while test(state): state = body(state). Returns the last state.
template <size_t n, class Test, class Body>
std::array<double, n> iterate(std::array<double, n> state, const Test& test, const Body& body) {
  while (test(state)) state = body(state);
  return state;
}
template <size_t n, class Test, class Body>
std::array<Traced, n> iterate(const std::array<Traced, n>& state, const Test& test,
                              const Body& body) {
  const auto unpack = [](const Arrays& x) {
    std::array<Traced, n> s;
    for (size_t i = 0; i < n; ++i) s[i].a = x[i];
    return s;
  };
  const auto pack = [](const std::array<Traced, n>& s) {
    Arrays x;
    for (const Traced& t : s) x.push_back(t.a);
    return x;
  };
  const Types types(n, Type(F64, {}));
  const ClosedJaxpr go = record(types, [&](const Arrays& x) { return Arrays{test(unpack(x)).a}; });
  const ClosedJaxpr step = record(types, [&](const Arrays& x) { return pack(body(unpack(x))); });
  return unpack(while_flat(go, step, pack(state)));
}

// Returns f() in the lanes that need it, and 0 in the others. It is a loop of at most one trip, so
// if no lane needs f(), it is not computed.
template <class R, class F>
R where_needed(const Mask<R>& needed, const F& f) {
  return iterate(
      std::array<R, 2>{select(needed, R(1), R(0)), R(0)}, [](const auto& v) { return v[0] > R(0); },
      [&](const auto& v) { return std::array<R, 2>{v[0] - R(1), f()}; })[1];
}

// The relative size at which a sum may end: the rounding of the dtype, with some spare digits for
// narrow ones.
inline double rounding_of(DType d) { return d == F64 ? 0x1p-53 : 0x1p-32; }

namespace detail {
// Makes a program on arrays of type t from a function of scalars.
Arrays over_lanes(const Arrays& x, const Type& t, FunctionRef<Array(const Arrays&)> f);

template <class F, size_t... I>
Arrays host(const Arrays& x, const Type& t, const F& f, std::index_sequence<I...>) {
  const Fresh r = fresh_array(t);
  with_class<DTypes::floats>(t.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    const T* in[sizeof...(I)] = {data_of<T>(x[I])...};
    const int64_t step[sizeof...(I)] = {(x[I].ndim() == 0 ? 0 : 1)...};
    using P = typename Element<T>::plain;
    for (int64_t i = 0; i < t.elements(); ++i)
      static_cast<T*>(r.data)[i] = Element<T>::store(static_cast<P>(
          f(rounding_of(t.dtype()), static_cast<double>(Element<T>::load(in[I][i * step[I]]))...)));
  });
  return {r.array};
}
}  // namespace detail

// Defines an elementwise op of n floats. f(rounding, x…) is a generic lambda over R.
template <int n, class F>
Def<None> looped(const std::string& name, std::string doc, F f) {
  using Seq = std::make_index_sequence<n>;
  Def<None> d;
  d.name = name;
  d.doc = std::move(doc);
  d.type = [name](const Types& in, const None&) {
    require_operands(name.c_str(), in, n);
    return Types{nary_type(name.c_str(), in, DTypes::floats)};
  };
  d.reference = [f, type = d.type](const Arrays& x, const None& p) {
    return detail::host(x, type(types_of(x), p)[0], f, Seq{});
  };
  d.expand = [f, type = d.type](const ExpandArgs<None>& e) {
    const Type t = type(types_of(e.x), e.params)[0];
    return detail::over_lanes(e.x, t, [&](const Arrays& x) {
      return [&]<size_t... I>(std::index_sequence<I...>) {
        return f(rounding_of(t.dtype()), Traced::of(x[I])...).a;
      }(Seq{});
    });
  };
  d.batch = [](const BatchArgs<None>& b) { return batch_nary(b); };
  d.tolerance = 64;
  return d;
}
inline Reject<None> integers_refused(size_t n) {
  return {Types(n, Type(I32, {2})), {}, "takes floating-point"};
}

}  // namespace weft::special
