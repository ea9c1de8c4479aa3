// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/scipy/signal.cpp: convolutions of signals, and removal of trends.
#include "weft/scipy/signal.h"

#include <fmt/format.h>

#include <algorithm>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "ops/structure/structure.h"
#include "weft/fft.h"
#include "weft/lax.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft::scipy::signal {
namespace {

void need_mode(const char* name, const std::string& mode) {
  if (mode != "full" && mode != "same" && mode != "valid")
    fn::fail_index(
        fmt::format("{}: mode must be \"full\", \"same\" or \"valid\", not \"{}\"", name, mode));
}
// Both as floats of one dtype. Raises ShapeError if their numbers of axes differ.
fn::Pair operands(const char* name, const Array& in1, const Array& in2) {
  if (in1.ndim() != in2.ndim())
    fn::fail_shape(fmt::format("{}: both arrays need as many axes, got {} and {}", name,
                               to_string(in1.type()), to_string(in2.type())));
  const Arrays both = fn::same_dtype({fn::inexact(in1), fn::inexact(in2)});
  return {both[0], both[1]};
}
// Returns true if `a` is at least as large as b on each axis.
bool covers(const Shape& a, const Shape& b) {
  for (int i = 0; i < a.ndim(); ++i)
    if (a[i] < b[i]) return false;
  return true;
}
[[noreturn]] void fail_sizes(const char* name, const Array& in1, const Array& in2) {
  fn::fail_shape(fmt::format(
      "{}: one array must be at least as large as the other on each axis, got {} and {}", name,
      to_string(in1.type()), to_string(in2.type())));
}

Array direct(const char* name, const Array& in1, const Array& in2, const std::string& mode) {
  need_mode(name, mode);
  auto [a, b] = operands(name, in1, in2);
  if (a.size() == 0 || b.size() == 0)
    fn::fail_shape(fmt::format("{}: an array has no elements: {} and {}", name,
                               to_string(in1.type()), to_string(in2.type())));
  const Shape given = b.shape();
  const bool turn = !covers(a.shape(), b.shape());
  if (turn && !covers(b.shape(), a.shape())) fail_sizes(name, in1, in2);
  if (turn || (a.shape() == b.shape())) std::swap(a, b);
  std::vector<std::pair<int64_t, int64_t>> around;
  for (int i = 0; i < b.ndim(); ++i) {
    const int64_t n = b.shape()[i], m = given[i];
    if (mode == "valid") around.emplace_back(0, 0);
    if (mode == "full") around.emplace_back(n - 1, n - 1);
    if (mode == "same") around.emplace_back(n - 1 - (m - 1) / 2, n - m + (m - 1) / 2);
  }
  const std::vector<int64_t> strides(static_cast<size_t>(a.ndim()), 1);
  const Array out = lax::conv_general_dilated(expand_dims(a, {0, 1}), expand_dims(flip(b), {0, 1}),
                                              strides, around);
  return squeeze(out, {0, 1});
}

// The `size` elements in the middle of an axis.
Array middle(const Array& x, int axis, int64_t size) {
  const int64_t before = (x.shape()[axis] - size) / 2;
  return fn::sliced(x, axis, before, before + size);
}
Array by_transforms(const char* name, const Array& in1, const Array& in2, const std::string& mode,
                    const std::vector<int64_t>& axes) {
  need_mode(name, mode);
  auto [a, b] = operands(name, in1, in2);
  std::vector<int64_t> full, out;
  for (int i = 0; i < a.ndim(); ++i)
    if (a.shape()[i] != b.shape()[i] && std::find(axes.begin(), axes.end(), i) == axes.end())
      fn::fail_shape(fmt::format("{}: axis {} is not convolved and has the sizes {} and {}", name,
                                 i, a.shape()[i], b.shape()[i]));
  if (mode == "valid" && !covers(a.shape(), b.shape())) {
    if (!covers(b.shape(), a.shape())) fail_sizes(name, in1, in2);
    std::swap(a, b);
  }
  for (int64_t i : axes) {
    const int64_t n = a.shape()[static_cast<int>(i)], m = b.shape()[static_cast<int>(i)];
    if (n == 0 || m == 0)
      fn::fail_shape(fmt::format("{}: an array has no elements: {} and {}", name,
                                 to_string(in1.type()), to_string(in2.type())));
    full.push_back(n + m - 1);
    out.push_back(mode == "full" ? n + m - 1 : mode == "same" ? n : n - m + 1);
  }
  const fft::FftnOptions o{.s = full, .axes = axes};
  Array x = is_complex(a.dtype()) ? fft::ifftn(fft::fftn(a, o) * fft::fftn(b, o), o)
                                  : fft::irfftn(fft::rfftn(a, o) * fft::rfftn(b, o), o);
  for (size_t i = 0; i < axes.size(); ++i) x = middle(x, static_cast<int>(axes[i]), out[i]);
  return x;
}

Array convolved(const char* name, const Array& in1, const Array& in2, const std::string& mode,
                const ConvolveOptions& o) {
  if (o.method == "fft") return by_transforms(name, in1, in2, mode, fn::axes_of(name, in1, none));
  if (o.method != "auto" && o.method != "direct")
    fn::fail_index(fmt::format("{}: .method must be \"auto\", \"direct\" or \"fft\", not \"{}\"",
                               name, o.method));
  return direct(name, in1, in2, mode);
}
void need_matrices(const char* name, const Array& in1, const Array& in2) {
  if (in1.ndim() != 2 || in2.ndim() != 2)
    fn::fail_shape(fmt::format("{}: takes matrices, got {} and {}", name, to_string(in1.type()),
                               to_string(in2.type())));
}

// Rows (…, n) minus their least-squares lines. The slope is computed with positions relative to
// their middle.
Array without_line(const Array& rows) {
  const int64_t n = rows.shape()[-1];
  const Array centred = rows - mean(rows, -1, {.keepdims = true});
  if (n < 2) return centred;
  std::vector<double> places;
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    places.push_back(static_cast<double>(i) - static_cast<double>(n - 1) / 2);
    squares += places.back() * places.back();
  }
  const Array t = fn::as_dtype(array(places), rows.dtype());
  return centred - sum(centred * t, -1, {.keepdims = true}) / squares * t;
}

}  // namespace

