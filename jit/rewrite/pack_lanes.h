// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/pack_lanes.h: runs branches for the lanes that take them, where all lanes would run
// them together (docs/decisions/0082-packed-lanes.md).
#pragma once
#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Replaces such branches by their expansions, whose equations have no implementations yet. `chosen`
// returns a program with implementations.
Jaxpr pack_lanes(const Jaxpr& j, FunctionRef<Jaxpr(const Jaxpr&)> chosen);

}  // namespace weft::compiler
