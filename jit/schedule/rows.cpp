// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/rows.cpp: numbers the values of the loops over a row so that equal values have equal
// numbers. It then searches the operands of each loop for values that an earlier loop computed.
#include "jit/schedule/rows.h"

#include <algorithm>
#include <tuple>

#include "core/loops/combine.h"
#include "jit/schedule/loops.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {

class Finder {
 public:
  Finder(const Kernel& k, const Divergence& d, int threads)
      : k_(k), d_(d), threads_(threads), same_(k.insts.size()) {
    for (size_t v = 0; v < same_.size(); ++v) same_[v] = static_cast<Id>(v);
  }

  RowValues run() {
    const std::vector<Id> loops = loops_in_order();
    for (size_t n = 0; n < loops.size(); ++n) look_at(loops[n], n);
    for (const auto& [first, last] : last_) restore(first);
    for (size_t n = 0; n < loops.size(); ++n) {
      if (!takes_part_.contains(n)) continue;
      found_.loops.push_back(loops[n]);
      found_.turns = std::max(found_.turns, (terms(loops[n]) + threads_ - 1) / threads_);
    }
    found_.words = found_.turns * max_words(loops.size());
    return std::move(found_);
  }

 private:
  const Inst& inst(Id v) const { return k_.insts[v]; }
  const nest::Block& block(BlockId b) const { return k_.blocks[b]; }
  int64_t terms(Id loop) const { return static_cast<int64_t>(inst(inst(loop).args[0]).imm); }

  // Returns the outermost loops of known trip count that threads share, in the order of emission.
  std::vector<Id> loops_in_order() const {
    const std::vector<char> shared = partitionable_loops(k_);
    std::vector<Id> out;
    for (const Id v : block(0).body)
      if (shared[v] && inst(inst(v).args[0]).op == Opcode::Const && terms(v) > 0) out.push_back(v);
    std::ranges::stable_sort(out, {}, [&](Id v) { return d_.level[v]; });
    return out;
  }

  // Analyses the nth loop.
  void look_at(Id loop, size_t n) {
    const BlockId body = inst(loop).blocks[0];
    const auto [first, fresh] = index_.try_emplace(terms(loop), block(body).params[0]);
    same_[block(body).params[0]] = first->second;
    for (const Id v : block(body).body) number(v, n);
    std::set<Id> reached;
    const auto need = [&](Id v) { reach(v, n, body, &reached); };
    for (const Id v : block(body).body)
      if (has_effect(v)) need(v);
    for (const Id y : block(body).yields) need(y);
    for (const Id v : block(body).body)
      if (!reached.contains(v) && inst(v).op != Opcode::Param) found_.spared.insert(v);
  }

  // Finds the first value of the loops so far to which v is equal.
  void number(Id v, size_t n) {
    const Inst& i = inst(v);
    const bool plain = i.op < Opcode::Store && i.op != Opcode::Param && i.op != Opcode::Result &&
                       !(i.op == Opcode::Load && k_.buffers[i.imm].written);
    made_in_[v] = n;
    if (!plain) return;
    std::vector<Id> args;
    for (const Id a : i.args) args.push_back(same_[a]);
    const auto [it, fresh] = known_.try_emplace({i.op, i.kind, i.imm, args}, v);
    same_[v] = it->second;
    bool reads = i.op == Opcode::Load;
    for (const Id a : args) reads = reads || of_memory_.contains(a);
    if (reads) of_memory_.insert(it->second);
  }

  bool has_effect(Id v) const {
    const auto stores = [](const Inst& i) {
      return i.op == Opcode::Store || i.op == Opcode::LocalStore;
    };
    const Inst& i = inst(v);
    return stores(i) ||
           std::ranges::any_of(i.blocks, [&](BlockId b) { return any_inst(k_, b, stores); });
  }

  // Collects the instructions that compute v in the nth loop, up to values that are kept.
  void reach(Id v, size_t n, BlockId body, std::set<Id>* reached) {
    const Inst& i = inst(v);
    if (i.home != body) {  // inside an inner block of the body, or before the loop
      bool inside = false;
      for (BlockId b = i.home; b > 0; b = block(b).parent) inside = inside || b == body;
      if (!inside) return;
    }
    if (!reached->insert(v).second) return;
    const Id first = same_[v];
    if (i.home == body && first != v && made_in_.at(first) < n && of_memory_.contains(first)) {
      found_.kept[v] = found_.kept[first] = first;
      takes_part_.insert(made_in_.at(first));
      takes_part_.insert(n);
      last_[first] = n;
      return;
    }
    for (const Id a : i.args) reach(a, n, body, reached);
    for (const BlockId b : i.blocks) {
      for (const Id x : block(b).body) reach(x, n, body, reached);
      for (const Id y : block(b).yields) reach(y, n, body, reached);
    }
  }

