// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/convert.h: conversion of numbers to another dtype, reinterpretation of bits, and
// parts of complex numbers.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// Converts x to another dtype. Floats are truncated to integers and saturate, and NaN becomes 0.
// Integers wrap. The conversion to bool is x != 0. A complex number is converted to a real number
// by its real part. Throws DTypeError for random keys. Source: jax.lax.convert_element_type.
//
//     lax::convert_element_type(array({1.5, -1.5}), I32)  // array([ 1, -1], dtype=int32)
Array convert_element_type(const typing::Arg& x, DType d, bool weak = false);
// Returns the same bits in another integer or float dtype; throws DTypeError for other dtypes. If
// the widths differ by a factor k, the result gains or loses a last axis of size k: (…) -> (…, k),
// or (…, k) -> (…). Throws ShapeError if the last axis does not have size k. Source:
// jax.lax.bitcast_convert_type.
Array bitcast_convert_type(const typing::Arg& x, DType d);

// The real part of complex numbers: C64 -> F32, C128 -> F64. Throws DTypeError for other dtypes.
// Source: jax.lax.real.
Array real(const typing::Arg& x);
// The imaginary part of complex numbers: C64 -> F32, C128 -> F64. Throws DTypeError for other
// dtypes. Source: jax.lax.imag.
Array imag(const typing::Arg& x);
// Makes complex numbers from two parts. Both are F32 or both are F64 (DTypeError), and they have
// one shape or are scalars (ShapeError). Source: jax.lax.complex.
Array complex(const typing::Arg& re, const typing::Arg& im);
// The complex conjugate. F32 and F64 operands are converted to complex numbers. Source:
// jax.lax.conj.
Array conj(const typing::Arg& x);

}  // namespace weft::lax
