// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/codegen.h: compiles the loop nest of one kernel (core/loops/nest.h) to machine
// code or PTX.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/loops/nest.h"
#include "jit/schedule/options.h"
#include "jit/schedule/schedule.h"
#include "jit/schedule/target.h"

namespace weft::compiler {

// A compiled kernel. `buffers[-1]` is reserved: it points to an int32 that the caller sets to
// non-zero when the kernel must stop. Long loops read it about every millisecond and then return,
// which leaves the outputs unfinished.
//
// `range` is the part of the grid to run: {outer begin, outer end, inner begin, inner end} of axes
// 0 and 1 for rank 2. Rank 1 uses only the inner pair, rank 0 nothing. Calls with disjoint ranges
// may run at the same time. `scratch` is memory for local arrays that do not fit in the frame.
using KernelFn = void (*)(void* const* buffers, const int64_t* extents, const int64_t* range,
                          void* scratch);

// Owns the machine code of one kernel. The last handle frees the code.
class Code {
 public:
  struct State;
  explicit Code(std::unique_ptr<State> state);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  // Runs a part of the grid. Raises OutOfMemoryError if there is no memory for its scratch, or for
  // a frame that does not fit on the caller's stack.
  void run(void* const* buffers, const int64_t* extents, const int64_t* range) const;
  const nest::Kernel& kernel() const;  // equal for all users of the code
  int64_t bytes() const;               // of the object that was linked
  const Schedule& schedule() const;
  int64_t frame_bytes() const;  // of stack
  std::string llvm_ir() const;  // generated again, because it is not kept
  std::string assembly() const;

 private:
  std::unique_ptr<State> state_;
  KernelFn fn_;
};

// Compiles for the host (or for a weaker `target` of its family), or finds the code in this
// process's cache. Kernels of equal print() and equal schedules share code while a handle lives.
// Thread-safe. Without a schedule the compiler chooses one (jit/schedule/schedule.h). Raises
// CompileError for a malformed or too large kernel, and for a schedule that the kernel cannot have.
std::shared_ptr<const Code> compile(const nest::Kernel& kernel);
std::shared_ptr<const Code> compile(const nest::Kernel& kernel, const TargetInfo& target,
                                    const Options& options = {});
std::shared_ptr<const Code> compile(const nest::Kernel& kernel, const Schedule& schedule,
                                    const TargetInfo& target, bool checked = false);
// Returns the cache key. It is equal for kernels that compile to the same code on the same device.
std::string code_key(const nest::Kernel& kernel, const Schedule& schedule, const TargetInfo& target,
                     bool checked = false);

}  // namespace weft::compiler
