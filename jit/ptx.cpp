// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/ptx.cpp: runs the emitter and LLVM's NVPTX back end.
#include "weft/jit/ptx.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "weft/core/error.h"
#include "weft/jit/emit.h"
#include "weft/jit/orc.h"

namespace weft::compiler {

std::string ptx(const nest::Kernel& kernel, const PtxOptions& options) {
  if (const std::string problem = nest::verify(kernel); !problem.empty())
    throw CompileError(
        fmt::format("the loop program {} is not well formed: {}", kernel.name, problem));
  TargetInfo target;
  target.triple = "nvptx64-nvidia-cuda";
  target.cpu = options.gpu;
  target.features = "+ptx70";
  target.lanes = 1;
  llvm::LLVMContext context;
  llvm::Module module("weft", context);
  module.setTargetTriple(target.triple);
  module.setDataLayout(machine_for(target).createDataLayout());
  Emitter(kernel, module, {1, false, true, true}).emit_gpu(options.entry);
  return assembly_code(module, target);
}

}  // namespace weft::compiler
