// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/oracles.h: what must hold of every program, and what was found of one.
#pragma once
#include "programs/program.h"

namespace weft::programs {

struct Verdict {
  enum Kind {
    fine,
    refused,  // both Weft and the definition raise a user's error
    ill,      // rounding decides what comes out: nothing is told by tolerances
    failed
  };
  Kind kind = fine;
  std::string oracle;  // which one is not obeyed
  std::string what;
};
struct Checking {
  bool rare = false;  // also those that only some programs are asked
  bool jax = false;   // JAX runs the StableHLO text, too
};
Verdict check(const Program& p, const Checking& how = {});

// As failures show it: the program's text, its arguments, and what was found.
std::string described(const Program& p, const Verdict& v);

}  // namespace weft::programs
