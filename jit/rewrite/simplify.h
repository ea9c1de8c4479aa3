// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/simplify.h: a program rewritten before it is compiled: calls inlined, equal equations
// merged, unused ones dropped, each op's own rewrites applied, sums of products contracted.
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {
// Calls inlined, equal equations merged, each op's own rewrites, nothing that is not needed. What
// an equation carries becomes what `body` makes of it.
Jaxpr simplify(const Jaxpr& j, Jaxpr (*body)(const Jaxpr&));
}  // namespace weft::compiler
