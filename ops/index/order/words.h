// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/order/words.h: unsigned numbers whose order is that of the elements they are made of
// (runtime/native/sort_word.h has them for native code), as programs.
#pragma once
#include "weft/tracer/array.h"

namespace weft::order {

// Of the order of `sort`: -0 equals 0, all NaNs are equal and last. The most significant first.
Arrays value_words(const Array& key);
// Of the order of `top_k`: -0 is less than 0, all NaNs are equal and last. x is real.
Array top_word(const Array& x);

}  // namespace weft::order
