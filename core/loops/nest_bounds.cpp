// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/nest_bounds.cpp: one pass over a kernel gives each integer its range. An index that is
// not provably within bounds is checked again under the conditions of the branches around it.
#include "core/loops/nest_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/loops/combine.h"
#include "weft/detail/ref.h"
#include "weft/error.h"

namespace weft::nest {
namespace {

constexpr int64_t longest_axis = int64_t{1} << 40;
constexpr Range none{INT64_MAX, INT64_MIN};
Range joined(const Range& a, const Range& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
Range met(const Range& a, const Range& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

int width(Kind k) {
  switch (k) {
    case Kind::Mask: return 1;
    case Kind::I8: return 8;
    case Kind::I16: return 16;
    case Kind::I32: return 32;
    case Kind::I64: return 64;
    default: return 0;
  }
}
Range signed_range(Kind k) {
  const int w = width(k);
  return w == 0 || w == 64 ? everything
                           : Range{-(int64_t{1} << (w - 1)), (int64_t{1} << (w - 1)) - 1};
}
Range unsigned_range(Kind k) {
  const int w = width(k);
  return w == 0 || w == 64 ? everything : Range{0, (int64_t{1} << w) - 1};
}

class Bounds {
 public:
  // Without a binding, nothing is known about memory, and little about axes.
  Bounds(const Kernel& k, const Binding* b) : k_(k), b_(b), known_(k.insts.size()) {}

  std::vector<Range> ranges() {
    block(0);
    return std::move(known_);
  }

  OutOfBounds run() {
    // In the first pass loop carries are unknown. In the second pass a carry has its initial range
    // joined with the range that the body yields.
    block(0);
    if (!failed_.empty()) {
      failed_.clear();
      learned_ = true;
      block(0);
    }
    if (failed_.empty()) return {};
    return {failed_.front(), text(failed_.front())};
  }

 private:
  using Of = FunctionRef<Range(Id)>;  // the range of an operand
  using Facts = std::unordered_map<Id, Range>;
  const Inst& inst(Id v) const { return k_.insts[v]; }
  const Block& block_of(BlockId b) const { return k_.blocks[b]; }
  Range known(Id v) const { return known_[v]; }
  void set(Id v, const Range& r) { known_[v] = r; }

  void block(BlockId b) {
    for (Id v : block_of(b).body) {
      const Inst& i = inst(v);
      switch (i.op) {
        case Opcode::Param:
        case Opcode::Result: break;  // set by their structured instruction
        case Opcode::Load:
          check_buffer(v);
          set(v, storage_range(k_.buffers[i.imm].storage));
          break;
        case Opcode::Store: check_buffer(v); break;
        case Opcode::LocalLoad:
          check(v, inst(i.args[0]).imm, i.args[1]);
          set(v, signed_range(i.kind));
          break;
        case Opcode::LocalStore: check(v, inst(i.args[0]).imm, i.args[1]); break;
        case Opcode::For:
        case Opcode::Fold:
        case Opcode::ForEach:
        case Opcode::While:
        case Opcode::If: structured(v); break;
        default: set(v, computed(v, [this](Id a) { return known(a); }));
      }
    }
  }
  static Range storage_range(Storage s) {
    switch (s) {
      case Storage::Bool: return {0, 1};
      case Storage::I8: return signed_range(Kind::I8);
      case Storage::I16: return signed_range(Kind::I16);
      case Storage::I32: return signed_range(Kind::I32);
      default: return everything;
    }
  }

  // ---- loops and branches
  void structured(Id v) {
    const Inst& i = inst(v);
    const auto counted = [&](Id lo, Id hi) {
      const int64_t high = known(hi).high;
      set(block_of(i.blocks[0]).params[0],
          {lo == no_id ? 0 : known(lo).low, high == INT64_MIN ? high : high - 1});
    };
    switch (i.op) {
      case Opcode::For:
        counted(i.args[0], i.args[1]);
        carries(v, 2, 1);
        break;
      case Opcode::Fold:
      case Opcode::ForEach:
        counted(no_id, i.args[0]);
        block(i.blocks[0]);
        break;
      case Opcode::While: carries(v, 0, 0); break;
      default: branch(v);
    }
    if (i.op != Opcode::Fold) return;
    size_t value = 0;
    for (size_t r = 0; r < i.kinds.size(); value += values_of_term(i.fold[r++])) {
      const Range any = joined(known(i.args[r + 1]), known(block_of(i.blocks[0]).yields[value]));
      set_result(v, r, chooses(i.fold[r]) ? any : signed_range(i.kinds[r]));
    }
  }
  // Returns true if a combiner returns one of its operands.
  static bool chooses(Combine c) {
    switch (c) {
      case Combine::SMin:
      case Combine::SMax:
      case Combine::ArgMin:
      case Combine::ArgMax:
      case Combine::Second: return true;
      default: return false;
    }
  }
  void carries(Id v, size_t first_arg, size_t first_param) {
    const Inst& i = inst(v);
    const auto& body = block_of(i.blocks.back());
    for (size_t r = 0; r < i.kinds.size(); ++r) {
      const Id param = body.params[first_param + r], next = body.yields[r];
      Range start = known(i.args[first_arg + r]);
      if (next != param) start = learned_ ? joined(start, known(next)) : signed_range(i.kinds[r]);
      set(param, start);
      if (i.op == Opcode::While) set(block_of(i.blocks[0]).params[r], start);
    }
    if (i.op == Opcode::While) {
      block(i.blocks[0]);
      under(block_of(i.blocks[0]).yields[0], true, [&] {
        // The condition refers to the parameters of the test block, so its facts are copied to
        // those of the body.
        for (size_t r = 0; r < i.kinds.size(); ++r)
          if (const auto f = facts_.back().find(block_of(i.blocks[0]).params[r]);
              f != facts_.back().end())
            facts_.back().emplace(body.params[r], f->second);
        block(i.blocks[1]);
      });
    } else {
      block(i.blocks[0]);
    }
    for (size_t r = 0; r < i.kinds.size(); ++r)
      set_result(v, r, joined(known(i.args[first_arg + r]), known(body.yields[r])));
  }
  void branch(Id v) {
    const Inst& i = inst(v);
    std::vector<Range> results(i.kinds.size(), none);
    for (int side = 0; side < 2; ++side)
      under(i.args[0], side == 0, [&] {
        block(i.blocks[side]);
        for (size_t r = 0; r < results.size(); ++r)
          results[r] = joined(results[r], assumed(block_of(i.blocks[side]).yields[r]));
      });
    for (size_t r = 0; r < results.size(); ++r) set_result(v, r, results[r]);
  }
  void set_result(Id owner, size_t r, const Range& x) {
    if (results_.empty())
      for (size_t v = 0; v < k_.insts.size(); ++v)
        if (k_.insts[v].op == Opcode::Result)
          results_[k_.insts[v].args[0]].push_back(static_cast<Id>(v));
    if (const auto it = results_.find(owner); it != results_.end())
      for (Id v : it->second)
        if (inst(v).imm == static_cast<int64_t>(r)) set(v, x);
  }

  // ---- arithmetic
  // The range of an instruction whose operands have the ranges that `of` returns.
  Range computed(Id v, const Of& of) {
    const Inst& i = inst(v);
    if (width(i.kind) < 8) return everything;
    Range a[3];
    for (size_t n = 0; n < i.args.size() && n < 3; ++n) {
      a[n] = of(i.args[n]);
      if (a[n].empty()) return none;
    }
    const Range all = signed_range(i.kind);
    const auto fitted = [&](const Range& r) { return r.within(all) ? r : all; };
    const bool divides = a[1].low > 0, natural = a[0].low >= 0;
    switch (i.op) {
      case Opcode::Const: return constant(i);
      case Opcode::Extent: return b_ ? point(b_->extents[i.imm]) : Range{0, longest_axis};
      case Opcode::Index: return {0, (b_ ? b_->grid[i.imm] : longest_axis) - 1};
      case Opcode::Add: return fitted(sum(a[0], a[1]));
      case Opcode::Sub: return fitted(difference(a[0], a[1]));
      case Opcode::Mul: return fitted(product(a[0], a[1]));
      case Opcode::Neg: return fitted(difference({0, 0}, a[0]));
      case Opcode::SDiv: return divides ? quotient(a[0], a[1]) : all;
      case Opcode::SRem: return divides ? remainder(a[0], a[1]) : all;
      case Opcode::UDiv: return divides && natural ? quotient(a[0], a[1]) : all;
      case Opcode::URem:
        if (!divides) return all;
        return natural ? remainder(a[0], a[1]) : Range{0, a[1].high - 1};
      case Opcode::SMin: return smaller(a[0], a[1]);
      case Opcode::SMax: return larger(a[0], a[1]);
      case Opcode::UMax:
        if (!natural || a[1].low < 0) return all;
        return larger(a[0], a[1]);
      case Opcode::And:
      case Opcode::UMin:  // a negative number has all high bits set
        if (natural && a[1].low >= 0) return {0, std::min(a[0].high, a[1].high)};
        return natural ? Range{0, a[0].high} : a[1].low >= 0 ? Range{0, a[1].high} : all;
      case Opcode::Shl:
        if (a[1].low < 0 || a[1].high > 62) return all;
        return fitted(product(a[0], {int64_t{1} << a[1].low, int64_t{1} << a[1].high}));
      case Opcode::Shr:
      case Opcode::Sar:
        if (!natural) return all;
        return {0, a[1].low >= 0 && a[1].low < 63 ? a[0].high >> a[1].low : a[0].high};
      case Opcode::Select: return select(i, of);
      case Opcode::SExt: return a[0];
      case Opcode::Narrow: return fitted(a[0]);
      case Opcode::ZExt: return natural ? a[0] : unsigned_range(inst(i.args[0]).kind);
      case Opcode::MaskToInt: return {0, 1};
      case Opcode::Popcount:
      case Opcode::Clz: return {0, 64};
      default: return all;
    }
  }
  static Range point(int64_t x) { return {x, x}; }
  static Range constant(const Inst& i) {
    const int w = width(i.kind);
    if (w == 0) return everything;
    if (w == 1) return point(i.imm & 1);
    return point(static_cast<int64_t>(static_cast<uint64_t>(i.imm) << (64 - w)) >> (64 - w));
  }
  // The range of a Select: each operand is evaluated under the condition that selects it. Only the
  // outer levels of nested Selects are evaluated this way, because each level evaluates its
  // operands twice.
  Range select(const Inst& i, const Of& of) {
    constexpr int max_nested = 3;
    if (choices_ == max_nested) return joined(of(i.args[1]), of(i.args[2]));
    ++choices_;
    const auto side = [&](size_t n) {
      Facts f;
      learn(i.args[0], n == 1, of, &f);
      return given(i.args[n], f, of, 0);
    };
    const Range r = joined(side(1), side(2));
    --choices_;
    return r;
  }
  // The range of v if the facts hold.
  Range given(Id v, const Facts& f, const Of& of, int depth) {
    constexpr int far = 3;
    Range r = of(v);
    if (f.empty()) return r;
    if (const auto it = f.find(v); it != f.end()) return met(r, it->second);
    if (const Inst& i = inst(v); depth < far && i.op > Opcode::Result && i.op < Opcode::Load)
      r = met(r, computed(v, [&](Id a) { return given(a, f, of, depth + 1); }));
    return r;
  }

  // ---- conditions
  // Adds the facts about the values that a condition compares, given that it holds or does not
  // hold.
  void learn(Id condition, bool holds, const Of& of, Facts* f, int depth = 0) const {
    const Inst& c = inst(condition);
    if (depth > 16) return;
    if (c.op == Opcode::Not) return learn(c.args[0], !holds, of, f, depth + 1);
    if (c.op == (holds ? Opcode::And : Opcode::Or) && c.kind == Kind::Mask) {
      learn(c.args[0], holds, of, f, depth + 1);
      return learn(c.args[1], holds, of, f, depth + 1);
    }
    if (c.args.size() != 2 || width(inst(c.args[0]).kind) < 8) return;
    const auto note = [&](Id v, const Range& r) {
      const auto [it, fresh] = f->emplace(v, r);
      if (!fresh) it->second = met(it->second, r);
    };
    const auto narrow = [&](Id v, const Range& r) {
      note(v, r);
      // A bound on x + c also bounds x.
      const Inst& i = inst(v);
      const bool minus = i.op == Opcode::Sub;
      if ((i.op != Opcode::Add && !minus) || inst(i.args[1]).op != Opcode::Const) return;
      const Range was = of(i.args[0]), by = constant(inst(i.args[1]));
      const Range plain = minus ? difference(was, by) : sum(was, by);
      if (plain == everything || !plain.within(signed_range(i.kind))) return;  // may wrap
      const Range bounded = met(of(v), r);
      note(i.args[0], minus ? sum(bounded, by) : difference(bounded, by));
    };
    const Id x = c.args[0], y = c.args[1];
    const Range p = of(x), q = of(y);
    const auto less = [&](Id small, Id large, const Range& s, const Range& l, int64_t gap) {
      if (l.high >= INT64_MIN + gap) narrow(small, {INT64_MIN, l.high - gap});
      if (s.low <= INT64_MAX - gap) narrow(large, {s.low + gap, INT64_MAX});
    };
    switch (c.op) {
      case Opcode::SLt: return holds ? less(x, y, p, q, 1) : less(y, x, q, p, 0);
      case Opcode::SLe: return holds ? less(x, y, p, q, 0) : less(y, x, q, p, 1);
      case Opcode::ULt:
      case Opcode::ULe:  // below a number that is not negative, so itself not negative
        if (holds && q.low >= 0) narrow(x, {0, q.high - (c.op == Opcode::ULt ? 1 : 0)});
        return;
      case Opcode::Eq:
      case Opcode::Ne:
        if (holds != (c.op == Opcode::Eq)) return;
        narrow(x, q);
        narrow(y, p);
        return;
      default: return;
    }
  }
  template <class F>
  void under(Id condition, bool holds, const F& f) {
    facts_.emplace_back();
    learn(condition, holds, [this](Id v) { return known(v); }, &facts_.back());
    assumed_.clear();
    f();
    facts_.pop_back();
    assumed_.clear();
  }
  // The range of v under all conditions around the current access.
  Range assumed(Id v, int depth = 0) {
    if (facts_.empty()) return known(v);
    if (const auto it = assumed_.find(v); it != assumed_.end()) return it->second;
    constexpr int far = 24;
    Range r = known(v);
    if (const Inst& i = inst(v); depth < far && i.op > Opcode::Result && i.op < Opcode::Load)
      r = met(r, computed(v, [&](Id a) { return assumed(a, depth + 1); }));
    for (const Facts& f : facts_)
      if (const auto it = f.find(v); it != f.end()) r = met(r, it->second);
    return assumed_[v] = r;
  }

  // ---- accesses
  void check_buffer(Id access) {
    const Inst& i = inst(access);
    if (b_) check(access, b_->elements[i.imm], i.args[0]);
  }
  void check(Id access, int64_t elements, Id index) {
    if (!b_) return;
    const Range bounds{0, elements - 1};
    if (known(index).within(bounds) || assumed(index).within(bounds)) return;
    failed_.push_back(access);
  }
  // The grid axes and loops on which an index depends.
  void counters(Id v, int depth, std::set<std::string>* out) const {
    const Inst& i = inst(v);
    if (i.op == Opcode::Index)
      out->insert(fmt::format("grid axis {} of {} points", i.imm, b_->grid[i.imm]));
    if (i.op == Opcode::Param)
      out->insert(fmt::format("a loop from {} to {}", known(v).low, known(v).high));
    if (i.op == Opcode::Load) out->insert("a number from memory");
    if (depth > 16 || i.op == Opcode::Load || i.op >= Opcode::For) return;
    for (Id a : i.args) counters(a, depth + 1, out);
  }
  std::string text(Id access) const {
    const Inst& i = inst(access);
    const bool local = i.op == Opcode::LocalLoad || i.op == Opcode::LocalStore;
    const Id index = i.args[local ? 1 : 0];
    std::set<std::string> along;
    counters(index, 0, &along);
    const Range r = known(index);
    return fmt::format("{} {} of {} elements at {} to {}, along {}",
                       i.op == Opcode::Load || i.op == Opcode::LocalLoad ? "reads" : "writes",
                       local ? std::string("a lane's array") : fmt::format("buffer {}", i.imm),
                       local ? inst(i.args[0]).imm : b_->elements[i.imm], r.low, r.high,
                       along.empty() ? "no axis" : fmt::format("{}", fmt::join(along, ", ")));
  }

  const Kernel& k_;
  const Binding* b_;
  std::vector<Range> known_;                         // by value
  std::vector<Facts> facts_;                         // of the branches around the current access
  Facts assumed_;                                    // the ranges under these facts
  std::unordered_map<Id, std::vector<Id>> results_;  // by structured instruction
  std::vector<Id> failed_;
  int choices_ = 0;       // enclosing Selects of the current one
  bool learned_ = false;  // true once the ranges of the carries are known
};

}  // namespace

std::vector<Range> ranges_of(const Kernel& k) { return Bounds(k, nullptr).ranges(); }

OutOfBounds find_out_of_bounds(const Kernel& k, const Binding& b) {
  if (b.grid.size() != static_cast<size_t>(k.rank) || b.elements.size() != k.buffers.size() ||
      b.extents.size() != static_cast<size_t>(k.extents))
    throw InternalError(fmt::format(
        "kernel {} of {} axes, {} extents and {} buffers is bound to {}, {} and {}", k.name, k.rank,
        k.extents, k.buffers.size(), b.grid.size(), b.extents.size(), b.elements.size()));
  return Bounds(k, &b).run();
}

}  // namespace weft::nest
