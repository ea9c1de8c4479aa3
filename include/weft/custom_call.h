// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/custom_call.h: the interface through which programs call the user's compiled
// functions.
#pragma once
#include <cstdint>

#include "weft/dtype.h"

namespace weft {

// The type of a buffer that a custom_call gets: `ndim` sizes, their product, and the dtype.
// Elements are row-major without gaps. Bools are bytes with value 0 or 1.
struct BufferType {
  DType dtype;
  int32_t ndim;
  const int64_t* dims;
  int64_t size;
};
namespace typing {
// Reads in[i] and writes out[k]. `types` contains the types of the operands, then those of the
// results.
using CustomCall = void (*)(void* const* out, const void* const* in, const BufferType* types);
}  // namespace typing

}  // namespace weft
