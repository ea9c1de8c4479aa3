// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/codegen.cpp: compiles a kernel once, and caches live code.
#include "jit/emit/compile/codegen.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <atomic>

#include "jit/emit/compile/code_cache.h"
#include "jit/emit/compile/orc.h"
#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/emit/frame.h"
#include "jit/schedule/choose/choose.h"
#include "runtime/fork.h"
#include "runtime/thread_stack.h"
#include "weft/buffer.h"
#include "weft/device.h"
#include "weft/error.h"

namespace weft::compiler {

struct Code::State {
  nest::Kernel kernel;
  Schedule schedule;
  TargetInfo target;
  bool checked = false;
  std::string symbol;
  std::unique_ptr<Loaded> loaded;
  int64_t bytes = 0;
  int64_t scratch_bytes = 0, frame_bytes = 0;  // of one call

  // Emits the kernel into a module of `context`. Calls f with the module and the bytes of scratch
  // memory that the kernel needs.
  template <class F>
  auto with_module(F&& f) const {
    llvm::LLVMContext context;
    llvm::Module module("weft", context);
    module.setTargetTriple(target.triple);
    module.setDataLayout(machine_for(target).createDataLayout());
    CpuEmitter e(
        kernel, schedule, module,
        {.mask_registers = target.mask_registers, .half = target.half, .checked = checked});
    e.emit(symbol);
    return f(module, e.scratch_bytes());
  }
};

Code::Code(std::unique_ptr<State> state)
    : state_(std::move(state)), fn_(reinterpret_cast<KernelFn>(state_->loaded->address())) {}
Code::~Code() {
  const NoFork hold;  // the linker's locks
  state_.reset();
}

const nest::Kernel& Code::kernel() const { return state_->kernel; }
const Schedule& Code::schedule() const { return state_->schedule; }
int64_t Code::bytes() const { return state_->bytes; }
int64_t Code::frame_bytes() const { return state_->frame_bytes; }

void Code::run(void* const* buffers, const int64_t* extents, const int64_t* range) const {
  // Local arrays are limited when they are emitted. The number of live values is not limited,
  // because a loop may carry any number of them.
  const auto call = [&](void* scratch) {
    const int64_t frame = state_->frame_bytes;
    if (frame <= frame_on_any_stack || frame + below_frame <= stack_left())
      return fn_(buffers, extents, range, scratch);
    run_on_large_stack(frame + below_frame, [&] { fn_(buffers, extents, range, scratch); });
  };
  if (state_->scratch_bytes == 0) return call(nullptr);
  const Temporaries scratch(state_->scratch_bytes);
  call(scratch.data());
}

std::string Code::llvm_ir() const {
  return state_->with_module([](llvm::Module& m, int64_t) {
    std::string text;
    llvm::raw_string_ostream out(text);
    m.print(out, nullptr);
    return text;
  });
}

std::string Code::assembly() const {
  return state_->with_module(
      [&](llvm::Module& m, int64_t) { return assembly_code(m, state_->target); });
}

namespace {

std::shared_ptr<const Code> compile_now(const nest::Kernel& kernel, const Schedule& schedule,
                                        const TargetInfo& target, bool checked) {
  require_compilable(kernel, schedule, target);
  static std::atomic<uint64_t> serial{0};
  auto state = std::make_unique<Code::State>(
      Code::State{kernel, schedule, target, checked, fmt::format("weft_{}", serial++), nullptr});
  Object object = state->with_module([&](llvm::Module& m, int64_t scratch_bytes) {
    state->scratch_bytes = scratch_bytes;
    return object_code(m, target);
  });
  state->frame_bytes = object.frame_bytes;
  state->bytes = static_cast<int64_t>(object.code->getBufferSize());
  state->loaded = std::make_unique<Loaded>(std::move(object.code), state->symbol);
  return std::make_shared<const Code>(std::move(state));
}

}  // namespace

// The key is a digest of the text, because keys live long.
std::string code_key(const nest::Kernel& kernel, const Schedule& schedule, const TargetInfo& target,
                     bool checked) {
  const std::string text =
      fmt::format("{} {} {}\n{}{}", target.device ? target.device->name() : "", target.cpu, checked,
                  to_string(schedule), nest::print(kernel));
  const auto hash = llvm::BLAKE3::hash<32>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  return std::string(hash.begin(), hash.end());
}

std::shared_ptr<const Code> compile(const nest::Kernel& kernel, const Schedule& schedule,
                                    const TargetInfo& target, bool checked) {
  static auto& cache = *new CodeCache<Code>();
  return cache.get(code_key(kernel, schedule, target, checked),
                   [&] { return compile_now(kernel, schedule, target, checked); });
}

std::shared_ptr<const Code> compile(const nest::Kernel& kernel, const TargetInfo& target,
                                    const Options& options) {
  require_compilable(kernel, {}, target);  // a malformed kernel has no best schedule
  return compile(kernel, choose_schedule(kernel, target, options), target, options.checked);
}

std::shared_ptr<const Code> compile(const nest::Kernel& kernel) {
  return compile(kernel, host_target());
}

}  // namespace weft::compiler
