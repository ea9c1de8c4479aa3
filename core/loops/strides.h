// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/strides.h: how the integers of a kernel differ along lanes, axes of the grid and
// loops.
#pragma once
#include <cstdint>
#include <optional>

#include "weft/core/loops/nest.h"
#include "weft/core/ref.h"

namespace weft::nest {

// How a value differs between neighbours, lanes or points or trips: number l holds base + l *
// stride (modulo 2^64; 0 is a uniform value), or anything (varying). Only I64 values have strides
// other than 0; a stride that is a run-time value is not `known`.
struct Variance {
  bool varying = false;
  bool known = true;
  int64_t stride = 0;

  bool uniform() const { return !varying && known && stride == 0; }
  bool linear() const { return !varying && !uniform(); }
  friend bool operator==(const Variance&, const Variance&) = default;
};
inline constexpr Variance uniform_value{};
inline constexpr Variance varying_value{true, false, 0};
// What a value is that comes from one of two places.
Variance join(const Variance& a, const Variance& b);
// Of an instruction of arithmetic, by what its operands are.
Variance variance_of(const Kernel& k, const Inst& i, FunctionRef<Variance(Id)> of);

// An index that is one of a few: first + step * (v - least), where v is `value`, an I32 or I64,
// held to [least, least + count); plus `base`, if that is an instruction.
struct Choice {
  Id value;
  int64_t least, count, first, step;
  Id base = no_id;
};
// Nothing if the index is not written as a clamped value times and plus constants, and perhaps plus
// one other value.
std::optional<Choice> choice_of(const Kernel& k, Id index);

// What indices are followed along: the points of a grid axis, or the trips of a loop.
struct Along {
  int64_t axis = -1;   // of the grid, if no loop:
  Id index = no_id;    // the index of a loop
  BlockId block = -1;  // and its body
  int64_t tile = 0;    // points are looked at in blocks of so many, which begin at multiples of it
};
// How much v grows from one to the next; nothing if that is not the same number everywhere.
std::optional<int64_t> stride_along(const Kernel& k, Id v, const Along& along);

}  // namespace weft::nest
