// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/nn/initializers.cpp: initial weights of neural networks.
#include "weft/nn/initializers.h"

#include <fmt/format.h>

#include <cmath>

#include "functions/kit.h"
#include "functions/random/kit.h"
#include "ops/random/random.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"
#include "weft/random.h"

namespace weft::nn::initializers {
namespace {

using Parameters = Initializer::Parameters;

Array times(const Array& x, const Array& v) { return multiply(x, fn::as_dtype(v, x.dtype())); }
// The same with a scale given by the user, which is checked first.
Array scaled(const char* name, const Array& x, const Array& v) {
  fn::need_fit(name, "the scale", v, x.shape());
  return times(x, v);
}
// Returns v / n in the dtype r. A C++ number is divided in double precision.
Array quotient(const Array& v, double n, DType r) {
  const Concrete* c = concrete_or_null(v);
  return c && c->literal ? scalar_of(r, v.item<double>() / n)
                         : fn::as_dtype(divide(v, fn::number_like(fn::inexact(v), n)), r);
}

struct Fans {
  double in, out;
};
Fans fans_of(const Shape& shape, const FanOptions& o) {
  const char* const name = "variance_scaling";
  const int n = shape.ndim();
  if (n <= 1 && o.in_axis.axes == std::vector<int64_t>{-2})
    fn::fail_shape(
        fmt::format("{}: weights of shape {} have no input; they need two axes, or .in_axis", name,
                    to_string(shape)));
  const auto size = [&](const AxisList& l) {
    double product = 1;
    if (l.all) fn::fail_index(fmt::format("{}: takes axes, not none", name));
    for (int64_t a : fn::axes_of(name, l.axes, n)) product *= static_cast<double>(shape[a]);
    return product;
  };
  const double in = size(o.in_axis), out = size(o.out_axis), batch = size(o.batch_axis);
  if (shape.elements() == 0)
    fn::fail_shape(fmt::format("{}: weights of shape {} have no elements, hence no scale", name,
                               to_string(shape)));
  const double field = static_cast<double>(shape.elements()) / in / out / batch;
  return {in * field, out * field};
}
double size_for(const std::string& mode, const Fans& f) {
  if (mode == "fan_in") return f.in;
  if (mode == "fan_out") return f.out;
  if (mode == "fan_avg") return (f.in + f.out) / 2;
  if (mode == "fan_geo_avg") return std::sqrt(f.in * f.out);
  fn::fail_index(
      fmt::format("variance_scaling: mode must be \"fan_in\", \"fan_out\", \"fan_avg\" "
                  "or \"fan_geo_avg\", not \"{}\"",
                  mode));
}

// Complex numbers of this radius, at a uniformly distributed angle.
Array around(const Array& key, const Array& radius) {
  const Array angle = times(random::uniform(key, radius.shape(), {radius.dtype()}), 2 * M_PI);
  return lax::complex(lax::mul(radius, lax::cos(angle)), lax::mul(radius, lax::sin(angle)));
}
// A complex normal distribution, truncated to the disc of radius 2. Its variance is 1 before the
// truncation.
Array complex_truncated(const Array& key, const Shape& shape, DType d) {
  const Array keys = random_split(random::one_key("variance_scaling", key), {2});
  const Array u = random::uniform(random::key_at(keys, 0), shape, {real_part(d)});
  const Array t = times(u, 1 - std::exp(-4.0));
  return around(random::key_at(keys, 1), sqrt(negative(log(1 - t))));
}
Array complex_uniform(const Array& key, const Shape& shape, DType d) {
  const Array keys = random_split(random::one_key("variance_scaling", key), {2});
  const Array u = random::uniform(random::key_at(keys, 0), shape, {real_part(d)});
  return around(random::key_at(keys, 1), sqrt(times(u, 2)));
}
Array scaled_variance(const Array& key, const Shape& shape, DType d, const Parameters& p) {
  const double size = size_for(p.mode, fans_of(shape, p.fans));
  if (!is_inexact(d))
    fn::fail_dtype(fmt::format("variance_scaling: dtype must be inexact, not {}", short_name(d)));
  // Each step rounds to the dtype d.
  const DType r = is_complex(d) ? real_part(d) : d;
  const Array variance = quotient(p.scale, size, r);
  const auto by = [&](const Array& x, const Array& v) { return multiply(x, fn::as_dtype(v, d)); };
  if (p.distribution == "truncated_normal") {
    // The standard deviation of the truncated distribution.
    const double kept = is_complex(d) ? .95311164380491208 : .87962566103423978;
    const Array stddev = lax::div(lax::sqrt(variance), scalar_of(r, kept));
    return by(is_complex(d) ? complex_truncated(key, shape, d)
                            : random::truncated_normal(key, -2., 2., shape, {d}),
              stddev);
  }
  if (p.distribution == "normal") return by(random::normal(key, shape, {d}), lax::sqrt(variance));
  if (p.distribution != "uniform")
    fn::fail_index(
        fmt::format("variance_scaling: distribution must be \"truncated_normal\", "
                    "\"normal\" or \"uniform\", not \"{}\"",
                    p.distribution));
  if (is_complex(d)) return by(complex_uniform(key, shape, d), lax::sqrt(variance));
  return by(random::uniform(key, shape, {.dtype = d, .lo = -1.}),
            lax::sqrt(lax::mul(scalar_of(r, 3), variance)));
}

Array orthogonal_of(const Array& key, const Shape& shape, DType d, const Parameters& p) {
  if (shape.ndim() < 2)
    fn::fail_shape(
        fmt::format("orthogonal: a shape must have two axes or more, got {}", to_string(shape)));
  const int column = fn::axis_of("orthogonal", p.column_axis, shape.ndim());
  if (shape.elements() == 0) return weft::zeros(shape, d);
  const int64_t columns = shape[column], rows = shape.elements() / columns;
  const Array q = random::orthogonal(key, rows, {.m = columns, .dtype = d});
  const Shape rest = shape.erased(column);
  const Array split_rows = reshape_to(q, rest.inserted(rest.ndim(), columns));
  return scaled("orthogonal", moveaxis(split_rows, -1, column), p.scale);
}
Array delta_of(const Array& key, const Shape& shape, DType d, const Parameters& p) {
  const int n = shape.ndim();
  if (n < 3 || n > 5)
    fn::fail_shape(fmt::format("delta_orthogonal: a shape must have three to five axes, got {}",
                               to_string(shape)));
  if (shape[n - 1] < shape[n - 2])
    fn::fail_shape(fmt::format("delta_orthogonal: {} inputs are more than {} outputs", shape[n - 2],
                               shape[n - 1]));
  const Array matrix = orthogonal_of(key, {shape[n - 2], shape[n - 1]}, d, p);
  if (shape.elements() == 0) return weft::zeros(shape, d);
  std::vector<lax::PadAxis> around(static_cast<size_t>(n));
  Array x = matrix;
  for (int a = n - 3; a >= 0; --a) {
    x = expand_dims(x, 0);
    around[static_cast<size_t>(a)].low = (shape[a] - 1) / 2;
    around[static_cast<size_t>(a)].high = shape[a] - 1 - (shape[a] - 1) / 2;
  }
  return lax::pad(x, fn::number_like(x, 0), around);
}

Parameters of(const Array& scale, const std::optional<DType>& dtype) {
  Parameters p;
  p.scale = scale;
  p.fans.dtype = dtype;
  return p;
}

}  // namespace

Array Initializer::operator()(const Arg& key, const Shape& shape, const InitOptions& o) const {
  const SourceScope s(key.at());
  if (function_) return function_(key, shape, o);
  return rule_(key, shape, o.dtype.value_or(parameters_.fans.dtype.value_or(F32)), parameters_);
}

Array zeros(const Arg& key, const Shape& shape, const InitOptions& o) {
  const ApiNameScope s("zeros", key.at());
  return weft::zeros(shape, o.dtype.value_or(F32));
}
Array ones(const Arg& key, const Shape& shape, const InitOptions& o) {
  const ApiNameScope s("ones", key.at());
  return weft::ones(shape, o.dtype.value_or(F32));
}
Initializer constant(const Array& value, const InitOptions& o) {
  Parameters p = of(1., o.dtype);
  p.value = value;
  return {[](const Array&, const Shape& shape, DType d, const Parameters& q) {
            return fn::broadcast(fn::as_dtype(q.value, d), shape);
          },
          p};
}
Initializer uniform(const Array& scale, const InitOptions& o) {
  return {[](const Array& key, const Shape& shape, DType d, const Parameters& p) {
            return scaled("uniform", random::uniform(key, shape, {d}), p.scale);
          },
          of(scale, o.dtype)};
}
Initializer normal(const Array& stddev, const InitOptions& o) {
  return {[](const Array& key, const Shape& shape, DType d, const Parameters& p) {
            return scaled("normal", random::normal(key, shape, {d}), p.scale);
          },
          of(stddev, o.dtype)};
}
Initializer truncated_normal(const Array& stddev, const TruncatedOptions& o) {
  Parameters p = of(stddev, o.dtype);
  p.lower = o.lower;
  p.upper = o.upper;
  return {[](const Array& key, const Shape& shape, DType d, const Parameters& q) {
            return scaled("truncated_normal",
                          random::truncated_normal(key, q.lower, q.upper, shape, {d}), q.scale);
          },
          p};
}

Initializer variance_scaling(const Array& scale, const std::string& mode,
                             const std::string& distribution, const FanOptions& o) {
  Parameters p;
  p.scale = scale;
  p.mode = mode;
  p.distribution = distribution;
  p.fans = o;
  return {scaled_variance, p};
}
Initializer glorot_uniform(const FanOptions& o) {
  return variance_scaling(1., "fan_avg", "uniform", o);
}
Initializer glorot_normal(const FanOptions& o) {
  return variance_scaling(1., "fan_avg", "truncated_normal", o);
}
Initializer xavier_uniform(const FanOptions& o) { return glorot_uniform(o); }
Initializer xavier_normal(const FanOptions& o) { return glorot_normal(o); }
Initializer lecun_uniform(const FanOptions& o) {
  return variance_scaling(1., "fan_in", "uniform", o);
}
Initializer lecun_normal(const FanOptions& o) {
  return variance_scaling(1., "fan_in", "truncated_normal", o);
}
Initializer he_uniform(const FanOptions& o) { return variance_scaling(2., "fan_in", "uniform", o); }
Initializer he_normal(const FanOptions& o) {
  return variance_scaling(2., "fan_in", "truncated_normal", o);
}
Initializer kaiming_uniform(const FanOptions& o) { return he_uniform(o); }
Initializer kaiming_normal(const FanOptions& o) { return he_normal(o); }

Initializer orthogonal(const Array& scale, const OrthogonalOptions& o) {
  Parameters p = of(scale, o.dtype);
  p.column_axis = o.column_axis;
  return {orthogonal_of, p};
}
Initializer delta_orthogonal(const Array& scale, const OrthogonalOptions& o) {
  Parameters p = of(scale, o.dtype);
  p.column_axis = o.column_axis;
  return {delta_of, p};
}

}  // namespace weft::nn::initializers
