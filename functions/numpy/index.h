// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/index.h: reading and writing at indices, beside x[i] and x.at(i).
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

struct TakeOptions {
  std::string mode = "fill";  // "clip", "wrap"; out of range: NaN or the extreme integer
  std::optional<Array> fill_value = {};
};
// x[…, indices, …] along an axis (default: of x flattened).
Array take(const Arg& x, const Arg& indices, OneAxis axis = none, const TakeOptions& o = {});
// Along an axis the element that `indices`, of x's rank, says; the other axes go together.
Array take_along_axis(const Arg& x, const Arg& indices, OneAxis axis = -1,
                      const TakeOptions& o = {});
Array put_along_axis(const Arg& x, const Arg& indices, const Arg& values, OneAxis axis);
// The elements where `condition` (known when traced) holds, of an axis or of x flattened.
Array compress(const Arg& condition, const Arg& x, OneAxis axis = none);
Array extract(const Arg& condition, const Arg& x);

struct NonzeroOptions {
  std::optional<int64_t> size = {};  // how many; needed where x is traced
  int64_t fill_value = 0;            // of what is missing
};
// The indices of the elements that are not zero, one array an axis.
Arrays nonzero(const Arg& x, const NonzeroOptions& o = {});
Array flatnonzero(const Arg& x, const NonzeroOptions& o = {});
Array argwhere(const Arg& x, const NonzeroOptions& o = {});

Arrays unravel_index(const Arg& indices, const Shape& shape);
Arrays tril_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = {},
                    Location at = Location::here());
Arrays triu_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = {},
                    Location at = Location::here());
Arrays diag_indices(int64_t n, int64_t ndim = 2, Location at = Location::here());

// Sums (…) of the rows of x by the segment that each belongs to; ids out of range are dropped.
struct SegmentOptions {
  std::optional<int64_t> num_segments = {};  // default: the largest id + 1, which must be known
  bool unique_indices = false;
};
Array segment_sum(const Arg& x, const Arg& segment_ids, const SegmentOptions& o = {});
Array segment_prod(const Arg& x, const Arg& segment_ids, const SegmentOptions& o = {});
Array segment_max(const Arg& x, const Arg& segment_ids, const SegmentOptions& o = {});
Array segment_min(const Arg& x, const Arg& segment_ids, const SegmentOptions& o = {});
struct BincountOptions {
  std::optional<int64_t> length = {};  // of the result; needed where x is traced
};
// How often each of 0, 1, … occurs, or the sums of the weights at which it does. At least
// `minlength` of them.
Array bincount(const Arg& x, const MaybeArray& weights = none, int64_t minlength = 0,
               const BincountOptions& o = {});

}  // namespace weft
