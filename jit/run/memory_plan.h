// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/memory_plan.h: plans where the values of a program are stored while it runs.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// The variables that a step reads and writes, and the results that may share an operand's memory,
// as (written, operand). A pair in `in_place` saves work, one in `may_alias` does not.
struct StepUse {
  using Pairs = std::vector<std::pair<int32_t, int32_t>>;
  std::vector<int32_t> reads, writes;
  Pairs in_place, may_alias;
  int64_t workspace = 0;  // bytes that it needs while it runs
};

struct MemoryPlan {
  // The slot of a temporary: an offset in bytes into the arena, or into the memory of an input. at
  // < 0: elsewhere.
  struct Slot {
    int32_t input = -1;
    int64_t at = -1;
  };
  // By result: the input whose memory it may have, or -1. Without donation, may_alias also holds
  // inputs whose reuse saves only memory.
  std::vector<int32_t> in_place, may_alias;
  std::vector<int32_t> aliased_result;  // by temporary: the result that has its memory, or -1
  std::vector<Slot> slot;               // by temporary
  bool has_slots = false;               // some temporaries have a slot
  std::vector<bool> overwritten;        // by donated input: another value is written to its memory
  // In bytes. The workspace of each step is at the beginning, and the temporaries that live while
  // it runs follow it.
  int64_t arena = 0;
};

// Plans steps in order. No input is overwritten, unless the caller makes it so by `in_place`.
MemoryPlan plan_memory(const JaxprData& j, const std::vector<StepUse>& steps);
// Puts results and temporaries into the memory of the donated inputs where they fit.
MemoryPlan plan_memory(const JaxprData& j, const std::vector<StepUse>& steps,
                       const std::vector<bool>& donated);

}  // namespace weft::compiler
