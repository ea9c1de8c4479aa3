// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/dtypes/random.h: random functions with the dtype alone behind the shape, as JAX has
// it: random::normal(key, {3}, F64) is random::normal(key, {3}, {.dtype = F64}).
#pragma once
#include "weft/functions/axis.h"
#include "weft/functions/random/random.h"

namespace weft::random {

#define WEFT_DRAWN(name, Options)                                   \
  template <weft::detail::PlainDType D>                             \
  Array name(const typing::Arg& key, const Shape& shape, D dtype) { \
    return random::name(key, shape, Options{.dtype = dtype});       \
  }
WEFT_DRAWN(bits, BitsOptions)
WEFT_DRAWN(uniform, UniformOptions)
WEFT_DRAWN(rademacher, CountOptions)
WEFT_DRAWN(normal, FloatOptions)
WEFT_DRAWN(exponential, FloatOptions)
WEFT_DRAWN(gumbel, GumbelOptions)
WEFT_DRAWN(laplace, FloatOptions)
WEFT_DRAWN(logistic, FloatOptions)
WEFT_DRAWN(cauchy, FloatOptions)
WEFT_DRAWN(maxwell, FloatOptions)
#undef WEFT_DRAWN
#define WEFT_DRAWN_BY_1(name, Options)                                                        \
  template <weft::detail::PlainDType D>                                                       \
  Array name(const typing::Arg& key, const typing::Arg& a, const DrawShape& shape, D dtype) { \
    return random::name(key, a, shape, Options{.dtype = dtype});                              \
  }
WEFT_DRAWN_BY_1(pareto, FloatOptions)
WEFT_DRAWN_BY_1(rayleigh, FloatOptions)
WEFT_DRAWN_BY_1(lognormal, FloatOptions)
WEFT_DRAWN_BY_1(gamma, FloatOptions)
WEFT_DRAWN_BY_1(loggamma, FloatOptions)
WEFT_DRAWN_BY_1(dirichlet, FloatOptions)
WEFT_DRAWN_BY_1(chisquare, FloatOptions)
WEFT_DRAWN_BY_1(t, FloatOptions)
WEFT_DRAWN_BY_1(wald, FloatOptions)
WEFT_DRAWN_BY_1(geometric, CountOptions)
WEFT_DRAWN_BY_1(poisson, CountOptions)
#undef WEFT_DRAWN_BY_1
#define WEFT_DRAWN_BY_2(name, Options)                                           \
  template <weft::detail::PlainDType D>                                          \
  Array name(const typing::Arg& key, const typing::Arg& a, const typing::Arg& b, \
             const DrawShape& shape, D dtype) {                                  \
    return random::name(key, a, b, shape, Options{.dtype = dtype});              \
  }
WEFT_DRAWN_BY_2(truncated_normal, FloatOptions)
WEFT_DRAWN_BY_2(beta, FloatOptions)
WEFT_DRAWN_BY_2(f, FloatOptions)
WEFT_DRAWN_BY_2(binomial, FloatOptions)
#undef WEFT_DRAWN_BY_2
template <weft::detail::PlainDType D>
Array randint(const typing::Arg& key, const Shape& shape, const typing::Arg& lo,
              const typing::Arg& hi, D dtype) {
  return random::randint(key, shape, lo, hi, RandintOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array weibull_min(const typing::Arg& key, const typing::Arg& scale,
                  const typing::Arg& concentration, const Shape& shape, D dtype) {
  return random::weibull_min(key, scale, concentration, shape, FloatOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array double_sided_maxwell(const typing::Arg& key, const typing::Arg& loc, const typing::Arg& scale,
                           const Shape& shape, D dtype) {
  return random::double_sided_maxwell(key, loc, scale, shape, FloatOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array generalized_normal(const typing::Arg& key, const typing::Arg& p, const Shape& shape,
                         D dtype) {
  return random::generalized_normal(key, p, shape, FloatOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array ball(const typing::Arg& key, int64_t d, const typing::Arg& p, const Shape& shape, D dtype) {
  return random::ball(key, d, p, shape, FloatOptions{.dtype = dtype});
}
// random::triangular with its dtype alone behind the shape. Source: jax.random.triangular.
template <weft::detail::PlainDType D>
Array triangular(const typing::Arg& key, const typing::Arg& left, const typing::Arg& mode,
                 const typing::Arg& right, const DrawShape& shape, D dtype) {
  return random::triangular(key, left, mode, right, shape, FloatOptions{.dtype = dtype});
}

}  // namespace weft::random
