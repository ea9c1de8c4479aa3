// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/rows.h: the values that threads sharing a point can keep in registers. Each thread
// keeps the values of its terms that one loop over the row computes and a later one recomputes.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/divergence.h"

namespace weft::compiler {

inline constexpr int64_t warp = 32;  // threads

struct RowValues {
  // Maps a value to the first value equal to it, in an earlier loop over as many terms. First
  // values map to themselves. All of them are loads, or computed from loads.
  std::map<nest::Id, nest::Id> kept;
  // Instructions of the later loops that are unused if those values are kept.
  std::set<nest::Id> spared;
  // Loops that keep or reuse such values, in program order.
  std::vector<nest::Id> loops;
  int64_t turns = 0;  // trips of a thread in the longest of them
  int64_t words = 0;  // 32-bit words that a thread keeps at the same time
};
// Analyses a row for this number of threads. No loops: nothing is kept. Trip counts must be known.
RowValues row_values(const nest::Kernel& k, const Divergence& d, int threads);

// Returns true if a block of threads can share a point. All threads wait for each other between
// loops over the row. Every loop must therefore be one that threads share, of known trip count and
// without inner loops, or a fold of such folds.
bool rows_by_blocks(const nest::Kernel& k);
// Returns the largest trip count of a loop that threads share.
int64_t longest_row(const nest::Kernel& k);
// The shared memory of such a block has 16 bytes for each result of a fold, then the fold's terms,
// value by value.
int64_t kind_bytes(nest::Kind k);
std::vector<nest::Kind> term_kinds(const nest::Inst& fold);  // of the fold's values
int64_t result_bytes(const nest::Kernel& k);
int64_t row_bytes(const nest::Kernel& k);

}  // namespace weft::compiler
