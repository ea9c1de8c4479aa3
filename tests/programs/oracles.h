// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/oracles.h: the properties that every program must have, and the verdict on one
// program.
#pragma once
#include "programs/program.h"

namespace weft::programs {

struct Verdict {
  enum Kind {
    fine,
    refused,  // both Weft and the definition raise a user's error
    ill,      // rounding decides the results, so that tolerances prove nothing
    failed
  };
  Kind kind = fine;
  std::string oracle;  // the property that the program violates
  std::string what;
};
struct Checking {
  bool rare = false;  // also run the checks that only some programs get
  bool jax = false;   // JAX runs the StableHLO text, too
};
Verdict check(const Program& p, const Checking& how = {});

// Returns the text of a failure: the program, its arguments, and what was found.
std::string described(const Program& p, const Verdict& v);

}  // namespace weft::programs
