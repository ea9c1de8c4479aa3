// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/contract.h: sums of products become multiply-adds with one rounding (Decided 5).
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// Rewrites a * b + c, a * b - c and c - a * b of float and double to fma; of two products the left
// one. Whatever else reads the product: an expression that stands twice in a program, as the
// condition of a loop that its body repeats, must not round in two ways (docs/decisions/0008). A
// product that is broadcast or reshaped on the way counts, so that mapping a function over one
// operand does not change it. Inner programs stay as they are. What depends on the program alone
// here is all that may change bits: the machine never contracts.
Jaxpr contract(const Jaxpr& j);

}  // namespace weft::compiler
