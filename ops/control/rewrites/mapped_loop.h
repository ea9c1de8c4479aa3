// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/mapped_loop.h: recognizes the loops that JAX and Equinox write for a while
// loop that they have mapped (docs/decisions/0076).
#pragma once
#include <optional>

#include "ops/control/body_op.h"

namespace weft {

// A loop that runs a step for all lanes and keeps the old carries of the lanes that have ended.
struct MappedLoop {
  Shape lanes;
  Atom go;                 // in the condition: which lanes go on. It may have further axes.
  std::vector<Atom> next;  // in the body, by carry: its value after a step of a lane that runs

  // Equinox carries the mask of the lanes that go on, and one counter of the trips for all lanes,
  // which may be bounded. Each trip adds 1. Both are given, or none.
  std::optional<size_t> mask;     // this carry
  std::vector<size_t> last_mask;  // carries that have the mask of the step before
  struct Counter {
    size_t carry;
    std::optional<Atom> bound;  // in the condition: a literal, or a carry that does not change
  };
  std::optional<Counter> counter;
};

// Returns nothing if the loop does not have one of the forms. `x`: its operands; carries that do
// not change and have one operand are equal. `in_loop`: the loop is in the body of another one. Its
// lanes are then those axes in front that suffice, because the other loop would run for each lane.
std::optional<MappedLoop> mapped_loop(const While& p, const Arrays& x, bool in_loop);

}  // namespace weft
