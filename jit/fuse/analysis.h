// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/analysis.h: a program that is about to be compiled: its equations with their lowering
// and, for each loop, the axis classes inside it.
#pragma once
#include <memory>
#include <vector>

#include "core/defining_eqns.h"
#include "core/loops/axis_classes.h"

namespace weft::compiler {

// Each loop is analysed separately. A value that is used twice elsewhere, such as the rows and the
// columns of a product, must not tie two grid axes together.
struct Program {
  Jaxpr j;
  Scope scope;
  std::vector<std::unique_ptr<AxisClasses>> analysis;  // by equation; null if it carries no body
  VarMap<size_t> defining_eqn;  // the equation that computes it; `none` for inputs
  static constexpr size_t none = no_equation;
  explicit Program(const Jaxpr& j);
};

}  // namespace weft::compiler
