// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/order/stable_order.h: the stable order of rows as steps that many threads can share
// (docs/decisions/0032).
#pragma once
#include "weft/tracer/array.h"

namespace weft::order {

// Rows of up to so many elements are ranked: each element is compared with all. Not measured.
inline constexpr int64_t ranked_terms = 512;

// Rows lie along the last axis of the words, which are unsigned and of one shape, the most
// significant first. The places of the first `count` elements, least first, equal ones as they
// stand: I32[…, count].
Array stable_order(const Arrays& words, int64_t count);

}  // namespace weft::order
