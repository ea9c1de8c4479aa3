// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/late/late_rules.h: functions whose derivative rules are called when they are
// differentiated, not when the function is: they learn which tangents and cotangents are zero
// (docs/decisions/0047).
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft {

// Operands and their tangents, empty handles for those that are zero -> results and tangents, which
// may be empty handles, too.
class DualRule : public RefCounted {
 public:
  virtual Dual call(const Arrays& x, const Arrays& dx) const = 0;
  virtual Derivatives derivatives() const { return {}; }
};
// Residuals and a cotangent of each result -> one of each operand that has a tangent; empty handles
// are zeros.
class BackwardRule : public RefCounted {
 public:
  virtual Arrays call(const Arrays& residuals, const Arrays& ct) const = 0;
  // Whether there is the other direction, too: residuals and the tangents that there are -> those
  // of the inexact results. It is called where the tangents themselves are asked for.
  virtual bool goes_forward() const { return false; }
  virtual Arrays forward(const Arrays&, const Arrays&) const {
    throw DifferentiationError("can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
  }
};

// f: x -> out, differentiated by the rule. What f captured are constants, as in custom_flat.h.
Arrays late_rule_flat(const Closed& f, const Ref<const DualRule>& rule, const Arrays& x,
                      const std::string& name);
// The tangents of the inexact ones of results of these types: linear in dx, and known by the
// transpose, and alone by that if the rule does not go forward.
Arrays late_linear(const Ref<const BackwardRule>& back, const Arrays& residuals, const Arrays& dx,
                   const Types& results);

}  // namespace weft
