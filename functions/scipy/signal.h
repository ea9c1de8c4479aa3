// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/scipy/signal.h: convolutions and spectra of signals, as jax.scipy.signal has them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "weft/functions/axis.h"
#include "weft/tracer/array.h"
#include "weft/tracer/tree.h"

namespace weft::scipy::signal {

struct ConvolveOptions {
  std::string method = "auto";  // "direct": sums of products, as "auto"; "fft": fftconvolve
};
// Sums of products of two arrays of as many axes, of which one slides along the other, turned
// round: sizes n and m give n + m - 1 ("full"), n around the middle ("same") or |n - m| + 1
// ("valid"). Integers become floats. ShapeError for other axes, arrays without elements and where
// one is the larger on one axis and the smaller on another; IndexError for another mode or method.
// Source: jax.scipy.signal.convolve.
Array convolve(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full",
               const ConvolveOptions& options = {});
// The same, in2 as it stands and conjugated. Source: jax.scipy.signal.correlate.
Array correlate(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full",
                const ConvolveOptions& options = {});
// The same of matrices, which lie in zeros. ShapeError for others. Source:
// jax.scipy.signal.convolve2d.
Array convolve2d(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full");
// Of matrices; where in2 is the larger one, "same" and "valid" stand as in2 slides. ShapeError for
// others. Source: jax.scipy.signal.correlate2d.
Array correlate2d(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full");
// As convolve, by Fourier transforms along the axes; none: all of them. The other axes go together.
// ShapeError where their sizes differ, IndexError for another mode or axes that there are not.
// Source: jax.scipy.signal.fftconvolve.
Array fftconvolve(const typing::Arg& in1, const typing::Arg& in2, const std::string& mode = "full",
                  const typing::AxisList& axes = none);

struct DetrendOptions {
  std::vector<int64_t> bp = {0};  // where another line begins
};
// The data less their mean along an axis ("constant"), or the line of the least squares between
// each two breaks ("linear"). Integers become floats. IndexError for another type, another axis and
// breaks beyond the axis. Source: jax.scipy.signal.detrend.
Array detrend(const typing::Arg& data, int64_t axis = -1, const std::string& type = "linear",
              const DetrendOptions& options = {});

// What segments are multiplied with: "hann", "hamming", "blackman" or "boxcar", each as one period,
// or a vector of numbers, one for each place.
struct Window {
  std::string name = "hann";
  typing::MaybeArray values = none;
  Window() = default;
  Window(const char* text) : name(text) {}
  Window(const Array& x) : values(x) {}
};

struct StftOptions {
  // What each segment is multiplied with.
  Window window = {};
  std::optional<int64_t> nperseg = {};   // of a segment: 256, at most all; or as the window
  std::optional<int64_t> noverlap = {};  // of a segment and the next: half
  std::optional<int64_t> nfft = {};      // to which a segment is filled up: as it is
  std::string detrend = "none";          // of each segment: "constant", "linear"
  bool return_onesided = true;           // of real numbers without the conjugates
  std::string boundary = "zeros";        // before and behind: "even", "odd", "constant", "none"
  bool padded = true;                    // zeros fill the last segment; else it is left out
  // The axis of time.
  int64_t axis = -1;
};
// What stft gives.
struct Stft {
  Array frequencies, times, values;
};
// The spectra of segments one after another, each times the window: x (…, n, …) at fs samples a
// unit of time -> frequencies (f), the times (t) of the middles, values (…, f, …, t), complex.
// Complex x has both sides. IndexError for other words and axes, ShapeError for sizes that do not
// go together. Source: jax.scipy.signal.stft.
Stft stft(const typing::Arg& x, const typing::Arg& fs = 1., const StftOptions& options = {});

struct IstftOptions {
  // What the segments were multiplied with.
  Window window = {};
  std::optional<int64_t> nperseg = {};   // 2 (f - 1), of both sides f
  std::optional<int64_t> noverlap = {};  // half
  std::optional<int64_t> nfft = {};      // 2 (f - 1), of both sides f
  // z has no conjugates, and x is real.
  bool input_onesided = true;
  bool boundary = true;  // half a segment before and behind is left out
  // The axes of z that are t and f.
  int64_t time_axis = -1, freq_axis = -2;
};
// What istft gives.
struct Istft {
  Array times, x;
};
// The signal whose stft is closest: z (…, f, …, t) -> times (n), x (…, n). IndexError for axes that
// z has not, ShapeError for one axis named twice and sizes that do not go together. Source:
// jax.scipy.signal.istft.
Istft istft(const typing::Arg& z, const typing::Arg& fs = 1., const IstftOptions& options = {});

struct SpectrumOptions {
  // What each segment is multiplied with.
  Window window = {};
  std::optional<int64_t> nperseg = {};   // of a segment: all; or as the window
  std::optional<int64_t> noverlap = {};  // of a segment and the next: half
  std::optional<int64_t> nfft = {};      // to which a segment is filled up: as it is
  std::string detrend = "constant";      // of each segment: "linear", "none"
  bool return_onesided = true;           // of real numbers, with the power of the conjugates
  std::string scaling = "density";       // a unit of frequency; "spectrum": power
  // The axis of time.
  int64_t axis = -1;
  std::string average = "mean";  // of the segments: "median"
};
// What welch and csd give.
struct Spectrum {
  Array frequencies, values;
};
// The power of x (…, n, …) at frequencies (f) by Welch's mean over segments: values (…, f, …),
// real. IndexError for other words and axes, ShapeError for sizes that do not go together. Source:
// jax.scipy.signal.welch.
Spectrum welch(const typing::Arg& x, const typing::Arg& fs = 1.,
               const SpectrumOptions& options = {});
// The cross power of x and y, complex: conj(X) Y. The shorter one is filled up with zeros, the
// other axes are broadcast. Source: jax.scipy.signal.csd.
Spectrum csd(const typing::Arg& x, const typing::Arg& y, const typing::Arg& fs = 1.,
             const SpectrumOptions& options = {});

WEFT_TREE(Stft, frequencies, times, values);
WEFT_TREE(Istft, times, x);
WEFT_TREE(Spectrum, frequencies, values);

}  // namespace weft::scipy::signal
