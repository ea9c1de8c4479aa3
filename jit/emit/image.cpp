// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/image.cpp: runs the emitter, and LLVM's NVPTX back end.
#include "weft/jit/emit/image.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "weft/core/error.h"
#include "weft/jit/emit/emit.h"
#include "weft/jit/emit/orc.h"

namespace weft::compiler {

std::string gpu_image(const std::vector<GpuKernelCode>& kernels, const TargetInfo& target,
                      const std::string& entry) {
  const TargetInfo& machine = target.emulated ? host_target() : target;
  llvm::LLVMContext context;
  llvm::Module module("weft", context);
  module.setTargetTriple(machine.triple);
  module.setDataLayout(machine_for(machine).createDataLayout());
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto& [kernel, schedule] = kernels[i];
    require_compilable(kernel, schedule, target);
    Emitter(kernel, schedule, module,
            {.half = machine.half, .gpu = true, .emulated = target.emulated})
        .emit_gpu(kernels.size() == 1 ? entry : fmt::format("{}_{}", entry, i));
  }
  if (!target.emulated) return assembly_code(module, target);
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

}  // namespace weft::compiler
