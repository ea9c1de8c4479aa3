// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/finite_differences.h: measures derivatives of whole programs.
#pragma once
#include "programs/program.h"

namespace weft::programs {

// Returns "" if the tangents of f at x are the slopes of its results by definition. All inputs are
// F64.
std::string slope_differs(const Fn& f, const Arrays& x, uint64_t seed);
// Returns "" if <ct, J v> = <J^T ct, v>.
std::string pairing_differs(const Fn& f, const Arrays& x, uint64_t seed);

}  // namespace weft::programs
