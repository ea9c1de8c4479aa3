// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/emit_plan.cpp: the divergence analysis. Shapes start at the bottom (unset) and only
// rise (linear, varying) while the whole kernel is visited again and again until nothing changes.
#include "weft/jit/schedule/emit_plan.h"

#include <algorithm>

namespace weft::compiler {

using nest::BlockId;
using nest::Id;
using nest::Inst;
using nest::Kernel;
using nest::Kind;
using nest::Opcode;

Shape join(const Shape& a, const Shape& b) {
  return a == b && (a.varying || a.known) ? a : varying_shape;
}

int64_t weight(const Kernel& k, BlockId b) {
  int64_t n = 0;
  for (Id v : k.blocks[b].body) {
    ++n;
    const Inst& i = k.insts[v];
    for (size_t s = is_rare(i) ? 1 : 0; s < i.blocks.size(); ++s) n += weight(k, i.blocks[s]);
  }
  return n;
}

namespace {

struct Context {
  bool lanes = false;  // code here runs in lanes
  int divergence = 0;  // divergent structured instructions around it
};

class Analysis {
 public:
  Analysis(const Kernel& kernel, Mode mode) : k_(kernel) {
    const size_t n = k_.insts.size();
    plan_.mode = mode;
    plan_.shape.resize(n);
    plan_.divergent.resize(n);
    plan_.in_lanes.resize(n);
    plan_.per_lane.resize(n);
    plan_.level.assign(n, 2);
    plan_.results.resize(n);
    set_.resize(n);
    home_divergence_.resize(n);
    local_lanes_.resize(n);
    for (size_t v = 0; v < n; ++v)
      if (k_.insts[v].op == Opcode::Result)
        plan_.results[k_.insts[v].args[0]].push_back(static_cast<Id>(v));
  }

  Plan run() {
    do {
      changed_ = false;
      block(0, {plan_.mode == Mode::grid || plan_.mode == Mode::refill, 0});
    } while (changed_);
    for (Id v : k_.blocks[0].body) plan_.level[v] = level(v);
    return std::move(plan_);
  }

 private:
  void raise(Id v, Shape s) {
    if (set_[v]) s = join(plan_.shape[v], s);
    if (set_[v] && s == plan_.shape[v]) return;
    set_[v] = changed_ = true;
    plan_.shape[v] = s;
  }
  // A run-time stride joins with itself alone; an instruction's own shape is replaced, not joined.
  void assign(Id v, const Shape& s) {
    if (set_[v] && plan_.shape[v].varying) return;
    if (set_[v] && s == plan_.shape[v]) return;
    set_[v] = changed_ = true;
    plan_.shape[v] = s;
  }
  void mark(std::vector<char>& flags, Id v, bool on) {
    if (on && !flags[v]) flags[v] = changed_ = true;
  }
  const Shape& shape(Id v) const { return plan_.shape[v]; }

  Shape index(int64_t axis) const {
    if (plan_.mode == Mode::refill) return varying_shape;
    if (plan_.mode == Mode::grid && axis == k_.rank - 1) return {false, true, 1};
    return uniform_shape;
  }

  Shape scaled(const Shape& s, Id factor) const {
    if (s.uniform()) return s;
    if (k_.insts[factor].op == Opcode::Const && s.known) {
      const auto stride = static_cast<int64_t>(static_cast<uint64_t>(s.stride) *
                                               static_cast<uint64_t>(k_.insts[factor].imm));
      return {false, true, stride};
    }
    return {false, false, 0};
  }

  Shape linear_pure(const Inst& i) const {
    const Shape a = shape(i.args[0]), b = i.args.size() > 1 ? shape(i.args[1]) : uniform_shape;
    if (a.varying || b.varying) return varying_shape;
    const auto as = static_cast<uint64_t>(a.stride), bs = static_cast<uint64_t>(b.stride);
    const bool known = a.known && b.known;
    switch (i.op) {
      case Opcode::Add: return {false, known, known ? static_cast<int64_t>(as + bs) : 0};
      case Opcode::Sub: return {false, known, known ? static_cast<int64_t>(as - bs) : 0};
      case Opcode::Neg: return {false, known, known ? static_cast<int64_t>(-as) : 0};
      case Opcode::Mul:
        if (b.uniform()) return scaled(a, i.args[1]);
        if (a.uniform()) return scaled(b, i.args[0]);
        return varying_shape;
      case Opcode::Shl: {
        const Inst& count = k_.insts[i.args[1]];
        if (count.op != Opcode::Const || count.imm < 0 || count.imm > 62 || !a.known)
          return varying_shape;
        return {false, true, static_cast<int64_t>(as << count.imm)};
      }
      default: return varying_shape;
    }
  }

