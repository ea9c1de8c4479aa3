// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/collective.h: operations over the lanes of named maps. Lanes of several axes are
// numbered with the last name fastest.
#pragma once
#include <string>
#include <vector>

#include "weft/tracer/array.h"

namespace weft {

// Numbers of lanes, each in one group; empty: all lanes are one.
using LaneGroups = std::vector<std::vector<int64_t>>;
using AxisNameList = std::vector<std::string>;  // each at most once

// Of the values in all lanes of a group, elementwise.
Array psum_over(const Array& x, const AxisNameList& names, const LaneGroups& groups = {});
Array pmax_over(const Array& x, const AxisNameList& names, const LaneGroups& groups = {});
Array pmin_over(const Array& x, const AxisNameList& names, const LaneGroups& groups = {});
// The values of the `size` lanes of a group along a new axis, at `axis` of the result; of all lanes
// of one named axis, or of groups of one size.
Array all_gather_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                      int64_t size, int axis);
// The sum over the lanes of a group, of which lane k of the group gets entry k of `axis`, which has
// as many and is no axis of the result. Groups have one size.
Array reduce_scatter_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                          int64_t size, int axis);
// Entry k of split_axis goes to lane k of the group; what comes from its lanes stands along a new
// axis, at concat_axis of the result (which has no split_axis). Groups have one size.
Array all_to_all_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                      int64_t size, int split_axis, int concat_axis);
// What lane sources[k] has goes to lane destinations[k]; zeros to lanes that are none of them.
// Neither list has a lane twice.
Array ppermute_over(const Array& x, const AxisNameList& names, int64_t lanes,
                    const std::vector<int64_t>& sources, const std::vector<int64_t>& destinations);
// What that lane has.
Array pbroadcast_over(const Array& x, const std::string& name, int64_t source);
// The number of the lane on that axis, i32[].
Array axis_index_of(const std::string& name);

}  // namespace weft
