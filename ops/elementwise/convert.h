// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/convert.h: the same numbers, or the same bits, in another dtype; parts of complex
// numbers.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// x in another dtype. Floats become integers by truncation, saturate, and NaN gives 0; integers
// wrap; bool is x != 0; the real part of a complex number becomes a real one. DTypeError for random
// keys. Source: jax.lax.convert_element_type.
//
//     lax::convert_element_type(array({1.5, -1.5}), I32)  // array([ 1, -1], dtype=int32)
Array convert_element_type(const typing::Arg& x, DType d, bool weak = false);
// The same bits in another dtype of integers or floats, DTypeError else. Where the widths differ by
// a factor, the last axis takes it: (…) -> (…, k), or (…, k) -> (…), ShapeError for another k.
// Source: jax.lax.bitcast_convert_type.
Array bitcast_convert_type(const typing::Arg& x, DType d);

// The real part of complex numbers: C64 -> F32, C128 -> F64. DTypeError for others. Source:
// jax.lax.real.
Array real(const typing::Arg& x);
// The imaginary part of complex numbers: C64 -> F32, C128 -> F64. DTypeError for others. Source:
// jax.lax.imag.
Array imag(const typing::Arg& x);
// The complex numbers of two parts, both F32 or both F64 (DTypeError), of one shape or scalars
// (ShapeError). Source: jax.lax.complex.
Array complex(const typing::Arg& re, const typing::Arg& im);
// The complex conjugate; of real numbers F32 and F64 as complex ones. Source: jax.lax.conj.
Array conj(const typing::Arg& x);

}  // namespace weft::lax
