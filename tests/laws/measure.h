// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/measure.h: whether and how the slope of an op can be measured on a sample.
#pragma once
#include "laws.h"

namespace weft::laws {

struct Measure {
  double step = 1e-5, tolerance = 1e-6;
  bool fine() const { return tolerance < 1e-3; }
};
// False where it cannot be: no inexact operand, half precision, no tangents.
bool measurable(const Case& c, Measure* m);
// Tangents of what has some; and none that is missing.
Arrays random_tangents(const Arrays& x, Random& r);
Arrays filled(const Arrays& tangents, const Arrays& like);
// Differences of all results to the bit; "" if there is none.
std::string all_differences(const Arrays& a, const Arrays& b);

}  // namespace weft::laws
