// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/fft/cosine.cpp: cosine transforms. Each is a Fourier transform of permuted elements.
// The elements at even places are first, followed by those at odd places in reverse order (Makhoul,
// "A fast cosine transform in one and two dimensions", 1980).
#include <fmt/format.h>

#include <cmath>

#include "functions/kit.h"
#include "weft/fft.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

namespace weft::fft {
namespace {

int last(const Array& x) { return static_cast<int>(x.ndim()) - 1; }

// exp(i pi k / (2 n)) for k < n, conjugated in the forward direction.
Array turns(int64_t n, bool back, DType d) {
  std::vector<double> re, im;
  for (int64_t k = 0; k < n; ++k) {
    const double angle = M_PI * static_cast<double>(k) / (2 * static_cast<double>(n));
    re.push_back(std::cos(angle));
    im.push_back(back ? std::sin(angle) : -std::sin(angle));
  }
  return lax::complex(fn::as_dtype(array(re), d), fn::as_dtype(array(im), d));
}
// Dividing the elements by these factors makes the transform an orthogonal matrix.
Array orthogonal(int64_t n, DType d) {
  std::vector<double> f(n, std::sqrt(2 * static_cast<double>(n)));
  f[0] = std::sqrt(4 * static_cast<double>(n));
  return fn::as_dtype(array(f), d);
}
Array there(const Array& x, bool ortho) {
  const int64_t n = x.shape()[-1];
  const int a = last(x);
  const Array odd = n > 1 ? fn::sliced(x, a, 1, n, 2) : fn::sliced(x, a, 0, 0);
  const Array v = concatenate({fn::sliced(x, a, 0, n, 2), flip(odd, -1)}, -1);
  const Array out = 2 * real(fft(v) * turns(n, false, x.dtype()));
  return ortho ? out / orthogonal(n, x.dtype()) : out;
}
Array back(const Array& x, bool ortho) {
  const int64_t n = x.shape()[-1];
  std::vector<double> halves(n, 1);
  halves[0] = 0.5;
  const Array whole =
      (ortho ? x * orthogonal(n, x.dtype()) : x) * fn::as_dtype(array(halves), x.dtype());
  const Array v = real(ifft(whole * turns(n, true, x.dtype())));
  std::vector<int64_t> places;
  for (int64_t j = 0; j < n; ++j) places.push_back(j % 2 == 0 ? j / 2 : n - 1 - j / 2);
  return fn::take_known(v, places, last(v));
}
Array sized(const char* name, const Array& x, int axis, const std::optional<int64_t>& n) {
  const int64_t there = x.shape()[axis], wanted = n.value_or(there);
  if (wanted < 1) fn::fail_shape(fmt::format("{}: {} is not a number of elements", name, wanted));
  if (wanted <= there) return fn::sliced(x, axis, 0, wanted);
  std::vector<std::pair<int64_t, int64_t>> behind(x.ndim(), {0, 0});
  behind[axis].second = wanted - there;
  return pad(x, behind);
}
Array along(const char* name, const Array& x, int axis, const std::optional<int64_t>& n, Norm norm,
            bool inverse) {
  if (norm == Norm::forward)
    fn::fail_index(fmt::format("{}: .norm must be Norm::backward or Norm::ortho", name));
  if (is_complex(x.dtype()))
    return lax::complex(along(name, real(x), axis, n, norm, inverse),
                        along(name, imag(x), axis, n, norm, inverse));
  const Array rows = moveaxis(sized(name, x, axis, n), axis, -1);
  const bool ortho = norm == Norm::ortho;
  return moveaxis(inverse ? back(rows, ortho) : there(rows, ortho), -1, axis);
}
Array checked(const char* name, const Array& given) {
  const Array x = fn::inexact(given);
  if (x.dtype() == F16 || x.dtype() == BF16)
    fn::fail_dtype(fmt::format("{}: takes f32 or f64, got {}", name, to_string(given.type())));
  return x;
}
Array along_one(const char* name, const Array& given, const DctOptions& o, bool inverse) {
  const Array x = checked(name, given);
  return along(name, x, fn::axis_of(name, o.axis, static_cast<int>(x.ndim())), o.n, o.norm,
               inverse);
}
Array along_many(const char* name, const Array& given, const FftnOptions& o, bool inverse) {
  Array x = checked(name, given);
  const int rank = static_cast<int>(x.ndim());
  std::vector<int64_t> axes;
  if (o.axes) {
    fn::axes_of(name, *o.axes, rank);
    axes = *o.axes;
  } else {
    const int64_t count = o.s ? static_cast<int64_t>(o.s->size()) : rank;
    for (int64_t i = count; i > 0; --i) axes.push_back(-i);
  }
  if (o.s && o.s->size() != axes.size())
    fn::fail_shape(fmt::format("{}: {} sizes for {} axes", name, o.s->size(), axes.size()));
  for (size_t i = 0; i < axes.size(); ++i)
    x = along(name, x, fn::axis_of(name, axes[i], rank),
              o.s ? std::optional((*o.s)[i]) : std::nullopt, o.norm, inverse);
  return x;
}

}  // namespace

Array dct(const Arg& x, const DctOptions& o) {
  const ApiNameScope s("dct", x.at());
  return along_one("dct", x, o, false);
}
Array idct(const Arg& x, const DctOptions& o) {
  const ApiNameScope s("idct", x.at());
  return along_one("idct", x, o, true);
}
Array dctn(const Arg& x, const FftnOptions& o) {
  const ApiNameScope s("dctn", x.at());
  return along_many("dctn", x, o, false);
}
Array idctn(const Arg& x, const FftnOptions& o) {
  const ApiNameScope s("idctn", x.at());
  return along_many("idctn", x, o, true);
}

}  // namespace weft::fft
