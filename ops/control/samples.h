// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/samples.h: what the samples of ops that carry programs are made of: numbers for a
// seed, and programs small enough to be read.
#pragma once
#include "weft/ops/control/lanes.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementary.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/elementwise/rounding.h"

namespace weft {

// Numbers of a type, the same for every run (splitmix64).
class SampleNumbers {
 public:
  explicit SampleNumbers(uint64_t seed) : state_(seed) {}
  // Uniform; integers include both ends.
  Array operator()(const Type& t, double lo, double hi);

 private:
  double next();
  uint64_t state_;
};

// sin(x) * y, and its derivative by x and y: a function of two operands of one type.
Array sine_product(const Array& x, const Array& y);
Arrays sine_product_slopes(const Array& x, const Array& y);

}  // namespace weft
