// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/donating.h: a program run over memory of its inputs.
#pragma once
#include <string>

#include "weft/core/jaxpr.h"
#include "weft/runtime/backend.h"
#include "weft/tracer/array.h"

namespace weft::programs {

// The results of e, which runs j, each where e says that it may lie. *spoilt: what happened to an
// input that e does not say it takes; "" if nothing.
Arrays run_over_inputs(const Executable& e, const Jaxpr& j, const Arrays& x, std::string* spoilt);

}  // namespace weft::programs
