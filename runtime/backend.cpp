// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/backend.cpp: the installed compiler.
#include "weft/runtime/backend.h"

#include <cstdlib>

namespace weft {
namespace {
CompileFn& installed() {
  static CompileFn f = nullptr;
  return f;
}
}  // namespace

CompileFn backend() {
  static const bool off = std::getenv("WEFT_NO_JIT") != nullptr;
  return off ? nullptr : installed();
}
void install_backend(CompileFn f) { installed() = f; }

}  // namespace weft