  Shape pure(const Inst& i) const {
    bool all_uniform = true;
    for (Id a : i.args) all_uniform = all_uniform && shape(a).uniform();
    if (all_uniform) return uniform_shape;
    if (i.kind != Kind::I64) return varying_shape;
    if (i.op == Opcode::Select) {
      if (!shape(i.args[0]).uniform()) return varying_shape;
      return join(shape(i.args[1]), shape(i.args[2]));
    }
    return linear_pure(i);
  }

  void block(BlockId b, Context c) {
    for (Id v : k_.blocks[b].body) inst(v, c);
  }

  void inst(Id v, Context c) {
    const Inst& i = k_.insts[v];
    switch (i.op) {
      case Opcode::Param:
      case Opcode::Result: return;
      case Opcode::Const:
      case Opcode::Extent: return assign(v, uniform_shape);
      case Opcode::Index: return assign(v, index(i.imm));
      case Opcode::Load:
        return assign(v, shape(i.args[0]).uniform() ? uniform_shape : varying_shape);
      case Opcode::Store: return;
      case Opcode::Local:
        home_divergence_[v] = c.divergence;
        local_lanes_[v] = c.lanes;
        return assign(v, uniform_shape);
      case Opcode::LocalLoad: {
        const bool same = !plan_.per_lane[i.args[0]] && shape(i.args[1]).uniform();
        return assign(v, same ? uniform_shape : varying_shape);
      }
      case Opcode::LocalStore: {
        const Id l = i.args[0];
        const bool same = shape(i.args[1]).uniform() && shape(i.args[2]).uniform() &&
                          home_divergence_[l] == c.divergence;
        return mark(plan_.per_lane, l, local_lanes_[l] && !same);
      }
      case Opcode::For: return loop(v, c);
      case Opcode::Fold: return fold(v, c);
      case Opcode::ForEach: return for_each(v, c);
      case Opcode::While: return loop_while(v, c);
      case Opcode::If: return branch(v, c);
      default: return assign(v, pure(i));
    }
  }

  // Carries: what the loop hands around. In a divergent loop a carry that changes differs between
  // lanes, as they leave at different trips.
  void carries(Id v, size_t first_arg, size_t first_param, bool divergent) {
    const Inst& i = k_.insts[v];
    const nest::Block& body = k_.blocks[i.blocks.back()];
    for (size_t r = 0; r < i.kinds.size(); ++r) {
      const Id param = body.params[first_param + r], next = body.yields[r];
      const bool same = next == param;
      Shape s = shape(i.args[first_arg + r]);
      // A run-time stride is a value of one place; only an untouched carry keeps it.
      if (!same && ((divergent) || (!s.varying && !s.known))) s = varying_shape;
      raise(param, s);
      if (!same && set_[next])
        raise(param, shape(next).known || shape(next).varying ? shape(next) : varying_shape);
      if (i.op == Opcode::While) assign(k_.blocks[i.blocks[0]].params[r], shape(param));
      assign(result(v, r), shape(param));
    }
  }
  Id result(Id v, size_t r) const { return plan_.results[v][r]; }

  void loop(Id v, Context c) {
    const Inst& i = k_.insts[v];
    const Shape lo = shape(i.args[0]), hi = shape(i.args[1]);
    const bool same_trips = lo == hi && !lo.varying && lo.known;
    mark(plan_.divergent, v, !same_trips);
    assign(k_.blocks[i.blocks[0]].params[0], i.imm > 0 ? lo : hi);
    carries(v, 2, 1, plan_.divergent[v]);
    block(i.blocks[0], {c.lanes, c.divergence + (plan_.divergent[v] ? 1 : 0)});
    carries(v, 2, 1, plan_.divergent[v]);
  }

  void loop_while(Id v, Context c) {
    const Inst& i = k_.insts[v];
    carries(v, 0, 0, plan_.divergent[v]);
    const Context inside{c.lanes, c.divergence + (plan_.divergent[v] ? 1 : 0)};
    block(i.blocks[0], inside);
    mark(plan_.divergent, v, !shape(k_.blocks[i.blocks[0]].yields[0]).uniform());
    block(i.blocks[1], inside);
    carries(v, 0, 0, plan_.divergent[v]);
  }

