// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/programs/makers.h: which equation makes a variable.
#pragma once
#include "weft/core/jaxpr.h"

namespace weft {

constexpr size_t no_equation = static_cast<size_t>(-1);
// By variable: the number of the equation that it is a result of; of inputs no_equation.
std::vector<size_t> makers(const ir::JaxprData& j);

}  // namespace weft
