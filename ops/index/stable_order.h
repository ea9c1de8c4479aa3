// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/stable_order.h: stable sorting of rows in steps that many threads can share
// (docs/decisions/0032).
#pragma once
#include "weft/array.h"

namespace weft::order {

// Rows with at most this many elements are ranked by comparing each element with all others. The
// number is not measured.
inline constexpr int64_t ranked_terms = 512;

// Rows are along the last axis of the words, which are unsigned and of one shape, most significant
// first. Returns the positions of the first `count` elements in ascending order, I32[…, count];
// equal elements keep their order. `bits`: the number of low bits of each word that may be nonzero;
// -1: all.
Array stable_order(const Arrays& words, int64_t count, int64_t bits = -1);
// The approximate number of kernels for rows of n words that differ in this many bits.
double kernels_of_order(int64_t n, int64_t bits);

// A cost for targets that should never use it: the host has faster native code, and a loop of one
// lane cannot use threads.
inline constexpr double never_ns = 1e19;

}  // namespace weft::order
