// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/rows.h: what the threads that share a point can keep in registers: values of their
// own terms, which a loop over the row computes and a later one computes again.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/divergence.h"

namespace weft::compiler {

inline constexpr int64_t warp = 32;  // threads

struct RowValues {
  // By value: the first that is equal to it, of an earlier loop over as many terms; these first
  // ones themselves, too. All of them are read from memory, or made of what is.
  std::map<nest::Id, nest::Id> kept;
  // Instructions of the later loops that nothing needs when those values are there.
  std::set<nest::Id> spared;
  // Loops that keep such values, or take them, in the order they run.
  std::vector<nest::Id> loops;
  int64_t turns = 0;  // of a thread in the longest of them
  int64_t words = 0;  // of 32 bits that a thread has to keep at once
};
// No loops: there is nothing to be kept. Numbers of terms have to be known.
RowValues row_values(const nest::Kernel& k, const Divergence& d);

}  // namespace weft::compiler
