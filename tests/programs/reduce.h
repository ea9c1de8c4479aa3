// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/reduce.h: a failing program made small.
#pragma once
#include "programs/oracles.h"

namespace weft::programs {

// The program with as much taken away as still breaks the same oracle, each candidate judged in a
// process of its own; at most for so long.
Program reduced(Program p, const Verdict& v, const Checking& how, double seconds);

}  // namespace weft::programs
