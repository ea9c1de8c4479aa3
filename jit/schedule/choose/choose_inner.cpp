// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/choose_inner.cpp: chooses schedules inside a point: loops, folds, branches
// and prefetches.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "core/loops/combine.h"
#include "core/loops/fold_order.h"
#include "jit/schedule/choose/parts.h"
#include "jit/schedule/mask_loops.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::few_partials, fold_order::many_partials, fold_order::run_terms;

LoopSchedule choose_row_operands(const Kernel& k, const Divergence& d, const Limits& limits,
                                 int vector_width, int interleave, Id loop) {
  LoopSchedule rows{LoopSchedule::How::rows};
  if (vector_width == 1) return rows;
  const bool runs = run_end(k, d, loop) != no_id;
  const Inst& l = k.insts[loop];
  int64_t most = INT64_MAX;  // whole vectors of trips
  if (l.op == Opcode::For)
    if (const Inst &lo = k.insts[l.args[0]], &hi = k.insts[l.args[1]];
        lo.op == Opcode::Const && hi.op == Opcode::Const)
      most = (hi.imm - lo.imm) / vector_width * vector_width;
  int64_t bytes = 0;
  for (const auto& o : row_operands(k, d, loop)) {
    const int64_t element = element_bytes(k, o.access);
    if (vector_width * element > limits.row_vector) continue;
    const int64_t trips =
        runs ? run_terms
             : std::max({rows.trips, int64_t{vector_width}, std::min(cache_line / element, most)});
    if ((bytes + element) * trips * interleave * vector_width > limits.row_tiles) continue;
    bytes += element;
    rows.trips = trips;
    rows.operands.push_back(o);
  }
  if (most < rows.trips) rows.operands.clear();
  return rows;
}

namespace {

class Inner {
 public:
  Inner(const Kernel& k, const Divergence& d, const Limits& limits, Schedule* s)
      : k_(k), d_(d), limits_(limits), s_(*s), written_(emitted_blocks(k, gpu())) {}

  void run() {
    for (Id loop : loops_to_unroll(k_, d_, limits_, s_))
      if (written_[k_.insts[loop].home] && !is_of_masks(loop)) s_.loops[loop] = {};
    const bool points = s_.mode == Mode::grid || s_.mode == Mode::refill;
    block(0, points ? s_.vector_width : 1);
    if (s_.mode == Mode::inner && k_.rank == 1) fetch_next_rows();
  }

 private:
  bool gpu() const { return s_.block > 0; }
  // Chooses for a block whose code runs in vectors of this width.
  void block(BlockId b, int vector_width) {
    for (Id v : k_.blocks[b].body) {
      const Inst& i = k_.insts[v];
      if (i.op == Opcode::For && !d_.divergent[v]) loop(v, vector_width);
      if (i.op == Opcode::Fold) fold(v);
      if (i.op == Opcode::If)
        for (BlockId side : i.blocks)
          if (branches_at_run_time(k_, d_, v, gpu()) && written_[side] && quick(side))
            s_.flat.insert(side);
      for (BlockId inner : i.blocks)
        if (written_[inner]) block(inner, d_.vectorized[v] ? s_.vector_width : vector_width);
    }
  }

  void loop(Id v, int vector_width) {
    if (s_.loops.count(v)) return;
    const int interleave = s_.mode == Mode::grid ? s_.interleave : 1;
    if (is_of_masks(v)) {
      s_.loops[v] = {LoopSchedule::How::masks};
      return;
    }
    if (auto rows = choose_row_operands(k_, d_, limits_, vector_width, interleave, v);
        !rows.operands.empty()) {
      s_.loops[v] = std::move(rows);
    } else if (run_end(k_, d_, v) != no_id) {
      s_.loops[v] = {LoopSchedule::How::runs};
      fetch_ahead(v);
    }
  }

  bool is_of_masks(Id loop) const {
    return limits_.bits && s_.mode == Mode::grid && s_.interleave == 1 &&
           s_.vector_width >= min_bits && combines_bits(k_, d_, loop);
  }

