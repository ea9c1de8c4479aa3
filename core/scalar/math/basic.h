// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/basic.h: functions of the bits and the order of numbers.
#pragma once
#include "core/scalar/number.h"

namespace weft::math {
using namespace num;

// -1, 0 or 1; -0 and NaN are returned unchanged.
template <class R>
R sign(R x)
  requires(num::Real<R> || num::Integer<R>)
{
  using T = scalar_t<R>;
  const R zero(T(0)), one(T(1));
  if constexpr (Real<R>)
    return select(x == zero, x, select(is_nan(x), x, copysign(one, x)));
  else if constexpr (std::is_signed_v<T>)
    return select(x < zero, R(T(-1)), select(x == zero, zero, one));
  else
    return select(x == zero, zero, one);
}

// The neighbour of x towards y; y if they are equal.
template <Real R>
R nextafter(R x, R y) {
  using T = scalar_t<R>;
  using I = int_of<R>;
  using B = scalar_t<I>;
  const I i = bitcast<B>(x);
  const I step = select((x < y) == (x > R(T(0))), I(B(1)), I(B(-1)));
  const R least = copysign(R(std::numeric_limits<T>::denorm_min()), y);
  const R moved = select(x == R(T(0)), least, bitcast<T>(add(i, step)));
  return select(either(is_nan(x), is_nan(y)), x + y, select(x == y, y, moved));
}

// Joins two words to one of 64 bits; U is uint32_t or Ir<uint32_t>.
template <class U>
auto joined(U high, U low) {
  using W = rebind<U, uint64_t>;
  return bit_or(shift_left(W(convert<uint64_t>(high)), W(uint64_t{32})), W(convert<uint64_t>(low)));
}

}  // namespace weft::math
