// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/aliasing.cpp: proves from the loads and stores of a nest which results may share
// memory.
#include "jit/nests/aliasing.h"

#include <algorithm>
#include <set>

namespace weft::compiler {
namespace {

using nest::BlockId;
using nest::Id;
using nest::Inst;
using nest::Opcode;

struct Access {
  Id index;
  int position;   // among all instructions, in order
  BlockId block;  // the body of the top-level loop that contains it; 0: none
  Id loop;        // that loop, an instruction of the top block
};
struct Accesses {
  std::vector<Access> loads, stores;  // in order
};

class Overlap {
 public:
  Overlap(const KernelNest& n, const KernelPlan& plan)
      : k_(n.kernel), of_(n.buffers.size()), begins_(n.kernel.insts.size(), 0) {
    for (int64_t extent : plan.grid) points_ *= extent;
    if (!k_.blocks.empty()) walk(0, 0, nest::no_id);
  }
  // Returns true if `out`, whose `numbers` elements the kernel writes completely, may overwrite
  // `in`.
  bool may(size_t out, size_t in, int64_t numbers) const {
    const Accesses &w = of_[out], &r = of_[in];
    // In a grid of one point, code that depends on the point may run in another order than the
    // nest's.
    if (points_ == 1 && k_.rank > 0) return false;
    if (w.stores.empty() || !w.loads.empty() || !r.stores.empty() || r.loads.empty()) return false;
    const Access& first = w.stores.front();
    std::set<Id> written;
    for (const Access& s : w.stores)
      if (s.block != first.block || !written.insert(s.index).second || !unconditional(s, out))
        return false;
    // If there are as many writes as elements, one point writes each of them once, in one trip.
    const int64_t trips = first.block ? trips_of(first.loop) : 1;
    if (trips < 0 || points_ * trips * static_cast<int64_t>(written.size()) != numbers)
      return false;
    return std::all_of(r.loads.begin(), r.loads.end(), [&](const Access& l) {
      if (l.position > first.position) return false;
      if (l.block == first.block || !first.block) return written.count(l.index) > 0;
      return trips_of(l.loop) == trips && same_for_all(l, first, written);
    });
  }

 private:
  const Inst& inst(Id v) const { return k_.insts[v]; }

  // Numbers the instructions of block b. `body` is the block of a top-level loop that contains it.
  void walk(BlockId b, BlockId body, Id loop) {
    for (Id v : k_.blocks[b].body) {
      const Inst& i = inst(v);
      begins_[v] = ++position_;
      if (i.op == Opcode::Load || i.op == Opcode::Store) {
        Accesses& a = of_[i.imm];
        (i.op == Opcode::Load ? a.loads : a.stores).push_back({i.args[0], position_, body, loop});
      }
      for (BlockId inner : i.blocks) walk(inner, b == 0 ? inner : body, b == 0 ? v : loop);
    }
  }
  // Returns true for a store in the top block, or in the body of a top-level loop of independent
  // trips.
  bool unconditional(const Access& s, size_t out) const {
    const auto& body = k_.blocks[s.block].body;
    return (!s.block || inst(s.loop).op == Opcode::ForEach) &&
           std::any_of(body.begin(), body.end(), [&](Id v) {
             return inst(v).op == Opcode::Store && inst(v).args[0] == s.index &&
                    inst(v).imm == static_cast<int64_t>(out);
           });
  }
  // Returns the constant trip count of a fold or for_each, or -1. Their parameter counts from 0 up.
  int64_t trips_of(Id loop) const {
    if (loop == nest::no_id) return -1;
    const Inst& i = inst(loop);
    if (i.op != Opcode::Fold && i.op != Opcode::ForEach) return -1;
    const Inst& n = inst(i.args[0]);
    return n.op == Opcode::Const ? n.imm : -1;
  }
  // Returns true if a load of an earlier loop reads the elements that the trips of the storing loop
  // write. Its index must equal one of `written` with the load's trip number substituted.
  bool same_for_all(const Access& l, const Access& first, const std::set<Id>& written) const {
    if (begins_[l.loop] >= begins_[first.loop]) return false;
    const Id mine = k_.blocks[l.block].params[0], other = k_.blocks[first.block].params[0];
    return std::any_of(written.begin(), written.end(), [&](Id w) {
      int budget = 200;
      return equal(l.index, w, mine, other, &budget);
    });
  }
  // Returns true if the expressions are equal, where `mine` in a corresponds to `other` in b.
  bool equal(Id a, Id b, Id mine, Id other, int* budget) const {
    if (a == mine || b == other) return a == mine && b == other;
    if (a == b && !depends(a, mine, budget) && !depends(a, other, budget)) return true;
    const Inst &x = inst(a), &y = inst(b);
    if (--*budget < 0 || x.op != y.op || x.kind != y.kind || x.imm != y.imm || !pure(x) ||
        x.args.size() != y.args.size() || x.args.empty())
      return false;
    for (size_t i = 0; i < x.args.size(); ++i)
      if (!equal(x.args[i], y.args[i], mine, other, budget)) return false;
    return true;
  }
  bool depends(Id a, Id on, int* budget) const {
    if (a == on || --*budget < 0) return true;
    const Inst& i = inst(a);
    if (!pure(i)) return true;
    return std::any_of(i.args.begin(), i.args.end(), [&](Id x) { return depends(x, on, budget); });
  }
  // Returns true for arithmetic and indices of the point: no memory, no other loop.
  static bool pure(const Inst& i) {
    return i.blocks.empty() && i.op != Opcode::Load && i.op != Opcode::LocalLoad &&
           i.op != Opcode::Param && i.op != Opcode::Result && i.op != Opcode::Local &&
           i.op != Opcode::Store && i.op != Opcode::LocalStore;
  }

  const nest::Kernel& k_;
  std::vector<Accesses> of_;  // by buffer
  std::vector<int> begins_;   // by instruction: its position
  int position_ = 0;
  int64_t points_ = 1;
};

}  // namespace

std::vector<std::pair<int32_t, int32_t>> aliases(const KernelNest& n, const KernelPlan& k,
                                                 const JaxprData& j) {
  std::vector<std::pair<int32_t, int32_t>> pairs;
  const Overlap overlap(n, k);
  for (size_t out = 0; out < n.buffers.size(); ++out) {
    const int32_t v = n.buffers[out].var;
    if (!n.buffers[out].written || std::count(k.zeroed.begin(), k.zeroed.end(), v) ||
        std::ranges::count(k.updated, v, &UpdatedOutput::result))
      continue;
    const Type& t = j.types[v];
    const int64_t numbers = t.elements() * components(t.dtype());
    for (size_t in = 0; in < n.buffers.size(); ++in) {
      const Type& u = j.types[n.buffers[in].var];
      if (n.buffers[in].written || u.dtype() != t.dtype() || u.elements() != t.elements()) continue;
      if (overlap.may(out, in, numbers)) pairs.emplace_back(v, n.buffers[in].var);
    }
  }
  return pairs;
}

}  // namespace weft::compiler
