// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/remat.h: checkpoint on flat lists of arrays: a program whose derivative
// recomputes it.
#pragma once
#include <string>

#include "tracer/record_trace.h"
#include "weft/grad/checkpoint_policy.h"

namespace weft {

// The parameters of the op, which JAX prints as remat2.
struct Remat {
  bool differentiated = false;  // true for the part of a derivative that recomputes
  Ref<const JaxprData> jaxpr;
  std::string policy = "None";  // in the form of CheckpointPolicy::text
  bool prevent_cse = true;      // recomputed values are not merged with those of the first run
  WEFT_FIELDS(differentiated, jaxpr, policy, prevent_cse)
  // Returns the same parameters with another program, which replaces this one under a transform.
  Remat of(Ref<const JaxprData> j) const {
    return {differentiated, std::move(j), policy, prevent_cse};
  }
};

// Returns the results of f on x. Constants of f become operands.
Arrays remat_flat(const ClosedJaxpr& f, const Arrays& x, const CheckpointPolicy& policy,
                  bool prevent_cse);
// Returns x, with a name that policies can refer to.
Array named(const Array& x, const std::string& name);
// Returns x. The compiler does not merge values computed from the result with values computed from
// x itself (or from x at another `when`). It also does not compute them before the equations that
// precede this one. Rewrites of sums of products see through this op, so that it does not change
// the bits of results. (No rewrite sees through lax::optimization_barrier.)
Array schedule_after(const Array& x, const Array& when);

}  // namespace weft
