// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/loops.h: what can be done with the loops and branches of a kernel, whether it pays
// or not: the facts that schedules are chosen and verified by.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/divergence.h"
#include "weft/jit/schedule/schedule.h"

namespace weft::compiler {

inline constexpr int64_t cache_line = 64;  // bytes

int64_t storage_bytes(nest::Storage s);
// Of the buffer that a load or store accesses.
int64_t element_bytes(const nest::Kernel& k, nest::Id access);

// The If at the end of the runs of a loop (core/loops/fold_order.h), whose results are all that the
// body hands on and which changes nothing between runs; or no_id.
nest::Id run_end(const nest::Kernel& k, const Divergence& d, nest::Id loop);

// Whether the lanes of an access with this index lie far from each other.
bool jumps(const Variance& index);
// The loads and stores of a loop whose lanes lie far from each other and that go on by one element
// from trip to trip, so that blocks of trips can be moved as pieces of rows.
std::vector<LoopSchedule::Operand> row_operands(const nest::Kernel& k, const Divergence& d,
                                                nest::Id loop);
// The loads that jump from lane to lane, but go on by one element from row to row of the grid, for
// tiles of so many rows.
std::vector<nest::Id> tile_loads(const nest::Kernel& k, const Divergence& d, int64_t rows);

// The while of a kernel whose lanes can take new points as they finish, or no_id.
nest::Id refillable_while(const nest::Kernel& k, const Divergence& d);
// The same for threads of a GPU, which find out at the end of a trip whether there is another.
nest::Id thread_refillable(const nest::Kernel& k);
// The instructions of the top block in front of it and behind it that belong to each point, and the
// values of the former that the while, and the latter, read.
struct RefillParts {
  std::vector<nest::Id> prologue, epilogue;
  std::vector<nest::Id> running, finished;
  std::vector<nest::Id> kept;  // running and finished, each once
};
RefillParts refill_parts(const nest::Kernel& k, const Divergence& d, nest::Id loop);

// By instruction: the outermost folds and for_eachs, whose terms or turns the threads that share a
// point can share out: those that leave nothing in an array of the point.
std::vector<char> shared_loops(const nest::Kernel& k);
// The divergence by a schedule: of threads that share a point, what they share out is in lanes.
Divergence divergence_by(const Schedule& s, const nest::Kernel& k);

// By block: whether its code is part of the kernel's, or of the library's (core/loops/cold_path.h).
std::vector<char> written_blocks(const nest::Kernel& k, bool gpu);
// Whether lanes ask at this If which of its sides they need.
bool asks(const nest::Kernel& k, const Divergence& d, nest::Id branch, bool gpu);
// Whether the load can say what is read next: in code for lanes that all run, of addresses that
// follow from one.
bool fetches(const nest::Kernel& k, const Divergence& d, const Schedule& s, nest::Id load);
// Whether whole vectors, or whole cache lines of rows, are written to the buffer.
bool writes_vectors(const nest::Kernel& k, const Divergence& d, const Schedule& s, int64_t buffer);

// The value of v if it is a constant, given those of the indices of loops that are written out.
using Constants = std::map<nest::Id, int64_t>;
bool constant_value(const nest::Kernel& k, nest::Id v, const Constants& known, int64_t* value);

// Whether a block is arithmetic alone, so that lanes that do not ask for it can compute it.
bool arithmetic(const nest::Kernel& k, nest::BlockId b);

}  // namespace weft::compiler
