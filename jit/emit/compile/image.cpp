// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/image.cpp: runs the emitter and LLVM's NVPTX back end.
#include "jit/emit/compile/image.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdlib>

#include "jit/emit/compile/orc.h"
#include "jit/emit/gpu/gpu_emitter.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

// Returns f of a module into which `emit` has put kernels.
template <class F>
std::string with_module(const TargetInfo& target, FunctionRef<void(llvm::Module&)> emit, F&& f) {
  const TargetInfo& machine = target.emulated ? host_target() : target;
  llvm::LLVMContext context;
  llvm::Module module("weft", context);
  module.setTargetTriple(machine.triple);
  module.setDataLayout(machine_for(machine).createDataLayout());
  emit(module);
  return f(module);
}

void emit_kernels(llvm::Module& module, const std::vector<GpuKernelCode>& kernels,
                  const TargetInfo& target, const std::string& entry) {
  const bool half = (target.emulated ? host_target() : target).half;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto& [kernel, schedule] = kernels[i];
    require_compilable(kernel, schedule, target);
    GpuEmitter(kernel, schedule, module, {.half = half, .emulated = target.emulated})
        .emit(kernels.size() == 1 ? entry : fmt::format("{}_{}", entry, i));
  }
}

}  // namespace

std::string image_of(const TargetInfo& target, FunctionRef<void(llvm::Module&)> emit) {
  return with_module(target, emit, [&](llvm::Module& m) {
    return target.emulated ? text_of(m) : assembly_code(m, target);
  });
}

std::string gpu_image(const std::vector<GpuKernelCode>& kernels, const TargetInfo& target,
                      const std::string& entry) {
  return image_of(target, [&](llvm::Module& m) { emit_kernels(m, kernels, target, entry); });
}

std::string gpu_llvm_ir(const std::vector<GpuKernelCode>& kernels, const TargetInfo& target,
                        const std::string& entry) {
  return with_module(
      target, [&](llvm::Module& m) { emit_kernels(m, kernels, target, entry); }, text_of);
}

int64_t local_arrays(const std::string& ptx) {
  // .local .align 8 .b8 __local_depot0[96];
  const size_t size = ptx.find('[', ptx.find("__local_depot"));
  return size == ptx.npos ? 0 : std::strtoll(ptx.c_str() + size + 1, nullptr, 10);
}

}  // namespace weft::compiler
