// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/library.h: exact values by libraries: for F32 by the C library in double
// precision, which multiple.h checks; for complex numbers by libquadmath.
#pragma once
#include <quadmath.h>

#include <cmath>
#include <map>
#include <string>

namespace weft::accuracy {

using Library = double (*)(double);
inline std::map<std::string, Library> library() {
#define WEFT_LIBRARY(name) {#name, [](double x) { return std::name(x); }}
  return {WEFT_LIBRARY(sqrt),
          WEFT_LIBRARY(cbrt),
          WEFT_LIBRARY(exp),
          WEFT_LIBRARY(exp2),
          WEFT_LIBRARY(expm1),
          WEFT_LIBRARY(log),
          WEFT_LIBRARY(log1p),
          WEFT_LIBRARY(sin),
          WEFT_LIBRARY(cos),
          WEFT_LIBRARY(tan),
          WEFT_LIBRARY(asin),
          WEFT_LIBRARY(acos),
          WEFT_LIBRARY(atan),
          WEFT_LIBRARY(sinh),
          WEFT_LIBRARY(cosh),
          WEFT_LIBRARY(tanh),
          WEFT_LIBRARY(asinh),
          WEFT_LIBRARY(acosh),
          WEFT_LIBRARY(atanh),
          WEFT_LIBRARY(erf),
          WEFT_LIBRARY(erfc),
          WEFT_LIBRARY(ceil),
          WEFT_LIBRARY(floor),
          WEFT_LIBRARY(abs),
          {"neg", [](double x) { return -x; }},
          {"square", [](double x) { return x * x; }},
          {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
          {"stop_gradient", [](double x) { return x; }},
          {"copy", [](double x) { return x; }},
          {"optimization_barrier", [](double x) { return x; }},
          {"sign", [](double x) { return x > 0   ? 1.
                                         : x < 0 ? -1.
                                                 : x; }},
          {"logistic", [](double x) { return 1 / (1 + std::exp(-x)); }}};
#undef WEFT_LIBRARY
}

using Quad = __complex128;
using ComplexLibrary = Quad (*)(Quad);
inline std::map<std::string, ComplexLibrary> complex_library() {
  return {{"sqrt", csqrtq},
          {"exp", cexpq},
          {"log", clogq},
          {"sin", csinq},
          {"cos", ccosq},
          {"tan", ctanq},
          {"sinh", csinhq},
          {"cosh", ccoshq},
          {"tanh", ctanhq},
          {"asin", casinq},
          {"acos", cacosq},
          {"atan", catanq},
          {"asinh", casinhq},
          {"acosh", cacoshq},
          {"atanh", catanhq},
          {"conj", [](Quad z) { return conjq(z); }},
          {"neg", [](Quad z) { return -z; }},
          {"copy", [](Quad z) { return z; }},
          {"optimization_barrier", [](Quad z) { return z; }},
          {"stop_gradient", [](Quad z) { return z; }},
          {"square", [](Quad z) { return z * z; }},
          {"sign", [](Quad z) { return z / cabsq(z); }},
          {"rsqrt", [](Quad z) { return 1 / csqrtq(z); }},
          {"logistic", [](Quad z) { return 1 / (1 + cexpq(-z)); }},
          {"exp2", [](Quad z) { return cexpq(z * M_LN2q); }},
          {"cbrt", [](Quad z) { return cexpq(clogq(z) / 3); }},
          // Small parts keep their digits: e^a cos b - 1 = expm1(a) cos b - 2 sin(b / 2)^2, and
          // 1 + z|^2 - 1 = a (2 + a) + b^2.
          {"expm1",
           [](Quad z) {
             const __float128 a = crealq(z), b = cimagq(z), s = sinq(b / 2);
             Quad r;
             __real__ r = expm1q(a) * cosq(b) - 2 * s * s;
             __imag__ r = expq(a) * sinq(b);
             return r;
           }},
          {"log1p", [](Quad z) {
             const __float128 a = crealq(z), b = cimagq(z);
             Quad r;
             __real__ r = log1pq(a * (2 + a) + b * b) / 2;
             __imag__ r = atan2q(b, 1 + a);
             return r;
           }}};
}

}  // namespace weft::accuracy
