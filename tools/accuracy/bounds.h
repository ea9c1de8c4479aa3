// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/bounds.h: functions with larger error bounds than the others, and the reasons.
#pragma once
#include <cmath>

namespace weft::accuracy {

struct Special {
  const char *name, *type;
  double bound;
  const char* why;
};
inline constexpr Special specials[] = {
    {"xla_erf_inv", "F32", 1e6, "x^2 is rounded, which loses digits near 1"},
    {"xla_erf_inv", "F64", 1e14, "x^2 is rounded, which loses digits near 1"},
    {"igamma", "F64", 64, "logarithms of powers and of the gamma function are added up"},
    {"igammac", "F64", 2048, "the same, and it is one less igamma where that is the series"},
    {"regularized_incomplete_beta", "F64", 256,
     "logarithms of powers and of the gamma function are added up"},
};
// Complex functions whose parts cancel along a curve. A part below this share of the absolute value
// is measured in ULP of that share.
struct Cancelling {
  const char *name, *type;
  double share;
  const char* why;
};
inline constexpr Cancelling cancelling[] = {
    {"expm1", "C128", 0.25, "the real part cancels along e^a cos b = 1"},
    {"logistic", "C128", 0.25, "the real part cancels along e^a = -cos b"},
};
// Functions with zeros that no number of the format hits. Near them, an error is measured in ULP of
// at least this size. Other functions hit their zeros exactly, or have a small error near them.
struct Zeros {
  const char* name;
  double (*unit)(double x);
  const char* what;
};
inline constexpr Zeros irrational_zeros[] = {
    {"cosine_integral", [](double x) { return std::fabs(x) > 4 ? 1 / std::fabs(x) : 0; },
     "of 1/x beyond 4"},
    {"digamma", [](double x) { return x < 0 ? 1. : 0; }, "of 1 below 0"},
    {"lgamma", [](double x) { return x < 0 ? 1. : 0; }, "of 1 below 0"},
};

}  // namespace weft::accuracy
