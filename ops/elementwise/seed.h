// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/seed.h: unit vectors in whose directions derivatives are computed.
#pragma once
#include "weft/array.h"

namespace weft {

// Returns whether x == y, for integers, element by element. If the result is converted to a float,
// its zeros are zeros of a derivative (docs/decisions/0075).
Array seed_eq(const Array& x, const Array& y);

}  // namespace weft
