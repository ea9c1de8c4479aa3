// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/exact_inputs.h: programs with additional inputs for the F64 values from which weak F32
// arguments were made (docs/decisions/0010). It is for code that runs or calls a traced program
// with its own arguments.
#pragma once
#include "weft/array.h"
#include "weft/detail/jaxpr.h"

namespace weft {

struct ExactInputs {
  Jaxpr jaxpr;              // the program; these F64 values are its last inputs
  std::vector<int32_t> of;  // the weak inputs to which they belong
  // The operands of `jaxpr`, from those of the original program.
  Arrays operands(Arrays x) const;
};
// Returns the program unchanged if no conversion reads such a double.
ExactInputs with_exact_inputs(const Jaxpr& j);

}  // namespace weft
