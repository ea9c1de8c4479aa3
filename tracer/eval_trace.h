// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/eval_trace.h: the bottom interpreter, which runs ops immediately.
#pragma once
#include "tracer/trace.h"

namespace weft {

// All threads share it.
const Ref<Interpreter>& eval_interpreter();

// Compiles and runs a program on concrete arrays, on their device. The compiler caches by program.
Arrays run_compiled(const Jaxpr& j, const Arrays& x);

// During its lifetime, this thread runs everything by the ops' reference rules (WEFT_NO_JIT does
// the same for the process). Tests use it as an oracle.
class ReferenceMode {
 public:
  ReferenceMode();
  ~ReferenceMode();
  ReferenceMode(const ReferenceMode&) = delete;

 private:
  bool before_;
};

}  // namespace weft
