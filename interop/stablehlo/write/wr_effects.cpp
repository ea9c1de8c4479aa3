// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_effects.cpp: effects that mean nothing outside this process.
#include "weft/interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

Vals nothing(Writer&, const Equation&, const Vals&) { return {}; }

}  // namespace

void write_effects(WriteRules& r) {
  // StableHLO has no op that keeps its operands: its readers drop what they like.
  r["dce_sink"] = nothing;
  // Tells effects, which are refused themselves, that their lanes have ended.
  r["end_of_map"] = nothing;
}

}  // namespace weft::hlo
