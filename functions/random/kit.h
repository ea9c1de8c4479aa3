// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/kit.h: helpers that the random functions share. Not public.
#pragma once
#include "weft/array.h"

namespace weft::random {

// Checks that key is a single key, not an array of keys; raises DTypeError or ShapeError otherwise.
const Array& one_key(const char* name, const Array& key);
void need_float(const char* name, DType d);
// Returns keys[i].
Array key_at(const Array& keys, int64_t i);
// Returns the given shape, to which the shapes of the parameters must broadcast. If it is not
// given, returns the broadcast shape of the parameters.
Shape drawn_shape(const char* name, const std::optional<Shape>& given, const Arrays& parameters);

// Return the spacing of uniform numbers of a dtype below 1, and its smallest normal number.
double epsilon(DType d);
double smallest_normal(DType d);

}  // namespace weft::random
