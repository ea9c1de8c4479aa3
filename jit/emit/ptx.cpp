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

std::string ptx(const std::vector<PtxKernel>& kernels, const TargetInfo& target,
                const std::string& entry) {
  llvm::LLVMContext context;
  llvm::Module module("weft", context);
  module.setTargetTriple(target.triple);
  module.setDataLayout(machine_for(target).createDataLayout());
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto& [kernel, schedule] = kernels[i];
    require_compilable(kernel, schedule, target);
    Emitter(kernel, schedule, module, {false, true, true})
        .emit_gpu(kernels.size() == 1 ? entry : fmt::format("{}_{}", entry, i));
  }
  return assembly_code(module, target);
}

}  // namespace weft::compiler
