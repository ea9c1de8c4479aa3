// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/number/any.h: definitions that all number types share: related types, branches,
// polynomials, signs.
#pragma once
#include "core/scalar/number/ir.h"
#include "core/scalar/number/plain.h"

namespace weft::num {

namespace detail {
template <class R>
struct Traits {
  using scalar = R;
  static constexpr bool is_ir = false;
  template <class U>
  using rebind = U;
};
template <class T>
struct Traits<Ir<T>> {
  using scalar = T;
  static constexpr bool is_ir = true;
  template <class U>
  using rebind = Ir<U>;
};
template <class T>
struct SameWidth {
  using s = std::make_signed_t<T>;
  using u = std::make_unsigned_t<T>;
};
template <>
struct SameWidth<float> {
  using s = int32_t;
  using u = uint32_t;
};
template <>
struct SameWidth<double> {
  using s = int64_t;
  using u = uint64_t;
};
}  // namespace detail

template <class R>
using scalar_t = typename detail::Traits<R>::scalar;  // float for Ir<float>
template <class R>
inline constexpr bool is_ir = detail::Traits<R>::is_ir;
template <class R, class U>
using rebind = typename detail::Traits<R>::template rebind<U>;  // U or Ir<U>
template <class R>
using mask_t = rebind<R, bool>;
template <class R>
using int_of = rebind<R, typename detail::SameWidth<scalar_t<R>>::s>;  // of R's width
template <class R>
using uint_of = rebind<R, typename detail::SameWidth<scalar_t<R>>::u>;

template <class R>
concept Real = Float<scalar_t<R>>;
template <class R>
concept Integer = Int<scalar_t<R>>;

// Runs only the side that is taken. For Ir, a side is skipped if no lane takes it. Both sides
// return the same type, a number or an array of numbers.
template <class F, class G>
auto branch(bool m, F then, G otherwise) {
  return m ? then() : otherwise();
}
namespace detail {
// `path` names the library function that computes `then` from `argument`, if there is one.
template <class F, class G>
auto write_branch(Ir<bool> m, F then, G otherwise, ColdPathId path = ColdPathId::none,
                  nest::Id argument = nest::no_id) {
  using Result = decltype(then());
  bool known = false;
  if (m.known(&known)) return known ? then() : otherwise();
  const auto write = [](auto& side) {
    const nest::BlockId b = builder().open_branch();
    const Result r = side();
    std::vector<nest::Id> ids;
    if constexpr (requires { r.id; })
      ids.push_back(r.id);
    else
      for (const auto& x : r) ids.push_back(x.id);
    builder().yield(ids);
    builder().leave();
    return b;
  };
  const nest::BlockId a = write(then), b = write(otherwise);
  const std::vector<nest::Id> ids = builder().branch(m.id, a, b, path, argument);
  Result out;
  if constexpr (requires { out.id; })
    out.id = ids[0];
  else
    for (size_t i = 0; i < out.size(); ++i) out[i].id = ids[i];
  return out;
}
}  // namespace detail

template <class F, class G>
auto branch(Ir<bool> m, F then, G otherwise) {
  return detail::write_branch(m, then, otherwise);
}

// A branch to Path::run(x), which gives an array of numbers of x's type. It is so rare and long
// that kernels call it in the library (core/loops/cold_path.h) by the name Path::path<T>.
template <class Path, Real R, class G>
auto rarely(mask_t<R> m, R x, G otherwise) {
  const auto then = [&] { return Path::run(x); };
  if constexpr (is_ir<R>)
    return detail::write_branch(m, then, otherwise, Path::template path<scalar_t<R>>, x.id);
  else
    return m ? then() : otherwise();
}

// The polynomial by Horner's rule with fma, highest coefficient first.
template <Real R, class... C>
R horner(R x, C... coefficients) {
  using T = scalar_t<R>;
  R acc = R(T(0));
  bool first = true;
  ((acc = first ? R(static_cast<T>(coefficients)) : fma(acc, x, R(static_cast<T>(coefficients))),
    first = false),
   ...);
  return acc;
}
// x with the sign of s.
template <Real R>
R copysign(R x, R s) {
  using T = scalar_t<R>;
  using U = uint_of<R>;
  using B = scalar_t<U>;
  const B sign = static_cast<B>(B{1} << (width_of<B> - 1));
  return bitcast<T>(
      bit_or(bit_and(bitcast<U>(x), U(static_cast<B>(~sign))), bit_and(bitcast<U>(s), U(sign))));
}
// x with its sign flipped if s is negative (or -0).
template <Real R>
R flip_sign(R x, R s) {
  using U = uint_of<R>;
  using B = scalar_t<U>;
  const B sign = static_cast<B>(B{1} << (width_of<B> - 1));
  return bitcast<scalar_t<R>>(bit_xor(bitcast<U>(x), bit_and(bitcast<U>(s), U(sign))));
}
template <Real R>
mask_t<R> sign_bit(R x) {
  return bitcast<int_of<R>>(x) < int_of<R>(0);
}

}  // namespace weft::num
