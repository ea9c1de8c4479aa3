// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/written_inputs.h: programs that also take the doubles their weak arguments were written as
// (docs/decisions/0010). What runs or calls a traced program with arguments of its own uses this.
#pragma once
#include "weft/core/jaxpr.h"
#include "weft/tracer/array.h"

namespace weft {

struct WrittenInputs {
  Jaxpr jaxpr;              // the program; these doubles, F64, are inputs after its own
  std::vector<int32_t> of;  // the weak inputs that they belong to
  // The operands of `jaxpr`, from those of the program.
  Arrays operands(Arrays x) const;
};
// The program itself where no conversion reads such a double.
WrittenInputs with_written_inputs(const Jaxpr& j);

}  // namespace weft
