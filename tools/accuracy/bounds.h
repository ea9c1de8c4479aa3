// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/bounds.h: where the error of a function is larger than the others', and why.
#pragma once

namespace weft::accuracy {

struct Special {
  const char *name, *type;
  double bound;
  const char* why;
};
inline constexpr Special specials[] = {
    {"bessel_i0e", "F64", 6, "the series alternate near 0 and 8"},
    {"bessel_i1e", "F64", 12, "the series alternate near 0 and 8"},
    {"cosine_integral", "F64", 4, "a few roundings of what is summed"},
    {"dawsn", "F64", 5, "a quotient of rounded numbers"},
    {"digamma", "F64", 64, "roundings of log |x| beside the zeros between poles"},
    {"erf_inv", "F32", 1e6,
     "x^2 is rounded, which loses digits near 1; the bits of JAX's random numbers rest on it"},
    {"erf_inv", "F64", 1e14,
     "x^2 is rounded, which loses digits near 1; the bits of JAX's random numbers rest on it"},
    {"erfcx", "F64", 4, "a difference of rounded numbers below 0"},
    {"lgamma", "F64", 4, "reflection of negative numbers"},
    {"expi", "F64", 5, "a product of rounded numbers"},
    {"fresnel_cos", "F64", 6, "a few roundings of what is summed"},
    {"fresnel_sin", "F64", 6, "a few roundings of what is summed"},
    {"spence", "F64", 4, "a few roundings of what is summed"},
    {"expm1", "C64", 1e4, "the real part cancels along e^a cos b = 1"},
    {"expm1", "C128", 1e9, "the real part cancels along e^a cos b = 1"},
    {"logistic", "C64", 1e4, "the real part cancels along e^a = -cos b"},
    {"logistic", "C128", 1e9, "the real part cancels along e^a = -cos b"},
};
// Functions with zeros that no number of the format hits; the zeros of the others are met, or their
// error beside them is small.
inline constexpr const char* irrational_zeros[] = {"cosine_integral", "digamma", "lgamma"};

}  // namespace weft::accuracy
