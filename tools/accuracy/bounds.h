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
    {"xla_erf_inv", "F32", 1e6, "x^2 is rounded, which loses digits near 1"},
    {"xla_erf_inv", "F64", 1e14, "x^2 is rounded, which loses digits near 1"},
    {"expm1", "C64", 1e4, "the real part cancels along e^a cos b = 1"},
    {"expm1", "C128", 1e9, "the real part cancels along e^a cos b = 1"},
    {"logistic", "C64", 1e4, "the real part cancels along e^a = -cos b"},
    {"logistic", "C128", 1e9, "the real part cancels along e^a = -cos b"},
};
// Functions with zeros that no number of the format hits; the zeros of the others are met, or their
// error beside them is small.
inline constexpr const char* irrational_zeros[] = {"cosine_integral", "digamma", "lgamma"};

}  // namespace weft::accuracy
