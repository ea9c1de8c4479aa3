// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/library.h: exact values by libraries: for F32 by the C library in double
// precision, which multiple.h checks; for complex numbers by libquadmath.
#pragma once
#include <quadmath.h>

#include <cmath>
#include <map>
#include <string>

#include "tools/accuracy/named.h"

namespace weft::accuracy {

using Library = double (*)(double);
// Functions that the C library does not have under the name of the op. It has an abs of integers.
// Its lgamma has too large an error below 0 to judge ours.
inline std::map<std::string, Library> other_functions() {
  return {{"abs", [](double x) { return std::abs(x); }},
          {"lgamma", nullptr},
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
}
// The op with this name in double precision: the function NAME of C, unless other_functions() has
// it. Null if neither exists. A function of C counts only if MPFR has one with its name, too,
// because other names of the C library are not mathematical functions.
inline Library library_of(const std::string& name) {
  static const std::map<std::string, Library> others = other_functions();
  if (const auto other = others.find(name); other != others.end()) return other->second;
  return function_named<void*>("mpfr_" + name) ? function_named<Library>(name) : nullptr;
}

using Quad = __complex128;
using ComplexLibrary = Quad (*)(Quad);
// Functions that libquadmath does not have under the name of the op.
inline std::map<std::string, ComplexLibrary> other_complex_functions() {
  return {{"conj", [](Quad z) { return conjq(z); }},
          {"neg", [](Quad z) { return -z; }},
          {"copy", [](Quad z) { return z; }},
          {"optimization_barrier", [](Quad z) { return z; }},
          {"stop_gradient", [](Quad z) { return z; }},
          {"square", [](Quad z) { return z * z; }},
          {"sign", [](Quad z) { return z / cabsq(z); }},
          {"rsqrt", [](Quad z) { return 1 / csqrtq(z); }},
          {"logistic", [](Quad z) { return 1 / (1 + cexpq(-z)); }},
          {"exp2", [](Quad z) { return cexpq(z * M_LN2q); }},
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
// The op with this name: cNAMEq, unless other_complex_functions() has it. Null if neither exists.
// The op must have a complex result: cabsq and crealq, for example, have another type.
inline ComplexLibrary complex_library_of(const std::string& name) {
  static const std::map<std::string, ComplexLibrary> others = other_complex_functions();
  if (const auto other = others.find(name); other != others.end()) return other->second;
  return function_named<ComplexLibrary>("c" + name + "q");
}

}  // namespace weft::accuracy
