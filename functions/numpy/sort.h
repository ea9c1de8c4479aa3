// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/sort.h: sorting, searching, sets. NaN comes last, -0 equals 0, and sorting is
// stable.
#pragma once
#include "weft/tracer/array.h"

namespace weft {

struct SortOptions {
  bool descending = false;
};
// The axis none: x flattened.
Array sort(const Arg& x, const AxisList& axis = -1, const SortOptions& o = {});
Array argsort(const Arg& x, const AxisList& axis = -1, const SortOptions& o = {});
// Sorts keys, the last one being the most significant, and gives the order.
Array lexsort(const Arrays& keys, int64_t axis = -1, Location at = Location::here());
// The k largest of the last axis, largest first, and their indices; NaN counts as largest.
std::pair<Array, Array> top_k(const Arg& x, int64_t k);
// The k smallest stand in front (k >= 0).
Array partition(const Arg& x, int64_t k, int64_t axis = -1);
Array argpartition(const Arg& x, int64_t k, int64_t axis = -1);

struct SearchOptions {
  std::string side = "left";  // the first place; "right": the last
};
// Where each v goes in the sorted vector a so that it stays sorted.
Array searchsorted(const Arg& a, const Arg& v, const SearchOptions& o = {});
// The interval of increasing (or decreasing) edges that each x lies in.
Array digitize(const Arg& x, const Arg& bins, bool right = false);

struct UniqueOptions {
  std::optional<int64_t> size = {};      // how many; needed where x is traced
  std::optional<Array> fill_value = {};  // default: the smallest
};
Array unique(const Arg& x, const UniqueOptions& o = {});
Array isin(const Arg& x, const Arg& values);

}  // namespace weft
