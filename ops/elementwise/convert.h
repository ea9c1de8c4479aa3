// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/convert.h: the same numbers, or the same bits, in another dtype; parts of complex
// numbers.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// Floats become integers by truncation, saturate, and NaN gives 0; integers wrap; bool is x != 0;
// the real part of a complex number becomes a real one.
Array convert_element_type(const Arg& x, DType d, bool weak = false);
// The same bits. Where the widths differ by a factor, the last axis takes it.
Array bitcast_convert_type(const Arg& x, DType d);

Array real(const Arg& x);
Array imag(const Arg& x);
Array complex(const Arg& re, const Arg& im);
Array conj(const Arg& x);  // of a real number: as a complex one

}  // namespace weft::lax
