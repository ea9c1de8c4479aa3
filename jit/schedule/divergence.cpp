// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/divergence.cpp: the divergence analysis. Variances start at the bottom (unset) and
// only rise (linear, varying). The whole kernel is visited repeatedly until nothing changes.
#include "jit/schedule/divergence.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/loops/strides.h"
#include "jit/schedule/loops.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

int64_t weight(const Kernel& k, BlockId b) {
  int64_t n = 0;
  for (Id v : k.blocks[b].body) {
    ++n;
    const Inst& i = k.insts[v];
    for (size_t s = is_cold(i) ? 1 : 0; s < i.blocks.size(); ++s) n += weight(k, i.blocks[s]);
  }
  return n;
}

namespace {

// Returns true if a for_each leaves the vectors to the folds inside it: its iterations read memory
// that is far apart, but the terms of those folds read contiguous memory.
bool leaves_vectors_to_folds(const Kernel& k, Id v) {
  const Inst& each = k.insts[v];
  if (each.op != Opcode::ForEach) return false;
  const auto along = [&](const Inst& loop) {
    return nest::Along{.index = k.blocks[loop.blocks[0]].params[0], .block = loop.blocks[0]};
  };
  const auto far = [&](Id at, const nest::Along& index) {
    const std::optional<int64_t> n = nest::stride_along(k, at, index);
    return !n || !nest::at_most(*n, 1);
  };
  const nest::Along elements = along(each);
  int strided = 0;  // loads that are far apart along the elements, minus those that are far apart
                    // along the terms
  const auto visit = [&](const auto& self, BlockId b, const nest::Along* terms) -> void {
    for (Id u : k.blocks[b].body) {
      const Inst& i = k.insts[u];
      if (terms && (i.op == Opcode::Load || i.op == Opcode::LocalLoad)) {
        const Id at = i.args[i.op == Opcode::Load ? 0 : 1];
        strided += far(at, elements) - far(at, *terms);
      }
      if (i.op == Opcode::Fold && i.imm == 0 && !is_short_fold(k, i)) {
        const nest::Along own = along(i);
        self(self, i.blocks[0], &own);
        continue;
      }
      for (BlockId inner : i.blocks) self(self, inner, terms);
    }
  };
  visit(visit, each.blocks[0], nullptr);
  return strided > 0;
}

struct Context {
  bool vectorized = false;  // code here runs in vectors
  int divergence = 0;       // the number of enclosing divergent structured instructions
};

class Analysis {
 public:
  Analysis(const Kernel& kernel, Mode mode) : k_(kernel) {
    const size_t n = k_.insts.size();
    divergence_.mode = mode;
    divergence_.variance.resize(n);
    divergence_.divergent.resize(n);
    divergence_.vectorized.resize(n);
    divergence_.per_element.resize(n);
    divergence_.level.assign(n, 2);
    divergence_.results.resize(n);
    set_.resize(n);
    home_divergence_.resize(n);
    local_vectorized_.resize(n);
    read_.resize(n);
    for (const Inst& i : k_.insts)
      for (Id a : i.args) read_[a] = read_[a] || i.op != Opcode::Result;
    for (const nest::Block& b : k_.blocks)
      for (Id y : b.yields) read_[y] = 1;
    for (size_t v = 0; v < n; ++v) {
      if (k_.insts[v].op == Opcode::Result)
        divergence_.results[k_.insts[v].args[0]].push_back(static_cast<Id>(v));
      leaves_vectors_.push_back(mode == Mode::inner &&
                                leaves_vectors_to_folds(k_, static_cast<Id>(v)));
    }
  }

  Divergence run() {
    do {
      changed_ = false;
      block(0, {divergence_.mode == Mode::grid || divergence_.mode == Mode::refill, 0});
    } while (changed_);
    for (Id v : k_.blocks[0].body) divergence_.level[v] = level(v);
    if (divergence_.mode == Mode::grid) load_where_read();
    return std::move(divergence_);
  }

 private:
  void raise(Id v, Variance s) {
    if (set_[v]) s = join(divergence_.variance[v], s);
    if (set_[v] && s == divergence_.variance[v]) return;
    set_[v] = changed_ = true;
    divergence_.variance[v] = s;
  }
  // A run-time stride joins only with itself. The variance of an instruction is replaced, not
  // joined.
  void assign(Id v, const Variance& s) {
    if (set_[v] && divergence_.variance[v].varying) return;
    if (set_[v] && s == divergence_.variance[v]) return;
    set_[v] = changed_ = true;
    divergence_.variance[v] = s;
  }
  void mark(std::vector<char>& flags, Id v, bool on) {
    if (on && !flags[v]) flags[v] = changed_ = true;
  }
  const Variance& variance(Id v) const { return divergence_.variance[v]; }

