// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/contract.h: sums of products become multiply-adds with one rounding (Decided 5).
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// Rewrites a * b + c, a * b - c and c - a * b of float and double to fma where nothing else reads
// the product; of two products the left one. A product that is broadcast or reshaped on the way
// counts, so that mapping a function over one operand does not change it. Inner programs stay as
// they are. What depends on the program alone here is all that may change bits: the machine never
// contracts.
Jaxpr contract(const Jaxpr& j);

}  // namespace weft::compiler
