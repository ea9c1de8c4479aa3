// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/strides.cpp: the arithmetic of strides, and the walk from an index to the counters on
// which it depends.
#include "core/loops/strides.h"

#include <cstdlib>
#include <unordered_map>

namespace weft::nest {

Variance join(const Variance& a, const Variance& b) {
  return a == b && (a.varying || a.known) ? a : varying_value;
}

namespace {

Variance scaled(const Kernel& k, const Variance& s, Id factor) {
  if (s.uniform()) return s;
  const Inst& f = k.insts[factor];
  if (f.op != Opcode::Const || !s.known) return {false, false, 0};
  const auto stride = static_cast<uint64_t>(s.stride) * static_cast<uint64_t>(f.imm);
  return {false, true, static_cast<int64_t>(stride)};
}

Variance linear(const Kernel& k, const Inst& i, const Variance& a, const Variance& b) {
  if (a.varying || b.varying) return varying_value;
  const auto as = static_cast<uint64_t>(a.stride), bs = static_cast<uint64_t>(b.stride);
  const bool known = a.known && b.known;
  switch (i.op) {
    case Opcode::Add: return {false, known, known ? static_cast<int64_t>(as + bs) : 0};
    case Opcode::Sub: return {false, known, known ? static_cast<int64_t>(as - bs) : 0};
    case Opcode::Neg: return {false, known, known ? static_cast<int64_t>(-as) : 0};
    case Opcode::Mul:
      if (b.uniform()) return scaled(k, a, i.args[1]);
      if (a.uniform()) return scaled(k, b, i.args[0]);
      return varying_value;
    case Opcode::Shl: {
      const Inst& count = k.insts[i.args[1]];
      if (count.op != Opcode::Const || count.imm < 0 || count.imm > 62 || !a.known)
        return varying_value;
      return {false, true, static_cast<int64_t>(as << count.imm)};
    }
    default: return varying_value;
  }
}

// smin(smax(value, least), most)
std::optional<Choice> clamped(InstOf inst, Id v) {
  const auto constant = [&](Id c) -> std::optional<int64_t> {
    const Inst& i = inst(c);
    return i.op == Opcode::Const ? std::optional(i.imm) : std::nullopt;
  };
  // Splits `of` into a constant bound, which is returned, and the other operand.
  const auto bounded = [&](Opcode op, Id* of) -> std::optional<int64_t> {
    const Inst& i = inst(*of);
    if (i.op != op || i.kind != Kind::I64) return std::nullopt;
    for (size_t a : {0, 1})
      if (const auto c = constant(i.args[a])) {
        *of = i.args[1 - a];
        return c;
      }
    return std::nullopt;
  };
  Id value = v;
  const auto most = bounded(Opcode::SMin, &value);
  const auto least = most ? bounded(Opcode::SMax, &value) : std::nullopt;
  if (!least || *most < *least || *most - *least > INT32_MAX) return std::nullopt;
  const Inst& i = inst(value);
  if (i.op == Opcode::SExt && inst(i.args[0]).kind == Kind::I32 && *least >= INT32_MIN &&
      *most <= INT32_MAX)
    value = i.args[0];
  return Choice{value, *least, *most - *least + 1, *least, 1};
}

}  // namespace

std::optional<Choice> choice_of(InstOf inst, Id index) {
  if (const auto c = clamped(inst, index)) return c;
  const Inst& i = inst(index);
  if (i.kind != Kind::I64 || (i.op != Opcode::Add && i.op != Opcode::Mul)) return std::nullopt;
  for (size_t a : {0, 1}) {
    const Id other = i.args[1 - a];
    const Inst& number = inst(other);
    const bool constant = number.op == Opcode::Const && at_most(number.imm, INT32_MAX);
    if (!constant && i.op != Opcode::Add) continue;
    auto c = choice_of(inst, i.args[a]);
    if (!c || (!constant && c->base != no_id) || (i.op == Opcode::Mul && c->base != no_id))
      continue;
    if (!constant) {
      c->base = other;
    } else if (i.op == Opcode::Add) {
      c->first += number.imm;
    } else {
      c->first *= number.imm;
      c->step *= number.imm;
    }
    const bool small = at_most(c->first, INT32_MAX) && at_most(c->step, INT32_MAX);
    return small ? c : std::nullopt;
  }
  return std::nullopt;
}

Variance variance_of(const Kernel& k, const Inst& i, FunctionRef<Variance(Id)> of) {
  bool all_uniform = true;
  for (Id a : i.args) all_uniform = all_uniform && of(a).uniform();
  if (all_uniform) return uniform_value;
  if (i.kind != Kind::I64) return varying_value;
  if (i.op == Opcode::Select)
    return of(i.args[0]).uniform() ? join(of(i.args[1]), of(i.args[2])) : varying_value;
  return linear(k, i, of(i.args[0]), i.args.size() > 1 ? of(i.args[1]) : uniform_value);
}

namespace {

class Walk {
 public:
  Walk(const Kernel& k, const Along& along) : k_(k), along_(along) {}

