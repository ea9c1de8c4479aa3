// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/histogram.h: histograms, the counts of samples in adjoining intervals.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

namespace typing {
// The intervals of one variable: a number of intervals of equal width, or a vector of ascending
// edges.
struct Bins {
  int64_t count = 0;
  Array edges;  // if empty, `count` intervals are used
  template <ir::Integer I>
  Bins(I n) : count(static_cast<int64_t>(n)) {}
  Bins(const Array& x) : edges(x) {}
};
// The range of intervals of equal width; none: from the smallest to the largest sample.
struct BinRange {
  MaybeArray lo, hi;
  BinRange(none_t) {}
  BinRange(const MaybeArray& least, const MaybeArray& largest) : lo(least), hi(largest) {}
};
struct HistogramOptions {
  // The smallest and the largest edge if bins is a number; default: those of x.
  BinRange range = none;
  std::optional<Array> weights = {};  // the weight of each sample, of x's shape
  // normalizes the integral to 1: counts divided by the widths and by their sum
  bool density = false;
};
}  // namespace typing
// Returns the bins + 1 edges that histogram uses: a float vector. Source:
// jax.numpy.histogram_bin_edges.
Array histogram_bin_edges(const typing::Arg& x, const typing::Bins& bins = 10,
                          const typing::BinRange& range = none);
// Returns the number of elements of x in each interval [edge i, edge i + 1), the last one closed,
// and the edges. Both are floats, (bins) and (bins + 1). Elements outside are ignored. Raises
// ShapeError for weights of another shape and for edges that are not a vector. Source:
// jax.numpy.histogram.
std::pair<Array, Array> histogram(const typing::Arg& x, const typing::Bins& bins = 10,
                                  const typing::HistogramOptions& o = {});

namespace typing {
struct HistogramDDOptions {
  std::vector<BinRange> range = {};   // one per variable, or one for all of them
  std::optional<Array> weights = {};  // the weight of each sample: (samples)
  bool density = false;               // normalizes the integral to 1
};
// The results of histogramdd.
struct HistogramDD {
  Array counts;  // (bins of variable 0, bins of variable 1, …)
  Arrays edges;  // one vector per variable
};
}  // namespace typing
// Returns the number of samples (samples, variables) in each cell of the grid of intervals. `bins`
// are those of each variable, or of all variables. Raises ShapeError for arguments that do not
// match. Source: jax.numpy.histogramdd.
typing::HistogramDD histogramdd(const typing::Arg& sample,
                                const std::vector<typing::Bins>& bins = {10},
                                const typing::HistogramDDOptions& o = {});
namespace typing {
// The results of histogram2d: counts (bins of x, bins of y).
struct Histogram2D {
  Array counts, x_edges, y_edges;
};
}  // namespace typing
// Computes histogramdd of two vectors. It returns the counts (bins of x, bins of y) and the edges
// of both. Source: jax.numpy.histogram2d.
typing::Histogram2D histogram2d(const typing::Arg& x, const typing::Arg& y,
                                const std::vector<typing::Bins>& bins = {10},
                                const typing::HistogramDDOptions& o = {});

}  // namespace weft
