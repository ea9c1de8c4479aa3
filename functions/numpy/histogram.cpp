// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/histogram.cpp: histograms. Samples are searched for among the edges and
// counted.
#include "weft/numpy/histogram.h"

#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"

namespace weft {
namespace {

// The edges for samples of a float dtype.
Array edges_of(const char* name, const Array& x, const Bins& bins, const BinRange& range) {
  if (!bins.edges.empty_handle()) {
    if (bins.edges.ndim() != 1 || bins.edges.size() < 2)
      fn::fail_shape(fmt::format("{}: edges must be a vector of two or more, got {}", name,
                                 to_string(bins.edges.type())));
    return fn::as_dtype(bins.edges, x.dtype());
  }
  if (bins.count < 1)
    fn::fail_shape(fmt::format("{}: {} is not a number of intervals", name, bins.count));
  if (x.size() == 0 && !(range.lo && range.hi))
    fn::fail_shape(fmt::format("{}: an array without elements has no range; give .range", name));
  const Array lo = fn::as_dtype(range.lo ? *range.lo : min(x), x.dtype()),
              hi = fn::as_dtype(range.hi ? *range.hi : max(x), x.dtype());
  if (lo.ndim() != 0 || hi.ndim() != 0)
    fn::fail_shape(fmt::format("{}: the ends of a range are numbers, got {} and {}", name,
                               to_string(lo.type()), to_string(hi.type())));
  const Array one = equal(lo, hi), half = fn::number_like(lo, 0.5);
  return linspace(where(one, subtract(lo, half), lo), where(one, add(hi, half), hi), bins.count + 1,
                  {.dtype = x.dtype()});
}
// The number of the interval of each sample, counted from 1. Samples outside get 0 or bins + 1.
Array interval_of(const Array& x, const Array& edges) {
  const Array i = searchsorted(edges, x, {.side = "right"});
  const Array last = squeeze_axes(fn::sliced(edges, 0, edges.size() - 1, edges.size()), {0});
  return where(equal(x, last), subtract(i, 1), i);
}
// Samples and weights in one float dtype. Weights may be missing.
struct Samples {
  Array x;
  Array weights;
};
Samples samples_of(const Array& x, const std::optional<Array>& weights, const Shape& each) {
  if (!weights) {
    const Array v = fn::inexact(x);
    return {fn::as_dtype(v, v.dtype()), fn::broadcast(fn::number_like(v, 1), each)};
  }
  const Arrays same = fn::same_dtype({x, *weights});
  const Array v = fn::inexact(same[0]);
  return {fn::as_dtype(v, v.dtype()), fn::as_dtype(same[1], v.dtype())};
}
}  // namespace

Array histogram_bin_edges(const Arg& x, const Bins& bins, const BinRange& range) {
  const ApiNameScope s("histogram_bin_edges", x.at());
  return edges_of("histogram_bin_edges", samples_of(x, {}, {}).x, bins, range);
}

std::pair<Array, Array> histogram(const Arg& x, const Bins& bins, const HistogramOptions& o) {
  const ApiNameScope s("histogram", x.at());
  if (o.weights && !(o.weights->shape() == x->shape()))
    fn::fail_shape(fmt::format("histogram: weights must have the shape of x, got {} for {}",
                               to_string(o.weights->type()), to_string(x->type())));
  const Samples v = samples_of(x, o.weights, x->shape());
  const Array edges = edges_of("histogram", v.x, bins, o.range);
  const int64_t n = edges.size() - 1;
  // Ids below 0 or beyond the last interval are dropped.
  const Array ids = subtract(ravel(interval_of(v.x, edges)), 1);
  const Array counts = segment_sum(fn::for_sums(ravel(v.weights)), ids, {.num_segments = n});
  const Array out = o.density ? divide(divide(counts, diff(edges)), sum(counts)) : counts;
  return {fn::as_dtype(out, v.weights.dtype()), edges};
}

namespace {
// The entry of variable i. A single entry applies to all variables.
template <class T>
const T& entry(const std::vector<T>& all, size_t i) {
  return all.size() == 1 ? all[0] : all[i];
}
}  // namespace

HistogramDD histogramdd(const Arg& sample, const std::vector<Bins>& bins,
                        const HistogramDDOptions& o) {
  const ApiNameScope s("histogramdd", sample.at());
  if (sample->ndim() != 2)
    fn::fail_shape("histogramdd: needs samples (samples, variables), got " +
                   to_string(sample->type()));
  const int64_t samples = sample->shape()[0], variables = sample->shape()[1];
  const auto count = static_cast<size_t>(variables);
  if (bins.size() != 1 && bins.size() != count)
    fn::fail_shape(fmt::format("histogramdd: bins of {} variables for {}", bins.size(),
                               to_string(sample->type())));
  if (!o.range.empty() && o.range.size() != 1 && o.range.size() != count)
    fn::fail_shape(fmt::format("histogramdd: ranges of {} variables for {}", o.range.size(),
                               to_string(sample->type())));
  if (o.weights && !(o.weights->shape() == Shape{samples}))
    fn::fail_shape(fmt::format("histogramdd: needs one weight a sample, got {} for {}",
                               to_string(o.weights->type()), to_string(sample->type())));
  const Samples v = samples_of(sample, o.weights, {samples});
  HistogramDD out;
  // Row-major positions among the intervals. Samples outside get the position after the last
  // interval.
  std::vector<int64_t> shape;
  Array ids, inside;
  for (size_t i = 0; i < count; ++i) {
    const auto k = static_cast<int64_t>(i);
    const Array x = squeeze_axes(fn::sliced(v.x, 1, k, k + 1), {1});
    out.edges.push_back(edges_of("histogramdd", x, entry(bins, i),
                                 o.range.empty() ? BinRange(none) : entry(o.range, i)));
    const int64_t n = out.edges[i].size() - 1;
    const Array at = subtract(interval_of(x, out.edges[i]), 1);
    const Array in = logical_and(greater_equal(at, 0), less(at, n));
    ids = i ? add(multiply(ids, n), at) : at;
    inside = i ? logical_and(inside, in) : in;
    shape.push_back(n);
  }
  const int64_t all = Shape(shape).elements();
  const Array w =
      o.weights ? fn::for_sums(v.weights) : fn::broadcast(fn::as_dtype(1, I32), {samples});
  const Array flat = segment_sum(w, where(inside, ids, all), {.num_segments = all});
  out.counts = reshape_to(flat, Shape(shape));
  if (!o.density) {
    out.counts = fn::as_dtype(out.counts, o.weights ? v.weights.dtype() : I32);
    return out;
  }
  out.counts = fn::as_dtype(out.counts, accumulator_dtype(v.x.dtype()));
  out.counts = divide(out.counts, sum(out.counts));
  for (size_t i = 0; i < count; ++i) {
    std::vector<int64_t> along(count, 1);
    along[i] = shape[i];
    out.counts = divide(out.counts, reshape_to(diff(out.edges[i]), Shape(along)));
  }
  out.counts = fn::as_dtype(out.counts, v.x.dtype());
  return out;
}
Histogram2D histogram2d(const Arg& x, const Arg& y, const std::vector<Bins>& bins,
                        const HistogramDDOptions& o) {
  const ApiNameScope s("histogram2d", x.at());
  if (x->ndim() != 1 || !(x->shape() == y->shape()))
    fn::fail_shape(fmt::format("histogram2d: needs two vectors of one length, got {} and {}",
                               to_string(x->type()), to_string(y->type())));
  const HistogramDD h = histogramdd(stack({x, y}, 1), bins, o);
  return {h.counts, h.edges[0], h.edges[1]};
}

}  // namespace weft
