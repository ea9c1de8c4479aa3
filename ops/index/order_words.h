// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/order_words.h: converts elements to unsigned numbers with the same order, as programs
// (runtime/native/sort_word.h does it in native code).
#pragma once
#include "weft/array.h"

namespace weft::order {

// The order of `sort`: -0 equals 0, and all NaNs are equal and last. The most significant word is
// first.
Arrays value_words(const Array& key);
// The order of `top_k`: -0 is less than 0, and all NaNs are equal and last; or the total order of
// the bits. x is real.
Array top_word(const Array& x, bool total_order);

}  // namespace weft::order
