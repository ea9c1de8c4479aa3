// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/replay.h: runs the equations of a program by a custom rule. eval_jaxpr is such a loop, and
// the compiler's passes rewrite programs with it.
#pragma once
#include "tracer/record_trace.h"

namespace weft {

// The results of an equation for these operands.
using EqnRule = FunctionRef<Arrays(const Eqn&, const Arrays& in)>;

// The results of j for x. Values are released after their last use, so an interpreted program needs
// no more memory than a compiled one.
Arrays replay(const Jaxpr& j, const Arrays& x, EqnRule rule);
// During its lifetime, equations of this op that this thread records get the implementation of `e`.
class ImplementationScope {
 public:
  explicit ImplementationScope(const Eqn& e);
  ~ImplementationScope();
  ImplementationScope(const ImplementationScope&) = delete;
  static std::string_view of(const Op& op);

 private:
  const Eqn* before_;
};
// Binds the equation with these operands and parameters and keeps its implementation.
Arrays bind_equation(const Eqn& e, const Arrays& in, const AnyParams& params);
// Records j again by the rule, without dead code. The rule may not use arrays from outside.
Jaxpr rewrite(const Jaxpr& j, EqnRule rule);

}  // namespace weft
