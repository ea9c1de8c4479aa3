// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/sum_updates.h: adds updates of zeros to an array in place.
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// In bodies of loops and branches, turns the sum of an array and of zeros that an update changes into an
// update of the array. Such a sum is the cotangent of an array of which each step reads a part. An
// element of -0 that is not updated stays -0 (docs/decisions/0051 has the same exception).
Jaxpr sum_updates(const Jaxpr& j);

}  // namespace weft::compiler
