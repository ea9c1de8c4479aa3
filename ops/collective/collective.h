// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/collective.h: operations over the lanes of named maps. Lanes of several axes are
// numbered with the last name varying fastest.
#pragma once
#include <string>
#include <vector>

#include "weft/array.h"

namespace weft {

// Groups of lane numbers; each lane is in one group. Empty: all lanes are one group.
using LaneGroups = std::vector<std::vector<int64_t>>;
using AxisNameList = std::vector<std::string>;  // each name at most once

// Elementwise over the values of all lanes of a group.
Array psum_over(const Array& x, const AxisNameList& names, const LaneGroups& groups = {});
Array pmax_over(const Array& x, const AxisNameList& names, const LaneGroups& groups = {});
Array pmin_over(const Array& x, const AxisNameList& names, const LaneGroups& groups = {});
// Stacks the values of the `size` lanes of a group along a new axis, `axis` of the result. Works on
// all lanes of one named axis, or on groups of equal size.
Array all_gather_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                      int64_t size, int axis);
// Sums over the lanes of a group. Lane k of the group gets entry k along `axis`, which has one
// entry for each lane and is not an axis of the result. Groups have equal size.
Array reduce_scatter_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                          int64_t size, int axis);
// Sends entry k along split_axis to lane k of the group. The received values are stacked along a
// new axis, concat_axis of the result (which does not have split_axis). Groups have equal size.
Array all_to_all_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                      int64_t size, int split_axis, int concat_axis);
// Sends the value of lane sources[k] to lane destinations[k]. Lanes that are not destinations get
// zeros. Neither list contains a lane twice.
Array ppermute_over(const Array& x, const AxisNameList& names, int64_t lanes,
                    const std::vector<int64_t>& sources, const std::vector<int64_t>& destinations);
// Returns the value of lane `source` in all lanes.
Array pbroadcast_over(const Array& x, const std::string& name, int64_t source);
// Returns the number of the lane on that axis, i32[].
Array axis_index_of(const std::string& name);

}  // namespace weft
