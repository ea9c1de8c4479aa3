// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/implementation.cpp: buffers of native calls, and the axes that native calls leave
// unchanged.
#include "core/loops/implementation.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/error.h"

namespace weft {

void NativeArgs::require_bytes(int64_t bytes, int64_t n, int64_t item) {
  if (n >= 0 && bytes / item == n && bytes % item == 0) return;
  throw InternalError(
      fmt::format("native code takes {} bytes for {} elements of {} bytes", bytes, n, item));
}

std::string missing_library(const AnyImplementation& i, const Target& target) {
  if (i.library.empty()) return {};
  if (!target.libraries) return fmt::format("{} is a library of GPUs", i.library);
  return target.libraries->missing(i.library);
}

bool is_usable(const AnyImplementation& i, const AnyUse& use) {
  return i.applies(use) && missing_library(i, use.target).empty();
}

std::vector<std::vector<int>> axis_map_without(size_t operands, int n, const Ints& axes,
                                               bool removed) {
  std::vector<int> one;
  int next = 0;
  for (int a = 0; a < n; ++a) {
    const bool along = std::find(axes.begin(), axes.end(), a) != axes.end();
    one.push_back(along ? -1 : next);
    next += !(along && removed);
  }
  return std::vector<std::vector<int>>(operands, one);
}

}  // namespace weft
