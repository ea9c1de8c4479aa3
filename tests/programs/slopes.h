// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/slopes.h: derivatives of whole programs, measured.
#pragma once
#include "programs/program.h"

namespace weft::programs {

// "" if the tangents of f at x are the slopes of what it computes by definition. All inputs are
// F64.
std::string slope_differs(const Fn& f, const Arrays& x, uint64_t seed);
// "" if <ct, J v> = <J^T ct, v>.
std::string pairing_differs(const Fn& f, const Arrays& x, uint64_t seed);

}  // namespace weft::programs
