// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/cold_paths.h: the functions behind the cold paths of kernels
// (core/loops/cold_path.h, docs/decisions/0003-cold-paths.md).
#pragma once
#include <array>

#include "weft/core/loops/cold_path.h"

namespace weft::native {

// Of `lanes` numbers at `in`; result r of lane l is out[r * lanes + l], of the same type.
using ColdPathFn = void (*)(const void* in, void* out, int64_t lanes);
struct ColdPath {
  const char* name;  // of the symbol that kernels refer to
  ColdPathFn run;
};
// That of ColdPathId(1) first; chosen for the processor at the first call.
const std::array<ColdPath, cold_path_count>& cold_paths();

}  // namespace weft::native
