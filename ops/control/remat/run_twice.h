// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/run_twice.h: a program that is run now and, in part, once more later, from what
// a policy keeps.
#pragma once
#include "weft/ops/control/remat/policy.h"
#include "weft/tracer/record_trace.h"

namespace weft {

struct Twice {
  Jaxpr first;  // (inputs…) -> (kept results…, saved…)
  Jaxpr again;  // (inputs…, saved…) -> wanted results…
  int64_t saved = 0;
};
// keep: the results that the first run gives, want: those that the second gives. Saved are results
// of equations that the policy saves, as far as the second run needs them; of loops, branches and
// calls those inside them. What is ordered among effects (core/op.h) happens in the first run
// alone: its results are saved.
Twice run_twice(const Jaxpr& j, const std::vector<bool>& keep, const std::vector<bool>& want,
                const CheckpointPolicy& policy);

// j for a second run, in which what is ordered among effects does not happen again. Nothing if j
// needs what such an effect returns.
std::optional<Jaxpr> second_run(const Jaxpr& j);

// Which inputs of j its results need.
std::vector<bool> needed_inputs(const Jaxpr& j);

}  // namespace weft
