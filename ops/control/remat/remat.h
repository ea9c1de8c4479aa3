// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/remat.h: checkpoint on flat lists of arrays: a program whose derivative
// computes it again.
#pragma once
#include <string>

#include "weft/ops/control/remat/policy.h"
#include "weft/tracer/record_trace.h"

namespace weft {

// The parameters of the op, which JAX prints as remat2.
struct Remat {
  bool differentiated = false;  // it is the part of a derivative that computes again
  Ref<const JaxprData> jaxpr;
  std::string policy = "None";  // CheckpointPolicy::text
  bool prevent_cse = true;      // what it computes again is not taken from the first run
  WEFT_FIELDS(differentiated, jaxpr, policy, prevent_cse)
  // The same of another program, which stands for this one under a transform.
  Remat of(Ref<const JaxprData> j) const {
    return {differentiated, std::move(j), policy, prevent_cse};
  }
};

// The results of f on x. Constants of f become operands.
Arrays remat_flat(const Closed& f, const Arrays& x, const CheckpointPolicy& policy,
                  bool prevent_cse);
// x, which policies know by that name.
Array named(const Array& x, const std::string& name);
// x. The compiler neither merges what is made of it with what is made of x itself (or of x at
// another `when`), nor computes it before the equations that stand in front of this one; sums of
// products see through it, as bits must not depend on it. (lax::optimization_barrier: no rewrite
// does.)
Array compute_later(const Array& x, const Array& when);

}  // namespace weft