  void fold(Id v, Context c) {
    const Inst& i = k_.insts[v];
    const Id param = k_.blocks[i.blocks[0]].params[0];
    const bool lanes = plan_.mode == Mode::inner && !c.lanes && i.imm == 0;
    mark(plan_.in_lanes, v, lanes);
    mark(plan_.divergent, v, !lanes && !shape(i.args[0]).uniform());
    assign(param, lanes ? Shape{false, true, 1} : uniform_shape);
    block(i.blocks[0], {c.lanes || lanes, c.divergence + (plan_.divergent[v] || lanes ? 1 : 0)});
    bool same = !plan_.divergent[v];
    for (size_t r = 0; r < i.kinds.size(); ++r)
      same = same && shape(i.args[r + 1]).uniform() &&
             (lanes || shape(k_.blocks[i.blocks[0]].yields[r]).uniform());
    for (Id r : plan_.results[v]) assign(r, same ? uniform_shape : varying_shape);
  }

  void for_each(Id v, Context c) {
    const Inst& i = k_.insts[v];
    const bool lanes = plan_.mode == Mode::inner && !c.lanes;
    mark(plan_.in_lanes, v, lanes);
    mark(plan_.divergent, v, !lanes && !shape(i.args[0]).uniform());
    assign(k_.blocks[i.blocks[0]].params[0], lanes ? Shape{false, true, 1} : uniform_shape);
    block(i.blocks[0], {c.lanes || lanes, c.divergence + (plan_.divergent[v] || lanes ? 1 : 0)});
  }

  void branch(Id v, Context c) {
    const Inst& i = k_.insts[v];
    mark(plan_.divergent, v, !shape(i.args[0]).uniform());
    const bool divergent = plan_.divergent[v];
    for (BlockId b : i.blocks) block(b, {c.lanes, c.divergence + (divergent ? 1 : 0)});
    for (size_t r = 0; r < i.kinds.size(); ++r) {
      const Id yes = k_.blocks[i.blocks[0]].yields[r], no = k_.blocks[i.blocks[1]].yields[r];
      Shape s = varying_shape;
      if (!divergent) s = join(shape(yes), shape(no));
      assign(result(v, r), s);
    }
  }

  // An index that stays while the last axis runs.
  bool outer(int64_t axis) const { return k_.rank == 2 && axis == 0 && plan_.mode != Mode::refill; }
  int level(Id v) const {
    const Inst& i = k_.insts[v];
    switch (i.op) {
      case Opcode::Const:
      case Opcode::Extent: return 0;
      case Opcode::Index: return outer(i.imm) ? 1 : 2;
      case Opcode::Store:
      case Opcode::Local:
      case Opcode::LocalLoad:
      case Opcode::LocalStore: return 2;
      case Opcode::Load:
        if (k_.buffers[i.imm].written) return 2;
        break;
      default: break;
    }
    int l = 0;
    for (Id a : i.args) l = std::max(l, plan_.level[a]);
    for (BlockId b : i.blocks) l = std::max(l, block_level(b));
    return l;
  }
  // Of a structured instruction: that of what it reads from the top block, if it has no effects.
  int block_level(BlockId b) const {
    int l = 0;
    for (Id v : k_.blocks[b].body) {
      const Inst& i = k_.insts[v];
      if (i.op == Opcode::Param) continue;
      if (i.op == Opcode::Index && !outer(i.imm)) return 2;
      if (i.op == Opcode::Index) l = std::max(l, 1);
      if (i.op >= Opcode::Store && i.op <= Opcode::LocalStore) return 2;
      if (i.op == Opcode::Load && k_.buffers[i.imm].written) return 2;
      for (Id a : i.args)
        if (k_.insts[a].home == 0) l = std::max(l, plan_.level[a]);
      for (BlockId inner : i.blocks) l = std::max(l, block_level(inner));
    }
    for (Id y : k_.blocks[b].yields)
      if (k_.insts[y].home == 0) l = std::max(l, plan_.level[y]);
    return l;
  }

  const Kernel& k_;
  Plan plan_;
  std::vector<char> set_;
  std::vector<int> home_divergence_;
  std::vector<char> local_lanes_;
  bool changed_ = false;
};

}  // namespace

Plan plan_kernel(const Kernel& k, Mode mode) { return Analysis(k, mode).run(); }

}  // namespace weft::compiler
