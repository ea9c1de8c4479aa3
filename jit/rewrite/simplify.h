// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/simplify.h: a program rewritten before it is compiled: calls inlined, equal equations
// merged, unused ones dropped, each op's own rewrites applied, sums of products contracted.
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {
Jaxpr simplify(const Jaxpr& j);
}
