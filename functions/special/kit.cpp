// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special/kit.cpp: promotion of the operands of special functions, their derivatives, and
// the parts of log Gamma that do not cancel.
#include "functions/special/kit.h"

#include <cmath>

#include "ops/control/custom_flat.h"
#include "tracer/types_of.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"
#include "weft/numpy/math.h"

namespace weft::fn {

Array real_of(const char* name, const Array& x) {
  need_real(name, x);
  return inexact(x);
}
Arrays reals_of(const char* name, const Arrays& x) {
  for (const Array& v : x) need_real(name, v);
  Arrays r = broadcast_together(name, x);
  for (Array& v : r) {
    v = inexact(v);
    v = as_dtype(v, v.dtype());
  }
  return r;
}
Pair pair_of(const char* name, const Array& x, const Array& y) {
  need_real(name, x);
  need_real(name, y);
  return promoted_inexact(name, x, y);
}

Array with_slope(const char* name, const Arrays& x, FunctionRef<Array(const Arrays&)> f,
                 FunctionRef<Array(const Arrays&, const Arrays&)> slope) {
  const Types types = types_of(x);
  Types doubled = types;
  for (const Type& t : types) doubled.push_back(t.strong());
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  const ClosedJaxpr value = record(types, [&](const Arrays& v) { return Arrays{f(v)}; });
  const ClosedJaxpr rule = record(doubled, [&](const Arrays& v) {
    const Arrays p(v.begin(), v.begin() + n), dx(v.begin() + n, v.end());
    const Array out = f(p);
    return Arrays{out, as_dtype(slope(p, dx), out.dtype())};
  });
  return custom_jvp_flat(value, rule, x, name, true)[0];
}

Array stirling_rest(const Array& x) {
  const Array y = 1 / (x * x);
  Array sum = number_like(x, 0);
  for (double c : {1. / 156, -691. / 360360, 1. / 1188, -1. / 1680, 1. / 1260, -1. / 360, 1. / 12})
    sum = sum * y + c;
  return sum / x;
}

namespace {
// With v = (x - m) / (x + m), the logarithm of x / m is 2 artanh v. Near 0 its first term is
// combined with m - x, which leaves (x - m) v.
Array deviance_of(const Array& x, const Array& m) {
  const Array both = x + m, d = x - m, v = d / both;
  const Array near = (abs(v) < 0.1) & isfinite(both), u = where(near, v, 0), uu = u * u;
  Array sum = number_like(x, 0);
  for (int k = itemsize(x.dtype()) > 4 ? 19 : 9; k >= 3; k -= 2) sum = sum * uu + 1. / k;
  const Array close = d * u + 2 * x * (u * uu * sum);
  // The quotient by a tiny number may overflow, so m is scaled there.
  const int bits = x.dtype() == F64 ? 600 : x.dtype() == F16 ? 9 : 90;
  const Array tiny = m < std::ldexp(1, -bits), scaled = where(tiny, m * std::ldexp(1, bits), m);
  const Array l = log(where(near, 2, x / scaled)) + where(tiny, bits * std::log(2.), 0);
  return where(near, close, x * l - d);
}
}  // namespace
Array deviance(const Array& x, const Array& m) {
  return with_slope(
      "deviance", reals_of("deviance", {x, m}),
      [](const Arrays& v) { return as_dtype(deviance_of(v[0], v[1]), v[0].dtype()); },
      [](const Arrays& v, const Arrays& dv) {
        const Array step = (v[0] - v[1]) / v[1], near = abs(step) < 0.5;
        const Array l = where(near, log1p(where(near, step, 0)), log(v[0]) - log(v[1]));
        return dv[0] * l - dv[1] * step;
      });
}
// The three logarithms of gamma functions cancel where an operand is large. There Stirling's
// formula is used, without the terms that cancel.
Array log_beta(const Array& a, const Array& b) {
  // One comparison orders a and b. At a == b, minimum and maximum would each get half of the
  // derivative, and second derivatives would be wrong.
  const Array swap = a > b, low = where(swap, b, a), high = where(swap, a, b);
  const Array large = (low > 0) & (high >= 10) & isfinite(high), both = large & (low >= 10);
  const Array y = where(large, high, 10), one = where(large, low, 1), two = where(both, low, 10);
  const Array rest = stirling_rest(y) - stirling_rest(where(both, two, one) + y);
  const Array of_low = lax::lgamma(low);
  const Array of_one = of_low - (y - 0.5) * log1p(one / y) - one * (log(one + y) - 1);
  const Array of_two = stirling_rest(two) + (two - 0.5) * log(two / (two + y)) -
                       y * log1p(two / y) - 0.5 * log(y / (2 * M_PI));
  const Array few = where(large, 1, high), sum = where(large, 1, low + high);
  const Array plain = of_low + lax::lgamma(few) - lax::lgamma(sum);
  return where(both, of_two + rest, where(large, of_one + rest, plain));
}
Array with_log_derivatives(const Array& value, const Array& log_value) {
  const Array change = log_value - lax::stop_gradient(log_value);
  return lax::stop_gradient(value) * exp(where(isfinite(change), change, 0));
}
Array log_gamma_form(const Array& a, const Array& m) {
  return 0.5 * log(a / (2 * M_PI)) - stirling_rest(a) - deviance(a, m);
}
Array log_beta_form(const Array& p, const Array& q, const Array& z, const Array& w) {
  const Array n = p + q;
  const Array rest = stirling_rest(n) - stirling_rest(p) - stirling_rest(q);
  return 0.5 * log(p / n * q / (2 * M_PI)) + rest - (deviance(p, n * z) + deviance(q, n * w));
}
}  // namespace weft::fn
