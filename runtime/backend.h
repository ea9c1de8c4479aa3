// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/backend.h: the seam between evaluation and the compiler: jit/ installs itself here.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/jaxpr.h"

namespace weft {

namespace ir {
// A compiled program of one device (runtime/device.h), whose addresses it takes. `in` are dense
// row-major inputs (constants first), `out` memory for each output; an output that is an input is
// not written (the caller returns the same buffer).
class Executable : public RefCounted {
 public:
  virtual void run(const void* const* in, void* const* out) const = 0;
  // The input whose memory may be that of output k, or -1.
  virtual int32_t aliased_input(size_t) const { return -1; }
  // The same program, which may write over these inputs. It then writes over those that it takes,
  // whether or not an output lies there.
  virtual Ref<const Executable> donating(const std::vector<bool>&) const {
    return Ref<const Executable>(this);
  }
  virtual bool takes(size_t) const { return false; }
  // Bytes of temporaries that a run needs at once.
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
