// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/scipy/spectra.cpp: spectra of segments of signals, and their inverses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "ops/structure/structure.h"
#include "weft/fft.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/scipy/signal.h"

namespace weft::scipy::signal {
namespace {

int last(const Array& x) { return static_cast<int>(x.ndim()) - 1; }

// One period of the window with this name.
std::vector<double> period(const char* name, const std::string& window, int64_t n) {
  std::vector<double> cosines;  // coefficients of the cosines of 0, 1, … times the angle
  if (window == "hann") cosines = {0.5, -0.5};
  if (window == "hamming") cosines = {0.54, -0.46};
  if (window == "blackman") cosines = {0.42, -0.5, 0.08};
  if (window == "boxcar") cosines = {1};
  if (cosines.empty())
    fn::fail_index(
        fmt::format("{}: .window must be \"hann\", \"hamming\", \"blackman\", \"boxcar\" or an "
                    "Array, not \"{}\"",
                    name, window));
  std::vector<double> w(static_cast<size_t>(n), n == 1 ? 1 : 0);
  for (int64_t i = 0; i < n && n > 1; ++i)
    for (size_t k = 0; k < cosines.size(); ++k)
      w[static_cast<size_t>(i)] +=
          cosines[k] * std::cos(2 * M_PI * static_cast<double>(k) * static_cast<double>(i) /
                                static_cast<double>(n));
  return w;
}

struct Segments {
  Array window;
  int64_t size, overlap, fft;
  int64_t step() const { return size - overlap; }
};
Segments checked(const char* name, Segments s) {
  if (s.fft < s.size)
    fn::fail_shape(
        fmt::format("{}: .nfft {} is less than the {} places of a segment", name, s.fft, s.size));
  if (s.overlap >= s.size || s.overlap < 0)
    fn::fail_shape(fmt::format("{}: .noverlap {} must be in [0, {}), the places of a segment", name,
                               s.overlap, s.size));
  return s;
}
Array window_of(const char* name, const Window& w, int64_t size, DType d) {
  if (!w.values) return fn::as_dtype(array(period(name, w.name, size)), d);
  if (w.values->ndim() != 1 || w.values->size() != size)
    fn::fail_shape(fmt::format("{}: .window must have the {} places of a segment, got {}", name,
                               size, to_string(w.values->type())));
  return is_complex(w.values->dtype()) ? w.values.value() : fn::as_dtype(*w.values, d);
}
// The segments of a signal of n places. With a named window, a segment has at most n places.
template <class Options>
Segments segments_of(const char* name, const Options& o, std::optional<int64_t> usual, int64_t n,
                     DType d) {
  Segments s;
  if (o.window.values && o.window.values->ndim() == 1)
    s.size = o.nperseg.value_or(o.window.values->size());
  else
    s.size = std::min(o.nperseg.value_or(usual.value_or(n)), n);
  if (s.size < 1 || s.size > n)
    fn::fail_shape(fmt::format("{}: a segment of {} places of a signal of {}", name, s.size, n));
  s.window = window_of(name, o.window, s.size, d);
  s.overlap = o.noverlap.value_or(s.size / 2);
  s.fft = o.nfft.value_or(s.size);
  return checked(name, s);
}

// (…, n) -> (…, segments, size).
Array framed(const Array& x, const Segments& s) {
  const int64_t n = (x.shape()[-1] - s.size) / s.step() + 1;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < s.size; ++j) places.push_back(i * s.step() + j);
  const Array taken = fn::take_known(x, places, last(x));
  return reshape(taken, taken.shape().with(last(x), n).inserted(last(x) + 1, s.size));
}
Array transformed(const char* name, const Array& x, const Segments& s, const std::string& trend,
                  bool onesided) {
  Array parts = framed(x, s);
  if (trend != "none") {
    if (trend != "constant" && trend != "linear")
      fn::fail_index(fmt::format(
          "{}: .detrend must be \"constant\", \"linear\" or \"none\", not \"{}\"", name, trend));
    parts = detrend(parts, -1, trend);
  }
  parts = parts * s.window;
  return onesided ? fft::rfft(real(parts), {.n = s.fft}) : fft::fft(parts, {.n = s.fft});
}
// Extends x by n places at both ends, as `boundary` says.
Array extended(const char* name, const Array& x, int64_t n, const std::string& boundary) {
  if (boundary == "none") return x;
  std::vector<std::pair<int64_t, int64_t>> around(static_cast<size_t>(x.ndim()), {0, 0});
  around.back() = {n, n};
  if (boundary == "zeros") return pad(x, around);
  if (boundary == "constant") return pad(x, around, {.mode = "edge"});
  const int64_t size = x.shape()[-1];
  if (boundary != "even" && boundary != "odd")
    fn::fail_index(
        fmt::format("{}: .boundary must be \"zeros\", \"even\", \"odd\", \"constant\" or "
                    "\"none\", not \"{}\"",
                    name, boundary));
  if (n > size - 1)
    fn::fail_shape(
        fmt::format("{}: .boundary \"{}\" of {} places needs more than the {} of the "
                    "signal",
                    name, boundary, n, size));
  if (boundary == "even") return pad(x, around, {.mode = "reflect"});
  const int a = last(x);
  const Array first = fn::sliced(x, a, 0, 1), end = fn::sliced(x, a, size - 1, size);
  return concatenate({2 * first - flip(fn::sliced(x, a, 1, n + 1), -1), x,
                      2 * end - flip(fn::sliced(x, a, size - 1 - n, size - 1), -1)},
                     -1);
}
Array frequencies(const Segments& s, const Array& fs, bool onesided, DType d) {
  const Array spacing = 1 / fn::as_dtype(fs, d);
  return onesided ? fft::rfftfreq(s.fft, spacing, {.dtype = d})
                  : fft::fftfreq(s.fft, spacing, {.dtype = d});
}
void need_scalar_fs(const char* name, const Array& fs) {
  if (fs.ndim() != 0)
    fn::fail_shape(fmt::format("{}: fs must be a scalar, got {}", name, to_string(fs.type())));
}
Array scale_of(const char* name, const std::string& scaling, const Array& fs, const Array& window) {
  if (scaling == "density")
    return 1 / (fn::as_dtype(fs, real_part(window.dtype())) * sum(window * window));
  if (scaling == "spectrum") return 1 / square(sum(window));
  fn::fail_index(
      fmt::format("{}: .scaling must be \"density\" or \"spectrum\", not \"{}\"", name, scaling));
}
// Adds the power of the negative frequencies, which a one-sided spectrum leaves out.
Array with_conjugates(const Array& power, int64_t n) {
  std::vector<double> factors(static_cast<size_t>(n / 2 + 1), 2);
  factors.front() = 1;
  if (n % 2 == 0) factors.back() = 1;
  return power * fn::as_dtype(array(factors), real_part(power.dtype()));
}
DType float_of(const Array& x) { return is_complex(x.dtype()) ? real_part(x.dtype()) : x.dtype(); }

// The ratio of the median of n powers to their mean, 1 + 1/3 - 1/2 + ….
double median_bias(int64_t n) {
  double bias = 1;
  for (int64_t i = 2; i < n; i += 2)
    bias += 1 / static_cast<double>(i + 1) - 1 / static_cast<double>(i);
  return bias;
}
Array averaged(const char* name, const Array& p, const std::string& average) {
  if (average == "mean") return mean(p, -1);
  if (average != "median")
    fn::fail_index(
        fmt::format("{}: .average must be \"mean\" or \"median\", not \"{}\"", name, average));
  const double bias = median_bias(p.shape()[-1]);
  if (!is_complex(p.dtype())) return median(p, -1) / bias;
  return lax::complex(median(real(p), -1) / bias, median(imag(p), -1) / bias);
}
Spectrum power(const char* name, const Array& given, const std::optional<Array>& other,
               const Array& fs, const SpectrumOptions& o) {
  need_scalar_fs(name, fs);
  // Transforms compute in F32 at least, so all values derived from them do too.
  Arrays v = {fn::for_sums(fn::inexact(given))};
  if (other) v = fn::same_dtype({v[0], fn::for_sums(fn::inexact(*other))});
  if (other && v[0].ndim() != v[1].ndim())
    fn::fail_shape(fmt::format("{}: both signals need as many axes, got {} and {}", name,
                               to_string(given.type()), to_string(other->type())));
  const int axis = fn::axis_of(name, o.axis, static_cast<int>(v[0].ndim()));
  int64_t n = 0;
  for (Array& x : v) {
    x = moveaxis(x, axis, -1);
    n = std::max(n, x.shape()[-1]);
  }
  const DType d = float_of(v[0]);
  const Segments s = segments_of(name, o, {}, given.shape()[axis], d);
  const bool onesided = o.return_onesided && !is_complex(v[0].dtype());
  const Array scale = scale_of(name, o.scaling, fs, s.window);
  Arrays spectra;
  for (const Array& x : v) {
    std::vector<std::pair<int64_t, int64_t>> behind(static_cast<size_t>(x.ndim()), {0, 0});
    behind.back().second = n - x.shape()[-1];
    spectra.push_back(transformed(name, pad(x, behind), s, o.detrend, onesided));
  }
  if (other) fn::common_shape(name, spectra[0].shape(), spectra[1].shape());
  Array p =
      other ? conj(spectra[0]) * spectra[1] : square(real(spectra[0])) + square(imag(spectra[0]));
  p = p * scale;
  if (onesided) p = with_conjugates(p, s.fft);
  return {frequencies(s, fs, onesided, d), averaged(name, moveaxis(p, -1, axis), o.average)};
}

// Adds frames (…, frames, size), each shifted by `step` places relative to the previous one.
// Returns (…, n).
Array overlapped(const Array& frames, int64_t step) {
  const int64_t count = frames.shape()[-2], size = frames.shape()[-1];
  std::vector<int32_t> places;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < size; ++j) places.push_back(static_cast<int32_t>(i * step + j));
  const int rank = static_cast<int>(frames.ndim());
  const Shape flat = frames.shape().erased(rank - 1).with(rank - 2, count * size);
  const Shape out = flat.with(rank - 2, step * (count - 1) + size);
  return zeros(out, frames.dtype())
      .at({ellipsis, array(places, Shape{count * size})})
      .add(reshape(frames, flat));
}

}  // namespace

