// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/periodic_offset.h: offsets whose differences from one element to the next repeat,
// such as those of the first four elements of rows of five.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/divergence.h"

namespace weft::compiler {

// The offset at index x is the sum of the uniform values, of values[x % period], and of
// x / period * advance.
struct PeriodicOffset {
  nest::Id index = nest::no_id;  // runs through consecutive numbers, which are not negative
  std::vector<nest::Id> uniform = {};
  int64_t period = 1, advance = 0;
  std::vector<int64_t> values = {};

  int64_t at(int64_t x) const {
    return x / period * advance + values[static_cast<size_t>(x % period)];
  }
};
// Returns none if the offset has another form, or a longer period.
std::optional<PeriodicOffset> periodic_offset(const nest::Kernel& k, const Divergence& d,
                                              nest::Id offset, int64_t longest);

}  // namespace weft::compiler
