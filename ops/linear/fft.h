// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/fft.h: discrete Fourier transforms.
#pragma once
#include <vector>

#include "weft/tracer/array.h"

namespace weft::lax {

// Which transform: of complex numbers and back, of real numbers and back.
enum class FftType { fft, ifft, rfft, irfft, FFT = fft, IFFT = ifft, RFFT = rfft, IRFFT = irfft };
// Transforms of the last axes, up to three, of these lengths; with none x itself. Integers become
// floats, floats complex but for rfft. Of irfft the last length says that of the result; the last
// axis of x has half of it and 1. ShapeError where x has not these lengths, DTypeError for complex
// operands of rfft. Source: jax.lax.fft.
Array fft(const typing::Arg& x, FftType fft_type, const std::vector<int64_t>& fft_lengths);

}  // namespace weft::lax
