// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_effects.cpp: effects that have no meaning outside this process, which
// are left out.
#include "interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

Vals nothing(Writer&, const Equation&, const Vals&) { return {}; }

}  // namespace

void write_effects(WriteRules& r) {
  // StableHLO has no op that keeps its operands alive. Readers may remove them.
  r["dce_sink"] = nothing;
  // This op informs effects that their lanes have ended. The effects themselves cannot be written.
  r["end_of_map"] = nothing;
}

}  // namespace weft::hlo
