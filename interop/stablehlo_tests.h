// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo_tests.h: test files of the StableHLO project, which hold inputs and expected
// results.
#pragma once
#include "weft/core/ir.h"
#include "weft/interop/stablehlo.h"

namespace weft {

// How such a file compares a result with the one it expects.
struct StablehloCheck {
  enum class Kind { equal, close, almost };  // exactly, within some ULP, within a tolerance
  Kind kind = Kind::equal;
  double tolerance = 0;   // of almost
  int64_t ulp = 3;        // of close: at most so many
  int64_t least_ulp = 0;  // and at least so many
  std::string line = {};  // "file, line 7"
};
// A part of such a file: a program, its arguments, and how its results are compared.
struct StablehloTest {
  ClosedJaxpr program;                 // results: actual, expected, actual, expected, …
  Arrays inputs;                       // what @inputs holds: the arguments of the program
  std::vector<StablehloCheck> checks;  // one a pair of results
};
// One test for each part of the file that checks something. Raises as parse_stablehlo does, for the
// first fault.
std::vector<StablehloTest> parse_stablehlo_tests(const std::string& text, const std::string& name,
                                                 Location at = Location::here());

}  // namespace weft
