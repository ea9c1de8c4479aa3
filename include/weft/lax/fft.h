// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/fft.h: discrete Fourier transforms.
#pragma once
#include <vector>

#include "weft/array.h"

namespace weft::lax {

// The kind of transform: complex to complex (fft) and its inverse, real to complex (rfft) and its
// inverse.
enum class FftType { fft, ifft, rfft, irfft, FFT = fft, IFFT = ifft, RFFT = rfft, IRFFT = irfft };
// Transforms the last axes, at most three, which have these lengths. Without lengths the result is
// x. Integers are converted to floats, and floats to complex numbers, except for rfft. For irfft
// the last length is that of the result, and the last axis of x has half of it plus 1. Throws
// ShapeError if the axes of x do not have these lengths, and DTypeError for complex operands of
// rfft. Source: jax.lax.fft.
Array fft(const typing::Arg& x, FftType fft_type, const std::vector<int64_t>& fft_lengths);

}  // namespace weft::lax
