// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/fft/fft.cpp: sizes, axes and norms around the op fft.
#include "weft/fft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "functions/kit.h"
#include "ops/kit/axes.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/shape.h"

namespace weft::fft {
namespace {

using lax::FftType;
using Sizes = std::vector<int64_t>;

bool is_inverse(FftType t) { return t == FftType::ifft || t == FftType::irfft; }
bool is_halved(FftType t) { return t == FftType::irfft; }

void require_sizes(const char* name, const Sizes& s) {
  for (int64_t n : s)
    if (n <= 0) fn::fail_shape(fmt::format("{}: a size must be positive, got {}", name, n));
}

// The axes in the order in which the user gave them, as non-negative numbers.
Sizes axes_in_order(const char* name, const Array& x, const std::optional<Sizes>& given,
                    const std::optional<Sizes>& s) {
  const int rank = x.ndim();
  if (given) {
    if (s && s->size() != given->size())
      fn::fail_shape(
          fmt::format("{}: {} sizes do not fit {} axes", name, s->size(), given->size()));
    fn::axes_of(name, *given, rank);  // refuses an axis that occurs twice
    Sizes out;
    for (int64_t a : *given) out.push_back(fn::axis_of(name, a, rank));
    return out;
  }
  const auto count = s ? static_cast<int64_t>(s->size()) : rank;
  if (count > rank)
    fn::fail_shape(fmt::format("{}: {} sizes do not fit {}", name, count, to_string(x.type())));
  return axis_range(rank - count, rank);
}

// Cuts axis `axis` to n elements or pads it with zeros.
Array resized(const Array& x, int64_t axis, int64_t n) {
  const int64_t there = x.shape()[axis];
  if (n <= there) return fn::sliced(x, axis, 0, n);
  Sizes none(x.shape().size(), 0), high = none;
  high[axis] = n - there;
  return pad_with(x, base::zeros(Type(x.dtype(), {})), none, high, none);
}

// Transforms along the last `lengths.size()` axes, three at a time. A transform from or to real
// numbers is such a transform only along the last three axes, and complex along all others.
Array transformed(const Array& x, FftType type, const Sizes& lengths) {
  constexpr size_t most = 3;
  if (lengths.size() <= most) return lax::fft(x, type, lengths);
  const int rank = x.ndim(), first = rank - static_cast<int>(lengths.size());
  const Sizes last(lengths.end() - most, lengths.end()),
      front(lengths.begin(), lengths.end() - most);
  Sizes turn = axis_range(first);
  for (int64_t a = rank - static_cast<int64_t>(most); a < rank; ++a) turn.push_back(a);
  for (int64_t a = first; a < rank - static_cast<int64_t>(most); ++a) turn.push_back(a);
  Sizes back(turn.size());
  for (size_t i = 0; i < turn.size(); ++i) back[turn[i]] = static_cast<int64_t>(i);
  const auto others = [&](const Array& y) {
    return transpose_axes(transformed(transpose_axes(y, turn),
                                      is_inverse(type) ? FftType::ifft : FftType::fft, front),
                          back);
  };
  if (is_inverse(type)) return lax::fft(others(x), type, last);
  return others(lax::fft(x, type, last));
}

// Multiplies y by the factor of a norm. y is the result of a transform, which already divides by
// its number of elements if it is an inverse.
Array normed(const Array& y, Norm norm, bool inverse, double n) {
  if (norm == Norm::backward || n == 0) return y;
  const double ortho = inverse ? std::sqrt(n) : 1 / std::sqrt(n);
  const double by = norm == Norm::ortho ? ortho : inverse ? n : 1 / n;
  return lax::mul(y, fn::number_like(y, by));
}

Array core(const char* name, FftType type, const Array& a, const std::optional<Sizes>& s,
           const std::optional<Sizes>& given, Norm norm) {
  if (s) require_sizes(name, *s);
  Array x = base::convert(fn::inexact(a), to_inexact(a.dtype()));
  if (type == FftType::rfft && x.dtype() != F32 && x.dtype() != F64)
    fn::fail_dtype(fmt::format("{}: transforms f32 and f64, got {}", name, to_string(x.type())));
  const Sizes axes = axes_in_order(name, x, given, s);
  Sizes lengths;
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool half = is_halved(type) && i + 1 == axes.size();
    const int64_t there = x.shape()[axes[i]];
    lengths.push_back(s ? (*s)[i] : half ? std::max<int64_t>(0, 2 * (there - 1)) : there);
    if (s) x = resized(x, axes[i], half ? lengths.back() / 2 + 1 : lengths.back());
  }
  if (type == FftType::rfft && !lengths.empty() && lengths.back() == 0)
    fn::fail_shape(fmt::format("{}: needs at least one element along the last axis, got {}", name,
                               to_string(x.type())));
  // Moves the axes to the end in their order, and back after the transform.
  const Sizes end = axis_range(x.ndim() - std::ssize(axes), x.ndim());
  Array y =
      transformed(axes == end ? x : moveaxis(x, AxisList(axes), AxisList(end)), type, lengths);
  double n = 1;
  for (int64_t k : lengths) n *= static_cast<double>(k);
  y = normed(y, norm, is_inverse(type), n);
  return axes == end ? y : moveaxis(y, AxisList(end), AxisList(axes));
}

Array along_one(const char* name, FftType type, const Array& a, const FftOptions& o) {
  const std::optional<Sizes> s = o.n ? std::optional(Sizes{*o.n}) : std::nullopt;
  return core(name, type, a, s, Sizes{o.axis}, o.norm);
}
Array along_two(const char* name, FftType type, const Array& a, const Fft2Options& o) {
  if (o.axes.size() != 2)
    fn::fail_shape(fmt::format("{}: takes 2 axes, got {}", name, o.axes.size()));
  return core(name, type, a, o.s, o.axes, o.norm);
}
Array along_many(const char* name, FftType type, const Array& a, const FftnOptions& o) {
  return core(name, type, a, o.s, o.axes, o.norm);
}

Array conjugate(const Array& x) { return is_complex(x.dtype()) ? lax::conj(x) : x; }
// The norm with which an inverse transform is scaled as a forward transform with norm n, and vice
// versa.
Norm opposite(Norm n) {
  return n == Norm::ortho ? n : n == Norm::backward ? Norm::forward : Norm::backward;
}

}  // namespace

