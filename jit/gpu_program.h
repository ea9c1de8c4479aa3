// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/gpu_program.h: what a program is on a GPU that need not be there: its steps, and the PTX of
// its kernels.
#pragma once
#include <string>
#include <vector>

#include "weft/core/jaxpr.h"

namespace weft::compiler {

struct GpuProgram {
  struct Step {
    std::string text;   // as report() has it
    std::string entry;  // of its kernel; empty: it is none
  };
  std::vector<Step> steps;  // those of the programs that a step loops over follow it
  std::string ptx;          // of all kernels (jit/emit/image.h)
};

// Of the program `written` (tracer/written_inputs.h), for an architecture ("sm_80").
GpuProgram gpu_program(const Jaxpr& written, const std::string& architecture);

}  // namespace weft::compiler
