// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/backend.cpp: the installed compiler.
#include "runtime/backend.h"

#include "core/environment.h"

namespace weft {
namespace {
template <class Fn>
Fn& installed() {
  static Fn f = nullptr;
  return f;
}
bool off() {
  static const bool b = switch_of_environment("WEFT_NO_JIT");
  return b;
}
}  // namespace

CompileFn backend() { return off() ? nullptr : installed<CompileFn>(); }
void install_backend(CompileFn f) { installed<CompileFn>() = f; }

CompileForFn gpu_backend() { return off() ? nullptr : installed<CompileForFn>(); }
void install_gpu_backend(CompileForFn f) { installed<CompileForFn>() = f; }

}  // namespace weft
