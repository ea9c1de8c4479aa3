// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/replay.h: running the equations of a program by a rule of one's own: eval_jaxpr's loop,
// and what the passes of the compiler rewrite programs with.
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft {

// What becomes of an equation with these operands: its results.
using EqnRule = FunctionRef<Arrays(const Eqn&, const Arrays& in)>;

// The results of j on x. Values die with their last use, so that an interpreted program needs no
// more memory than a compiled one.
Arrays replay(const Jaxpr& j, const Arrays& x, EqnRule rule);
// While it lives, what is recorded of this op on this thread is run as the equation says.
class ImplementationScope {
 public:
  explicit ImplementationScope(const Eqn& e);
  ~ImplementationScope();
  ImplementationScope(const ImplementationScope&) = delete;
  static std::string_view of(const Op& op);

 private:
  const Eqn* before_;
};
// The equation bound anew, with these parameters, to be run as it was.
Arrays bind_equation(const Eqn& e, const Arrays& in, const AnyParams& params);
// j recorded anew by the rule, without what nothing needs. The rule may use no arrays from outside.
Jaxpr rewrite(const Jaxpr& j, EqnRule rule);

}  // namespace weft
