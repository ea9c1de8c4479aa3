// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/cold_paths.h: the functions that the cold paths of kernels call
// (core/loops/cold_path.h, docs/decisions/0003).
#pragma once
#include <array>

#include "core/loops/cold_path.h"

namespace weft::native {

// Reads `count` values at `in`; result r of value l is stored at out[r * count + l], of the same
// type.
using ColdPathFn = void (*)(const void* in, void* out, int64_t count);
struct ColdPath {
  const char* name;  // the symbol that kernels refer to
  ColdPathFn run;
};
// The table, starting with ColdPathId(1). Its functions are chosen for the processor at the first
// call.
const std::array<ColdPath, cold_path_count>& cold_paths();

}  // namespace weft::native