  Variance index(int64_t axis) const {
    if (divergence_.mode == Mode::refill) return varying_value;
    if (divergence_.mode == Mode::grid && axis == k_.rank - 1) return {false, true, 1};
    return uniform_value;
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
      case Opcode::Extent: return assign(v, uniform_value);
      case Opcode::Index: return assign(v, index(i.imm));
      case Opcode::Load:
        return assign(v, variance(i.args[0]).uniform() ? uniform_value : varying_value);
      case Opcode::Store: return;
      case Opcode::Local:
        home_divergence_[v] = c.divergence;
        local_vectorized_[v] = c.vectorized;
        return assign(v, uniform_value);
      case Opcode::LocalLoad: {
        const bool same = !divergence_.per_element[i.args[0]] && variance(i.args[1]).uniform();
        return assign(v, same ? uniform_value : varying_value);
      }
      case Opcode::LocalStore: {
        const Id l = i.args[0];
        const bool same = variance(i.args[1]).uniform() && variance(i.args[2]).uniform() &&
                          home_divergence_[l] == c.divergence;
        return mark(divergence_.per_element, l, local_vectorized_[l] && !same);
      }
      case Opcode::For: return loop(v, c);
      case Opcode::Fold:
      case Opcode::ForEach: return iterations(v, c);
      case Opcode::While: return loop_while(v, c);
      case Opcode::If: return branch(v, c);
      default: return assign(v, variance_of(k_, i, [this](Id a) { return variance(a); }));
    }
  }

  // Raises the variance of a loop's carries. After a divergent loop a carry that changes differs
  // between elements, because they leave at different trips. In its trips a counter is the same for
  // all elements that run, so that it is one scalar if nothing reads it after the loop.
  void carries(Id v, size_t first_arg, size_t first_param, bool divergent) {
    const Inst& i = k_.insts[v];
    const nest::Block& body = k_.blocks[i.blocks.back()];
    for (size_t r = 0; r < i.kinds.size(); ++r) {
      const Id param = body.params[first_param + r], next = body.yields[r];
      const bool same = next == param;
      Variance s = variance(i.args[first_arg + r]);
      const bool differs = divergent && (read_[result(v, r)] || divergence_.mode == Mode::refill ||
                                         !s.uniform() || (set_[next] && !variance(next).uniform()));
      // A run-time stride is a value in one place, so only an unchanged carry keeps it.
      if (!same && (differs || (!s.varying && !s.known))) s = varying_value;
      raise(param, s);
      if (!same && set_[next])
        raise(param,
              variance(next).known || variance(next).varying ? variance(next) : varying_value);
      if (i.op == Opcode::While) assign(k_.blocks[i.blocks[0]].params[r], variance(param));
      assign(result(v, r), variance(param));
    }
  }
  Id result(Id v, size_t r) const { return divergence_.results[v][r]; }

  void loop(Id v, Context c) {
    const Inst& i = k_.insts[v];
    const Variance lo = variance(i.args[0]), hi = variance(i.args[1]);
    const bool same_trips = lo == hi && !lo.varying && lo.known;
    mark(divergence_.divergent, v, !same_trips);
    assign(k_.blocks[i.blocks[0]].params[0], i.imm > 0 ? lo : hi);
    carries(v, 2, 1, divergence_.divergent[v]);
    block(i.blocks[0], {c.vectorized, c.divergence + (divergence_.divergent[v] ? 1 : 0)});
    carries(v, 2, 1, divergence_.divergent[v]);
  }

  void loop_while(Id v, Context c) {
    const Inst& i = k_.insts[v];
    carries(v, 0, 0, divergence_.divergent[v]);
    const Context inside{c.vectorized, c.divergence + (divergence_.divergent[v] ? 1 : 0)};
    block(i.blocks[0], inside);
    mark(divergence_.divergent, v, !variance(k_.blocks[i.blocks[0]].yields[0]).uniform());
    block(i.blocks[1], inside);
    carries(v, 0, 0, divergence_.divergent[v]);
  }

