// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/scipy/image.cpp: resampling, with one product by a matrix of weights for each axis.
#include "weft/image.h"

#include <fmt/format.h>

#include <cmath>

#include "functions/kit.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft::image {
namespace {

// ---- kernels, as functions of distances x >= 0

Array triangle(const Array& x) { return maximum(0, 1 - x); }
Array lanczos(const Array& x, double radius) {
  const Array some = x > 0.001, y = where(some, x, 1);
  const Array value = radius * sin(M_PI * y) * sin(M_PI * y / radius) / (M_PI * M_PI * y * y);
  return where(x > radius, 0, where(some, value, 1));
}
// Keys, "Cubic convolution interpolation for digital image processing" (1981).
Array cubic(const Array& x, double a) {
  const Array near = ((a + 2) * x - (a + 3)) * x * x + 1;
  const Array far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return where(x >= 2, 0, where(x >= 1, far, near));
}

enum class Kernel { triangle, lanczos3, lanczos5, cubic, cubic_steep, area };
Kernel kernel_of(const char* name, const std::string& method, bool antialias) {
  for (const char* m : {"linear", "bilinear", "trilinear", "triangle"})
    if (method == m) return Kernel::triangle;
  for (const char* m : {"cubic", "bicubic", "tricubic"})
    if (method == m) return Kernel::cubic;
  for (const char* m : {"cubic-pytorch", "bicubic-pytorch"})
    if (method == m) return antialias ? Kernel::cubic : Kernel::cubic_steep;
  if (method == "lanczos3") return Kernel::lanczos3;
  if (method == "lanczos5") return Kernel::lanczos5;
  if (method == "area") return Kernel::area;
  fn::fail_index(
      fmt::format("{}: method must be \"linear\", \"lanczos3\", \"lanczos5\", \"cubic\", "
                  "\"cubic-pytorch\"{} or "
                  "\"area\", not \"{}\"",
                  name, std::string(name) == "resize" ? ", \"nearest\"" : "", method));
}
Array weight(Kernel k, const Array& x) {
  switch (k) {
    case Kernel::lanczos3: return lanczos(x, 3);
    case Kernel::lanczos5: return lanczos(x, 5);
    case Kernel::cubic: return cubic(x, -0.5);
    case Kernel::cubic_steep: return cubic(x, -0.75);
    default: return triangle(x);
  }
}

// ---- matrices (n, m) of the weights of n input elements in m results

Array counted(DType d, int64_t lo, int64_t hi, int axis) {
  const Shape s = axis == 0 ? Shape{hi - lo, 1} : Shape{1, hi - lo};
  return iota(d, s, axis) + static_cast<double>(lo);
}
// Scales columns so that they add up to 1. Columns whose sum is close to 0 become 0.
Array normalised(const Array& w) {
  const Array total = sum(w, 0, {.keepdims = true}), some = abs(total) > 1000 * 0x1p-23;
  return where(some, w / where(some, total, 1), 0);
}
// Adds the weights of elements beyond an end to the weight of the last element there.
Array folded(const Array& w, int64_t beyond) {
  const int64_t n = w.shape()[0] - 2 * beyond;
  const auto rows = [&](int64_t lo, int64_t hi) { return fn::sliced(w, 0, lo, hi); };
  const Array first = sum(rows(0, beyond + 1), 0, {.keepdims = true}),
              end = sum(rows(beyond + n - 1, w.shape()[0]), 0, {.keepdims = true});
  if (n == 1) return first + end - rows(beyond, beyond + 1);
  return concatenate({first, rows(beyond + 1, beyond + n - 1), end}, 0);
}
Array weights(int64_t n, int64_t m, const Array& scale, const Array& translation, Kernel kernel,
              bool antialias, DType d) {
  const Array inverse = fn::as_dtype(1 / scale, d), shift = fn::as_dtype(translation, d);
  const Array to = counted(d, 0, m, 1);
  const Array place = (to + 0.5) * inverse - shift * inverse - 0.5;
  const auto inside = [&](const Array& w) {
    return where((place >= -0.5) & (place <= static_cast<double>(n) - 0.5), w, 0);
  };
  if (kernel == Kernel::area) {
    const Array left = to * inverse - shift * inverse, from = counted(d, 0, n, 0);
    const Array shared = minimum(left + inverse, from + 1) - maximum(left, from);
    return inside(normalised(maximum(0, shared)));
  }
  const int64_t beyond = kernel == Kernel::cubic_steep ? 2 : 0;
  const Array width = antialias ? maximum(inverse, 1) : fn::number_like(inverse, 1);
  const Array x = abs(place - counted(d, -beyond, n + beyond, 0)) / width;
  const Array w = weight(kernel, x);
  return beyond ? normalised(folded(w, beyond)) : inside(normalised(w));
}

Array nearest(Array x, const Shape& shape) {
  for (int a = 0; a < x.ndim(); ++a) {
    const int64_t n = x.shape()[a], m = shape[a];
    if (n == m) continue;
    std::vector<int64_t> places;
    for (int64_t i = 0; i < m; ++i) {
      const float p =
          (static_cast<float>(i) + 0.5F) * static_cast<float>(n) / static_cast<float>(m);
      places.push_back(std::min(n - 1, static_cast<int64_t>(p)));
    }
    x = fn::take_known(x, places, a);
  }
  return x;
}
void need_sizes(const char* name, const Array& image, const Shape& shape) {
  if (shape.ndim() != image.ndim())
    fn::fail_shape(fmt::format("{}: shape {} has another number of axes than {}", name,
                               to_string(shape), to_string(image.type())));
  for (int a = 0; a < shape.ndim(); ++a)
    if (image.shape()[a] == 0 && shape[a] != 0)
      fn::fail_shape(
          fmt::format("{}: {} has no elements to resample", name, to_string(image.type())));
}
Array along(const Array& x, int axis, const Array& w) {
  return moveaxis(tensordot(x, fn::as_dtype(w, x.dtype()), {{axis}, {0}}), -1, axis);
}
DType weight_dtype(const Array& x) { return x.dtype() == F64 || x.dtype() == C128 ? F64 : F32; }

}  // namespace

