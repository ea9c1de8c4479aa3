// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/reduce.h: reductions over axes, which may be negative and come in any order.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

Array reduce_sum(const Arg& x, const std::vector<int64_t>& axes);
Array reduce_prod(const Arg& x, const std::vector<int64_t>& axes);
// NaN wins; of nothing the least and the largest value of the dtype.
Array reduce_max(const Arg& x, const std::vector<int64_t>& axes);
Array reduce_min(const Arg& x, const std::vector<int64_t>& axes);
// Of integers bit by bit.
Array reduce_and(const Arg& x, const std::vector<int64_t>& axes);
Array reduce_or(const Arg& x, const std::vector<int64_t>& axes);
Array reduce_xor(const Arg& x, const std::vector<int64_t>& axes);
// The first place of the largest (smallest) value along an axis; the first NaN if there is one.
Array argmax(const Arg& x, int64_t axis, DType index_dtype = I32);
Array argmin(const Arg& x, int64_t axis, DType index_dtype = I32);

}  // namespace weft::lax
