// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/defining_eqns.h: which equation defines a variable.
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft {

constexpr size_t no_equation = static_cast<size_t>(-1);
// For each variable, the number of the equation that defines it, or no_equation for inputs.
std::vector<size_t> defining_eqns(const ir::JaxprData& j);

}  // namespace weft
