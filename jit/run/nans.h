// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/nans.h: the option check_nans: finds NaNs in results and the operation that made them.
#pragma once
#include <string>

#include "weft/array.h"
#include "weft/detail/jaxpr.h"

namespace weft::detail {

// Raises CheckError if a result holds a NaN. The error names the first operation of the program
// that makes a NaN on these inputs (constants first).
void check_nans(const std::string& name, const Jaxpr& j, const Arrays& in, const Arrays& out);

}  // namespace weft::detail
