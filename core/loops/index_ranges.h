// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/index_ranges.h: the ranges of the indices of a kernel while it is being written.
//
// The author of a loop gives the range of its index. Clamps and comparisons of such an index with
// constants are then decided while they are written. Others have a border: a constant from which on
// the result is another one. A loop that is written in pieces between borders has none of them.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/loops/range.h"

namespace weft::nest {

enum class Opcode : uint8_t;
struct Kernel;
using Id = int32_t;

class IndexRanges {
 public:
  // The result of an instruction that need not be written: an operand, or else a number.
  struct Result {
    std::optional<Id> operand = {};
    int64_t number = 0;
  };
  explicit IndexRanges(const Kernel& k) : k_(k) {}

  void set(Id index, const Range& r) { known_[index] = r; }
  // Derives the range of an instruction from those of its operands.
  void learn(Id v);
  // Returns the result of an instruction if the ranges decide it. Else notes its border.
  std::optional<Result> decide(Opcode op, std::initializer_list<Id> args);
  // Returns the borders of the undecided instructions that compare `index` plus a constant.
  const std::set<int64_t>& borders(Id index) const;

 private:
  Range of(Id v) const;
  void note_border(Id v, int64_t at);

  const Kernel& k_;
  std::unordered_map<Id, Range> known_;  // of I64 values other than constants
  std::unordered_map<Id, std::set<int64_t>> borders_;
};

}  // namespace weft::nest
