// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/strided.h: strided copies for the reference rules of structural ops.
#pragma once
#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/any_params.h"

namespace weft {

// out[i0, i1, …] = x[offset + i0*step[0] + i1*step[1] + …]. Offset and steps count elements of x.
Array strided_copy(const Array& x, const Type& out, int64_t offset, const Ints& step);
// Copies a block of `shape` elements, each of `bytes` bytes, from one strided layout to another.
void strided_move(void* to, const Ints& to_step, const void* from, const Ints& from_step,
                  const Shape& shape, int bytes);

}  // namespace weft
