// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/backend.h: how evaluation finds the compiler. jit/ installs itself through these
// functions.
#pragma once
#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

namespace ir {
// A program compiled for one device (include/weft/device.h); all addresses are addresses of that
// device. `in` holds dense row-major inputs, constants first. `out` holds the memory for each
// output. An output that is an input is not written: the caller returns the input's buffer.
class Executable : public RefCounted {
 public:
  virtual void run(const void* const* in, void* const* out) const = 0;
  // The index of the input whose memory output k may share, or -1.
  virtual int32_t aliased_input(size_t) const { return -1; }
  // Returns the same program with permission to overwrite these inputs. The program overwrites each
  // input for which overwrites_input() returns true, even if no output is stored there.
  virtual Ref<const Executable> donating(const std::vector<bool>&) const {
    return Ref<const Executable>(this);
  }
  virtual bool overwrites_input(size_t) const { return false; }
  // Bytes of temporaries that one run needs.
  virtual int64_t temporaries() const = 0;
  // About how many bytes it occupies while it does not run.
  virtual int64_t footprint() const = 0;
};
}  // namespace ir

using CompileFn = Ref<const Executable> (*)(const Jaxpr&);
// The compiler for the host, or null if jit/ is not linked or WEFT_NO_JIT is 1.
CompileFn backend();
void install_backend(CompileFn f);

namespace detail {
class Device;
}
// The same for devices of runtime/cuda/.
using CompileForFn = Ref<const Executable> (*)(const Jaxpr&, detail::Device&);
CompileForFn gpu_backend();
void install_gpu_backend(CompileForFn f);

}  // namespace weft
