// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/index_ranges.cpp: decides clamps and comparisons of indices, and finds their borders.
#include "core/loops/index_ranges.h"

#include "core/loops/nest.h"

namespace weft::nest {

Range IndexRanges::of(Id v) const {
  const Inst& i = k_.insts[v];
  if (i.kind != Kind::I64) return everything;
  if (i.op == Opcode::Const) return {i.imm, i.imm};
  const auto it = known_.find(v);
  return it == known_.end() ? everything : it->second;
}

void IndexRanges::learn(Id v) {
  const Inst& i = k_.insts[v];
  if (known_.empty() || i.kind != Kind::I64 || i.args.size() != 2) return;
  const Range x = of(i.args[0]), y = of(i.args[1]);
  const auto range = [&]() -> Range {
    switch (i.op) {
      case Opcode::Add: return sum(x, y);
      case Opcode::Sub: return difference(x, y);
      case Opcode::Mul: return product(x, y);
      case Opcode::SDiv: return y.low > 0 ? quotient(x, y) : everything;
      case Opcode::SRem: return y.low > 0 ? remainder(x, y) : everything;
      case Opcode::SMin: return smaller(x, y);
      case Opcode::SMax: return larger(x, y);
      default: return everything;
    }
  };
  if (const Range r = range(); !(r == everything)) known_[v] = r;
}

std::optional<IndexRanges::Result> IndexRanges::decide(Opcode op, std::initializer_list<Id> args) {
  if (known_.empty() || args.size() != 2) return {};
  const Id a = args.begin()[0], b = args.begin()[1];
  if (k_.insts[a].kind != Kind::I64) return {};
  const Range x = of(a), y = of(b);
  if (x == everything && y == everything) return {};
  const bool a_first = x.high <= y.low, b_first = y.high <= x.low;
  // The results change between the constant c and the next number. `next`: the comparison with c
  // itself belongs to the numbers below c.
  const auto border = [&](bool next_if_a, bool next_if_b) {
    if (x.low == x.high)
      note_border(b, x.low + next_if_b);
    else if (y.low == y.high)
      note_border(a, y.low + next_if_a);
  };
  // The quotient of x * d + y and d is x, and the remainder y, if x is not negative and y a digit.
  const auto digit_of_sum = [&]() -> std::optional<Result> {
    const Inst& sum = k_.insts[a];
    if (sum.op != Opcode::Add || y.low != y.high || y.low < 1) return {};
    const Inst& times = k_.insts[sum.args[0]];
    if (times.op != Opcode::Mul || !(of(times.args[1]) == y)) return {};
    const Range high = of(times.args[0]), low = of(sum.args[1]);
    if (high.low < 0 || low.low < 0 || low.high >= y.low) return {};
    return Result{op == Opcode::SRem ? sum.args[1] : times.args[0]};
  };
  switch (op) {
    case Opcode::SMin:
      if (a_first) return Result{a};
      if (b_first) return Result{b};
      border(true, true);
      return {};
    case Opcode::SMax:
      if (b_first) return Result{a};
      if (a_first) return Result{b};
      border(false, false);
      return {};
    case Opcode::SLt:
      if (x.high < y.low) return Result{{}, 1};
      if (b_first) return Result{{}, 0};
      border(false, true);
      return {};
    case Opcode::SLe:
      if (a_first) return Result{{}, 1};
      if (y.high < x.low) return Result{{}, 0};
      border(true, false);
      return {};
    case Opcode::Eq:
    case Opcode::Ne:
      if (x.high < y.low || y.high < x.low) return Result{{}, op == Opcode::Ne};
      return {};
    case Opcode::SRem:
    case Opcode::SDiv:
      if (x.low >= 0 && x.high < y.low) return op == Opcode::SRem ? Result{a} : Result{{}, 0};
      return digit_of_sum();
    default: return {};
  }
}

void IndexRanges::note_border(Id v, int64_t at) {
  for (;;) {
    const Inst& i = k_.insts[v];
    if (i.op == Opcode::Param) {
      borders_[v].insert(at);
      return;
    }
    if (i.op != Opcode::Add || k_.insts[i.args[1]].op != Opcode::Const) return;
    if (__builtin_sub_overflow(at, k_.insts[i.args[1]].imm, &at)) return;
    v = i.args[0];
  }
}

const std::set<int64_t>& IndexRanges::borders(Id index) const {
  static const std::set<int64_t> none;
  const auto it = borders_.find(index);
  return it == borders_.end() ? none : it->second;
}

}  // namespace weft::nest
