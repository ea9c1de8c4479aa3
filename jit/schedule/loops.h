// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/loops.h: facts about the loops and branches of a kernel: which transformations are
// valid, regardless of profit. Schedules are chosen and verified by them.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/divergence.h"
#include "jit/schedule/schedule.h"

namespace weft::compiler {

inline constexpr int64_t cache_line = 64;  // bytes

int64_t storage_bytes(nest::Storage s);
// Returns the element size of the buffer that a load or store accesses.
int64_t element_bytes(const nest::Kernel& k, nest::Id access);

// Returns the If at the end of the runs of a loop (core/loops/fold_order.h), or no_id. Its results
// are all that the body yields, and it changes nothing between runs.
nest::Id run_end(const nest::Kernel& k, const Divergence& d, nest::Id loop);

// Returns true if the elements of an access with this index are far apart in memory.
bool is_strided(const Variance& index);
// Returns the loads and stores of a loop whose elements are far apart in memory and whose index
// moves by one element per trip. Blocks of their trips can be moved as pieces of rows.
std::vector<LoopSchedule::Operand> row_operands(const nest::Kernel& k, const Divergence& d,
                                                nest::Id loop);
// Returns the loads whose elements are far apart in memory, but whose index moves by one place from
// row to row of the grid. Tiles of `rows` rows can serve them.
std::vector<nest::Id> tile_loads(const nest::Kernel& k, const Divergence& d, int64_t rows);
// Returns these loads and the stores of this kind. Nothing else accesses what the stores write.
std::vector<nest::Id> tile_accesses(const nest::Kernel& k, const Divergence& d, int64_t rows);

// The trips of a loop with constant bounds; negative if it has none.
std::optional<int64_t> constant_trips(const nest::Kernel& k, const nest::Inst& loop);
// The instructions that an instruction runs, if its loops have known trip counts. Cold paths do not
// count, as in weight().
std::optional<int64_t> instructions_run(const nest::Kernel& k, const nest::Inst& i);
// Returns the while of a kernel whose elements can be refilled with new points as they finish, or
// no_id.
nest::Id refillable_while(const nest::Kernel& k, const Divergence& d);
// The same for threads of a GPU, which test at the end of a trip whether there is another.
nest::Id thread_refillable_while(const nest::Kernel& k);
// The per-point instructions of the top block before the while (prologue) and after it (epilogue).
// `running` are the prologue's values that the while reads, and `finished` those that the epilogue
// reads.
struct RefillParts {
  std::vector<nest::Id> prologue, epilogue;
  std::vector<nest::Id> running, finished;
  std::vector<nest::Id> kept;  // the union of running and finished
};
RefillParts refill_parts(const nest::Kernel& k, const Divergence& d, nest::Id loop);

// Returns, by instruction, the outermost folds and for_eachs that threads sharing a point can
// partition among themselves. They store only to arrays inside the loop.
std::vector<char> partitionable_loops(const nest::Kernel& k);
// Returns the divergence of a schedule. Loops that threads of a shared point partition run in
// elements.
Divergence divergence_by(const Schedule& s, const nest::Kernel& k);

// By block: true if the kernel's code contains it, false if it is the library's
// (core/loops/cold_path.h).
std::vector<char> emitted_blocks(const nest::Kernel& k, bool gpu);
// Returns true if the elements of a vector may need different sides of this If, so that code tests
// which of them they need.
bool branches_at_run_time(const nest::Kernel& k, const Divergence& d, nest::Id branch, bool gpu);
// Returns true if the load can prefetch what is read next: all elements run its code, and its index
// is linear in the elements.
bool can_prefetch(const nest::Kernel& k, const Divergence& d, const Schedule& s, nest::Id load);
// Returns true if whole vectors, records, or cache lines of rows are written to the buffer.
bool writes_whole_vectors(const nest::Kernel& k, const Divergence& d, const Schedule& s,
                          int64_t buffer);

// Returns true if v is a constant, given the indices of unrolled loops, and sets *value.
using Constants = std::map<nest::Id, int64_t>;
bool constant_value(const nest::Kernel& k, nest::Id v, const Constants& known, int64_t* value);

// Returns true if a block is pure arithmetic, so that elements that do not need it may compute it
// too.
bool is_arithmetic(const nest::Kernel& k, nest::BlockId b);

}  // namespace weft::compiler
