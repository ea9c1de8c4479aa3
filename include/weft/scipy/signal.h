// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/scipy/signal.h: convolutions and spectra of signals, as in jax.scipy.signal.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "weft/array.h"
#include "weft/axis.h"
#include "weft/tree.h"

namespace weft::scipy::signal {

struct ConvolveOptions {
  // "direct" computes sums of products, like "auto"; "fft" calls fftconvolve
  std::string method = "auto";
};
// Returns the convolution of two arrays with the same number of axes. Along an axis of sizes n and
// m, "full" gives n + m - 1 elements. "same" gives the n elements in the center, and "valid" |n -
// m| + 1 elements. Integers are converted to floats. Raises ShapeError for different numbers of
// axes and for arrays without elements. It also raises ShapeError if one array is larger on one
// axis and smaller on another. Raises IndexError for another mode or method. Source:
// jax.scipy.signal.convolve.
Array convolve(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full",
               const ConvolveOptions& options = {});
// Returns the cross-correlation: like convolve, but in2 is conjugated and not reversed. Source:
// jax.scipy.signal.correlate.
Array correlate(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full",
                const ConvolveOptions& options = {});
// Returns the convolution of zero-padded matrices, otherwise like convolve. Raises ShapeError for
// other ranks. Source: jax.scipy.signal.convolve2d.
Array convolve2d(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full");
// Returns the cross-correlation of matrices. If in2 is the larger one, "same" and "valid" follow
// the shifts of in2. Raises ShapeError for other ranks. Source: jax.scipy.signal.correlate2d.
Array correlate2d(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full");
// Computes convolve by Fourier transforms along the axes; none: all of them. The other axes are
// matched elementwise. Raises ShapeError if their sizes differ, and IndexError for another mode or
// axes that do not exist. Source: jax.scipy.signal.fftconvolve.
Array fftconvolve(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full",
                  const typing::AxisList& axes = none);

struct DetrendOptions {
  std::vector<int64_t> bp = {0};  // the positions where a new line starts
};
// Subtracts from the data their mean along an axis ("constant"), or the least-squares line between
// each two breaks ("linear"). Integers are converted to floats. Raises IndexError for another type,
// another axis and breaks beyond the axis. Source: jax.scipy.signal.detrend.
Array detrend(const typing::Arg& data, int64_t axis = -1, const std::string& type = "linear",
              const DetrendOptions& options = {});

// The window function of the segments: "hann", "hamming", "blackman" or "boxcar", each as one
// period, or a vector with one number per sample.
struct Window {
  std::string name = "hann";
  typing::MaybeArray values = none;
  Window() = default;
  Window(const char* text) : name(text) {}
  Window(const Array& x) : values(x) {}
};

struct StftOptions {
  // The window function of the segments.
  Window window = {};
  // samples per segment: 256, but at most all; or the size of the window
  std::optional<int64_t> nperseg = {};
  std::optional<int64_t> noverlap = {};  // samples that neighboring segments share: half a segment
  // size of the transform, to which a segment is zero-padded: nperseg
  std::optional<int64_t> nfft = {};
  std::string detrend = "none";  // detrends each segment: "constant", "linear" or "none"
  bool return_onesided = true;   // for real input, omits the conjugate half
  // extension of both ends: "zeros", "even", "odd", "constant" or "none"
  std::string boundary = "zeros";
  bool padded = true;  // pads the last segment with zeros; otherwise it is dropped
  // The axis of time.
  int64_t axis = -1;
};
// The results of stft.
struct Stft {
  Array frequencies, times, values;
};
// Computes the short-time Fourier transform: the spectra of consecutive segments multiplied by the
// window. x (…, n, …) has fs samples per unit of time. Returns the frequencies (f), the times (t)
// of the centers, and complex values (…, f, …, t). For complex x the result is two-sided. Raises
// IndexError for other names and axes, and ShapeError for sizes that do not match. Source:
// jax.scipy.signal.stft.
Stft stft(const typing::Arg& x, const typing::Arg& fs = 1., const StftOptions& options = {});

struct IstftOptions {
  // The window function that was used by stft.
  Window window = {};
  std::optional<int64_t> nperseg = {};   // default: 2 (f - 1), or f if two-sided
  std::optional<int64_t> noverlap = {};  // default: half a segment
  std::optional<int64_t> nfft = {};      // default: 2 (f - 1), or f if two-sided
  // z omits the conjugate half, and x is real.
  bool input_onesided = true;
  bool boundary = true;  // removes the half segment that was added at both ends
  // The time axis and the frequency axis of z.
  int64_t time_axis = -1, freq_axis = -2;
};
// The results of istft.
struct Istft {
  Array times, x;
};
// Returns the signal whose stft is closest to z in the least-squares sense: z (…, f, …, t) -> times
// (n), x (…, n). Raises IndexError for axes that z does not have, and ShapeError for one axis named
// twice and for sizes that do not match. Source: jax.scipy.signal.istft.
Istft istft(const typing::Arg& z, const typing::Arg& fs = 1., const IstftOptions& options = {});

struct SpectrumOptions {
  // The window function of the segments.
  Window window = {};
  std::optional<int64_t> nperseg = {};   // samples per segment: all; or the size of the window
  std::optional<int64_t> noverlap = {};  // samples that neighboring segments share: half a segment
  // size of the transform, to which a segment is zero-padded: nperseg
  std::optional<int64_t> nfft = {};
  std::string detrend = "constant";  // detrends each segment: "constant", "linear" or "none"
  bool return_onesided = true;  // for real input, omits the conjugate half and includes its power
  std::string scaling = "density";  // "density": power per unit of frequency; "spectrum": power
  // The axis of time.
  int64_t axis = -1;
  std::string average = "mean";  // over the segments: "mean" or "median"
};
// The results of welch and csd.
struct Spectrum {
  Array frequencies, values;
};
// Estimates the power spectrum of x (…, n, …) at frequencies (f) by Welch's method, the mean over
// segments. The values (…, f, …) are real. Raises IndexError for other names and axes, and
// ShapeError for sizes that do not match. Source: jax.scipy.signal.welch.
Spectrum welch(const typing::Arg& x, const typing::Arg& fs = 1.,
               const SpectrumOptions& options = {});
// Estimates the cross power spectrum conj(X) Y of x and y, which is complex. The shorter one is
// padded with zeros, and the other axes are broadcast. Source: jax.scipy.signal.csd.
Spectrum csd(const typing::Arg& x, const typing::Arg& y, const typing::Arg& fs = 1.,
             const SpectrumOptions& options = {});

WEFT_TREE(Stft, frequencies, times, values);
WEFT_TREE(Istft, times, x);
WEFT_TREE(Spectrum, frequencies, values);

}  // namespace weft::scipy::signal