Array convolve(const Arg& in1, const Arg& in2, const std::string& mode,
               const ConvolveOptions& options) {
  const ApiNameScope s("convolve", in1.at());
  return convolved("convolve", in1, in2, mode, options);
}
Array correlate(const Arg& in1, const Arg& in2, const std::string& mode,
                const ConvolveOptions& options) {
  const ApiNameScope s("correlate", in1.at());
  return convolved("correlate", in1, flip(conj(in2)), mode, options);
}
Array convolve2d(const Arg& in1, const Arg& in2, const std::string& mode) {
  const ApiNameScope s("convolve2d", in1.at());
  need_matrices("convolve2d", in1, in2);
  return direct("convolve2d", in1, in2, mode);
}
Array correlate2d(const Arg& in1, const Arg& in2, const std::string& mode) {
  const ApiNameScope s("correlate2d", in1.at());
  const char* const name = "correlate2d";
  need_matrices(name, in1, in2);
  const bool larger = covers(in2->shape(), in1->shape()), same = in1->shape() == in2->shape();
  if (mode == "full" && larger) return conj(direct(name, flip(in2), conj(in1), mode));
  if (mode == "valid" && larger && !same) return direct(name, flip(in2), conj(in1), mode);
  return flip(direct(name, flip(in1), conj(in2), mode));
}
Array fftconvolve(const Arg& in1, const Arg& in2, const std::string& mode, const AxisList& axes) {
  const ApiNameScope s("fftconvolve", in1.at());
  return by_transforms("fftconvolve", in1, in2, mode, fn::axes_of("fftconvolve", in1, axes));
}

Array detrend(const Arg& data, int64_t axis, const std::string& type,
              const DetrendOptions& options) {
  const ApiNameScope s("detrend", data.at());
  const Array given = fn::inexact(data), x = fn::for_sums(given);
  const int a = fn::axis_of("detrend", axis, static_cast<int>(x.ndim()));
  if (type == "constant") return fn::rounded_like(x - mean(x, a, {.keepdims = true}), given);
  if (type != "linear")
    fn::fail_index(
        fmt::format("detrend: type must be \"linear\" or \"constant\", not \"{}\"", type));
  const int64_t n = x.shape()[a];
  std::vector<int64_t> ends = options.bp;
  ends.insert(ends.end(), {0, n});
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  if (ends.front() < 0 || ends.back() > n)
    fn::fail_index(fmt::format("detrend: .bp {} is beyond an axis of {}",
                               ends.front() < 0 ? ends.front() : ends.back(), n));
  const Array rows = moveaxis(x, a, -1);
  Arrays parts;
  for (size_t i = 0; i + 1 < ends.size(); ++i)
    parts.push_back(
        without_line(fn::sliced(rows, static_cast<int>(rows.ndim()) - 1, ends[i], ends[i + 1])));
  if (parts.empty()) return given;
  return fn::rounded_like(moveaxis(concatenate(parts, -1), -1, a), given);
}

}  // namespace weft::scipy::signal
