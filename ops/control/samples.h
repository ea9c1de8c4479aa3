// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/samples.h: parts of samples for ops that carry programs: numbers, and programs small
// enough to read.
#pragma once
#include "weft/ops/control/lanes.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementary.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/elementwise/rounding.h"
#include "weft/ops/kit/sample_numbers.h"

namespace weft {

// sin(x) * y, and its derivatives with respect to x and y: a function of two operands of one type.
Array sine_product(const Array& x, const Array& y);
Arrays sine_product_slopes(const Array& x, const Array& y);

}  // namespace weft
