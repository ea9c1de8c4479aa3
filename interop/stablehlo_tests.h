// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo_tests.h: test files of the StableHLO project, which contain inputs and expected
// results.
#pragma once
#include "core/ir.h"
#include "weft/stablehlo.h"

namespace weft {

// How such a file compares a result with the expected one.
struct StablehloCheck {
  enum class Kind { equal, close, almost };  // exactly, within some ULP, within a tolerance
  Kind kind = Kind::equal;
  double tolerance = 0;   // of `almost`
  int64_t ulp = 3;        // of `close`: the largest difference
  int64_t min_ulp = 0;    // of `close`: the smallest difference
  std::string line = {};  // "file, line 7"
};
// A part of such a file: a program, its arguments, and the comparisons of its results.
struct StablehloTest {
  ClosedJaxpr program;                 // results: actual, expected, actual, expected, …
  Arrays inputs;                       // the arguments of the program, from @inputs
  std::vector<StablehloCheck> checks;  // one for each pair of results
};
// Returns one test for each part of the file that contains checks. Raises the same errors as
// parse_stablehlo, for the first fault.
std::vector<StablehloTest> parse_stablehlo_tests(const std::string& text, const std::string& name,
                                                 Location at = Location::here());

}  // namespace weft
