// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/symbolic_zero_rules.h: functions whose derivative rules are called
// during differentiation, not when the function is called. Such rules are told which tangents and
// cotangents are zero (docs/decisions/0047).
#pragma once
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
Arrays late_rule_flat(const ClosedJaxpr& f, const Ref<const DualRule>& rule, const Arrays& x,
                      const std::string& name);
// Returns the tangents of the inexact results of these types. They are linear in dx, and the rule
// gives their transpose. If the rule does not go forward, only the transpose is known.
Arrays late_linear(const Ref<const BackwardRule>& back, const Arrays& residuals, const Arrays& dx,
                   const Types& results);

}  // namespace weft
