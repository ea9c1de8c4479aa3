// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/schedule.h: how the code of one kernel runs it: the choices of the compiler, as a
// value. Code is made of a nest and a Schedule alone (jit/emit), so equal texts give equal code.
// The bits that a kernel computes never depend on it, but for sums that the nest leaves in any
// order.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/divergence.h"
#include "weft/jit/schedule/target.h"

namespace weft::compiler {

// A loop that is not run trip by trip.
struct LoopSchedule {
  enum class How : uint8_t {
    unrolled,  // written out, trip by trip
    rows,      // operands are moved for blocks of trips at once, turned round in registers
    runs,      // the trips of a run are a loop of their own, what ends a run stands behind it
  };
  struct Operand {  // of rows: a load or store whose index grows by 1 or -1 a trip
    nest::Id access;
    int64_t step;
    friend bool operator==(const Operand&, const Operand&) = default;
  };
  How how = How::unrolled;
  int64_t trips = 0;                   // of a block of rows
  std::vector<Operand> operands = {};  // of rows
  friend bool operator==(const LoopSchedule&, const LoopSchedule&) = default;
};

// A fold of more than fold_order::short_block terms, or of a number known when it runs, whose terms
// are not combined one by one into partial results in memory.
struct FoldSchedule {
  enum class How : uint8_t {
    blocks,   // so many neighbouring partial results in registers while the terms stride
    vectors,  // of terms in lanes: all partial results in vector registers
  };
  How how = How::blocks;
  int registers = 0;  // of blocks: vectors of partial results, whatever is interleaved
  friend bool operator==(const FoldSchedule&, const FoldSchedule&) = default;
};

// A product of matrices whose factors are moved through memory that a block of threads shares
// (jit/schedule/product.h).
struct ProductSchedule {
  nest::Id loop = nest::no_id;
  int rows = 0, columns = 0, terms = 0;     // of what is moved at a time
  int thread_rows = 0, thread_columns = 0;  // points of a thread
  int64_t matrix = 0;                       // ProductLoop::matrix
  bool mma = false;  // tensor cores multiply and add, in an order of their own
  friend bool operator==(const ProductSchedule&, const ProductSchedule&) = default;
};

struct Schedule {
  Mode mode = Mode::scalar;       // which points or terms fill a vector
  int lanes = 1;                  // 32-bit numbers, or wider ones, of a vector
  int interleave = 1;             // vectors, or a thread's points, computed side by side
  nest::Id refill = nest::no_id;  // the while whose lanes take new points as they finish,
  int64_t idle_trips = 0;         // after so many trips of idle lanes (a vector's worth)
  // Of grids in lanes. Whole vectors and the remainder are loops of their own; in that remainder
  // loops are run trip by trip.
  bool versioned = false, plain_remainder = false;
  // Rows of the grid (of GPUs also columns, of a block of threads) that are read at once,
  int64_t tile = 0;
  std::set<nest::Id> tiled;  // by these loads
  // Records that are read and written together, each named by its first access.
  std::set<nest::Id> records;
  std::map<nest::Id, LoopSchedule> loops;
  std::map<nest::Id, FoldSchedule> folds;
  std::map<nest::Id, int64_t> prefetch;  // by load: elements ahead
  std::set<nest::BlockId> flat;          // sides of branches that all lanes compute
  std::set<int64_t> streamed;            // buffers that are written past the caches
  // Of GPUs: threads of a block (0: no GPU), points that a thread runs one after another, threads
  // that share a point.
  int block = 0, points = 1, threads = 1;
  bool kept = false;  // these keep values of their own terms (jit/schedule/rows.h)
  ProductSchedule product;
  int band = 1;  // steps that share blocks of the grid
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// A choice a line.
std::string to_string(const Schedule& s);
// By which a text of schedules says which nest one is for: 16 digits.
std::string nest_hash(const nest::Kernel& k);
// The words that lines begin with.
std::vector<std::string> schedule_fields();
// The inverse of to_string. Raises ParseError naming `where` and the line; the first one has this
// number.
Schedule parse_schedule(const std::string& text, const std::string& where = "schedule",
                        int first_line = 1);
// What the schedule cannot be for this kernel and target, or nothing. Two that pass and differ are
// different code, of the same bits.
std::string verify(const Schedule& s, const nest::Kernel& k, const TargetInfo& target);
// Raises CompileError for a kernel that is not well formed, that has more axes than code can have,
// or a fold or for_each of a number that need not be the same for all points, and for a schedule
// that verify() refuses.
void require_compilable(const nest::Kernel& k, const Schedule& s, const TargetInfo& target);

}  // namespace weft::compiler
