// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/run_twice.h: splits a program into a first run and a later, partial second run,
// which starts from the values that a policy keeps.
#pragma once
#include "tracer/record_trace.h"
#include "weft/grad/checkpoint_policy.h"

namespace weft {

struct Twice {
  Jaxpr first;  // (inputs…) -> (kept results…, saved…)
  Jaxpr again;  // (inputs…, saved…) -> wanted results…
  int64_t saved = 0;
};
// keep: the results of the first run; want: the results of the second run. Results of equations
// that the policy saves are saved if the second run needs them. In loops, branches and calls the
// policy applies to the equations inside. Ordered effects (core/op.h) happen only in the first run,
// and their results are saved.
Twice run_twice(const Jaxpr& j, const std::vector<bool>& keep, const std::vector<bool>& want,
                const CheckpointPolicy& policy);

// Returns j for a second run, without its ordered effects. Returns nothing if j needs the results
// of such an effect.
std::optional<Jaxpr> second_run(const Jaxpr& j);

// Returns true for each input of j that its results need.
std::vector<bool> needed_inputs(const Jaxpr& j);

}  // namespace weft
