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
      : k_(k), d_(d), limits_(limits), s_(s) {}

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
    const bool arrays = any_inst(k_, body, [](const Inst& x) {
      return x.op == Opcode::LocalLoad || x.op == Opcode::LocalStore;
    });
    const int64_t most = arrays ? left_ : std::min(limits_.unrolled_without_arrays, left_);
    return size(v, lo, hi, most) <= most;
  }
  // Returns the instructions that the trips of a loop, or a block, would become. It stops counting
  // above `most`. Loops of unknown trip count are counted four times.
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
      for (BlockId inner : i.blocks) n += (i.op == Opcode::For ? 4 : 1) * size(inner, most - n);
    }
    return n;
  }

  const Kernel& k_;
  const Divergence& d_;
  const Limits& limits_;
  const Schedule& s_;
  int64_t left_ = 0;  // instructions that may still be added
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
