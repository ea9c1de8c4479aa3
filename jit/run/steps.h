// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/steps.h: building the steps of a program: kernels, library calls, loops over programs.
#pragma once
#include <memory>
#include <vector>

#include "weft/jit/run/compiled.h"

namespace weft::compiler {

struct Built {
  std::unique_ptr<RunStep> step;
  std::vector<int32_t> reads, writes;  // variables of the program
  // What is written to the memory of an operand if both have one place: (written, operand).
  std::vector<std::pair<int32_t, int32_t>> over;
};

Built build_kernel(const Program& p, const KernelPlan& k, const std::vector<bool>& in_memory);
Built build_library(const Program& p, const Step& s);
// A while, scan or cond as a native loop over compiled programs.
std::unique_ptr<RunStep> build_lockstep(const Program& p, const Step& s);
// How a large product maps to a library's GEMM, if it does.
bool gemm_ready(const JaxprData& j, const Eqn& e, const Lowering& l);

}  // namespace weft::compiler
