// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/stats_kit.h: what the distributions share. Not public.
#pragma once
#include <array>
#include <limits>

#include "weft/functions/numpy/math.h"
#include "weft/functions/special_kit.h"

namespace weft::scipy::stats {

inline constexpr double inf = std::numeric_limits<double>::infinity(),
                        nan = std::numeric_limits<double>::quiet_NaN(), pi = 3.14159265358979323846;

// Operands of one float dtype and one shape, to be bound to names.
template <class... A>
std::array<Array, sizeof...(A)> reals(const char* name, const A&... x) {
  const Arrays all = fn::reals_of(name, {static_cast<const Array&>(x)...});
  std::array<Array, sizeof...(A)> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = all[i];
  return out;
}
// x where it counts. A number stands elsewhere at which no derivative is NaN.
inline Array safe(const Array& counts, const Array& x, double elsewhere) {
  return where(counts, x, elsewhere);
}
// NaN for what is no probability.
inline Array of_probability(const Array& q, const Array& value) {
  return where((q >= 0) & (q <= 1), value, nan);
}

// log(1 + z^2), where z^2 may be too large.
inline Array log1p_square(const Array& z) {
  const Array far = abs(z) > 1, at = safe(far, z, 2), i = 1 / at;
  return where(far, 2 * log(abs(at)) + log1p(i * i), log1p(square(safe(!far, z, 0))));
}

}  // namespace weft::scipy::stats
