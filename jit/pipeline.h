// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/pipeline.h: the way of a program through the compiler.
#pragma once
#include "weft/jit/run/compiled.h"

namespace weft::compiler {

// Compiles j for the current target (jit/schedule/target.h), whatever is known already. What its
// bodies are compiled to is looked for in the cache.
Ref<const CompiledProgram> compile(const Jaxpr& j);
// The passes from jaxpr to jaxpr alone.
Jaxpr rewritten(const Jaxpr& j);
// Compiles, or finds, the program (cached by the interned jaxpr; jit/program_cache.cpp).
Ref<const CompiledProgram> compile_program(const Jaxpr& j);

}  // namespace weft::compiler
