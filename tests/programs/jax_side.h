// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/jax_side.h: StableHLO text run by JAX's compiler, in a Python process that lives
// as long as this one.
#pragma once
#include <string>

#include "weft/tracer/array.h"

namespace weft::programs {

// The interpreter in build/venv, where ./dev puts JAX; empty if there is none.
std::string jax_python();
// Raises std::runtime_error with what JAX says, or if it ends.
Arrays run_by_jax(const std::string& stablehlo, const Arrays& x);

}  // namespace weft::programs
