// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/measure.h: finds out whether and how the slope of an op can be measured on a sample.
#pragma once
#include "laws.h"

namespace weft::laws {

struct Measure {
  double step = 1e-5, tolerance = 1e-6;
  bool fine() const { return tolerance < 1e-3; }
};
// Returns false if it cannot: there is no inexact operand, or only half precision, or there are no
// tangents.
bool measurable(const Case& c, Measure* m);
// random_tangents: tangents for all operands that can have one. filled: the same with no missing
// tangent.
Arrays random_tangents(const Arrays& x, Random& r);
Arrays filled(const Arrays& tangents, const Arrays& like);
// Returns the differences of all results to the bit, or "".
std::string all_differences(const Arrays& a, const Arrays& b);

}  // namespace weft::laws