  // Visits folds and for_eachs. All elements make the same number of iterations.
  void iterations(Id v, Context c) {
    const Inst& i = k_.insts[v];
    const bool vectorized =
        divergence_.mode == Mode::inner && !c.vectorized && i.imm == 0 && !leaves_vectors_[v];
    mark(divergence_.vectorized, v, vectorized);
    assign(k_.blocks[i.blocks[0]].params[0], vectorized ? Variance{false, true, 1} : uniform_value);
    block(i.blocks[0], {c.vectorized || vectorized, c.divergence + (vectorized ? 1 : 0)});
    bool same = true;
    for (size_t a = 1; a < i.args.size(); ++a) same = same && variance(i.args[a]).uniform();
    for (Id y : k_.blocks[i.blocks[0]].yields) same = same && (vectorized || variance(y).uniform());
    for (Id r : divergence_.results[v]) assign(r, same ? uniform_value : varying_value);
  }

  void branch(Id v, Context c) {
    const Inst& i = k_.insts[v];
    mark(divergence_.divergent, v, !variance(i.args[0]).uniform());
    const bool divergent = divergence_.divergent[v];
    for (BlockId b : i.blocks) block(b, {c.vectorized, c.divergence + (divergent ? 1 : 0)});
    for (size_t r = 0; r < i.kinds.size(); ++r) {
      const Id yes = k_.blocks[i.blocks[0]].yields[r], no = k_.blocks[i.blocks[1]].yields[r];
      Variance s = varying_value;
      if (!divergent) s = join(variance(yes), variance(no));
      assign(result(v, r), s);
    }
  }

  // True for an index that is constant while the last axis runs.
  bool outer(int64_t axis) const {
    return k_.rank == 2 && axis == 0 && divergence_.mode != Mode::refill;
  }
  // Returns the level by the instruction, the top-block values that it reads, and the contents of
  // its blocks.
  int level(Id v) const {
    const Inst& i = k_.insts[v];
    if (i.op >= Opcode::Store && i.op <= Opcode::LocalStore) return 2;
    if (i.op == Opcode::Load && k_.buffers[i.imm].written) return 2;
    int l = 0;
    if (i.op == Opcode::Index) l = outer(i.imm) ? 1 : 2;
    const auto read = [&](Id a) {
      if (k_.insts[a].home == 0) l = std::max(l, divergence_.level[a]);
    };
    for (Id a : i.args) read(a);
    for (BlockId b : i.blocks) {
      for (Id inner : k_.blocks[b].body) l = std::max(l, level(inner));
      for (Id y : k_.blocks[b].yields) read(y);
    }
    return l;
  }
  // Calls f for each value that an instruction or its blocks read.
  template <class F>
  void visit_reads(Id v, const F& f) const {
    for (Id a : k_.insts[v].args) f(a);
    for (BlockId b : k_.insts[v].blocks) {
      for (Id inner : k_.blocks[b].body) visit_reads(inner, f);
      for (Id y : k_.blocks[b].yields) f(y);
    }
  }

  // Registers cannot hold many values that all points share. Vectors of them would be stored, and
  // loaded again for each vector of points. An instruction that reads the element from memory has
  // no cost. So loads that only points read are left to the points.
  void load_where_read() {
    constexpr size_t registers = 32;
    constexpr int64_t converted_below = 4;         // bytes; narrow elements take instructions
    std::vector<char> shared(k_.insts.size(), 0);  // values that are computed before the points
    for (Id v : k_.blocks[0].body)
      shared[v] = k_.insts[v].op == Opcode::Load && divergence_.level[v] < 2 &&
                  element_bytes(k_, v) >= converted_below;
    for (Id v : k_.blocks[0].body)
      if (divergence_.level[v] < 2) visit_reads(v, [&](Id a) { shared[a] = 0; });
    if (static_cast<size_t>(std::ranges::count(shared, 1)) <= registers) return;
    for (Id v : k_.blocks[0].body)
      if (shared[v]) divergence_.level[v] = 2;
  }

  const Kernel& k_;
  Divergence divergence_;
  std::vector<char> set_, read_;
  std::vector<char> leaves_vectors_;  // by ForEach
  std::vector<int> home_divergence_;
  std::vector<char> local_vectorized_;
  bool changed_ = false;
};

}  // namespace

Divergence analyse_divergence(const Kernel& k, Mode mode) { return Analysis(k, mode).run(); }

}  // namespace weft::compiler