Stft stft(const Arg& given, const Arg& fs, const StftOptions& o) {
  const SourceScope at(given.at());
  const char* const name = "stft";
  need_scalar_fs(name, fs);
  const Array inexact = fn::for_sums(fn::inexact(given));
  const int axis = fn::axis_of(name, o.axis, static_cast<int>(inexact.ndim()));
  Array x = moveaxis(inexact, axis, -1);
  const DType d = float_of(x);
  const Segments s = segments_of(name, o, 256, x.shape()[-1], d);
  x = extended(name, x, s.size / 2, o.boundary);
  if (o.padded) {
    const int64_t rest = (x.shape()[-1] - s.size) % s.step();
    std::vector<std::pair<int64_t, int64_t>> behind(static_cast<size_t>(x.ndim()), {0, 0});
    behind.back().second = rest == 0 ? 0 : s.step() - rest;
    x = pad(x, behind);
  }
  const bool onesided = o.return_onesided && !is_complex(x.dtype());
  const Array scale = sqrt(scale_of(name, "spectrum", fs, s.window));
  const Array values = transformed(name, x, s, o.detrend, onesided) * scale;
  const int64_t count = (x.shape()[-1] - s.size) / s.step() + 1;
  std::vector<double> middles;
  for (int64_t i = 0; i < count; ++i)
    middles.push_back(static_cast<double>(i * s.step()) +
                      (o.boundary == "none" ? static_cast<double>(s.size) / 2 : 0));
  return {frequencies(s, fs, onesided, d), fn::as_dtype(array(middles), d) / fn::as_dtype(fs, d),
          moveaxis(values, -1, axis)};
}

