// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/data/histogram.h: how many samples lie in which of adjoining intervals.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
// The intervals of one variable: so many of equal width, or those between ascending edges, a
// vector.
struct Bins {
  int64_t count = 0;
  Array edges;  // an empty handle: `count` of them
  template <ir::Integer I>
  Bins(I n) : count(static_cast<int64_t>(n)) {}
  Bins(const Array& x) : edges(x) {}
};
// From where to where intervals of equal width go; none: from the least sample to the largest.
struct BinRange {
  MaybeArray lo, hi;
  BinRange(none_t) {}
  BinRange(const MaybeArray& least, const MaybeArray& largest) : lo(least), hi(largest) {}
};
struct HistogramOptions {
  // The least and the largest edge, where bins is a number; default: those of x.
  BinRange range = none;
  std::optional<Array> weights = {};  // how much each sample counts, of x's shape
  bool density = false;               // the integral is 1: counts over widths and over their sum
};
}  // namespace typing
// The bins + 1 edges that histogram takes: a float vector. Source: jax.numpy.histogram_bin_edges.
Array histogram_bin_edges(const typing::Arg& x, const typing::Bins& bins = 10,
                          const typing::BinRange& range = none);
// How many elements of x lie in each interval [edge i, edge i + 1), the last one closed, and the
// edges: floats, (bins) and (bins + 1). What lies outside does not count. ShapeError for weights of
// another shape and for edges that are no vector. Source: jax.numpy.histogram.
std::pair<Array, Array> histogram(const typing::Arg& x, const typing::Bins& bins = 10,
                                  const typing::HistogramOptions& o = {});

namespace typing {
struct HistogramDDOptions {
  std::vector<BinRange> range = {};   // one a variable, or one for all of them
  std::optional<Array> weights = {};  // how much each sample counts: (samples)
  bool density = false;               // the integral is 1
};
// What histogramdd gives.
struct HistogramDD {
  Array counts;  // (bins of variable 0, bins of variable 1, …)
  Arrays edges;  // of each variable
};
}  // namespace typing
// How many samples (samples, variables) lie in each box of the intervals; `bins` are those of each
// variable, or of all of them. ShapeError for what does not fit. Source: jax.numpy.histogramdd.
typing::HistogramDD histogramdd(const typing::Arg& sample,
                                const std::vector<typing::Bins>& bins = {10},
                                const typing::HistogramDDOptions& o = {});
namespace typing {
// What histogram2d gives: counts (bins of x, bins of y).
struct Histogram2D {
  Array counts, x_edges, y_edges;
};
}  // namespace typing
// histogramdd of two vectors: counts (bins of x, bins of y) and the edges of both. Source:
// jax.numpy.histogram2d.
typing::Histogram2D histogram2d(const typing::Arg& x, const typing::Arg& y,
                                const std::vector<typing::Bins>& bins = {10},
                                const typing::HistogramDDOptions& o = {});

}  // namespace weft
