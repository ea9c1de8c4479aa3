// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/simplify.h: rewrites a program before it is compiled: inlines calls, merges equal
// equations, drops unused ones, applies each op's own rewrites, contracts sums of products.
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {
// Inlines calls, merges equal equations, applies each op's own rewrites and drops unused equations.
// The bodies of an equation are replaced by body(...) of them.
Jaxpr simplify(const Jaxpr& j, Jaxpr (*body)(const Jaxpr&));
}  // namespace weft::compiler
