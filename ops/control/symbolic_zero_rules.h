// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/symbolic_zero_rules.h: rules with symbolic zeros. They are objects that are called
// during differentiation, and they are told which tangents and cotangents are zero
// (docs/decisions/0047).
#pragma once
#include "batching/batch_trace.h"
#include "tracer/record_trace.h"

namespace weft {

// Maps operands and their tangents to results and their tangents. An empty handle is a zero
// tangent, in both directions.
class DualRule : public RefCounted {
 public:
  virtual Dual call(const Arrays& x, const Arrays& dx) const = 0;
  virtual Derivatives derivatives() const { return {}; }
};
// Maps residuals and a cotangent of each result to a cotangent of each operand that has a tangent.
// Empty handles are zeros.
class BackwardRule : public RefCounted {
 public:
  virtual Arrays call(const Arrays& residuals, const Arrays& ct) const = 0;
  // Returns true if the rule also computes tangents: (residuals, nonzero tangents) -> tangents of
  // the inexact results. `forward` is called where the values of the tangents are needed.
  virtual bool goes_forward() const { return false; }
  virtual Arrays forward(const Arrays&, const Arrays&) const {
    throw DifferentiationError("can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
  }
};

// f: x -> out, differentiated by the rule. Values captured by f are constants, as in custom_flat.h.
// Without a rule, the program of f is differentiated.
Arrays custom_jvp_flat(const ClosedJaxpr& f, const Ref<const DualRule>& rule, const Arrays& x,
                       const std::string& name);
// Returns the tangents of the inexact results of these types. They are linear in dx, and the rule
// gives their transpose. If the rule does not go forward, only the transpose is known.
Arrays linear_by_rule(const Ref<const BackwardRule>& back, const Arrays& residuals,
                      const Arrays& dx, const Types& results);

// ---- rules of mapped ops. They run under a map like `trace`, of which the first operands or
// residuals are those that SavedBatchTrace::operands returns.

// All results are mapped, and the operands are mapped as `in` says.
Ref<const DualRule> mapped_rule(const Ref<const DualRule>& rule, const BatchTrace& trace,
                                const MaybeAxes& in);
// Cotangents of unmapped operands are summed over the lanes. An inactive lane contributes zero, as
// for a rule that is a program.
Ref<const BackwardRule> mapped_rule(const Ref<const BackwardRule>& rule, const BatchTrace& trace,
                                    const MaybeAxes& residuals,
                                    const std::vector<bool>& operand_mapped);

}  // namespace weft
