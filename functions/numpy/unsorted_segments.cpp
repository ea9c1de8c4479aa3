// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/unsorted_segments.cpp: segment reductions with ids of any rank, built on those
// with one id for each row.
#include "weft/numpy/unsorted_segments.h"

#include <fmt/format.h>

#include <limits>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementary.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using Reduction = Array (*)(const Arg&, const Arg&, const SegmentOptions&);

// Merges the axes of ids into one row axis, for data and ids.
struct Rows {
  Array data, ids;
};
Rows rows_of(const char* name, const Array& data, const Array& ids) {
  if (!is_integer(ids.dtype()))
    fn::fail_dtype(fmt::format("{}: ids must be integers, got {}", name, to_string(ids.type())));
  bool begins = ids.ndim() <= data.ndim();
  for (int k = 0; begins && k < ids.ndim(); ++k) begins = data.shape()[k] == ids.shape()[k];
  if (!begins)
    fn::fail_shape(fmt::format("{}: data.shape = {} does not start with segment_ids.shape = {}",
                               name, to_string(data.shape()), to_string(ids.shape())));
  std::vector<int64_t> rows = {ids.size()};
  rows.insert(rows.end(), data.shape().begin() + ids.ndim(), data.shape().end());
  return {reshape(data, rows), reshape(ids, {ids.size()})};
}

Array reduced(const char* name, Reduction f, const Rows& r, int64_t n) {
  if (n < 0) fn::fail_shape(fmt::format("{}: num_segments must not be negative, got {}", name, n));
  return f(r.data, r.ids, {.num_segments = n});
}

// The number of members of each segment, in a shape that broadcasts to the result.
Array members(const Rows& r, int64_t n, const Array& result, DType d) {
  const Array count = segment_sum(ones({r.ids.size()}, d), r.ids, {.num_segments = n});
  Shape s = result.shape();
  for (int k = 1; k < s.ndim(); ++k) s = s.with(k, 1);
  return reshape(count, s);
}

// Applies f, and replaces its infinite results for empty segments by the nearest finite number.
Array bounded(const char* name, Reduction f, const Arg& data, const Arg& ids, int64_t n) {
  const ApiNameScope s(name, data.at());
  const Rows r = rows_of(name, data, ids);
  const Array all = reduced(name, f, r, n);
  if (!is_inexact(data->dtype())) return all;
  return where(members(r, n, all, I32) == 0, nan_to_num(all), all);
}

// Divides sums by the number of members, or by its square root if `root`.
Array averaged(const char* name, const Arg& data, const Arg& ids, int64_t n, bool root) {
  const ApiNameScope s(name, data.at());
  const Rows r = rows_of(name, data, ids);
  if (!is_inexact(r.data.dtype()))
    fn::fail_dtype(fmt::format("{}: data must be inexact, got {}; convert it with astype(F32)",
                               name, to_string(r.data.type())));
  // Narrow floats are rounded once, at the end.
  const Array sums = reduced(name, segment_sum, {fn::for_sums(r.data), r.ids}, n);
  const Array count = maximum(members(r, n, sums, real_part(sums.dtype())), 1);
  return fn::as_dtype(sums / (root ? sqrt(count) : count), r.data.dtype());
}

}  // namespace

Array unsorted_segment_sum(const Arg& data, const Arg& ids, int64_t n) {
  const ApiNameScope s("unsorted_segment_sum", data.at());
  return reduced("unsorted_segment_sum", segment_sum, rows_of("unsorted_segment_sum", data, ids),
                 n);
}
Array unsorted_segment_prod(const Arg& data, const Arg& ids, int64_t n) {
  const ApiNameScope s("unsorted_segment_prod", data.at());
  return reduced("unsorted_segment_prod", segment_prod, rows_of("unsorted_segment_prod", data, ids),
                 n);
}
Array unsorted_segment_max(const Arg& data, const Arg& ids, int64_t n) {
  return bounded("unsorted_segment_max", segment_max, data, ids, n);
}
Array unsorted_segment_min(const Arg& data, const Arg& ids, int64_t n) {
  return bounded("unsorted_segment_min", segment_min, data, ids, n);
}
Array unsorted_segment_mean(const Arg& data, const Arg& ids, int64_t n) {
  return averaged("unsorted_segment_mean", data, ids, n, false);
}
Array unsorted_segment_sqrt_n(const Arg& data, const Arg& ids, int64_t n) {
  return averaged("unsorted_segment_sqrt_n", data, ids, n, true);
}

}  // namespace weft
