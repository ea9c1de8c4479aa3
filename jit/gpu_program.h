// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/gpu_program.h: compiles a program for a GPU that need not be present: its steps, and the PTX
// of its kernels.
#pragma once
#include <string>
#include <vector>

#include "weft/detail/jaxpr.h"

namespace weft::compiler {

struct GpuProgram {
  struct Step {
    std::string text;   // its line in report()
    std::string entry;  // the entry of its kernel; empty if the step is not a kernel
  };
  std::vector<Step> steps;  // the steps of an inner program follow the step that loops over it
  std::string ptx;          // PTX of all kernels (jit/emit/compile/image.h)
};

// Compiles the program for an architecture ("sm_80").
GpuProgram gpu_program(const Jaxpr& j, const std::string& architecture);

}  // namespace weft::compiler
