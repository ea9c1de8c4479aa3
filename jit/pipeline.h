// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/pipeline.h: the passes that compile a program.
#pragma once
#include <unordered_map>
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

// A program that is compiled, with the bodies of its loops. On the host their kernels get their
// code together, in parallel, when all passes but the last have run for all of them.
struct CodeUnit {
  struct Entry {
    Jaxpr jaxpr;  // as it was before the passes
    Ref<const CompiledProgram> program;
  };
  std::vector<RunStep*> steps;                                 // still without code
  std::unordered_map<const JaxprData*, Entry> for_cache = {};  // once they have code
};

// Compiles j for the current target (jit/schedule/target.h), even if the cache already has it.
// Programs of its bodies are taken from the cache. `inner`: it is the body of a loop of the unit,
// which remains without code. `rewritten`: all passes from jaxpr to jaxpr have run.
Ref<const CompiledProgram> compile(const Jaxpr& j, CodeUnit& unit, bool inner = false,
                                   bool rewritten = false);
// Runs only the passes from jaxpr to jaxpr.
Jaxpr rewritten(const Jaxpr& j);
// Returns the compiled program from the cache (by interned jaxpr; jit/program_cache.cpp), or
// compiles it. With a unit it is the body of a loop there.
Ref<const CompiledProgram> compile_program(const Jaxpr& j, CodeUnit* unit = nullptr);

}  // namespace weft::compiler
