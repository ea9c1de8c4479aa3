// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_packs.cpp: how many packs run side by side, and whether lanes are refilled. Both
// change speed alone, never bits.
#include <algorithm>

#include "weft/jit/emit/emit.h"

namespace weft::compiler {

using nest::BlockId;
using nest::Id;
using nest::Inst;
using nest::Opcode;

namespace {

// Walks the instructions of a loop in the order they run and counts the vectors alive at once.
struct Liveness {
  const nest::Kernel& k;
  const Divergence& divergence;
  Id left_out;                                             // the end of runs
  std::vector<std::pair<Id, std::vector<Id>>> order = {};  // an instruction and what it reads

  bool vector(Id v) const {
    const Opcode op = k.insts[v].op;
    return divergence.variance[v].varying && op != Opcode::Local && !is_structured(op);
  }
  void walk(BlockId b) {
    for (Id v : k.blocks[b].body) {
      if (v == left_out) continue;
      order.emplace_back(v, k.insts[v].args);
      for (size_t s = is_rare(k.insts[v]) ? 1 : 0; s < k.insts[v].blocks.size(); ++s)
        walk(k.insts[v].blocks[s]);
    }
    order.emplace_back(nest::no_id, k.blocks[b].yields);
  }
  int most() const {
    std::vector<int> last(k.insts.size(), -1), born(k.insts.size(), -1);
    for (size_t t = 0; t < order.size(); ++t) {
      if (order[t].first != nest::no_id) born[order[t].first] = static_cast<int>(t);
      for (Id a : order[t].second) last[a] = static_cast<int>(t);
    }
    std::vector<int> change(order.size() + 1, 0);
    for (Id v = 0; v < static_cast<Id>(k.insts.size()); ++v) {
      if (last[v] < 0 || !vector(v)) continue;
      // What comes from outside the loop, and its parameters, live all the way.
      const bool whole = born[v] < 0 || k.insts[v].op == Opcode::Param;
      change[whole ? 0 : static_cast<size_t>(born[v])] += 1;
      if (!whole) change[static_cast<size_t>(last[v])] -= 1;
    }
    int live = 0, best = 0;
    for (int c : change) best = std::max(best, live += c);
    return best;
  }
};

}  // namespace

int Emitter::live_vectors(Id loop) const {
  Liveness l{k_, divergence_, run_end(loop)};
  l.walk(k_.insts[loop].blocks.back());
  return std::max(1, l.most());
}

// Instructions of a trip, less what happens at the end of runs.
int64_t Emitter::trip_weight(Id loop) const {
  const Id end = run_end(loop);
  int64_t n = weight(k_, k_.insts[loop].blocks.back());
  if (end == nest::no_id) return n;
  n -= 1 + static_cast<int64_t>(divergence_.results[end].size());
  for (BlockId side : k_.insts[end].blocks) n -= weight(k_, side);
  return n;
}

// Packs hide each other's latency as long as what lives in the loop does not spill too much (a
// reload from L1 is cheap beside a chain of dependent operations) and the block stays small.
// Measured: Mandelbrot is best at 4, rk45 (22 live vectors, 190 instructions) at 2 or more.
int Emitter::packs_for(Id loop) const {
  const Inst& i = k_.insts[loop];
  const Id end = run_end(loop);
  int64_t size = trip_weight(loop);
  for (BlockId b : i.blocks) {
    if (b != i.blocks.back()) size += weight(k_, b);
    if (any_inst(k_, b, [](const Inst& x) { return is_structured(x.op) && x.op != Opcode::If; }))
      return 1;
  }
  const auto is_branch = [](const Inst& x) { return x.op == Opcode::If && !is_rare(x); };
  const auto& body = k_.blocks[i.blocks.back()].body;
  const bool branches = std::any_of(body.begin(), body.end(), [&](Id v) {
    const Inst& x = k_.insts[v];
    return v != end &&
           (is_branch(x) || std::any_of(x.blocks.begin(), x.blocks.end(),
                                        [&](BlockId b) { return any_inst(k_, b, is_branch); }));
  });
  const int registers = machine_.mask_registers ? 56 : 28;
  constexpr int64_t most_instructions = 480;
  const int64_t n = std::min<int64_t>(registers / live_vectors(loop),
                                      most_instructions / std::max<int64_t>(size, 1));
  return static_cast<int>(std::clamp<int64_t>(n, 1, branches ? 2 : 4));
}

// Whether all loops are one fold of short terms: its whole blocks, and the one left over.
bool Emitter::one_plain_fold(int64_t longest) const {
  int of_folds = 0, of_terms = 0;
  for (Id v : k_.blocks[0].body) {
    const Inst* i = &k_.insts[v];
    if (!is_structured(i->op) || i->op == Opcode::If || divergence_.level[v] < 2) continue;
    if (i->op != Opcode::Fold) return false;
    i->imm ? ++of_folds : ++of_terms;
    i = &innermost_fold(k_, *i);
    if (i->op != Opcode::Fold) return false;
    if (weight(k_, i->blocks[0]) > longest) return false;
  }
  return of_folds <= 1 && of_terms <= 1 && of_folds + of_terms > 0;
}

Id Emitter::plan_packs(const Options& options) {
  packs_ = 1;
  if (divergence_.mode != Mode::grid) return nest::no_id;
  // One loop that all the time goes to; several share the registers badly.
  Id loop = nest::no_id;
  int loops = 0;
  int64_t arrays = 0;
  for (Id v : k_.blocks[0].body) {
    const Inst& i = k_.insts[v];
    if (is_structured(i.op) && i.op != Opcode::If && divergence_.level[v] == 2) loop = v, ++loops;
    if (i.op == Opcode::Local) arrays += i.imm;
  }
  constexpr int64_t most_array_elements = 64;
  const bool simple =
      loops == 1 && (k_.insts[loop].op == Opcode::While || k_.insts[loop].op == Opcode::For);
  constexpr int64_t plain_body = 12;
  if (simple && arrays <= most_array_elements) {
    const bool plain = trip_weight(loop) <= plain_body;
    const int most = writes_rows(loop) ? (plain ? 1 : 2) : 4;
    packs_ = std::min(packs_for(loop), most);
  }
  // A fold along another axis than the lanes reads a piece of each row: a longer one pays.
  if (one_plain_fold(plain_body) && arrays == 0 && weight(k_, 0) <= 5 * plain_body)
    packs_ = machine_.mask_registers ? 4 : 2;
  if (options.packs) packs_ = options.packs;
  if (options.refill == Options::Refill::never) return nest::no_id;
  Id refill = refill_loop();
  // Without masked gathers and scatters, serving costs tens of trips of a short loop.
  constexpr int64_t least_instructions = 48;
  const bool cheap = machine_.mask_registers || options.refill == Options::Refill::always;
  if (refill != nest::no_id && !cheap &&
      weight(k_, k_.insts[refill].blocks[1]) < least_instructions)
    refill = nest::no_id;
  if (refill != nest::no_id) divergence_ = analyse_divergence(k_, Mode::refill);
  return refill;
}

}  // namespace weft::compiler
