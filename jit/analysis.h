// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/analysis.h: a program about to be compiled: its equations with their lowering and, for each
// loop, the axis classes inside it.
#pragma once
#include <memory>
#include <vector>

#include "weft/core/axis_classes.h"

namespace weft::compiler {

// Loops are analysed one by one: a value that the program elsewhere uses twice, as the
// rows and the columns of a product, must not tie two lane axes together.
struct Program {
  Jaxpr j;
  Scope scope;
  std::vector<std::unique_ptr<AxisClasses>> analysis;  // by equation; null if it carries no body
  explicit Program(const Jaxpr& j);
};

}  // namespace weft::compiler
