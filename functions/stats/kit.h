// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/kit.h: helpers that the distributions share. Not public.
#pragma once
#include <array>
#include <cmath>
#include <limits>

#include "functions/special/kit.h"
#include "weft/numpy/math.h"

namespace weft::scipy::stats {

inline constexpr double inf = std::numeric_limits<double>::infinity(),
                        nan = std::numeric_limits<double>::quiet_NaN(), pi = 3.14159265358979323846;

// Converts the operands to one float dtype. Only the first one is broadcast to the common shape.
// The others keep their shapes, so that terms that depend only on scalar parameters are computed
// once.
template <class... A>
std::array<Array, sizeof...(A)> reals(const char* name, const A&... x) {
  const Arrays given = {static_cast<const Array&>(x)...};
  Shape together;
  for (const Array& v : given) {
    fn::need_real(name, v);
    together = fn::common_shape(name, together, v.shape());
  }
  const Arrays same = fn::same_dtype(given);
  const DType d = fn::inexact(same[0]).dtype();
  std::array<Array, sizeof...(A)> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = fn::as_dtype(same[i], d);
  out[0] = fn::broadcast(out[0], together);
  return out;
}
// Returns x where `counts` is true. Elsewhere it returns the number `elsewhere`, chosen such that
// no derivative is NaN.
inline Array safe(const Array& counts, const Array& x, double elsewhere) {
  return where(counts, x, elsewhere);
}
// Returns value where q is a probability, NaN elsewhere.
inline Array of_probability(const Array& q, const Array& value) {
  return where((q >= 0) & (q <= 1), value, nan);
}

// Returns log(d / s) for d, s > 0. Where the quotient overflows, d and s are scaled first.
inline Array log_of_quotient(const Array& d, const Array& s) {
  const int bits = d.dtype() == F64 ? 511 : d.dtype() == F16 ? 7 : 63;
  const double up = std::ldexp(1, bits), down = std::ldexp(1, -bits);
  const Array beyond = isinf(d / s) & isfinite(d);
  const Array inside = where(beyond, d * down, d) / where(beyond, s * up, s);
  return log(inside) + where(beyond, 2 * bits * std::log(2.), 0);
}
// Returns log(1 + (d / s)^2) for s > 0, also where the quotient or its square overflows. It divides
// by the larger of |d| and s only.
inline Array log1p_square_of(const Array& d, const Array& s) {
  const auto larger = [](const Arrays& v, const Array& far) { return where(far, v[0], v[1]); };
  const auto quotient = [&](const Arrays& v, const Array& far) {
    return where(far, v[1], v[0]) / larger(v, far);
  };
  const auto value = [&](const Arrays& v) {
    const Array far = abs(v[0]) > v[1];
    const Array log_z = log_of_quotient(safe(far, abs(v[0]), 1), where(far, v[1], 1));
    return where(far, 2 * log_z, 0) + log1p(square(quotient(v, far)));
  };
  // The derivative with respect to d is 2 d / (d^2 + s^2), that with respect to s is -2 d^2 / (s
  // (d^2 + s^2)).
  const auto slope = [&](const Arrays& v, const Arrays& dv) {
    const Array far = abs(v[0]) > v[1], r = quotient(v, far), top = where(far, 1, r);
    const Array inverse = 2 / ((1 + square(r)) * larger(v, far));
    return dv[0] * (top * inverse) - dv[1] * (top * where(far, v[0] / v[1], r) * inverse);
  };
  return fn::with_slope("log1p_square", fn::reals_of("log1p_square", {d, s}), value, slope);
}
// Returns the quantiles at the probabilities 0 and 1 of a distribution on the whole real line, NaN
// elsewhere.
inline Array end_of(const Array& q) { return where(q == 0, -inf, where(q == 1, inf, nan)); }

// Lists of one to five operands, for the macros below: (x, y) becomes parameters, or its first
// name.
#define WEFT_OPERANDS_1(x) const Arg& x
#define WEFT_OPERANDS_2(x, ...) const Arg &x, WEFT_OPERANDS_1(__VA_ARGS__)
#define WEFT_OPERANDS_3(x, ...) const Arg &x, WEFT_OPERANDS_2(__VA_ARGS__)
#define WEFT_OPERANDS_4(x, ...) const Arg &x, WEFT_OPERANDS_3(__VA_ARGS__)
#define WEFT_OPERANDS_5(x, ...) const Arg &x, WEFT_OPERANDS_4(__VA_ARGS__)
#define WEFT_OPERANDS_N(_1, _2, _3, _4, _5, N, ...) WEFT_OPERANDS_##N
#define WEFT_OPERANDS(...) WEFT_OPERANDS_N(__VA_ARGS__, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)
#define WEFT_FIRST_OPERAND(x, ...) x
#define WEFT_LIST(...) __VA_ARGS__

// Defines a function of a distribution by one formula of its operands as reals:
//
//     WEFT_FORMULA(norm, cdf, (x, loc, scale), (v, m, s), special::ndtr((v - m) / s))
#define WEFT_FORMULA(distribution, name, operands, converted, ...)                          \
  Array name(WEFT_OPERANDS operands) {                                                      \
    const SourceScope at(WEFT_FIRST_OPERAND operands.at());                                 \
    const auto [WEFT_LIST converted] = reals(#distribution "::" #name, WEFT_LIST operands); \
    return __VA_ARGS__;                                                                     \
  }
// Defines a probability or a density as the exponential of the function of its logarithm.
#define WEFT_EXP_OF(name, log_name, operands)               \
  Array name(WEFT_OPERANDS operands) {                      \
    const SourceScope at(WEFT_FIRST_OPERAND operands.at()); \
    return exp(log_name operands);                          \
  }

}  // namespace weft::scipy::stats
