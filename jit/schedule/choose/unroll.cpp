// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/unroll.cpp: chooses the loops of constant trip count to unroll. It visits a
// kernel in the order of emission and counts the instructions that unrolling adds.
#include <algorithm>
#include <set>

#include "jit/schedule/choose/parts.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {

class Unroller {
 public:
  Unroller(const Kernel& k, const Divergence& d, const Limits& limits, const Schedule& s)
      : k_(k), d_(d), limits_(limits), s_(s), constant_(k.insts.size(), Known::unknown) {
    find_register_arrays();
  }

  // A loop is unrolled everywhere it is emitted, or nowhere.
  std::vector<Id> run() {
    do {
      unrolled_.clear();
      again_ = false;
      go_through();
    } while (again_);
    return {unrolled_.begin(), unrolled_.end()};
  }

 private:
  void go_through() {
    left_ = limits_.unrolled;
    level(0);
    if (s_.mode == Mode::refill) {
      const RefillParts parts = refill_parts(k_, d_, s_.refill);
      for (Id v : parts.epilogue) inst(v);
      for (Id v : parts.prologue) inst(v);
      for (BlockId b : k_.insts[s_.refill].blocks) block(b);
      return;
    }
    level(1);
    left_ = limits_.unrolled;
    level(2);
  }
  void level(int n) {
    for (Id v : k_.blocks[0].body)
      if (d_.level[v] == n) inst(v);
  }
  void block(BlockId b) {
    for (Id v : k_.blocks[b].body) inst(v);
  }
  void inst(Id v) {
    const Inst& i = k_.insts[v];
    if (i.op == Opcode::For && !d_.divergent[v]) return loop(v);
    for (BlockId b : i.blocks) block(b);
  }

  void loop(Id v) {
    const Inst& i = k_.insts[v];
    const nest::Block& body = k_.blocks[i.blocks[0]];
    int64_t lo = 0, hi = 0;
    const bool pays = constant_value(k_, i.args[0], known_, &lo) &&
                      constant_value(k_, i.args[1], known_, &hi) &&
                      d_.variance[body.params[0]].uniform() && worth(v, lo, hi);
    if (!pays || refused_.count(v)) {
      again_ = again_ || unrolled_.erase(v);
      refused_.insert(v);
      return block(i.blocks[0]);
    }
    unrolled_.insert(v);
    for (Id x : body.body) left_ -= is_structured(k_.insts[x].op) ? 0 : hi - lo;
    for (int64_t t = lo; t < hi; ++t) {
      known_[body.params[0]] = t;
      block(i.blocks[0]);
    }
    known_.erase(body.params[0]);
  }
  bool worth(Id v, int64_t lo, int64_t hi) {
    if (hi - lo < 1 || hi - lo > limits_.unrolled_trips) return false;
    const BlockId body = k_.insts[v].blocks[0];
    bool registers = false, memory = false;
    any_inst(k_, body, [&](const Inst& x) {
      if (is_access(x)) (in_registers_[x.args[0]] ? registers : memory) = true;
      return registers;
    });
    const int64_t most = std::min(
        left_, registers ? limits_.unrolled
                         : (memory ? limits_.unrolled_in_memory : limits_.unrolled_without_arrays));
    return size(v, lo, hi, most) <= most;
  }
  static bool is_access(const Inst& i) {
    return i.op == Opcode::LocalLoad || i.op == Opcode::LocalStore;
  }
  // An array can become registers if all of its indices are constant once loops are unrolled. One
  // that a loop over elements or terms reads stays in memory.
  void find_register_arrays() {
    in_registers_.assign(k_.insts.size(), 1);
    for (const Inst& i : k_.insts)
      if (is_access(i) && !may_be_constant(i.args[1])) in_registers_[i.args[0]] = 0;
  }
  // Instructions come after their arguments, so that the recursion ends.
  bool may_be_constant(Id v) {
    if (constant_[v] == Known::unknown)
      constant_[v] = index_may_be_constant(v) ? Known::yes : Known::no;
    return constant_[v] == Known::yes;
  }
  bool index_may_be_constant(Id v) {
    const Inst& i = k_.insts[v];
    int64_t lo = 0, hi = 0;
    switch (i.op) {
      case Opcode::Const: return true;
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Mul:
      case Opcode::SMin:
      case Opcode::SMax: return may_be_constant(i.args[0]) && may_be_constant(i.args[1]);
      case Opcode::SExt:
      case Opcode::Narrow: return may_be_constant(i.args[0]);
      case Opcode::Param: break;
      default: return false;
    }
    const nest::Block& body = k_.blocks[i.home];
    const Inst& loop = k_.insts[body.owner];
    if (body.params[0] != v) return false;
    if (loop.op == Opcode::ForEach)  // one vector is not a loop
      return d_.vectorized[body.owner] && constant_value(k_, loop.args[0], {}, &hi) &&
             hi == s_.vector_width;
    if (loop.op != Opcode::For || d_.divergent[body.owner]) return false;
    if (constant_value(k_, loop.args[0], {}, &lo) && constant_value(k_, loop.args[1], {}, &hi))
      return hi - lo <= limits_.unrolled_trips;
    return may_be_constant(loop.args[0]) && may_be_constant(loop.args[1]);
  }

  // Returns the instructions that the trips of a loop, or a block, would become. It stops counting
  // above `most`. Loops of unknown trip count are counted four times, and long folds once for each
  // partial result.
  int64_t size(Id v, int64_t lo, int64_t hi, int64_t most) {
    const nest::Block& body = k_.blocks[k_.insts[v].blocks[0]];
    int64_t n = 0;
    for (int64_t t = lo; t < hi && n <= most; ++t) {
      known_[body.params[0]] = t;
      n += size(k_.insts[v].blocks[0], most - n);
    }
    known_.erase(body.params[0]);
    return n;
  }
  int64_t size(BlockId b, int64_t most) {
    int64_t n = 0;
    for (Id v : k_.blocks[b].body) {
      if (n > most) break;
      const Inst& i = k_.insts[v];
      n += i.op != Opcode::Param && i.op != Opcode::Result && i.op != Opcode::Const;
      int64_t lo = 0, hi = 0;
      if (i.op == Opcode::For && constant_value(k_, i.args[0], known_, &lo) &&
          constant_value(k_, i.args[1], known_, &hi)) {
        n += size(v, lo, hi, most - n);
        continue;
      }
      const bool long_fold = i.op == Opcode::Fold && !is_short_fold(k_, i);
      const int64_t copies = i.op == Opcode::For ? 4 : (long_fold ? limits_.fold_registers : 1);
      for (BlockId inner : i.blocks) n += copies * size(inner, most - n);
    }
    return n;
  }

  const Kernel& k_;
  const Divergence& d_;
  const Limits& limits_;
  const Schedule& s_;
  enum class Known : uint8_t { unknown, no, yes };
  std::vector<Known> constant_;     // by value: may_be_constant
  std::vector<char> in_registers_;  // by Local: can become registers
  int64_t left_ = 0;                // instructions that may still be added
  Constants known_;
  std::set<Id> unrolled_, refused_;
  bool again_ = false;
};

}  // namespace

std::vector<Id> loops_to_unroll(const Kernel& k, const Divergence& d, const Limits& limits,
                                const Schedule& s) {
  return Unroller(k, d, limits, s).run();
}

}  // namespace weft::compiler
