// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/masked_dot.h: what masked_dot computes, by other ops.
#pragma once
#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/any_params.h"

namespace weft {

// Returns the result of masked_dot with these parameters.
Array dot_of_masked(const Arrays& x, const AnyParams& masked_dot);

}  // namespace weft
