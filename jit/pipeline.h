// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/pipeline.h: the passes that compile a program.
#pragma once
#include <vector>

#include "jit/run/compiled.h"

namespace weft::compiler {

// The description of a pass in docs/architecture.md.
struct PassInfo {
  const char* name;
  const char* file;
  const char *from, *to;  // what the pass reads and what it makes
  const char* why;
};
// The passes in the order in which they run.
std::vector<PassInfo> pass_infos();

// Compiles j for the current target (jit/schedule/target.h), even if the cache already has it.
// Programs of its bodies are taken from the cache. `rewritten`: all passes from jaxpr to jaxpr have
// run.
Ref<const CompiledProgram> compile(const Jaxpr& j, bool rewritten = false);
// Runs only the passes from jaxpr to jaxpr.
Jaxpr rewritten(const Jaxpr& j);
// Returns the compiled program from the cache (by interned jaxpr; jit/program_cache.cpp), or
// compiles it.
Ref<const CompiledProgram> compile_program(const Jaxpr& j);

}  // namespace weft::compiler
