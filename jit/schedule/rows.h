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
// Of so many threads. No loops: there is nothing to be kept. Numbers of terms have to be known.
RowValues row_values(const nest::Kernel& k, const Divergence& d, int threads);

// Whether a block of threads can share a point: all wait for each other between loops over its
// row, so each of them is such a loop, of a known number of terms without loops, or a fold of such.
bool rows_by_blocks(const nest::Kernel& k);
// The most terms of a loop that threads share.
int64_t longest_row(const nest::Kernel& k);
// Shared memory of such a block: 16 bytes for each result of a fold, then its terms, value by
// value.
int64_t kind_bytes(nest::Kind k);
std::vector<nest::Kind> term_kinds(const nest::Inst& fold);  // of its values
int64_t result_bytes(const nest::Kernel& k);
int64_t row_bytes(const nest::Kernel& k);

}  // namespace weft::compiler
