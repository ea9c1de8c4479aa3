// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/ptx.cpp: runs the emitter and LLVM's NVPTX back end.
#include "weft/jit/emit/ptx.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "weft/core/error.h"
#include "weft/jit/emit/emit.h"
#include "weft/jit/emit/orc.h"

namespace weft::compiler {

std::string ptx(const nest::Kernel& kernel, const PtxOptions& options) {
  return ptx(std::vector<const nest::Kernel*>{&kernel}, options);
}

std::string ptx(const std::vector<const nest::Kernel*>& kernels, const PtxOptions& options) {
  TargetInfo target;
  target.triple = "nvptx64-nvidia-cuda";
  target.cpu = options.gpu;
  target.features = "+ptx70";
  target.lanes = 1;
  llvm::LLVMContext context;
  llvm::Module module("weft", context);
  module.setTargetTriple(target.triple);
  module.setDataLayout(machine_for(target).createDataLayout());
  for (size_t i = 0; i < kernels.size(); ++i) {
    const nest::Kernel& k = *kernels[i];
    if (const std::string problem = nest::verify(k); !problem.empty())
      throw CompileError(
          fmt::format("the loop program {} is not well formed: {}", k.name, problem));
    Emitter(k, module, {1, false, true, true})
        .emit_gpu(kernels.size() == 1 ? options.entry : fmt::format("{}_{}", options.entry, i));
  }
  return assembly_code(module, target);
}

}  // namespace weft::compiler
