// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/replay.h: runs the equations of a program by a custom rule. eval_jaxpr is such a loop, and
// the compiler's passes rewrite programs with it.
#pragma once
#include <algorithm>

#include "core/var_map.h"
#include "tracer/record_trace.h"

namespace weft {

// The results of an equation for these operands.
using EqnRule = FunctionRef<Arrays(const Eqn&, const Arrays& in)>;

// The values of a program's variables while its equations run.
class Env {
 public:
  // `inputs` are the values of the first variables. The program must outlive this object.
  Env(const JaxprData& j, const Arrays& inputs) : j_(j), values_(j) {
    std::copy(inputs.begin(), inputs.end(), values_.begin());
  }
  Array read(Atom a) const;
  Arrays read(const std::vector<Atom>& atoms) const;
  // Sets the results of an equation.
  void write(const Eqn& e, Arrays out);
  Array& operator[](int32_t var) { return values_[var]; }

 private:
  const JaxprData& j_;
  VarMap<Array> values_;
};

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
