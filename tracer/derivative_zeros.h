// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/derivative_zeros.h: arrays of zeros of derivatives (core/derivative_zero.h). It is
// declared in this low layer, since interpreters instantiate such zeros, and defined in ops/.
#pragma once
#include "core/ir.h"
#include "weft/array.h"

namespace weft::base {

// Returns zeros of this type. Only floats distinguish zeros of derivatives.
Array derivative_zeros(const Type& t);
// Returns one zero of the dtype of x.
Array derivative_zero_like(const Array& x);

}  // namespace weft::base