  void fold(Id v) {
    const Inst& i = k_.insts[v];
    const int64_t size = weight(k_, i.blocks[0]);
    using How = FoldSchedule::How;
    if (d_.vectorized[v]) {
      if (!gpu() &&
          size * ((many_partials + few_partials) / s_.vector_width) <= limits_.max_unrolled_term)
        s_.folds[v] = {How::vectors};
      return;
    }
    if (is_short_fold(k_, i)) return;
    const bool structured = any_inst(k_, i.blocks[0], [](const Inst& x) {
      return is_structured(x.op) || x.op == Opcode::Local;
    });
    const bool varying = !d_.results[v].empty() && d_.variance[d_.results[v][0]].varying;
    const int together = varying ? s_.interleave : 1;
    // Few registers hide the latency of comparisons, and are less code.
    const int few = 4 * together;
    const int all = !gpu() && nest::in_any_order(i) ? std::min(few, limits_.fold_registers)
                                                    : limits_.fold_registers;
    // Blocks of three interleaved vectors would not divide the partial results.
    const bool even = std::has_single_bit(static_cast<uint32_t>(together));
    if (!structured && even && all / together >= 4 && size <= limits_.short_body &&
        i.kinds.size() == 1)
      s_.folds[v] = {How::blocks, all};
  }

  // Returns true if computing it in all elements is cheaper than branching.
  bool quick(BlockId b) const {
    int cost = 0;
    for (Id v : k_.blocks[b].body) {
      const Opcode op = k_.insts[v].op;
      if (op == Opcode::Const || op == Opcode::Extent || op == Opcode::Index) continue;
      const bool slow =
          op == Opcode::Div || (op >= Opcode::SDiv && op <= Opcode::Rem) || op == Opcode::Sqrt;
      if (slow || ++cost > limits_.max_flat_side) return false;
    }
    return is_arithmetic(k_, b);
  }

  // Prefetches loads that jump from trip to trip, for which the loop would wait.
  void fetch_ahead(Id loop) {
    const Inst& i = k_.insts[loop];
    const nest::Block& body = k_.blocks[i.blocks[0]];
    for (Id v : body.body) {
      if (k_.insts[v].op != Opcode::Load || k_.buffers[k_.insts[v].imm].written) continue;
      const int64_t step =
          stride_along(k_, k_.insts[v].args[0], {.index = body.params[0], .block = i.blocks[0]})
              .value_or(0);
      const bool far = !nest::at_most(step, (limits_.fetch_far - 1) / element_bytes(k_, v));
      if (far && can_prefetch(k_, d_, s_, v))
        s_.prefetch[v] = step * (i.imm > 0 ? limits_.fetch_trips : -limits_.fetch_trips);
    }
  }

  // Prefetches rows that are read in several passes. The first pass waits for memory, the second
  // computes on cached data. The next row is fetched during the second.
  void fetch_next_rows() {
    std::map<int64_t, int> passes;  // by buffer
    bool tail = false;              // the last loop covered whole blocks, this one the remainder
    for (Id v : k_.blocks[0].body) {
      const Inst* loop = &k_.insts[v];
      if (loop->op != Opcode::Fold && loop->op != Opcode::ForEach) continue;
      const bool blocks = loop->imm != 0, same_pass = tail && !blocks && loop->op == Opcode::Fold;
      loop = &innermost_fold(k_, *loop);
      tail = blocks;
      if (loop->op != Opcode::Fold && loop->op != Opcode::ForEach) continue;
      const nest::Block& body = k_.blocks[loop->blocks[0]];
      std::set<int64_t> read;
      for (Id u : body.body) {
        const Inst& i = k_.insts[u];
        if (i.op != Opcode::Load || k_.buffers[i.imm].written) continue;
        const auto n = stride_along(k_, i.args[0], {.axis = 0});
        if (!n || *n == 0 ||
            stride_along(k_, i.args[0], {.index = body.params[0], .block = loop->blocks[0]}) != 1)
          continue;
        read.insert(i.imm);
        if (passes[i.imm] - (same_pass ? 1 : 0) == 1 &&
            *n * element_bytes(k_, u) >= limits_.fetch_row && can_prefetch(k_, d_, s_, u))
          s_.prefetch[u] = *n;
      }
      for (int64_t buffer : read) passes[buffer] += same_pass ? 0 : 1;
    }
  }

  const Kernel& k_;
  const Divergence& d_;
  const Limits& limits_;
  Schedule& s_;
  const std::vector<char> written_;
};

}  // namespace

void choose_inner(const Kernel& k, const Divergence& d, const Limits& limits, Schedule* s) {
  Inner(k, d, limits, s).run();
}

}  // namespace weft::compiler
