// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/schedule.h: how the code of one kernel runs: the choices of the compiler, as a
// value. Code depends only on a nest and a Schedule (jit/emit), so equal texts give equal code. The
// bits that a kernel computes do not depend on the schedule, except for sums that the nest allows
// in any order.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/divergence.h"
#include "jit/schedule/target.h"

namespace weft::compiler {

// A loop that is not run trip by trip.
struct LoopSchedule {
  enum class How : uint8_t {
    unrolled,  // every trip is emitted
    rows,      // operands are moved for blocks of trips and transposed in registers
    runs,      // the trips of a run are an inner loop, followed by the end of the run
    masks,     // several trips are a vector of the bits of masks (jit/schedule/mask_loops.h)
  };
  struct Operand {  // for rows: a load or store whose index changes by 1 or -1 per trip
    nest::Id access;
    int64_t step;
    friend bool operator==(const Operand&, const Operand&) = default;
  };
  How how = How::unrolled;
  int64_t trips = 0;                   // for rows: trips of a block
  std::vector<Operand> operands = {};  // for rows
  friend bool operator==(const LoopSchedule&, const LoopSchedule&) = default;
};

// A long fold that does not combine its terms one by one into partial results in memory. Long means
// more than fold_order::short_block terms, or a number of terms known only at run time.
struct FoldSchedule {
  enum class How : uint8_t {
    blocks,  // neighbouring partial results are in registers while the terms are visited in strides
    vectors,  // the elements are terms: all partial results are in vector registers
  };
  How how = How::blocks;
  int registers = 0;  // for blocks: vectors of partial results, over all interleaved vectors
  friend bool operator==(const FoldSchedule&, const FoldSchedule&) = default;
};

// A matrix product whose factors are copied to the shared memory of a block of threads
// (jit/schedule/product.h).
struct ProductSchedule {
  nest::Id loop = nest::no_id;
  int rows = 0, columns = 0, terms = 0;     // of the tile that is copied per stage
  int thread_rows = 0, thread_columns = 0;  // points of a thread
  int64_t matrix = 0;                       // ProductLoop::matrix
  bool mma = false;                         // tensor cores multiply and add, in their order
  friend bool operator==(const ProductSchedule&, const ProductSchedule&) = default;
};

struct Schedule {
  Mode mode = Mode::scalar;       // which points or terms fill a vector (divergence.h)
  int vector_width = 1;           // 32-bit or wider elements of a vector
  int interleave = 1;             // vectors, or points of a thread, that are interleaved
  nest::Id refill = nest::no_id;  // the while whose elements are refilled with new points
  int64_t idle_trips = 0;         // trips of idle elements (over a vector) before a refill
  // For grids in vectors: whole vectors and the remainder are separate loops. In a plain remainder
  // loops run trip by trip.
  bool versioned = false, plain_remainder = false;
  // The points of a block that are sorted by the sides of these branches which they take, where
  // that saves more than `sort_cost` instructions per vector (jit/schedule/sorting.h). 0: points
  // run in the order of the grid.
  int64_t sort_points = 0, sort_cost = 0;
  std::set<nest::Id> sorted;
  // Rows of the grid that are read or written together (on GPUs also columns, by a block of
  // threads).
  int64_t tile = 0;
  std::set<nest::Id> tiled;  // the loads that read these rows, on CPUs also stores
  // Records that are read or written together, each named by its first access.
  std::set<nest::Id> records;
  std::map<nest::Id, LoopSchedule> loops;
  std::map<nest::Id, FoldSchedule> folds;
  std::map<nest::Id, int64_t> prefetch;  // by load: elements ahead
  std::set<nest::BlockId> flat;          // sides of branches that all elements compute
  std::set<int64_t> streamed;            // buffers that are written with non-temporal stores
  // For GPUs: threads of a block (0: not a GPU), points that a thread runs one after another, and
  // threads that share a point.
  int block = 0, points = 1, threads = 1;
  bool kept = false;  // threads keep values of their terms (jit/schedule/rows.h)
  ProductSchedule product;
  // Steps that share blocks of the grid. Only 1 is legal. Every text has this line, so that texts
  // remain valid if other values become legal.
  int band = 1;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// Prints one choice per line.
std::string to_string(const Schedule& s);
// Returns the 16 digits by which a text of schedules names a nest.
std::string nest_hash(const nest::Kernel& k);
// Returns the words with which lines begin.
std::vector<std::string> schedule_fields();
// The inverse of to_string. Raises ParseError naming `where` and the line; lines are counted from
// `first_line`.
Schedule parse_schedule(const std::string& text, const std::string& where = "schedule",
                        int first_line = 1);
// Returns why the schedule is invalid for this kernel and target, or an empty text. Two valid
// schedules that differ compute the same bits, except for sums that the nest allows in any order.
// They give different code, except for `streamed` on a CPU that is not x86: it has no such stores.
std::string verify(const Schedule& s, const nest::Kernel& k, const TargetInfo& target);
// Raises CompileError for a malformed kernel, for one with more axes than code supports, and for a
// schedule that verify() rejects. Also raises it for a fold or for_each whose trip count may differ
// between points.
void require_compilable(const nest::Kernel& k, const Schedule& s, const TargetInfo& target);

}  // namespace weft::compiler
