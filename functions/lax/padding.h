// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/padding.h: named padding, which convolutions and windows share. Not public.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::fn {

// Returns the padding that "SAME", "SAME_LOWER" or "VALID" adds before and after each axis. With
// SAME the result has one position per stride. Raises ShapeError, naming the function, for another
// word.
std::vector<std::pair<int64_t, int64_t>> pads_of(const char* name, const std::vector<int64_t>& in,
                                                 const std::vector<int64_t>& window,
                                                 const std::vector<int64_t>& strides,
                                                 const std::string& kind);

}  // namespace weft::fn
