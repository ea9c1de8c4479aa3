// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/bands.h: runs equations over the same lanes for one block of lanes after another, so
// that what they pass to each other stays in a cache (docs/decisions/0081-bands.md).
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

Jaxpr bands(const Jaxpr& j);

}  // namespace weft::compiler
