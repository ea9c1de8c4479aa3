// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/mask.h: constant masks in the parameters of ops. The elements of a mask in
// row-major order are the bits of 64-bit words, least significant first. Along an axis of extent 1
// all elements of the value that it masks are alike.
#pragma once
#include "core/loops/lower.h"
#include "core/scalar/number.h"
#include "weft/array.h"
#include "weft/detail/any_params.h"

namespace weft {

// Returns true if there is one word for each 64 elements.
bool is_mask(const Ints& shape, const Ints& bits);
bool bit_of(const Ints& bits, int64_t element);
// The bit for an element of the value, in the nest being written. At known indices it is a
// constant.
num::Ir<bool> bit_at(const Ints& shape, const Ints& bits, const Coords& at);
// The mask as a Bool array of the shape of the value.
Array mask_array(const Ints& shape, const Ints& bits, const Shape& value);

}  // namespace weft
