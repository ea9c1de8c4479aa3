// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/op_rewrites.h: the passes that are rules of single ops (core/op.h: expand, split,
// fuse).
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// The equations that are to be expanded replaced by what the ops say, in bodies too.
Jaxpr expand_ops(const Jaxpr& j);
// What is large and can be done in steps, in steps.
Jaxpr split_ops(const Jaxpr& j);
// Ops that can do the work of those that made their operands do it: sums of products become fma
// (docs/decisions/0008).
Jaxpr fuse_ops(const Jaxpr& j);

}  // namespace weft::compiler
