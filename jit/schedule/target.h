// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/target.h: what the code generator needs to know about the machine.
#pragma once
#include <string>

#include "core/loops/implementation.h"
#include "core/loops/platform.h"

namespace weft::detail {
class Device;
}

namespace weft::compiler {

struct TargetInfo {
  std::string triple;           // "x86_64-pc-linux-gnu"
  std::string cpu;              // "sapphirerapids", "x86-64-v3"
  std::string features;         // "+avx512f,..."; empty if the cpu implies all
  int vector_width = 4;         // 32-bit elements in a vector register
  bool mask_registers = false;  // masks are in separate registers (AVX-512)
  bool half = false;            // converts float16 in hardware
  bool non_temporal = false;    // has non-temporal stores and a fence for them (x86)
  bool checked = false;       // kernels test every access (WEFT_CHECK=1; jit/emit/check/checked.h)
  bool tensor_cores = false;  // multiplies matrices of BF16 and F16 (mma of 16 x 8 x 16)
  bool emulated = false;      // a GPU whose threads run on the host (docs/decisions/0030)
  // The device of the programs; null: the host, or only text is generated.
  weft::detail::Device* device = nullptr;
  const Libraries* libraries = nullptr;  // of the device
  bool gpu() const { return triple.starts_with("nvptx64"); }
};

// The machine that runs this process, or the weaker one that WEFT_CPU names: x86-64-v2, x86-64-v3,
// x86-64-v4, or native (the default). Raises CompileError if WEFT_CPU has another value, or names
// more than the machine supports.
const TargetInfo& host_target();
TargetInfo target_named(const std::string& cpu);
// Returns a GPU by its architecture, "sm_80".
TargetInfo gpu_target(const std::string& architecture);

// Returns the target of the innermost scope of this thread, else the host. Each target has separate
// programs.
const TargetInfo& current_target();
// Returns the target of the innermost scope; null: the host, which may not have been detected yet.
const TargetInfo* scoped_target();
// Returns what implementations are chosen by. It does not detect the host: detection takes longer
// than everything else that a program of one library call needs.
Target implementation_target();
class TargetScope {
 public:
  // Programs refer to the target, so it must outlive them.
  explicit TargetScope(const TargetInfo& t);
  ~TargetScope();
  TargetScope(const TargetScope&) = delete;

 private:
  const TargetInfo* before_;
  PlatformScope platform_;
};

}  // namespace weft::compiler
