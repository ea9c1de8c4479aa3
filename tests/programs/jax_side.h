// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/jax_side.h: runs StableHLO text with JAX's compiler, in a Python process that
// lives as long as this one.
#pragma once
#include <string>

#include "weft/array.h"

namespace weft::programs {

// Returns the interpreter in build/venv, where ./dev installs JAX, or "" if it does not exist.
std::string jax_python();
// Throws std::runtime_error with JAX's message, or if the process ends.
Arrays run_by_jax(const std::string& stablehlo, const Arrays& x);

}  // namespace weft::programs
