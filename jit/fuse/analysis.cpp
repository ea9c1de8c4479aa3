// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/analysis.cpp: lowers the equations of a program and analyses its loops.
#include "jit/fuse/analysis.h"

#include "jit/fuse/equation_alone.h"

namespace weft::compiler {

using Form = Lowering::Form;

Program::Program(const Jaxpr& jaxpr) : j(jaxpr) {
  scope.j = j;
  analysis.resize(j->eqns.size());
  defining_eqn = defining_eqns(*j);
  Accesses accesses;
  for (size_t i = 0; i < j->eqns.size(); ++i) {
    const Eqn& e = j->eqns[i];
    scope.lowering.push_back(lower_equation(*j, e));
    scope.access.emplace_back();
    const Form form = scope.lowering[i].form;
    if (form == Form::loop || form == Form::branch || form == Form::inlined) {
      analysis[i] = std::make_unique<AxisClasses>(equation_alone(*j, e));
    } else if (scope.lowering[i].element) {
      scope.access[i] = accesses.of(*j, e, scope.lowering[i]);
    }
  }
}

}  // namespace weft::compiler
