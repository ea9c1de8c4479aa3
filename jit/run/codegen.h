// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/codegen.h: from the loop program of one kernel (core/loops/nest.h) to machine code or
// PTX.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/options.h"
#include "weft/jit/schedule/schedule.h"
#include "weft/jit/schedule/target.h"

namespace weft::compiler {

// A compiled kernel. `buffers[-1]` is reserved: it points at an int32 that the caller sets to
// non-zero when running must end; long loops look at it about every millisecond and then return,
// leaving the outputs unfinished.
//
// `range` is the part of the grid to run: {outer begin, outer end, inner begin, inner end} of axes
// 0 and 1 for rank 2; rank 1 reads the inner pair alone, rank 0 none of it. Calls on disjoint
// ranges may run at the same time. `scratch` is memory for the arrays of the lanes that the frame
// has no room for.
using KernelFn = void (*)(void* const* buffers, const int64_t* extents, const int64_t* range,
                          void* scratch);

// Owns the machine code of one kernel; the code is freed with the last handle.
class Code {
 public:
  struct State;
  explicit Code(std::unique_ptr<State> state);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  // Runs a part of the grid. Raises OutOfMemoryError if there is no memory for its scratch
  // or for a frame that the caller's stack is not to hold.
  void run(void* const* buffers, const int64_t* extents, const int64_t* range) const;
  const nest::Kernel& kernel() const;  // equal to all that share the code
  int64_t bytes() const;               // of the object that was linked
  const Schedule& schedule() const;
  int64_t frame_bytes() const;  // of stack
  std::string llvm_ir() const;  // emitted anew: nothing of it is kept
  std::string assembly() const;

 private:
  std::unique_ptr<State> state_;
  KernelFn fn_;
};

// Compiles for the host (or a weaker `target` of its family), or finds the code in the process's
// cache: kernels of equal print() and equal schedules share it while a handle lives. Thread-safe.
// Without a schedule the one that pays is chosen (jit/schedule/schedule.h).
// Raises CompileError for a kernel that is not well formed or too large, and for a schedule that
// the kernel cannot have.
std::shared_ptr<const Code> compile(const nest::Kernel& kernel);
std::shared_ptr<const Code> compile(const nest::Kernel& kernel, const TargetInfo& target,
                                    const Options& options = {});
std::shared_ptr<const Code> compile(const nest::Kernel& kernel, const Schedule& schedule,
                                    const TargetInfo& target, bool checked = false);
// By which code is found: equal for what is compiled to the same on the same device.
std::string code_key(const nest::Kernel& kernel, const Schedule& schedule, const TargetInfo& target,
                     bool checked = false);

}  // namespace weft::compiler
