// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/steps.h: builds the steps of a program: kernels, library calls, loops over programs.
#pragma once
#include <memory>
#include <vector>

#include "jit/fuse/plan.h"
#include "jit/nests/kernel_nest.h"
#include "jit/run/compiled.h"
#include "jit/schedule/schedule.h"

namespace weft::compiler {

using Bodies = std::vector<Ref<const CompiledProgram>>;

CompiledStep build_kernel(const Program& p, const KernelPlan& k, KernelNest nest,
                          Schedule schedule);
// Copies memory of the host, large memory by several threads.
void copy_by_threads(void* to, const void* from, int64_t bytes);
// The programs around a call of a device library (core/loops/implementation.h), if there are any.
struct CompiledAdapters {
  Ref<const CompiledProgram> before, after;
  Types call_results;  // of the call itself
};
CompiledStep build_native(const Program& p, size_t eqn, CompiledAdapters adapters);
std::unique_ptr<RunStep> make_device_call(const Program& p, size_t eqn, CompiledAdapters adapters);
CompiledStep build_scatter(const Program& p, size_t eqn, KernelNest nest, Schedule schedule);
// Builds a while, scan, cond or call as a native loop over the programs of its bodies.
CompiledStep build_lockstep(const Program& p, const Step& s, Bodies bodies);
std::unique_ptr<RunStep> make_lockstep(const Program& p, const Step& s, Bodies bodies);

}  // namespace weft::compiler
