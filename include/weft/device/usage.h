// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/device/usage.h: the memory and the work of a compiled program.
#pragma once
#include <cstdint>

namespace weft {

namespace typing {
// Bytes, known before the program runs. Source: jax.stages.Compiled.memory_analysis.
struct MemoryUse {
  int64_t arguments = 0, constants = 0, outputs = 0;
  int64_t temporaries = 0;  // the most that exist simultaneously
  int64_t code = 0;
  int64_t aliased = 0;  // bytes of outputs in the memory of donated arguments
  int64_t peak() const { return arguments + constants + outputs + temporaries - aliased; }
};
// The work of one run as far as it is known in advance: a loop with an unknown trip count is
// counted as one trip. Source: jax.stages.Compiled.cost_analysis.
struct Cost {
  double flops = 0;
  double bytes = 0;  // read and written
};
}  // namespace typing

}  // namespace weft
