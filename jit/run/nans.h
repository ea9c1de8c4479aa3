// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/nans.h: the option check_nans: looking for a NaN in results and for what made it.
#pragma once
#include <string>

#include "weft/core/jaxpr.h"
#include "weft/tracer/array.h"

namespace weft::detail {

// Raises CheckError naming the first operation of the program on these inputs (constants first)
// that makes a NaN, if a result holds one.
void check_nans(const std::string& name, const Jaxpr& j, const Arrays& in, const Arrays& out);

}  // namespace weft::detail
