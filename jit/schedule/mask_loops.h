// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/mask_loops.h: arrays of masks that can be bits, and loops over their elements.
#pragma once
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/divergence.h"

namespace weft::compiler {

// The fewest points whose bits are addressable.
inline constexpr int min_bits = 8;

// By Local: true if it is an array of masks that each point of a grid has, and no point accesses it
// at an index of its own. With mask registers, the bits of a vector of points are one number.
std::vector<char> arrays_of_bits(const nest::Kernel& k, const Divergence& d);
// Returns true if the loop only combines elements of such arrays, and of arrays and buffers of
// masks that all points share, and its trips are independent. A trip accesses the element after
// that of the trip before. Several trips then fill a vector.
bool combines_bits(const nest::Kernel& k, const Divergence& d, nest::Id loop);

}  // namespace weft::compiler
