// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_lin.h: the derivative of a function with a reverse rule.
#pragma once
#include "batching/batch_trace.h"
#include "core/param.h"
#include "ops/control/lanes.h"

namespace weft {

// A function that is linear in its last operands, and of which the rule gives the transpose.
struct CustomLin {
  // (residuals…, ct of every result…) -> ct of the linear operands: a program or a BackwardRule
  ProgramOrObject bwd;
  int64_t num_residuals = 0;
  Types result_types;  // of all results of the function
  // For each operand, a bit set of axes of the cotangent returned by a program bwd. They are the
  // lanes that share the operand, and the cotangent is summed over them after bwd. In this way bwd
  // keeps lanes apart. Empty: no axes.
  Ints summed = {};
  WEFT_FIELDS(bwd, num_residuals, result_types, summed)
};
// Binds custom_lin: the linear operands follow the residuals.
Arrays custom_lin(const Arrays& x, const CustomLin& p);

// ---- for ops that hold such a program bwd

// Requires that bwd takes (first…, a cotangent of each result…) and returns a cotangent of each of
// `linear`, before the sums.
void require_bwd(const char* op, const Jaxpr& bwd, const Types& first, const Types& results,
                 const Types& linear, const Ints& summed, const Types& in);
// Batches bwd for mapped values. All its results are mapped along their leading axis. `at`: the
// position after its constants.
TracedBody batched_bwd(const Jaxpr& bwd, size_t at, const MaybeAxes& residuals,
                       const BatchTrace& trace);
Ints batched_sums(const Ints& summed, const std::vector<bool>& operand_mapped);

}  // namespace weft
