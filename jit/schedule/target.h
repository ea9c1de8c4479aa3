// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/target.h: what the code generator needs to know of the machine.
#pragma once
#include <string>

#include "weft/core/loops/implementation.h"
#include "weft/core/loops/platform.h"

namespace weft::detail {
class Device;
}

namespace weft::compiler {

struct TargetInfo {
  std::string triple;           // "x86_64-pc-linux-gnu"
  std::string cpu;              // "sapphirerapids", "x86-64-v3"
  std::string features;         // "+avx512f,..."; empty if the cpu says it all
  int lanes = 4;                // 32-bit elements in a vector register
  bool mask_registers = false;  // masks live in registers of their own (AVX-512)
  bool half = false;            // converts float16 in hardware
  bool checked = false;         // kernels test every access (WEFT_CHECK=1; jit/emit/checked.h)
  bool tensor_cores = false;    // multiplies matrices of BF16 and of F16 (mma of 16 x 8 x 16)
  bool emulated = false;        // a GPU whose threads run on the host (docs/decisions/0030)
  weft::detail::Device* device = nullptr;  // that programs are for; null: the host, or text alone
  const Libraries* libraries = nullptr;    // of the device
  bool gpu() const { return triple.starts_with("nvptx64"); }
};

// The machine this process runs on, or the weaker one that WEFT_CPU names: x86-64-v2, x86-64-v3,
// x86-64-v4, native (the default). Raises CompileError if WEFT_CPU names another, or more than the
// machine can run.
const TargetInfo& host_target();
TargetInfo target_named(const std::string& cpu);
// A GPU by its architecture, "sm_80".
TargetInfo gpu_target(const std::string& architecture);

// What this thread compiles for: the host, but for the target of the innermost scope. Programs
// of one target are not those of another.
const TargetInfo& current_target();
// The target of the innermost scope; null: the host, which need not have been looked at.
const TargetInfo* chosen_target();
// What implementations are chosen by. The host is not looked at for it: that takes longer than all
// else that a program of one library call needs.
Target target_of_choices();
class TargetScope {
 public:
  // Programs refer to the target: it lives as long as they do.
  explicit TargetScope(const TargetInfo& t);
  ~TargetScope();
  TargetScope(const TargetScope&) = delete;

 private:
  const TargetInfo* before_;
  PlatformScope platform_;
};

}  // namespace weft::compiler
