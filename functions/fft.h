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
  // The axis that is transformed.
  int64_t axis = -1;
  Norm norm = Norm::backward;
};
// X[k] = sum of x[j] e^(-2 pi i j k / n) along an axis, cut or filled up with zeros to .n elements;
// complex. Source: jax.numpy.fft.fft.
Array fft(const typing::Arg& a, const FftOptions& o = {});
// The inverse of fft: x[j] = sum of X[k] e^(2 pi i j k / n) / n; complex. Source:
// jax.numpy.fft.ifft.
Array ifft(const typing::Arg& a, const FftOptions& o = {});
// fft of n real numbers: the first n / 2 + 1 of its elements, of which the others are the
// conjugates. DTypeError for others than F32 and F64 (integers become floats), ShapeError for no
// element. Source: jax.numpy.fft.rfft.
Array rfft(const typing::Arg& a, const FftOptions& o = {});
// The inverse of rfft: of m elements .n real numbers, by default 2 (m - 1). Source:
// jax.numpy.fft.irfft.
Array irfft(const typing::Arg& a, const FftOptions& o = {});
// The transform of numbers of which half are given, the others being the conjugates: of m elements
// .n real numbers, by default 2 (m - 1). Source: jax.numpy.fft.hfft.
Array hfft(const typing::Arg& a, const FftOptions& o = {});
// The inverse of hfft: of n real numbers n / 2 + 1 complex ones. DTypeError as of rfft. Source:
// jax.numpy.fft.ihfft.
Array ihfft(const typing::Arg& a, const FftOptions& o = {});

// Sizes, axes and norm of transforms along two axes.
struct Fft2Options {
  // The sizes along these axes; none: those that there are.
  std::optional<std::vector<int64_t>> s = {};
  // Two axes, in their order; real ones go along the last.
  std::vector<int64_t> axes = {-2, -1};
  Norm norm = Norm::backward;
};
// fft along two axes, by default the last ones. ShapeError for another number of axes. Source:
// jax.numpy.fft.fft2.
Array fft2(const typing::Arg& a, const Fft2Options& o = {});
// The inverse of fft2. Source: jax.numpy.fft.ifft2.
Array ifft2(const typing::Arg& a, const Fft2Options& o = {});
// rfft along the last of two axes, then fft along the other. Source: jax.numpy.fft.rfft2.
Array rfft2(const typing::Arg& a, const Fft2Options& o = {});
// The inverse of rfft2; of the last axis as irfft. Source: jax.numpy.fft.irfft2.
Array irfft2(const typing::Arg& a, const Fft2Options& o = {});
// Sizes, axes and norm of transforms along any number of axes.
struct FftnOptions {
  // The sizes and the axes; no axes: all, or as many of the last ones as there are sizes.
  std::optional<std::vector<int64_t>> s = {}, axes = {};
  Norm norm = Norm::backward;
};
// fft along several axes, by default all. Source: jax.numpy.fft.fftn.
Array fftn(const typing::Arg& a, const FftnOptions& o = {});
// The inverse of fftn. Source: jax.numpy.fft.ifftn.
Array ifftn(const typing::Arg& a, const FftnOptions& o = {});
// rfft along the last of several axes, then fft along the others. Source: jax.numpy.fft.rfftn.
Array rfftn(const typing::Arg& a, const FftnOptions& o = {});
// The inverse of rfftn; of the last axis as irfft. Source: jax.numpy.fft.irfftn.
Array irfftn(const typing::Arg& a, const FftnOptions& o = {});

// The form of fftfreq and rfftfreq.
struct FreqOptions {
  // The dtype of the result, real.
  DType dtype = F32;
};
// The frequencies of the n elements of fft, in cycles per unit of the sample spacing d: 0, 1, …,
// -2, -1 over n d. ShapeError for a negative n or a d with axes, DTypeError for complex numbers.
// Source: jax.numpy.fft.fftfreq.
//
//     fft::fftfreq(4)  // array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
Array fftfreq(int64_t n, const typing::Arg& d = 1.0, const FreqOptions& o = {});
Array fftfreq(int64_t n, const FreqOptions& o, typing::Location at = typing::Location::here());
template <weft::detail::PlainDType D>
Array fftfreq(int64_t n, const typing::Arg& d, D dtype) {
  return fftfreq(n, d, FreqOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array fftfreq(int64_t n, D dtype, typing::Location at = typing::Location::here()) {
  return fftfreq(n, FreqOptions{.dtype = dtype}, at);
}
// The frequencies of the n / 2 + 1 elements of rfft, not negative; as fftfreq else. Source:
// jax.numpy.fft.rfftfreq.
//
//     fft::rfftfreq(4)  // array([0.  , 0.25, 0.5 ], dtype=float32)
Array rfftfreq(int64_t n, const typing::Arg& d = 1.0, const FreqOptions& o = {});
Array rfftfreq(int64_t n, const FreqOptions& o, typing::Location at = typing::Location::here());
template <weft::detail::PlainDType D>
Array rfftfreq(int64_t n, const typing::Arg& d, D dtype) {
  return rfftfreq(n, d, FreqOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array rfftfreq(int64_t n, D dtype, typing::Location at = typing::Location::here()) {
  return rfftfreq(n, FreqOptions{.dtype = dtype}, at);
}
// Frequency 0 moved to the middle of the axes, by default all: x rolled by half of each size.
// Source: jax.numpy.fft.fftshift.
//
//     fft::fftshift(array({0, 1, 2, -2, -1}))  // array([-2, -1,  0,  1,  2], dtype=int32)
Array fftshift(const typing::Arg& x, const typing::AxisList& axes = none);
// The inverse of fftshift, also of odd sizes. Source: jax.numpy.fft.ifftshift.
Array ifftshift(const typing::Arg& x, const typing::AxisList& axes = none);

// ---- cosine transforms (type 2 and its inverse), of real and imaginary parts each

struct DctOptions {
  std::optional<int64_t> n = {};  // {}: the size that there is
  // The axis that is transformed.
  int64_t axis = -1;
  Norm norm = Norm::backward;  // Norm::ortho: an orthogonal matrix; IndexError for Norm::forward
};
// X[k] = 2 sum of x[j] cos(pi k (2 j + 1) / (2 n)) along an axis, cut or filled up with zeros to .n
// elements. DTypeError for F16 and BF16. Source: jax.scipy.fft.dct.
Array dct(const typing::Arg& x, const DctOptions& o = {});
// The inverse of dct. Source: jax.scipy.fft.idct.
Array idct(const typing::Arg& x, const DctOptions& o = {});
// dct along several axes, as FftnOptions has them. Source: jax.scipy.fft.dctn.
Array dctn(const typing::Arg& x, const FftnOptions& o = {});
// The inverse of dctn. Source: jax.scipy.fft.idctn.
Array idctn(const typing::Arg& x, const FftnOptions& o = {});

}  // namespace weft::fft
