// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/strides.h: how the integers of a kernel differ along grid axes and along loops.
#pragma once
#include <cstdint>
#include <optional>

#include "core/loops/nest.h"
#include "weft/detail/ref.h"

namespace weft::nest {

// How a value differs between neighbouring elements, points or trips. Either number l has the value
// base + l * stride (modulo 2^64; stride 0 is a uniform value), or the values are arbitrary
// (varying). Only I64 values have strides other than 0. A stride that is a run-time value is not
// `known`.
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
// Returns true if n is in [-most, most]. (The absolute value of the least integer overflows.)
inline bool at_most(int64_t n, int64_t most) { return n >= -most && n <= most; }
// The variance of a value that is one of two values.
Variance join(const Variance& a, const Variance& b);
// The variance of an arithmetic instruction, from that of its operands.
Variance variance_of(const Kernel& k, const Inst& i, FunctionRef<Variance(Id)> of);

// An index with few possible values: first + step * (v - least), plus `base` if that is an
// instruction. v is `value`, an I32 or I64, clamped to [least, least + count).
struct Choice {
  Id value;
  int64_t least, count, first, step;
  Id base = no_id;
};
// Empty unless the index is a clamped value, multiplied by and added to constants, plus optionally
// one other value. `inst`: the instructions of a kernel, or of one that is being written.
using InstOf = FunctionRef<const Inst&(Id)>;
std::optional<Choice> choice_of(InstOf inst, Id index);
inline std::optional<Choice> choice_of(const Kernel& k, Id index) {
  return choice_of([&](Id v) -> const Inst& { return k.insts[v]; }, index);
}

// The direction along which indices are followed: the points of a grid axis, or the trips of a
// loop.
struct Along {
  int64_t axis = -1;   // of the grid, if `index` is no_id
  Id index = no_id;    // the index of a loop
  BlockId block = -1;  // and its body
  int64_t tile = 0;  // points are processed in blocks of this size, which begin at multiples of it
};
// The increment of v from one point or trip to the next; empty if it is not the same everywhere.
std::optional<int64_t> stride_along(const Kernel& k, Id v, const Along& along);

}  // namespace weft::nest
