// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/sort.h: sorting and searching. NaN sorts last, -0 equals 0, and sorting is
// stable.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

namespace typing {
struct SortOptions {
  // Sorts the largest element first; NaN then sorts first.
  bool descending = false;
  // Equal elements keep their order. Weft's sort is always stable; the option only appears in the
  // StableHLO text for other compilers.
  bool stable = true;
};
}  // namespace typing
// Sorts the elements in ascending order. With the axis none, x is flattened. Source:
// jax.numpy.sort.
Array sort(const typing::Arg& x, const typing::AxisList& axis = -1,
           const typing::SortOptions& o = {});
namespace typing {
struct ArgsortOptions {
  // Sorts the largest element first; NaN then sorts first.
  bool descending = false;
  // Equal elements keep their order. Otherwise a descending order is the reversed ascending one.
  bool stable = true;
  std::optional<DType> dtype = {};  // integer dtype of the result; default: I32
};
}  // namespace typing
// Returns the indices that sort the elements in ascending order. Source: jax.numpy.argsort.
Array argsort(const typing::Arg& x, const typing::AxisList& axis = -1,
              const typing::ArgsortOptions& o = {});
template <detail::PlainDType D>
Array argsort(const typing::Arg& x, const typing::AxisList& axis, D dtype);
// Returns the indices (I32) that sort by several keys of one shape; the last key is the primary
// one. Raises ShapeError for an empty list. Source: jax.numpy.lexsort.
//
//     lexsort({array({2, 1, 0}), array({0, 1, 0})})  // array([2, 0, 1], dtype=int32)
Array lexsort(const Arrays& keys, int64_t axis = -1,
              typing::Location at = typing::Location::here());
// Returns the k largest elements of an axis, the largest first, and their indices (I32): (…, n, …)
// -> (…, k, …). NaN of either sign counts as largest; JAX treats a NaN with a sign bit as the
// smallest. 0 counts as larger than -0. Raises ShapeError for k above the size of the axis. Source:
// jax.lax.top_k.
//
//     top_k(array({1, 3, 2}), 2).first  // array([3, 2], dtype=int32)
std::pair<Array, Array> top_k(const typing::Arg& x, int64_t k, int64_t axis = -1);
// Partitions the elements of an axis: element k (negative k count from the end) is the one that a
// sort would put there. No element before it is larger, and none after it is smaller. Raises
// IndexError for a k out of range. Source: jax.numpy.partition.
Array partition(const typing::Arg& x, int64_t k, int64_t axis = -1);
// Returns the indices (I32) of the elements in the order of partition. Raises IndexError for a k
// out of range. Source: jax.numpy.argpartition.
Array argpartition(const typing::Arg& x, int64_t k, int64_t axis = -1);

namespace typing {
struct SearchOptions {
  std::string side = "left";         // "left": the first position; "right": the last
  std::optional<Array> sorter = {};  // indices that sort a if it is not sorted: integers, (n)
};
}  // namespace typing
// Returns the positions at which each v can be inserted into the sorted vector a such that it stays
// sorted: I32, of v's shape. Source: jax.numpy.searchsorted.
Array searchsorted(const typing::Arg& a, const typing::Arg& v, const typing::SearchOptions& o = {});
// Returns for each x the number of the interval that contains it: I32, 0 before the first edge.
// `bins` is a vector of edges (ShapeError otherwise) in increasing or decreasing order. With
// increasing edges an interval includes its lower edge, or with `right` its upper edge. Source:
// jax.numpy.digitize.
//
//     digitize(array({0.5, 2.}), array({1., 2.}))  // array([0, 2], dtype=int32)
Array digitize(const typing::Arg& x, const typing::Arg& bins, bool right = false);

}  // namespace weft
