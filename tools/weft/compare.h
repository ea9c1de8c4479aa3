// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/compare.h: compares a computed array with the expected one, by the rules of the
// suites.
#pragma once
#include <cstdint>
#include <string>

#include "weft/array.h"

namespace weft::tools {

// NaN always equals NaN, and integers and bools must be equal under every rule.
struct Rule {
  enum class Kind {
    tolerance,  // |a - e| <= atol + rtol |e| + scaled the largest |e|; infinities equal
    equal,
    bits,    // NaNs whatever theirs, -0 is not 0
    ulp,     // at most max_ulp numbers of the element's own dtype apart, by parts if complex; what
             // is not finite is 2^64-1 apart from all else. The farthest at least min_ulp apart.
    almost,  // |a - e| <= atol, by parts; infinities equal
    numeric  // |a - e| <= 4 eps (|e| + the largest |e|), by parts
  };
  Kind kind = Kind::equal;
  double rtol = 0, atol = 0;
  uint64_t max_ulp = 3, min_ulp = 0;
  double scaled = 0;
};

// Empty if `got` is as expected; otherwise the wrong type, or the worst element and the number of
// wrong elements.
std::string difference(const Array& got, const Array& want, const Rule& rule);

}  // namespace weft::tools
