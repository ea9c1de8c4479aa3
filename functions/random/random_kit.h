// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/random_kit.h: what the files of random functions share. Not public.
#pragma once
#include "weft/tracer/array.h"

namespace weft::random {

// One key, not an array of them; DTypeError or ShapeError else.
const Array& one_key(const char* name, const Array& key);
void need_float(const char* name, DType d);
// Part i of keys.
Array key_at(const Array& keys, int64_t i);
// The given shape, to which those of the parameters must broadcast; else theirs together.
Shape drawn_shape(const char* name, const std::optional<Shape>& given, const Arrays& parameters);

// The step of uniform numbers of a dtype below 1, and its least normal number.
double epsilon(DType d);
double smallest_normal(DType d);

}  // namespace weft::random
