// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/collective.h: operations over the lanes of named maps.
#pragma once
#include <string>
#include <vector>

#include "weft/tracer/array.h"

namespace weft {

// Of the values in all lanes of these axes, elementwise; each name at most once.
Array psum_over(const Array& x, const std::vector<std::string>& names);
Array pmax_over(const Array& x, const std::vector<std::string>& names);
Array pmin_over(const Array& x, const std::vector<std::string>& names);
// The lanes' values along a new axis, at `axis` of the result.
Array all_gather_over(const Array& x, const std::string& name, int64_t size, int axis);
// The number of the lane on that axis, i32[].
Array axis_index_of(const std::string& name);

}  // namespace weft