  // A kept value must be computed, even if its loop does not need it otherwise.
  void restore(Id v) {
    if (!found_.spared.erase(v)) return;
    for (const Id a : inst(v).args) restore(a);
  }

  // Returns the words of one turn that are kept between one loop and the next.
  int64_t max_words(size_t loops) const {
    int64_t most = 0;
    for (size_t n = 0; n < loops; ++n) {
      int64_t words = 0;
      for (const auto& [first, last] : last_)
        if (made_in_.at(first) <= n && n < last)
          words += inst(first).kind == Kind::F64 || inst(first).kind == Kind::I64 ? 2 : 1;
      most = std::max(most, words);
    }
    return most;
  }

  const Kernel& k_;
  const Divergence& d_;
  const int64_t threads_;
  RowValues found_;
  std::vector<Id> same_;          // by value: the first that is equal to it
  std::map<int64_t, Id> index_;   // by trip count
  std::map<Id, size_t> made_in_;  // by value of a body: its loop
  std::map<std::tuple<Opcode, Kind, int64_t, std::vector<Id>>, Id> known_;
  std::set<Id> of_memory_;
  std::set<size_t> takes_part_;
  std::map<Id, size_t> last_;  // by kept value: the last loop that reuses it
};

}  // namespace

RowValues row_values(const Kernel& k, const Divergence& d, int threads) {
  return Finder(k, d, threads).run();
}

bool rows_by_blocks(const Kernel& k) {
  const std::vector<char> shared = partitionable_loops(k);
  const auto at = [&](Id v) -> const Inst& { return k.insts[v]; };
  bool ok = std::ranges::count(shared, 1) > 0;
  for (const nest::Block& b : k.blocks)
    for (const Id v : b.body) {
      if (!is_loop(at(v))) continue;
      const bool of_folds = at(v).op == Opcode::Fold && at(v).imm != 0;
      const bool dealt = shared[v] && at(at(v).args[0]).op == Opcode::Const &&
                         !any_inst(k, at(v).blocks[0], is_loop);
      ok = ok && (of_folds || dealt);
    }
  return ok;
}

int64_t longest_row(const Kernel& k) {
  const std::vector<char> shared = partitionable_loops(k);
  int64_t most = 0;
  for (size_t v = 0; v < shared.size(); ++v)
    if (shared[v]) most = std::max(most, k.insts[k.insts[v].args[0]].imm);
  return most;
}

int64_t kind_bytes(Kind k) {
  switch (k) {
    case Kind::F64:
    case Kind::I64: return 8;
    case Kind::I16: return 2;
    case Kind::I8:
    case Kind::Mask: return 1;
    default: return 4;
  }
}

std::vector<Kind> term_kinds(const Inst& fold) {
  std::vector<Kind> out;
  for (size_t r = 0; r < fold.kinds.size(); ++r)
    out.insert(out.end(), nest::values_of_term(fold.fold[r]), fold.kinds[r]);
  return out;
}

namespace {
template <class F>
int64_t max_of_folds(const Kernel& k, F&& bytes) {
  const std::vector<char> shared = partitionable_loops(k);
  int64_t most = 0;
  for (size_t v = 0; v < shared.size(); ++v)
    if (shared[v] && k.insts[v].op == Opcode::Fold) most = std::max(most, bytes(k.insts[v]));
  return most;
}
constexpr int64_t result_room = 16;
}  // namespace

int64_t result_bytes(const Kernel& k) {
  return max_of_folds(
      k, [](const Inst& i) { return result_room * static_cast<int64_t>(i.kinds.size()); });
}

int64_t row_bytes(const Kernel& k) {
  return result_bytes(k) + max_of_folds(k, [&](const Inst& i) {
           int64_t bytes = 0;
           for (const Kind kind : term_kinds(i))
             bytes += k.insts[i.args[0]].imm * kind_bytes(kind) + result_room;
           return bytes;
         });
}

}  // namespace weft::compiler
