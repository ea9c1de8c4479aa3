// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/custom_call.h: how a compiled function of the user's is called by programs.
#pragma once
#include <cstdint>

#include "weft/core/dtype.h"

namespace weft {

// The type of a buffer that a custom_call is given: `ndim` sizes, their product, the dtype.
// Elements lie row-major without gaps; bools are bytes, 0 or 1.
struct BufferType {
  DType dtype;
  int32_t ndim;
  const int64_t* dims;
  int64_t size;
};
namespace typing {
// Reads in[i] and writes out[k]; types are those of the operands, then of the results.
using CustomCall = void (*)(void* const* out, const void* const* in, const BufferType* types);
}  // namespace typing

}  // namespace weft
