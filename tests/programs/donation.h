// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/donation.h: runs a program in the memory of its inputs.
#pragma once
#include <string>

#include "runtime/backend.h"
#include "weft/array.h"
#include "weft/detail/jaxpr.h"

namespace weft::programs {

// Returns the results of e, which runs j. Each result uses the memory of an input if e allows it.
// *spoilt describes a change of an input that e does not overwrite by its own account; "" if there
// was none.
Arrays run_over_inputs(const Executable& e, const Jaxpr& j, const Arrays& x, std::string* spoilt);

}  // namespace weft::programs