Array resize(const Arg& image, const Shape& shape, const std::string& method,
             const ResizeOptions& options) {
  const SourceScope at(image.at());
  need_sizes("resize", image, shape);
  if (method == "nearest") return nearest(image, shape);
  const Kernel kernel = kernel_of("resize", method, options.antialias);
  Array x = fn::inexact(image);
  const DType d = weight_dtype(x);
  for (int a = 0; a < shape.ndim(); ++a) {
    const int64_t n = x.shape()[a], m = shape[a];
    if (n == m) continue;
    const double scale = m == 0 ? 1 : static_cast<double>(m) / static_cast<double>(n);
    x = along(x, a,
              weights(n, m, scalar_of(F64, scale), scalar_of(d, 0), kernel, options.antialias, d));
  }
  return x;
}

Array scale_and_translate(const Arg& image, const Shape& shape,
                          const std::vector<int64_t>& spatial_dims, const Arg& scale,
                          const Arg& translation, const std::string& method,
                          const ResizeOptions& options) {
  const SourceScope at(image.at());
  const char* const name = "scale_and_translate";
  need_sizes(name, image, shape);
  const Kernel kernel = kernel_of(name, method, options.antialias);
  const Array whole = fn::inexact(image);
  const int rank = static_cast<int>(whole.ndim());
  fn::axes_of(name, spatial_dims, rank);
  const Shape each{static_cast<int64_t>(spatial_dims.size())};
  const Arrays st = fn::same_dtype({fn::inexact(scale), fn::inexact(translation)});
  if (st[0].shape() != each || st[1].shape() != each)
    fn::fail_shape(fmt::format("{}: scale and translation must be {} numbers, got {} and {}", name,
                               each[0], to_string(scale->type()), to_string(translation->type())));
  Array x = whole;
  std::vector<bool> scaled(static_cast<size_t>(rank), false);
  for (size_t i = 0; i < spatial_dims.size(); ++i) {
    const int a = fn::axis_of(name, spatial_dims[i], rank);
    scaled[static_cast<size_t>(a)] = true;
    const auto k = static_cast<int64_t>(i);
    x = along(x, a,
              weights(x.shape()[a], shape[a], st[0][k], st[1][k], kernel, options.antialias,
                      st[0].dtype()));
  }
  for (int a = 0; a < rank; ++a)
    if (!scaled[static_cast<size_t>(a)] && shape[a] != whole.shape()[a])
      fn::fail_shape(fmt::format("{}: axis {} is not among the spatial ones, but becomes {} of {}",
                                 name, a, shape[a], whole.shape()[a]));
  return x;
}

}  // namespace weft::image
