// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/cost.h: the arithmetic of a program.
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// Operations on elements, a multiply-add counting as two: of a scan all steps, of a loop of unknown
// length one, of a cond its dearest branch.
double flops(const Jaxpr& j);

}  // namespace weft::compiler
