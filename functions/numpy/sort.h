// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/sort.h: sorting and searching. NaN comes last, -0 equals 0, and sorting is
// stable.
#pragma once
#include "weft/tracer/array.h"

namespace weft {

struct SortOptions {
  bool descending = false;
};
// The elements in ascending order; the axis none: of x flattened. Source: jax.numpy.sort.
Array sort(const Arg& x, const AxisList& axis = -1, const SortOptions& o = {});
struct ArgsortOptions {
  bool descending = false;
  // Equal elements keep their order. If they need not, a descending order is the ascending one
  // turned round.
  bool stable = true;
  std::optional<DType> dtype = {};  // of the result, an integer type; default: I32
};
// The places of the elements in ascending order. Source: jax.numpy.argsort.
Array argsort(const Arg& x, const AxisList& axis = -1, const ArgsortOptions& o = {});
// Sorts keys, the last one being the most significant, and gives the order.
Array lexsort(const Arrays& keys, int64_t axis = -1, Location at = Location::here());
// The k largest of an axis, largest first, and their indices; NaN counts as largest.
std::pair<Array, Array> top_k(const Arg& x, int64_t k, int64_t axis = -1);
// The element that belongs at place k (negative ones count from the end) stands there, no larger
// ones before and no smaller ones behind it; argpartition: their places. IndexError for a place
// that there is not. Source: jax.numpy.partition, jax.numpy.argpartition.
Array partition(const Arg& x, int64_t k, int64_t axis = -1);
Array argpartition(const Arg& x, int64_t k, int64_t axis = -1);

struct SearchOptions {
  std::string side = "left";         // the first place; "right": the last
  std::optional<Array> sorter = {};  // the places that sort a, if it is not: integers, (n)
};
// Where each v goes in the sorted vector a so that it stays sorted: I32, of v's shape. Source:
// jax.numpy.searchsorted.
Array searchsorted(const Arg& a, const Arg& v, const SearchOptions& o = {});
// The interval of increasing (or decreasing) edges that each x lies in.
Array digitize(const Arg& x, const Arg& bins, bool right = false);

}  // namespace weft
