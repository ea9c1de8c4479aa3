// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special/integrals.cpp: special functions that are integrals of exponentials, sines and
// normal densities.
#include "weft/lax/integrals.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/special/kit.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/incomplete.h"
#include "weft/lax/special.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/special.h"

namespace weft::special {
namespace {

using fn::real_of, fn::reals_of, fn::with_slope;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Weideman's rational approximation of w(z) for Im z >= 0 (SIAM J. Numer. Anal. 31, 1994), with 40
// terms. It is a polynomial in (L + iz) / (L - iz), with the highest coefficient first.
constexpr double weideman_l = 5.3182958969449885;
constexpr double weideman[] = {
    -1.899694947394927e-15,  1.128073562364402e-15,   1.1357687198999241e-14,
    -5.409310282882142e-15,  -7.074086260286855e-14,  1.37256205867155e-14,
    4.5329666782606727e-13,  1.2031458219387989e-13,  -2.907688342182867e-12,
    -2.7276023158200452e-12, 1.7714495214011192e-11,  3.47272670930455e-11,
    -9.055124450928292e-11,  -3.5632339865976533e-10, 2.1086006347066517e-10,
    3.0177805400090707e-09,  3.2497465180436973e-09,  -1.8315616783040462e-08,
    -6.35177348504429e-08,   1.4198642399935674e-08,  5.912136951899494e-07,
    1.483566113220078e-06,   -1.0660138984947143e-06, -1.8007447144750956e-05,
    -5.591309264248318e-05,  -3.939363145489569e-05,  0.0004398070159869668,
    0.0027054056330737914,   0.010048186242783424,    0.029202916471241867,
    0.07182361779074337,     0.15504263802479495,     0.29989437996150065,
    0.5266528988277086,      0.8472174576593818,      1.2563815675765133,
    1.7253830848179779,      2.201513794878312,       2.61605415276186,
    2.8996245093897053};
Array faddeeva_upper(const Array& z) {
  const Array iz = lax::complex(lax::neg(lax::imag(z)), lax::real(z));
  const Array below = lax::sub(fn::number_like(z, weideman_l), iz);
  const Array t = lax::div(lax::add(fn::number_like(z, weideman_l), iz), below);
  Array p = fn::number_like(z, 0);
  for (double c : weideman) p = p * t + fn::number_like(z, c);
  return (2 * p / below + 1 / std::sqrt(M_PI)) / below;
}
// w(z) = 2 e^(-z^2) - w(-z) for Im z < 0. Computed in C128.
Array faddeeva(const Array& x) {
  const Array z = fn::as_dtype(x, C128), above = lax::imag(z) >= 0.;
  const Array w = faddeeva_upper(where(above, z, lax::neg(z)));
  return fn::as_dtype(where(above, w, 2 * lax::exp(lax::neg(z * z)) - w), x.dtype());
}
Array faddeeva_with_slope(const char* name, const Array& z) {
  return with_slope(
      name, {z}, [](const Arrays& v) { return faddeeva(v[0]); },
      [](const Arrays& v, const Arrays& d) {
        const Array i = lax::complex(fn::number_like(lax::real(v[0]), 0),
                                     fn::number_like(lax::real(v[0]), 2 / std::sqrt(M_PI)));
        return d[0] * (i - 2 * v[0] * faddeeva(v[0]));
      });
}

}  // namespace

Array wofz(const Arg& z) {
  const ApiNameScope s("wofz", z.at());
  const Array v = fn::inexact(z);
  const DType d = is_complex(v.dtype()) ? v.dtype() : v.dtype() == F64 ? C128 : C64;
  return faddeeva_with_slope("wofz", fn::as_dtype(v, d));
}
Array erfcx(const Arg& x) {
  const ApiNameScope s("erfcx", x.at());
  const Array v = fn::inexact(x);
  if (!is_complex(v.dtype())) return lax::erfcx(v);
  return faddeeva_with_slope("erfcx", lax::complex(lax::neg(lax::imag(v)), lax::real(v)));
}
Array dawsn(const Arg& x) {
  const ApiNameScope s("dawsn", x.at());
  return lax::dawsn(real_of("dawsn", x));
}
Array expi(const Arg& x) {
  const ApiNameScope s("expi", x.at());
  return lax::expi(real_of("expi", x));
}
Array exp1(const Arg& x) {
  const ApiNameScope s("exp1", x.at());
  const Array v = real_of("exp1", x);
  return fn::as_dtype(where(v < 0, nan, lax::neg(lax::expi(lax::neg(v)))), v.dtype());
}
Array expn(const Arg& n, const Arg& x) {
  const ApiNameScope s("expn", n.at());
  const auto [order, v] = fn::pair_of("expn", n, x);
  return lax::expn(order, v);
}
Array spence(const Arg& x) {
  const ApiNameScope s("spence", x.at());
  return lax::spence(real_of("spence", x));
}
SineIntegrals sici(const Arg& x) {
  const ApiNameScope s("sici", x.at());
  const Array v = real_of("sici", x);
  return {lax::sine_integral(v), lax::cosine_integral(v)};
}
FresnelIntegrals fresnel(const Arg& x) {
  const ApiNameScope s("fresnel", x.at());
  const Array v = real_of("fresnel", x);
  return {lax::fresnel_sin(v), lax::fresnel_cos(v)};
}

// ---- Owen's T function
namespace {

// The positive nodes of the Gauss-Legendre rule with 24 points, and their weights.
constexpr double gauss_nodes[] = {0.06405689286260563, 0.1911188674736163, 0.3150426796961634,
                                  0.4337935076260451,  0.5454214713888396, 0.6480936519369755,
                                  0.7401241915785544,  0.820001985973903,  0.8864155270044011,
                                  0.9382745520027328,  0.9747285559713095, 0.9951872199970213};
constexpr double gauss_weights[] = {0.12793819534675202, 0.12583745634682825, 0.1216704729278033,
                                    0.11550566805372552, 0.10744427011596556, 0.09761865210411393,
                                    0.0861901615319532,  0.07334648141108016, 0.05929858491543636,
                                    0.04427743881741941, 0.02853138862893356, 0.01234122979998869};

// The integral of e^(-h^2 (1 + x^2) / 2) / (1 + x^2) from 0 to a <= 1, divided by 2 pi. The
// integrand beyond 9 / h is smaller than the rounding error of the rest.
Array owens_integral(const Array& h, const Array& a) {
  std::vector<double> x, w;
  for (size_t k = 0; k < std::size(gauss_nodes); ++k)
    for (const double sign : {-1., 1.}) {
      x.push_back(0.5 + sign * 0.5 * gauss_nodes[k]);
      w.push_back(gauss_weights[k] / (4 * M_PI));
    }
  const Array top = minimum(a, 9 / h);
  const Array t = lax::square(expand_dims(top, -1) * array(x));
  const Array f = exp(expand_dims(lax::square(h) * -0.5, -1) * (1 + t)) / (1 + t);
  return top * sum(f * array(w), -1);
}
// Owen (1956): T is even in h and odd in a, and T(h, a) + T(ah, 1/a) is a product of normal
// distributions.
Array owens_value(const Arrays& v) {
  const Array h = lax::abs(fn::as_dtype(v[0], F64)), a = lax::abs(fn::as_dtype(v[1], F64));
  const Array large = a > 1, ah = where(h == 0, 0., a * h);
  const Array t = owens_integral(where(large, ah, h), where(large, 1 / a, a));
  const double root_half = std::sqrt(0.5);
  const Array p = lax::erfc(h * root_half), q = lax::erfc(ah * root_half);
  const Array near = 0.25 - 0.25 * lax::erf(h * root_half) * lax::erf(ah * root_half);
  const Array sides = where(ah <= 0.67, near, 0.25 * (p + q - p * q)) - t;
  const Array r = sign(v[1]) * where(large, sides, t);
  return fn::as_dtype(where(logical_or(isnan(v[0]), isnan(v[1])), nan, r), v[0].dtype());
}

}  // namespace
Array owens_t(const Arg& h, const Arg& a) {
  const ApiNameScope s("owens_t", h.at());
  const Arrays v = reals_of("owens_t", {h, a});
  const auto value = [](const Arrays& x) { return owens_value(x); };
  return with_slope("owens_t", v, value, [](const Arrays& x, const Arrays& d) {
    const Array hh = lax::square(x[0]) * -0.5, aa = 1 + lax::square(x[1]);
    const Array by_h =
        exp(hh) * lax::erf(x[0] * x[1] * std::sqrt(0.5)) * (-0.5 / std::sqrt(2 * M_PI));
    return d[0] * by_h + d[1] * exp(hh * aa) / aa * (0.5 / M_PI);
  });
}

}  // namespace weft::special
