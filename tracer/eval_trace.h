// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/eval_trace.h: the interpreter at the bottom: runs ops now.
#pragma once
#include "weft/tracer/trace.h"

namespace weft {

// Shared by all threads.
const Ref<Interpreter>& eval_interpreter();

// Runs a program on concrete arrays through the compiler, which caches by program (Decided 22); on
// the device where they lie.
Arrays run_compiled(const Jaxpr& j, const Arrays& x);

// While it lives, this thread runs everything by the ops' reference rules (WEFT_NO_JIT does the
// same for the process); for oracles in tests.
class ReferenceMode {
 public:
  ReferenceMode();
  ~ReferenceMode();
  ReferenceMode(const ReferenceMode&) = delete;

 private:
  bool before_;
};

}  // namespace weft
