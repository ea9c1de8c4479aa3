// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/fft.h: discrete Fourier transforms, as jax.numpy.fft has them.
//
// Integers become floats, and floats complex where a transform takes complex numbers. Along an axis
// that is given a size n the array is cut or filled up with zeros first. Errors: ShapeError for
// sizes that are not positive, axes named twice, and numbers of sizes and axes that differ;
// IndexError for axes that the array has not; DTypeError for what is not f32
// or f64 where real numbers are transformed.
#pragma once
#include <optional>
#include <vector>

#include "weft/functions/axis.h"
#include "weft/ops/linear/fft.h"
#include "weft/tracer/array.h"

namespace weft::fft {

// What is divided by the number n of elements: inverses, the others, or either by its square root.
enum class Norm { backward, forward, ortho };
struct FftOptions {
  std::optional<int64_t> n = {};  // {}: the size that there is
  int64_t axis = -1;
  Norm norm = Norm::backward;
};
// X[k] = sum of x[j] exp(-2 pi i j k / n), and back.
Array fft(const Arg& a, const FftOptions& o = {});
Array ifft(const Arg& a, const FftOptions& o = {});
// Of real numbers: the first n / 2 + 1 of those elements, of which the others are the conjugates;
// and back to n real numbers, by default 2 (m - 1) of m elements.
Array rfft(const Arg& a, const FftOptions& o = {});
Array irfft(const Arg& a, const FftOptions& o = {});
// Of numbers whose transform is real, of which half are given: n real numbers, by default
// 2 (m - 1) of m elements; and back.
Array hfft(const Arg& a, const FftOptions& o = {});
Array ihfft(const Arg& a, const FftOptions& o = {});

// Along two axes, and along any number of them; real ones along the last of these. {}: all axes, or
// the last ones where sizes are given.
struct Fft2Options {
  std::optional<std::vector<int64_t>> s = {};
  std::vector<int64_t> axes = {-2, -1};
  Norm norm = Norm::backward;
};
Array fft2(const Arg& a, const Fft2Options& o = {});
Array ifft2(const Arg& a, const Fft2Options& o = {});
Array rfft2(const Arg& a, const Fft2Options& o = {});
Array irfft2(const Arg& a, const Fft2Options& o = {});
struct FftnOptions {
  std::optional<std::vector<int64_t>> s = {}, axes = {};
  Norm norm = Norm::backward;
};
Array fftn(const Arg& a, const FftnOptions& o = {});
Array ifftn(const Arg& a, const FftnOptions& o = {});
Array rfftn(const Arg& a, const FftnOptions& o = {});
Array irfftn(const Arg& a, const FftnOptions& o = {});

// The frequencies of the n elements of fft, in cycles per unit of the sample spacing d, and of the
// n / 2 + 1 of rfft. ShapeError for a negative n or a d with axes.
struct FreqOptions {
  DType dtype = F32;
};
Array fftfreq(int64_t n, const Arg& d = 1.0, const FreqOptions& o = {});
Array rfftfreq(int64_t n, const Arg& d = 1.0, const FreqOptions& o = {});
// Frequency 0 moved to the middle of the axes, and back.
Array fftshift(const Arg& x, const AxisList& axes = none);
Array ifftshift(const Arg& x, const AxisList& axes = none);

// ---- cosine transforms (type 2 and its inverse), of real and imaginary parts each

struct DctOptions {
  std::optional<int64_t> n = {};  // {}: the size that there is
  int64_t axis = -1;
  Norm norm = Norm::backward;  // Norm::ortho: an orthogonal matrix; IndexError for Norm::forward
};
// X[k] = 2 sum of x[j] cos(pi k (2 j + 1) / (2 n)), and back. Source: jax.scipy.fft.dct.
Array dct(const Arg& x, const DctOptions& o = {});
// Source: jax.scipy.fft.idct.
Array idct(const Arg& x, const DctOptions& o = {});
// The same along several axes, as FftnOptions has them. Source: jax.scipy.fft.dctn.
Array dctn(const Arg& x, const FftnOptions& o = {});
// Source: jax.scipy.fft.idctn.
Array idctn(const Arg& x, const FftnOptions& o = {});

}  // namespace weft::fft
