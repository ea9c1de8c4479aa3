// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/unsorted_segments.h: segment reductions with TensorFlow's names and rules: ids
// have any rank, negative ids are dropped, and the number of segments is given.
#pragma once
#include "weft/array.h"

namespace weft {

// Each function takes data[i…, j…] and integer ids[i…]. out[s, j…] is the reduction of data[i…]
// over all i… with ids[i…] = s, for s = 0 … num_segments-1, in data's dtype. Ids that are negative
// or too large are dropped. Raises ShapeError unless data's shape begins with that of ids, and
// DTypeError for ids that are not integers.

// Returns the sums; an empty segment is 0. Source: tf.math.unsorted_segment_sum.
Array unsorted_segment_sum(const typing::Arg& data, const typing::Arg& ids, int64_t num_segments);
// Returns the products; an empty segment is 1. Source: tf.math.unsorted_segment_prod.
Array unsorted_segment_prod(const typing::Arg& data, const typing::Arg& ids, int64_t num_segments);
// Returns the maxima; an empty segment is the lowest finite number of the dtype. Source:
// tf.math.unsorted_segment_max.
Array unsorted_segment_max(const typing::Arg& data, const typing::Arg& ids, int64_t num_segments);
// Returns the minima; an empty segment is the highest finite number of the dtype. Source:
// tf.math.unsorted_segment_min.
Array unsorted_segment_min(const typing::Arg& data, const typing::Arg& ids, int64_t num_segments);
// Returns the means; an empty segment is 0. data must be inexact (DTypeError). Source:
// tf.math.unsorted_segment_mean.
Array unsorted_segment_mean(const typing::Arg& data, const typing::Arg& ids, int64_t num_segments);
// Returns the sums divided by the square root of the number of members; an empty segment is 0. data
// must be inexact (DTypeError). Source: tf.math.unsorted_segment_sqrt_n.
Array unsorted_segment_sqrt_n(const typing::Arg& data, const typing::Arg& ids,
                              int64_t num_segments);

}  // namespace weft
