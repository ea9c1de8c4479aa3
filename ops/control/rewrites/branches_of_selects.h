// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/branches_of_selects.h: computes costly operands of selects only where they
// are selected (docs/decisions/0076).
#pragma once
#include "ops/kit/kit.h"

namespace weft {

// JAX maps a cond to the computation of all branches, and selects by one boolean per lane. In the
// body of a loop whose lanes do not read one another, such selects become a cond with lanes if
// their operands cost enough. Returns the loop's body, which is the same if it has no such selects.
// `loop`: a scan or while with these parameters and operands.
Jaxpr with_branches(const Jaxpr& body, const char* loop, const AnyParams& params,
                    const Arrays& operands);

}  // namespace weft
