// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/op_rewrites.h: the passes that apply rules of single ops (core/op.h: expand, split,
// fuse).
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Replaces equations by the expansions that their ops define, in bodies too.
Jaxpr expand_ops(const Jaxpr& j);
// Splits large equations into steps where their ops support it.
Jaxpr split_ops(const Jaxpr& j);
// Lets ops absorb the equations that compute their operands: sums of products become fma
// (docs/decisions/0008).
Jaxpr fuse_ops(const Jaxpr& j);

}  // namespace weft::compiler
