// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/sort.h: sorting and searching. NaN comes last, -0 equals 0, and sorting is
// stable.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
struct SortOptions {
  // The largest element first; NaN comes first then.
  bool descending = false;
  // Equal elements keep their order. They do here in any case; another compiler that is handed the
  // StableHLO text is told.
  bool stable = true;
};
}  // namespace typing
// The elements in ascending order; the axis none: of x flattened. Source: jax.numpy.sort.
Array sort(const typing::Arg& x, const typing::AxisList& axis = -1,
           const typing::SortOptions& o = {});
namespace typing {
struct ArgsortOptions {
  // The place of the largest element first; NaN comes first then.
  bool descending = false;
  // Equal elements keep their order. If they need not, a descending order is the ascending one
  // turned round.
  bool stable = true;
  std::optional<DType> dtype = {};  // of the result, an integer type; default: I32
};
}  // namespace typing
// The places of the elements in ascending order. Source: jax.numpy.argsort.
Array argsort(const typing::Arg& x, const typing::AxisList& axis = -1,
              const typing::ArgsortOptions& o = {});
template <detail::PlainDType D>
Array argsort(const typing::Arg& x, const typing::AxisList& axis, D dtype);
// The places (I32) of the elements sorted by several keys of one shape, of which the last one
// counts most. ShapeError for no keys. Source: jax.numpy.lexsort.
//
//     lexsort({array({2, 1, 0}), array({0, 1, 0})})  // array([2, 0, 1], dtype=int32)
Array lexsort(const Arrays& keys, int64_t axis = -1,
              typing::Location at = typing::Location::here());
// The k largest elements of an axis, the largest first, and their places (I32): (…, n, …) -> (…, k,
// …). NaN of either sign counts as largest (JAX takes one with the sign bit for the smallest), 0 as
// larger than -0. ShapeError for k above the size of the axis. Source: jax.lax.top_k.
//
//     top_k(array({1, 3, 2}), 2).first  // array([3, 2], dtype=int32)
std::pair<Array, Array> top_k(const typing::Arg& x, int64_t k, int64_t axis = -1);
// The elements of an axis such that the one that belongs at place k (negative ones count from the
// end) stands there, no larger ones before and no smaller ones behind it. IndexError for a place
// that there is not. Source: jax.numpy.partition.
Array partition(const typing::Arg& x, int64_t k, int64_t axis = -1);
// The places (I32) of the elements in the order of partition. IndexError for a place that there is
// not. Source: jax.numpy.argpartition.
Array argpartition(const typing::Arg& x, int64_t k, int64_t axis = -1);

namespace typing {
struct SearchOptions {
  std::string side = "left";         // the first place; "right": the last
  std::optional<Array> sorter = {};  // the places that sort a, if it is not: integers, (n)
};
}  // namespace typing
// Where each v goes in the sorted vector a so that it stays sorted: I32, of v's shape. Source:
// jax.numpy.searchsorted.
Array searchsorted(const typing::Arg& a, const typing::Arg& v, const typing::SearchOptions& o = {});
// For each x the number of the interval of the edges `bins`, a vector (ShapeError) in increasing or
// decreasing order, that it lies in: I32, 0 before the first edge. Of increasing edges an interval
// includes the lower one, with `right` the upper one. Source: jax.numpy.digitize.
//
//     digitize(array({0.5, 2.}), array({1., 2.}))  // array([0, 2], dtype=int32)
Array digitize(const typing::Arg& x, const typing::Arg& bins, bool right = false);

}  // namespace weft