Array fft(const Arg& a, const FftOptions& o) {
  const ApiNameScope s("fft", a.at());
  return along_one("fft", FftType::fft, a, o);
}
Array ifft(const Arg& a, const FftOptions& o) {
  const ApiNameScope s("ifft", a.at());
  return along_one("ifft", FftType::ifft, a, o);
}
Array rfft(const Arg& a, const FftOptions& o) {
  const ApiNameScope s("rfft", a.at());
  return along_one("rfft", FftType::rfft, a, o);
}
Array irfft(const Arg& a, const FftOptions& o) {
  const ApiNameScope s("irfft", a.at());
  return along_one("irfft", FftType::irfft, a, o);
}
Array hfft(const Arg& a, const FftOptions& o) {
  const ApiNameScope s("hfft", a.at());
  FftOptions other = o;
  other.norm = opposite(o.norm);
  return along_one("hfft", FftType::irfft, conjugate(fn::inexact(a)), other);
}
Array ihfft(const Arg& a, const FftOptions& o) {
  const ApiNameScope s("ihfft", a.at());
  FftOptions other = o;
  other.norm = opposite(o.norm);
  return lax::conj(along_one("ihfft", FftType::rfft, a, other));
}

Array fft2(const Arg& a, const Fft2Options& o) {
  const ApiNameScope s("fft2", a.at());
  return along_two("fft2", FftType::fft, a, o);
}
Array ifft2(const Arg& a, const Fft2Options& o) {
  const ApiNameScope s("ifft2", a.at());
  return along_two("ifft2", FftType::ifft, a, o);
}
Array rfft2(const Arg& a, const Fft2Options& o) {
  const ApiNameScope s("rfft2", a.at());
  return along_two("rfft2", FftType::rfft, a, o);
}
Array irfft2(const Arg& a, const Fft2Options& o) {
  const ApiNameScope s("irfft2", a.at());
  return along_two("irfft2", FftType::irfft, a, o);
}
Array fftn(const Arg& a, const FftnOptions& o) {
  const ApiNameScope s("fftn", a.at());
  return along_many("fftn", FftType::fft, a, o);
}
Array ifftn(const Arg& a, const FftnOptions& o) {
  const ApiNameScope s("ifftn", a.at());
  return along_many("ifftn", FftType::ifft, a, o);
}
Array rfftn(const Arg& a, const FftnOptions& o) {
  const ApiNameScope s("rfftn", a.at());
  return along_many("rfftn", FftType::rfft, a, o);
}
Array irfftn(const Arg& a, const FftnOptions& o) {
  const ApiNameScope s("irfftn", a.at());
  return along_many("irfftn", FftType::irfft, a, o);
}

