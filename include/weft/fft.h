// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/fft.h: discrete Fourier transforms, as in jax.numpy.fft.
//
// Integers are converted to floats, and floats to complex numbers where a transform needs them. An
// axis with a given size n is first cropped or padded with zeros. Errors: ShapeError for sizes that
// are not positive, for axes named twice, and if the numbers of sizes and axes differ. IndexError
// for axes that the array does not have. DTypeError for dtypes other than F32 and F64 in transforms
// of real numbers.
#pragma once
#include <optional>
#include <vector>

#include "weft/array.h"
#include "weft/axis.h"
#include "weft/lax/fft.h"

namespace weft::fft {

// The normalization. `backward` divides the inverse transforms by the number n of elements,
// `forward` divides the forward transforms. `ortho` divides both by the square root of n.
enum class Norm { backward, forward, ortho };
struct FftOptions {
  std::optional<int64_t> n = {};  // {}: the size of the axis
  // The axis of the transform.
  int64_t axis = -1;
  Norm norm = Norm::backward;
};
// Returns X[k] = sum of x[j] e^(-2 pi i j k / n) along an axis, cropped or zero-padded to .n
// elements; complex. Source: jax.numpy.fft.fft.
Array fft(const typing::Arg& a, const FftOptions& o = {});
// Returns the inverse of fft: x[j] = sum of X[k] e^(2 pi i j k / n) / n; complex. Source:
// jax.numpy.fft.ifft.
Array ifft(const typing::Arg& a, const FftOptions& o = {});
// Returns the first n / 2 + 1 elements of the fft of n real numbers; the others are their
// conjugates. Raises DTypeError for dtypes other than F32 and F64 (integers are converted to
// floats), and ShapeError for no elements. Source: jax.numpy.fft.rfft.
Array rfft(const typing::Arg& a, const FftOptions& o = {});
// Returns the inverse of rfft: .n real numbers, by default 2 (m - 1), from m elements. Source:
// jax.numpy.fft.irfft.
Array irfft(const typing::Arg& a, const FftOptions& o = {});
// Returns the fft of a Hermitian sequence of which half is given: .n real numbers, by default 2
// (m - 1), from m elements. Source: jax.numpy.fft.hfft.
Array hfft(const typing::Arg& a, const FftOptions& o = {});
// Returns the inverse of hfft: n / 2 + 1 complex numbers from n real ones. Raises DTypeError as
// rfft. Source: jax.numpy.fft.ihfft.
Array ihfft(const typing::Arg& a, const FftOptions& o = {});

// The options of transforms along two axes.
struct Fft2Options {
  // The sizes along these axes; none: the sizes of the array.
  std::optional<std::vector<int64_t>> s = {};
  // Two axes in this order; real transforms run along the last one.
  std::vector<int64_t> axes = {-2, -1};
  Norm norm = Norm::backward;
};
// Returns the fft along two axes, by default the last two. Raises ShapeError for another number of
// axes. Source: jax.numpy.fft.fft2.
Array fft2(const typing::Arg& a, const Fft2Options& o = {});
// Returns the inverse of fft2. Source: jax.numpy.fft.ifft2.
Array ifft2(const typing::Arg& a, const Fft2Options& o = {});
// Returns rfft along the last of two axes, followed by fft along the other. Source:
// jax.numpy.fft.rfft2.
Array rfft2(const typing::Arg& a, const Fft2Options& o = {});
// Returns the inverse of rfft2, with irfft along the last axis. Source: jax.numpy.fft.irfft2.
Array irfft2(const typing::Arg& a, const Fft2Options& o = {});
// The options of transforms along any number of axes.
struct FftnOptions {
  // The sizes and the axes. Without axes: all axes, or as many of the last ones as there are sizes.
  std::optional<std::vector<int64_t>> s = {}, axes = {};
  Norm norm = Norm::backward;
};
// Returns the fft along several axes, by default all. Source: jax.numpy.fft.fftn.
Array fftn(const typing::Arg& a, const FftnOptions& o = {});
// Returns the inverse of fftn. Source: jax.numpy.fft.ifftn.
Array ifftn(const typing::Arg& a, const FftnOptions& o = {});
// Returns rfft along the last of several axes, followed by fft along the others. Source:
// jax.numpy.fft.rfftn.
Array rfftn(const typing::Arg& a, const FftnOptions& o = {});
// Returns the inverse of rfftn, with irfft along the last axis. Source: jax.numpy.fft.irfftn.
Array irfftn(const typing::Arg& a, const FftnOptions& o = {});

// The options of fftfreq and rfftfreq.
struct FreqOptions {
  // The dtype of the result, a real dtype.
  DType dtype = F32;
};
// Returns the frequencies of the n elements of fft, in cycles per unit of the sample spacing d: 0,
// 1, …, -2, -1 divided by n d. Raises ShapeError for a negative n or a d with axes, and DTypeError
// for complex numbers. Source: jax.numpy.fft.fftfreq.
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
// Returns the nonnegative frequencies of the n / 2 + 1 elements of rfft, otherwise like fftfreq.
// Source: jax.numpy.fft.rfftfreq.
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
// Moves frequency 0 to the center of the axes (by default all): rolls x by half of each size.
// Source: jax.numpy.fft.fftshift.
//
//     fft::fftshift(array({0, 1, 2, -2, -1}))  // array([-2, -1,  0,  1,  2], dtype=int32)
Array fftshift(const typing::Arg& x, const typing::AxisList& axes = none);
// Returns the inverse of fftshift, also for odd sizes. Source: jax.numpy.fft.ifftshift.
Array ifftshift(const typing::Arg& x, const typing::AxisList& axes = none);

// ---- cosine transforms (type 2 and its inverse); real and imaginary parts are transformed
// separately

struct DctOptions {
  std::optional<int64_t> n = {};  // {}: the size of the axis
  // The axis of the transform.
  int64_t axis = -1;
  Norm norm = Norm::backward;  // Norm::ortho: an orthogonal matrix; IndexError for Norm::forward
};
// Returns X[k] = 2 sum of x[j] cos(pi k (2 j + 1) / (2 n)) along an axis, cropped or zero-padded to
// .n elements. Raises DTypeError for F16 and BF16. Source: jax.scipy.fft.dct.
Array dct(const typing::Arg& x, const DctOptions& o = {});
// Returns the inverse of dct. Source: jax.scipy.fft.idct.
Array idct(const typing::Arg& x, const DctOptions& o = {});
// Returns dct along several axes, selected as in FftnOptions. Source: jax.scipy.fft.dctn.
Array dctn(const typing::Arg& x, const FftnOptions& o = {});
// Returns the inverse of dctn. Source: jax.scipy.fft.idctn.
Array idctn(const typing::Arg& x, const FftnOptions& o = {});

}  // namespace weft::fft
