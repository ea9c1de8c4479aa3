// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/run_stablehlo.h: runs the text of a StableHLO program.
#pragma once
#include "support/check.h"
#include "weft/stablehlo.h"

namespace weft::test {

inline Arrays run(const std::string& text, const Arrays& x) {
  const ClosedJaxpr p = parse_stablehlo(text, "p.mlir");
  return jit([p](std::vector<Array> a) { return eval_jaxpr(p, a); })(x);
}

}  // namespace weft::test