  Variance of(Id v) {
    if (const auto it = known_.find(v); it != known_.end()) return it->second;
    const Variance s = found(v);
    known_.emplace(v, s);
    return s;
  }

 private:
  const Inst& inst(Id v) const { return k_.insts[v]; }
  Variance found(Id v) {
    const Inst& i = inst(v);
    if (along_.index != no_id) {
      if (v == along_.index) return {false, true, 1};
      if (!is_inside(i.home)) return uniform_value;
    }
    switch (i.op) {
      case Opcode::Const:
      case Opcode::Extent: return uniform_value;
      case Opcode::Index: return {false, true, i.imm == along_.axis ? 1 : 0};
      case Opcode::Param: return counts_alike(v) ? uniform_value : varying_value;
      case Opcode::SRem:
      case Opcode::SDiv:
        if (digit_of_block(i)) return {false, true, i.op == Opcode::SRem ? 1 : 0};
        break;
      default: break;
    }
    if (i.op < Opcode::Const || i.op >= Opcode::Load) return varying_value;
    return variance_of(k_, i, [&](Id a) { return of(a); });
  }
  // Returns true for the body of the loop, and for blocks nested in it.
  bool is_inside(BlockId b) const {
    while (b != along_.block) {
      const Id owner = k_.blocks[b].owner;
      if (owner == no_id) return false;
      b = inst(owner).home;
    }
    return true;
  }
  // Returns true for the index of a loop that makes the same trips everywhere.
  bool counts_alike(Id param) {
    const Block& block = k_.blocks[inst(param).home];
    if (block.owner == no_id || block.params[0] != param) return false;
    const Inst& i = inst(block.owner);
    if (i.op == Opcode::For) return of(i.args[0]).uniform() && of(i.args[1]).uniform();
    return (i.op == Opcode::Fold || i.op == Opcode::ForEach) && of(i.args[0]).uniform();
  }
  // Returns true if the axis index is divided by a multiple of the tile. Blocks do not cross
  // multiples of the divisor, so within a block the remainder increases with the index and the
  // quotient is constant.
  bool digit_of_block(const Inst& i) const {
    const Inst &x = inst(i.args[0]), &by = inst(i.args[1]);
    return along_.tile > 0 && x.op == Opcode::Index && x.imm == along_.axis &&
           by.op == Opcode::Const && by.imm > 0 && by.imm % along_.tile == 0;
  }

  const Kernel& k_;
  const Along along_;
  std::unordered_map<Id, Variance> known_;
};

}  // namespace

std::optional<int64_t> stride_along(const Kernel& k, Id v, const Along& along) {
  const Variance s = Walk(k, along).of(v);
  return s.varying || !s.known ? std::nullopt : std::optional(s.stride);
}

}  // namespace weft::nest
