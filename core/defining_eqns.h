// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/defining_eqns.h: which equation defines a variable.
#pragma once
#include "core/var_map.h"

namespace weft {

constexpr size_t no_equation = static_cast<size_t>(-1);
// For each variable, the number of the equation that defines it, or no_equation for inputs.
VarMap<size_t> defining_eqns(const JaxprData& j);
// For each variable, the number of the last equation that reads it. It is the number of equations
// for results, and no_equation for what nothing reads.
VarMap<size_t> last_readers(const JaxprData& j);

}  // namespace weft
