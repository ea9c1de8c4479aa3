// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/reduce.h: makes a failing program smaller.
#pragma once
#include "programs/oracles.h"

namespace weft::programs {

// Removes as much from the program as possible, while it still violates the same property. Each
// candidate is checked in a new process. The search takes at most `seconds`.
Program reduced(Program p, const Verdict& v, const Checking& how, double seconds);

}  // namespace weft::programs
