// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/cost.h: counts the arithmetic of a program.
#pragma once
#include <optional>

#include "core/loops/lower.h"
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// The nanoseconds of a CPU for vectors of `width` elements, measured on Zen 4.
struct Machine {
  int64_t width = 16;
  double instruction = 0.32;  // of a vector, or of one number
  double gathered = 0.5;      // an element that a vector does not load with its neighbours
  double division = 10;       // a vector of indices divided by a constant, in instructions
  double loop = 1.5;          // the instructions around a loop
  // The launch of a kernel, with the code around its loop. It is between those of an empty kernel
  // (600) and of the planner (kernel_cost).
  double launch = 1000;
  double step = 300;          // the launch of a step of a block of lanes, measured with 51 programs
  double stored_byte = 0.15;  // a byte that one kernel writes and others read, as in the planner
  // A byte of an operand or result, which a lane does not move along memory. Measured with 51
  // programs: at 0.015 one takes 1.2 times as long, at 0.07 two lose a third of what they gain.
  double moved_byte = 0.03;
};
inline constexpr Machine machine;
// The kernels that a call replaces at no gain: it often has a launch more around it, for what the
// planner would have put elsewhere.
inline constexpr double free_launches = 2;

// Returns the number of operations on elements. A multiply-add counts as two. A scan counts all
// steps, a loop of unknown trip count one trip, a cond its most expensive branch.
double flops(const Jaxpr& j);

// Returns the approximate nanoseconds that one thread needs for one of the lanes of a program. A
// native call takes what its implementation declares, which is for one product or row.
double lane_ns(const Jaxpr& j, int64_t lanes);
// The part of it that native calls take.
double native_ns(const Jaxpr& j);

// The share of their time that blocks of few lanes may spend in launches of steps. Measured with 51
// programs of JAX libraries, on two cores of Zen 4.
inline constexpr double share_of_launches = 0.1;

// Returns the least number of lanes of a block whose launches of these steps take their share of
// the time. Its lanes take about as long as in the block of all. Returns nothing if lanes share
// products, which take less time for all of them, or depend on one another. in_blocks: the inputs
// with lanes.
std::optional<int64_t> least_block(const Jaxpr& j, const Bools& in_blocks, int64_t lanes,
                                   size_t steps);

// Returns the instructions that compute one element, or one term of a fold, at a constant index
// from elements in registers.
int64_t instructions_at_constant(const Lowering& l, const Types& in, const Types& out);

}  // namespace weft::compiler
