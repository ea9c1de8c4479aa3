// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/sorting.cpp: the keys by which points are sorted.
#include "jit/schedule/sorting.h"

#include <algorithm>
#include <cstdlib>

#include "jit/schedule/loops.h"
#include "jit/schedule/mask_loops.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {

constexpr int64_t most_cost = 1 << 20;

// Several trips of a loop over bits are one instruction.
constexpr int64_t trips_of_bits = 16;

// Returns how often a block of a structured instruction runs when the instruction does.
int64_t trips(const Kernel& k, const Divergence& d, Id v) {
  const Inst& i = k.insts[v];
  if (i.op == Opcode::If) return 1;
  const int64_t all =
      std::clamp<int64_t>(constant_trips(k, i).value_or(unknown_trips), 0, most_cost);
  return combines_bits(k, d, v) ? (all + trips_of_bits - 1) / trips_of_bits : all;
}

// Adds f(instruction) over the block and its inner blocks, once for each trip.
template <class F>
int64_t over_trips(const Kernel& k, const Divergence& d, BlockId b, F&& f) {
  int64_t n = 0;
  for (Id v : k.blocks[b].body) {
    const Inst& i = k.insts[v];
    n += f(v);
    int64_t inner = 0;
    for (size_t s = is_cold(i) ? 1 : 0; s < i.blocks.size(); ++s)
      inner += over_trips(k, d, i.blocks[s], f);
    if (inner) n += std::min(most_cost, inner * trips(k, d, v));
  }
  return std::min(n, most_cost);
}

int64_t cost_of_inst(const Kernel& k, const Divergence& d, Id v) {
  int64_t n = 1;
  for (BlockId b : k.insts[v].blocks) n += cost_of_trips(k, d, b);
  return n;
}

// Collects what computes the conditions of branches.
class Slice {
 public:
  Slice(const Kernel& k, const Divergence& d) : k_(k), d_(d), held_(k.insts.size()) {}

  bool add(Id v) {
    const Inst& i = k_.insts[v];
    if (held_[v] || (i.home == 0 && d_.level[v] < 2)) return true;
    held_[v] = 1;
    const bool top = i.home == 0;
    switch (i.op) {
      case Opcode::Load:
        if (!top || k_.buffers[i.imm].written) return false;
        break;
      case Opcode::Result:
      case Opcode::Fold:
      case Opcode::If:
        if (!top || !contents(v)) return false;
        break;
      default:
        if (i.op >= Opcode::Load || i.op == Opcode::Param) return false;
    }
    return std::ranges::all_of(i.args, [&](Id a) { return add(a); });
  }
  std::vector<Id> insts() const {
    std::vector<Id> out;  // operands are before their readers in the order of ids
    for (Id v = 0; v < static_cast<Id>(held_.size()); ++v)
      if (held_[v]) out.push_back(v);
    return out;
  }

 private:
  // Adds what the blocks of a structured instruction read. They may only compute and read operands.
  bool contents(Id v) {
    for (BlockId b : k_.insts[v].blocks) {
      for (Id u : k_.blocks[b].body) {
        const Inst& i = k_.insts[u];
        const bool reads = i.op == Opcode::Load && !k_.buffers[i.imm].written;
        const bool inner = i.op == Opcode::Fold || i.op == Opcode::If;
        if (i.op >= Opcode::Load && !reads && !inner) return false;
        if (!std::ranges::all_of(i.args, [&](Id a) { return outside(a); }) || !contents(u))
          return false;
      }
      if (!std::ranges::all_of(k_.blocks[b].yields, [&](Id y) { return outside(y); })) return false;
    }
    return true;
  }
  bool outside(Id v) { return k_.insts[v].home != 0 || add(v); }

  const Kernel& k_;
  const Divergence& d_;
  std::vector<char> held_;
};

}  // namespace

int64_t cost_of_trips(const Kernel& k, const Divergence& d, BlockId b) {
  return over_trips(k, d, b, [](Id) { return 1; });
}

int64_t accesses_of_neighbours(const Kernel& k, const Divergence& d, BlockId b) {
  std::set<BlockId> rows = {0};
  for (const Inst& i : k.insts)
    if (is_loop(i)) rows.insert(i.blocks.begin(), i.blocks.end());
  return over_trips(k, d, b, [&](Id v) -> int64_t {
    const Inst& i = k.insts[v];
    if (i.op != Opcode::Load && i.op != Opcode::Store) return 0;
    const Variance& at = d.variance[i.args[0]];
    return at.linear() && at.known && (nest::at_most(at.stride, 2) || rows.contains(i.home));
  });
}

static int64_t accesses_of_inst(const Kernel& k, const Divergence& d, Id v) {
  int64_t n = 0;
  for (BlockId b : k.insts[v].blocks) n += accesses_of_neighbours(k, d, b);
  return n;
}

Id sorted_branch(const Kernel& k, const std::set<Id>& branches, BlockId block) {
  for (Id v : branches)
    if (k.insts[v].home == block) return v;
  return no_id;
}

std::optional<SortKeys> sort_keys(const Kernel& k, const Divergence& d,
                                  const std::set<Id>& branches) {
  SortKeys keys;
  Slice slice(k, d);
  size_t found = 0;
  bool valid = true;
  // Visits an If and its sides, to which these instructions and accesses lead.
  const auto visit = [&](const auto& self, Id v, int64_t cost, int64_t moved) -> void {
    const Inst& i = k.insts[v];
    ++found;
    valid = valid && i.op == Opcode::If && !is_cold(i) && d.divergent[v] && slice.add(i.args[0]);
    for (BlockId side : valid ? i.blocks : std::vector<BlockId>()) {
      const Id inner = sorted_branch(k, branches, side);
      const int64_t all = cost + cost_of_trips(k, d, side),
                    all_moved = moved + accesses_of_neighbours(k, d, side);
      if (inner == no_id) {
        keys.costs.push_back(all);
        keys.moved.push_back(all_moved);
      } else {
        self(self, inner, std::max<int64_t>(0, all - cost_of_inst(k, d, inner)),
             std::max<int64_t>(0, all_moved - accesses_of_inst(k, d, inner)));
      }
    }
  };
  for (Id v : branches)
    if (v < 0 || v >= static_cast<Id>(k.insts.size())) return std::nullopt;
  keys.root = sorted_branch(k, branches, 0);
  if (keys.root == no_id) return std::nullopt;
  visit(visit, keys.root, 0, accesses_of_neighbours(k, d, 0) - accesses_of_inst(k, d, keys.root));
  if (!valid || found != branches.size() || std::ssize(keys.costs) > max_sort_keys)
    return std::nullopt;
  keys.slice = slice.insts();
  for (Id v : keys.slice) keys.slice_cost += cost_of_inst(k, d, v);
  return keys;
}

}  // namespace weft::compiler
