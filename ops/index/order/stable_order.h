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
// stand: I32[…, count]. `bits`: how many of the bits of each word count, the others being 0; -1:
// all.
Array stable_order(const Arrays& words, int64_t count, int64_t bits = -1);
// Kernels that it takes for rows of n words, about, of bits in which they differ.
double kernels_of_order(int64_t n, int64_t bits);

// The host has faster native code, and a loop of one lane no use for threads.
inline constexpr double never_ns = 1e19;

}  // namespace weft::order