Spectrum welch(const Arg& x, const Arg& fs, const SpectrumOptions& options) {
  const SourceScope at(x.at());
  return power("welch", x, {}, fs, options);
}
Spectrum csd(const Arg& x, const Arg& y, const Arg& fs, const SpectrumOptions& options) {
  const SourceScope at(x.at());
  return power("csd", x, y.value(), fs, options);
}

Istft istft(const Arg& given, const Arg& fs, const IstftOptions& o) {
  const SourceScope at(given.at());
  const char* const name = "istft";
  need_scalar_fs(name, fs);
  const Array inexact = fn::for_sums(fn::inexact(given));
  const int rank = static_cast<int>(inexact.ndim());
  if (rank < 2)
    fn::fail_shape(fmt::format("{}: needs axes of frequencies and times, got {}", name,
                               to_string(given->type())));
  const int time = fn::axis_of(name, o.time_axis, rank),
            freq = fn::axis_of(name, o.freq_axis, rank);
  if (time == freq)
    fn::fail_shape(fmt::format("{}: axis {} is named for both times and frequencies", name, time));
  const DType d = float_of(inexact);
  const Array z = fn::as_dtype(moveaxis(inexact, {freq, time}, {-2, -1}), d == F64 ? C128 : C64);
  const int64_t bins = z.shape()[-2], usual = o.input_onesided ? 2 * (bins - 1) : bins;
  Segments s;
  s.size = o.nperseg.value_or(usual);
  if (s.size < 1) fn::fail_shape(fmt::format("{}: a segment of {} places", name, s.size));
  s.fft = o.nfft.value_or(usual + (o.input_onesided && s.size == usual + 1 ? 1 : 0));
  s.overlap = o.noverlap.value_or(s.size / 2);
  checked(name, s);
  const Array rows = swapaxes(z, -1, -2);  // (…, t, f)
  Array frames = o.input_onesided ? fft::irfft(rows, {.n = s.fft}) : fft::ifft(rows, {.n = s.fft});
  frames = fn::sliced(frames, last(frames), 0, s.size);
  const Array window = window_of(name, o.window, s.size, d);
  Array x = overlapped(frames * sum(window) * window, s.step());
  Array norm =
      overlapped(broadcast_to(window * window, Shape{frames.shape()[-2], s.size}), s.step());
  const int64_t edge = o.boundary ? s.size / 2 : 0;
  const auto inner = [&](const Array& v) {
    if (v.shape()[-1] < 2 * edge)
      fn::fail_shape(fmt::format("{}: nothing is left between the boundaries", name));
    return fn::sliced(v, last(v), edge, v.shape()[-1] - edge);
  };
  norm = inner(norm);
  x = inner(x) / where(norm > 1e-10, norm, 1);
  const Array times = fn::as_dtype(arange(x.shape()[-1]), d) / fn::as_dtype(fs, d);
  // The time axis of the result is where it was among the other axes of the spectrum.
  return {times, moveaxis(x, -1, time - (freq < time ? 1 : 0))};
}

}  // namespace weft::scipy::signal
