// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/samples.h: parts of samples for ops that carry programs: numbers, and programs small
// enough to read.
#pragma once
#include "ops/control/lanes.h"
#include "ops/kit/sample_numbers.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"

namespace weft {

// sin(x) * y, and its derivatives with respect to x and y: a function of two operands of one type.
Array sine_product(const Array& x, const Array& y);
Arrays sine_product_slopes(const Array& x, const Array& y);

// The types of a captured integer k and of an operand, for samples of ops with rules.
Type sample_number();
Type sample_operand();
// k x
Array scaled(const Array& k, const Array& x);
// (k, slopes by x and y, ct) -> k ct slopes: the reverse rule of k sin(x) y.
Jaxpr scaled_slopes();

}  // namespace weft