namespace {
// Returns k / (n d).
Array frequencies(const char* name, const Array& k, int64_t n, const Array& d, DType dtype) {
  if (d.ndim() != 0)
    fn::fail_shape(
        fmt::format("{}: the spacing must be one number, got {}", name, to_string(d.type())));
  if (is_complex(d.dtype()) || is_complex(dtype))
    fn::fail_dtype(fmt::format("{}: takes and gives real numbers", name));
  const DType part = to_inexact(dtype);
  const Array by = lax::mul(fn::as_dtype(d, part), scalar_of(part, static_cast<double>(n)));
  return base::convert(lax::div(base::convert(k, part), by), dtype);
}
void require_count(const char* name, int64_t n) {
  if (n < 0) fn::fail_shape(fmt::format("{}: needs a number of elements, got {}", name, n));
}
Array shifted(const char* name, const Array& x, const AxisList& axes, bool back) {
  Array y = x;
  Sizes all = axes.all ? axis_range(x.ndim()) : axes.axes;
  for (int64_t given : all) {
    const int a = fn::axis_of(name, given, x.ndim());
    const int64_t half = x.shape()[a] / 2;
    y = roll(y, back ? -half : half, a);
  }
  return y;
}
}  // namespace

Array fftfreq(int64_t n, const Arg& d, const FreqOptions& o) {
  const ApiNameScope s("fftfreq", d.at());
  require_count("fftfreq", n);
  const int64_t positive = (n + 1) / 2;
  const Array k = iota(I64, {n}, 0), size = scalar_of(I64, static_cast<double>(n));
  const Array wrapped = lax::sub(k, size);
  const Array first = fn::sliced(k, 0, 0, positive);
  return frequencies("fftfreq",
                     n == 0 ? k : fn::joined({first, fn::sliced(wrapped, 0, positive, n)}, 0), n, d,
                     o.dtype);
}
Array fftfreq(int64_t n, const FreqOptions& o, Location at) { return fftfreq(n, Arg(1.0, at), o); }
Array rfftfreq(int64_t n, const Arg& d, const FreqOptions& o) {
  const ApiNameScope s("rfftfreq", d.at());
  require_count("rfftfreq", n);
  return frequencies("rfftfreq", iota(I64, {n / 2 + 1}, 0), n, d, o.dtype);
}
Array rfftfreq(int64_t n, const FreqOptions& o, Location at) {
  return rfftfreq(n, Arg(1.0, at), o);
}
Array fftshift(const Arg& x, const AxisList& axes) {
  const ApiNameScope s("fftshift", x.at());
  return shifted("fftshift", x, axes, false);
}
Array ifftshift(const Arg& x, const AxisList& axes) {
  const ApiNameScope s("ifftshift", x.at());
  return shifted("ifftshift", x, axes, true);
}

}  // namespace weft::fft
