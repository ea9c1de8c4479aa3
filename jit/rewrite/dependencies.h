// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/dependencies.h: which equations of a program have to run before which others.
#pragma once
#include <cstddef>
#include <vector>

#include "jit/fuse/analysis.h"

namespace weft::compiler {

// By equation: those that have to run before it, and those that have to run after it. An equation
// runs after those whose results it reads. Ordered effects keep their order.
struct Dependencies {
  explicit Dependencies(const Program& p);
  std::vector<std::vector<size_t>> before, after;
};

}  // namespace weft::compiler
