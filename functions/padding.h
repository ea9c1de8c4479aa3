// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/padding.h: padding by name, which convolutions and windows share. Not public.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::fn {

// What "SAME", "SAME_LOWER" or "VALID" puts before and behind each axis: of SAME the result has a
// place for each stride. ShapeError in the name of a function for another word.
std::vector<std::pair<int64_t, int64_t>> pads_of(const char* name, const std::vector<int64_t>& in,
                                                 const std::vector<int64_t>& window,
                                                 const std::vector<int64_t>& strides,
                                                 const std::string& kind);

}  // namespace weft::fn
