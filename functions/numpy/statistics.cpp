// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/statistics.cpp: weighted averages, covariances, correlations.
#include "weft/numpy/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/convert.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {
using Sizes = std::vector<int64_t>;
}

std::pair<Array, Array> average_returned(const Arg& x, const AxisList& axis,
                                         const MaybeArray& weights, const AverageOptions& o) {
  const SourceScope s(x.at());
  const ReduceOptions keep = {.keepdims = o.keepdims};
  if (!weights) {
    const Array v = mean(x, axis, keep);
    double count = 1;
    for (int64_t a : fn::axes_of("average", x, axis)) count *= static_cast<double>(x->shape()[a]);
    return {v, fn::broadcast(fn::number_like(v, count), v.shape())};
  }
  const Arrays same = fn::same_dtype({x, *weights});
  // Narrow floats are rounded once, at the end.
  const Array given = fn::inexact(same[0]), v = fn::for_sums(given);
  const Array w = fn::axis_weights("average", fn::for_sums(fn::inexact(same[1])), v, axis);
  const Array total = sum(w, axis, keep), mean = divide(sum(multiply(v, w), axis, keep), total);
  return {fn::rounded(mean, given.dtype()), fn::rounded(total, given.dtype())};
}
Array average(const Arg& x, const AxisList& axis, const MaybeArray& weights,
              const AverageOptions& o) {
  return average_returned(x, axis, weights, o).first;
}

namespace {
void need_inexact(const char* name, std::optional<DType> d) {
  if (d && !is_inexact(*d))
    fn::fail_dtype(
        fmt::format("{}: .dtype must be a float or complex one, got {}", name, short_name(*d)));
}
// Returns the variables as rows.
Array variables(const char* name, const Array& x, bool rowvar) {
  if (x.ndim() > 2)
    fn::fail_shape(
        fmt::format("{}: takes vectors and matrices, got {}", name, to_string(x.type())));
  return x.ndim() == 2 && !rowvar ? matrix_transpose(x) : atleast_2d(x);
}
Array sample_weights(const char* option, const Array& w, int64_t samples) {
  if (w.ndim() > 1 || (w.ndim() == 1 && w.size() != samples) || (w.ndim() == 0 && samples != 1))
    fn::fail_shape(fmt::format("cov: .{} must have one number for each of {} samples, got {}",
                               option, samples, to_string(w.type())));
  return abs(w);
}
}  // namespace

namespace {
// A covariance, which is computed in F32 for narrow floats, and the dtype of the result.
struct Covariance {
  Array value;
  DType dtype;
};
Covariance covariance(const Arg& m, const MaybeArray& y, const CovOptions& o) {
  need_inexact("cov", o.dtype);
  const Arrays same = y ? fn::same_dtype({m, *y}) : Arrays{m};
  Array x = variables("cov", fn::inexact(same[0]), o.rowvar);
  if (y) x = concatenate({x, variables("cov", fn::inexact(same[1]), o.rowvar)}, 0);
  if (o.dtype) x = fn::as_dtype(x, *o.dtype);
  DType own = x.dtype();
  x = fn::for_sums(x);
  const int64_t count = x.shape()[0], samples = x.shape()[1];
  if (samples == 0)
    return {fn::broadcast(fn::number_like(x, std::numeric_limits<double>::quiet_NaN()),
                          count == 1 ? Shape{} : Shape{count, count}),
            own};
  MaybeArray w;
  if (o.fweights) {
    if (!is_integer(o.fweights->dtype()))
      fn::fail_dtype("cov: .fweights must be integers, got " + to_string(o.fweights->type()));
    w = sample_weights("fweights", *o.fweights, samples);
  }
  MaybeArray a;
  if (o.aweights) {
    a = sample_weights("aweights", *o.aweights, samples);
    w = w ? multiply(*w, *a) : *a;
  }
  if (w && o.dtype) w = fn::as_dtype(*w, *o.dtype);
  if (w && is_inexact(w->dtype())) {
    own = promote(own, x.weak_type(), w->dtype(), w->weak_type()).dtype;
    w = fn::for_sums(*w);
    if (a) a = fn::for_sums(fn::inexact(*a));
  }
  const auto ddof = static_cast<double>(o.ddof.value_or(o.bias ? 0 : 1));
  const auto [about, total] = average_returned(x, 1, w, {.keepdims = true});
  Array degrees = fn::number_like(x, static_cast<double>(samples) - ddof);
  if (w) {
    const Array all = sum(*w);
    degrees = ddof == 0 ? all
              : !a      ? subtract(all, ddof)
                        : subtract(all, divide(multiply(ddof, sum(multiply(*w, *a))), all));
  }
  const Array apart = subtract(x, about), weighted = w ? multiply(apart, *w) : apart;
  return {squeeze(divide(dot(apart, conj(matrix_transpose(weighted))), degrees)), own};
}
}  // namespace

template <class>
Array cov(const Arg& m, const MaybeArray& y, const CovOptions& o) {
  const SourceScope s(m.at());
  const Covariance c = covariance(m, y, o);
  return fn::narrowed(c.value, c.dtype);
}
template Array cov<void>(const Arg&, const MaybeArray&, const CovOptions&);
Array cov(const Arg& m, const CovOptions& o) { return cov(m, none, o); }

template <class>
Array corrcoef(const Arg& x, const MaybeArray& y, const CorrCoefOptions& o) {
  const SourceScope s(x.at());
  need_inexact("corrcoef", o.dtype);
  const Covariance v = covariance(x, y, {.rowvar = o.rowvar, .dtype = o.dtype});
  Array c = v.value;
  if (c.ndim() == 0) return fn::rounded(divide(c, c), v.dtype);
  const Array deviation = sqrt(real(diagonal(c)));
  c = divide(divide(c, expand_dims(deviation, 1)), deviation);
  if (!is_complex(c.dtype())) return fn::rounded(clip(c, -1, 1), v.dtype);
  return lax::complex(clip(real(c), -1, 1), clip(imag(c), -1, 1));
}
template Array corrcoef<void>(const Arg&, const MaybeArray&, const CorrCoefOptions&);
Array corrcoef(const Arg& x, const CorrCoefOptions& o) { return corrcoef(x, none, o); }

}  // namespace weft
