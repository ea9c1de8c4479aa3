// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/memory_plan.h: where the values of a program lie while it runs.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "weft/core/ir.h"
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// The variables that a step reads and writes, and what it may write where an operand lies, as
// (written, operand): `in_place`, by which it saves work, and `may_alias`, by which it does not.
struct StepUse {
  using Pairs = std::vector<std::pair<int32_t, int32_t>>;
  std::vector<int32_t> reads, writes;
  Pairs in_place, may_alias;
  int64_t room = 0;  // bytes that it wants while it runs
};

struct MemoryPlan {
  // Of a temporary: so many bytes into the arena, or into the memory of an input. at < 0:
  // elsewhere.
  struct Place {
    int32_t input = -1;
    int64_t at = -1;
  };
  // By result: the input whose memory it may have, or -1; where nothing is donated also one whose
  // memory saves nothing but itself.
  std::vector<int32_t> in_place, may_alias;
  std::vector<int32_t> aliased_result;  // by temporary: the result that has its memory, or -1
  std::vector<Place> place;             // by temporary
  bool places = false;                  // some have one
  std::vector<bool> takes;              // by donated input: something else is written there
  // Bytes. Each step has the room that it wants at the beginning: what lives while it runs lies
  // behind that.
  int64_t arena = 0;
};

// Nothing is written over an input, unless the caller makes `in_place` so. Of steps in order.
MemoryPlan plan_memory(const JaxprData& j, const std::vector<StepUse>& steps);
// Results and temporaries lie in the memory of the donated inputs, where they fit.
MemoryPlan plan_memory(const JaxprData& j, const std::vector<StepUse>& steps,
                       const std::vector<bool>& donated);

}  // namespace weft::compiler
