// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/choose.cpp: chooses the schedule of a kernel as a whole: which points fill a
// vector, how many vectors are interleaved, tiles, refill, and versions.
#include "jit/schedule/choose/choose.h"

#include <algorithm>
#include <bit>

#include "jit/schedule/choose/parts.h"
#include "jit/schedule/nest_names.h"
#include "jit/schedule/points.h"
#include "jit/schedule/product.h"
#include "jit/schedule/records.h"
#include "jit/schedule/rows.h"
#include "jit/schedule/sorting.h"

namespace weft::compiler {

namespace {

// Returns true if most floating-point arithmetic is F64. Vectors of half as many elements then fill
// the registers.
bool mostly_wide(const Kernel& k) {
  int64_t wide = 0, narrow = 0;
  for (const nest::Block& b : k.blocks)
    for (Id v : b.body) {
      wide += k.insts[v].kind == nest::Kind::F64;
      narrow += k.insts[v].kind == nest::Kind::F32;
    }
  return wide > narrow;
}

// Walks the instructions of a loop in program order and counts the vectors that are live together.
struct Liveness {
  const Kernel& k;
  const Divergence& divergence;
  Id left_out;                                             // the end of runs
  std::vector<std::pair<Id, std::vector<Id>>> order = {};  // an instruction and its operands

  bool vector(Id v) const {
    const Opcode op = k.insts[v].op;
    return divergence.variance[v].varying && op != Opcode::Local && !is_structured(op);
  }
  void walk(BlockId b) {
    for (Id v : k.blocks[b].body) {
      if (v == left_out) continue;
      order.emplace_back(v, k.insts[v].args);
      for (size_t s = is_cold(k.insts[v]) ? 1 : 0; s < k.insts[v].blocks.size(); ++s)
        walk(k.insts[v].blocks[s]);
    }
    order.emplace_back(no_id, k.blocks[b].yields);
  }
  int most() const {
    std::vector<int> last(k.insts.size(), -1), born(k.insts.size(), -1);
    for (size_t t = 0; t < order.size(); ++t) {
      if (order[t].first != no_id) born[order[t].first] = static_cast<int>(t);
      for (Id a : order[t].second) last[a] = static_cast<int>(t);
    }
    std::vector<int> change(order.size() + 1, 0);
    for (Id v = 0; v < static_cast<Id>(k.insts.size()); ++v) {
      if (last[v] < 0 || !vector(v)) continue;
      // Values from outside the loop, and its parameters, are live throughout.
      const bool whole = born[v] < 0 || k.insts[v].op == Opcode::Param;
      change[whole ? 0 : static_cast<size_t>(born[v])] += 1;
      if (!whole) change[last[v]] -= 1;
    }
    int live = 0, best = 0;
    for (int c : change) best = std::max(best, live += c);
    return best;
  }
};

}  // namespace

class Chooser {
 public:
  Chooser(const Kernel& kernel, const TargetInfo& target, const Options& options)
      : k_(kernel), target_(target), options_(options), limits_(limits_of(target)) {}

  Schedule run() {
    if (target_.gpu()) {
      s_.block = limits_.block;
      s_.threads = threads_of_point();
      if (s_.threads == 1) choose_product();
      if (s_.threads == 1 && s_.product.loop == no_id) choose_thread_refill();
      if (s_.threads == 1 && s_.product.loop == no_id) choose_shared_tile();
      if (s_.threads == 1 && s_.product.loop == no_id && s_.tile == 0) choose_neighbours();
      d_ = divergence_by(s_, k_);
      if (s_.threads > 1) choose_rows();
      choose_inner(k_, d_, limits_, &s_);
      s_.loops.erase(s_.product.loop);
      return std::move(s_);
    }
    choose_mode();
    if (s_.mode == Mode::grid) choose_interleave();
    if (s_.mode == Mode::grid) choose_refill();
    if (s_.mode == Mode::grid) limit_interleave(row_points());
    if (s_.mode == Mode::grid) choose_sort();
    if (s_.mode == Mode::grid) {
      if (k_.rank == 2 && s_.sort_points == 0) choose_tile();
      // A row of fewer points than the interleaved vectors have is one masked trip.
      const bool whole = s_.interleave == 1 || row_points() == 0 ||
                         row_points() >= int64_t{s_.vector_width} * s_.interleave;
      s_.versioned = whole && weight(k_, 0) <= limits_.max_versioned_kernel;
      choose_records();
    }
    if (s_.mode == Mode::inner) choose_records();
    choose_inner(k_, d_, limits_, &s_);
    const bool blocks = std::ranges::any_of(s_.loops, [](const auto& l) {
      return l.second.how == LoopSchedule::How::rows || l.second.how == LoopSchedule::How::runs;
    });
    s_.plain_remainder = s_.versioned && s_.interleave == 1 && blocks;
    for (size_t b = 0; target_.non_temporal && b < k_.buffers.size(); ++b)
      if (k_.buffers[b].large_output && writes_whole_vectors(k_, d_, s_, static_cast<int64_t>(b)))
        s_.streamed.insert(static_cast<int64_t>(b));
    return std::move(s_);
  }

 private:
  void choose_mode() {
    if (k_.vector == nest::Vector::grid && k_.rank) s_.mode = Mode::grid;
    if (k_.vector == nest::Vector::inner) s_.mode = Mode::inner;
    d_ = analyse_divergence(k_, s_.mode);
    if (s_.mode == Mode::inner && std::ranges::count(d_.vectorized, 1) == 0) s_.mode = Mode::scalar;
    if (s_.mode == Mode::scalar) return;
    s_.vector_width = target_.vector_width > 4 && mostly_wide(k_) ? target_.vector_width / 2
                                                                  : target_.vector_width;
  }

  // A warp shares a point if neighbouring terms are contiguous and numerous enough, else one thread
  // has it.
  int threads_of_point() const {
    if (k_.vector == nest::Vector::grid) return 1;
    const std::vector<char> shared = partitionable_loops(k_);
    for (Id v = 0; v < static_cast<Id>(shared.size()); ++v) {
      if (!shared[v]) continue;
      const Inst& n = k_.insts[k_.insts[v].args[0]];
      if (n.op != Opcode::Const || static_cast<int64_t>(n.imm) >= limits_.threads)
        return limits_.threads;
    }
    return 1;
  }

  // Chooses a tile for a block of threads if operands are transposed and the grid is large enough.
  void choose_shared_tile() {
    if (k_.rank != 2 || weight(k_, 0) > limits_.max_tiled_kernel ||
        std::ranges::any_of(k_.blocks[0].body, [&](Id v) { return is_loop(k_.insts[v]); }))
      return;
    const auto& grid = options_.grid;
    if (!grid.empty() && (grid.back() < warp || outer_points() < warp)) return;
    Schedule s = s_;
    s.tile = warp;
    int64_t bytes = 0;
    for (const Id v : tile_loads(k_, analyse_divergence(k_, Mode::grid), warp)) {
      bytes += tile_bytes(s, element_bytes(k_, v));
      if (bytes <= limits_.shared_tiles) s.tiled.insert(v);
    }
    if (!s.tiled.empty()) s_ = std::move(s);
  }

  // Interleaves as many points as fill the widest access, if the points do so little that memory
  // limits them.
  void choose_neighbours() {
    const std::vector<Id> accesses = neighbour_accesses(k_, analyse_divergence(k_, Mode::grid));
    if (accesses.empty() || weight(k_, 0) > limits_.max_interleaved_points) return;
    int64_t widest = 1;
    for (const Id v : accesses) widest = std::max(widest, element_bytes(k_, v));
    const int points = static_cast<int>(widest_access / widest);
    const auto& grid = options_.grid;
    if (k_.rank == 2 && !grid.empty() && grid.back() % points != 0) return;
    s_.interleave = points;
    s_.mode = Mode::grid;
  }

  // A block shares a row if the row is too long for the registers of a warp but fits those of a
  // block. It also does so if there are too few rows for warps. Blocks take several rows only while
  // there are enough blocks for all multiprocessors.
  void choose_rows() {
    const auto& grid = options_.grid;
    s_.kept = keeps_rows();
    if (longest_row(k_) > limits_.row_of_warp && rows_by_blocks(k_) &&
        row_bytes(k_) <= limits_.row_memory) {
      const Schedule by_warp = s_;
      const auto few = [&] {
        return !grid.empty() && blocks_of_grid(s_, grid) < limits_.product_blocks;
      };
      s_.threads = s_.block = limits_.row_threads;
      while (few() && 2 * s_.threads * limits_.row_turns <= longest_row(k_) &&
             2 * s_.threads <= limits_.max_row_threads)
        s_.threads = s_.block = 2 * s_.threads;
      const bool keeps = s_.kept = keeps_rows();
      if (keeps || (!grid.empty() && blocks_of_grid(s_, grid) < limits_.many_rows)) return;
      s_ = by_warp;
    }
    while (!grid.empty() && s_.block > s_.threads &&
           blocks_of_grid(s_, grid) < limits_.product_blocks)
      s_.block /= 2;
  }

  // Returns true if the values of a row are few enough to be kept in registers.
  bool keeps_rows() const {
    const RowValues row = row_values(k_, d_, s_.threads);
    int64_t code = 0;
    for (const Id v : row.loops) code += row.turns * weight(k_, k_.insts[v].blocks[0]);
    return !row.loops.empty() && row.words <= limits_.max_kept_words &&
           code <= limits_.max_kept_code;
  }

  // Chooses the largest tiles that still occupy all multiprocessors and whose points do not take
  // too much code.
  void choose_product() {
    const auto p = product_loop(k_);
    if (!p) return;
    const bool wide = k_.insts[p->loop].kinds[0] == nest::Kind::F64, mma = has_mma(*p, k_, target_);
    const int64_t behind = weight(k_, 0) - weight(k_, k_.insts[p->loop].blocks[0]);
    for (int side = wide ? 4 : 8; side >= 2; side /= 2) {
      const int tile = 16 * side;
      const int terms = mma ? limits_.product_terms_mma : limits_.product_terms;
      s_.product = {p->loop, tile, tile, terms, side, side, p->matrix, mma};
      const bool fits = side * side * behind <= limits_.product_points;
      if (fits && fills(tile, p->matrix) &&
          (options_.grid.empty() || blocks_of_grid(s_, options_.grid) >= limits_.product_blocks))
        return;
    }
  }

  // Returns true unless a quarter of such a tile would be enough for a whole matrix.
  bool fills(int tile, int64_t matrix) const {
    const auto& grid = options_.grid;
    if (grid.empty()) return true;
    const int64_t all = Shape(grid).elements() / std::max<int64_t>(grid.back(), 1);
    return std::min(matrix ? matrix : all, grid.back()) > tile / 2;
  }

  // Elements of a refilled vector are at different trips, so that its counters are vectors.
  int live_vectors(Id loop) const {
    const Divergence d = refilled_loop() == loop ? analyse_divergence(k_, Mode::refill) : d_;
    Liveness l{k_, d, run_end(k_, d_, loop)};
    l.walk(k_.insts[loop].blocks.back());
    return std::max(1, l.most());
  }
  // Returns the instructions of a trip, without those at the end of runs.
  int64_t trip_weight(Id loop) const {
    const Id end = run_end(k_, d_, loop);
    int64_t n = weight(k_, k_.insts[loop].blocks.back());
    if (end == no_id) return n;
    n -= 1 + static_cast<int64_t>(d_.results[end].size());
    for (BlockId side : k_.insts[end].blocks) n -= weight(k_, side);
    return n;
  }

  // Interleaved vectors hide each other's latency as long as the values that are live in the loop
  // do not spill too much and the block stays small.
  int interleave_of(Id loop) const {
    const Inst& i = k_.insts[loop];
    const Id end = run_end(k_, d_, loop);
    int64_t size = trip_weight(loop);
    for (BlockId b : i.blocks) {
      if (b != i.blocks.back()) size += weight(k_, b);
      if (any_inst(k_, b, is_loop)) return 1;
    }
    const auto is_branch = [](const Inst& x) { return x.op == Opcode::If && !is_cold(x); };
    const auto& body = k_.blocks[i.blocks.back()].body;
    const bool branches = std::any_of(body.begin(), body.end(), [&](Id v) {
      const Inst& x = k_.insts[v];
      return v != end &&
             (is_branch(x) || std::any_of(x.blocks.begin(), x.blocks.end(),
                                          [&](BlockId b) { return any_inst(k_, b, is_branch); }));
    });
    const int64_t n = std::min<int64_t>(limits_.live_vectors / live_vectors(loop),
                                        limits_.max_interleaved_body / std::max<int64_t>(size, 1));
    return static_cast<int>(
        std::clamp<int64_t>(n, 1, branches ? limits_.interleave_branches : limits_.interleave));
  }

  // Returns true if the only loop is one fold of short terms, including its remainder block.
  bool one_plain_fold() const {
    int of_folds = 0, of_terms = 0;
    for (Id v : k_.blocks[0].body) {
      const Inst* i = &k_.insts[v];
      if (!is_loop(*i) || d_.level[v] < 2) continue;
      if (i->op != Opcode::Fold) return false;
      i->imm ? ++of_folds : ++of_terms;
      i = &innermost_fold(k_, *i);
      if (i->op != Opcode::Fold) return false;
      if (weight(k_, i->blocks[0]) > limits_.short_body) return false;
    }
    return of_folds <= 1 && of_terms <= 1 && of_folds + of_terms > 0;
  }

  // Interleaves a single loop that takes all the time. Several loops would compete for the
  // registers, and much code around the loop would be repeated. A refilled loop is interleaved
  // alone: the code around it runs for one vector after another.
  void choose_interleave() {
    Id loop = no_id;
    int loops = 0;
    int64_t arrays = 0;
    for (Id v : k_.blocks[0].body) {
      const Inst& i = k_.insts[v];
      if (is_loop(i) && d_.level[v] == 2) loop = v, ++loops;
      if (i.op == Opcode::Local) arrays += i.imm;
    }
    if (const Id refilled = refilled_loop(); refilled != no_id) loop = refilled, loops = 1;
    const bool simple =
        loops == 1 && (k_.insts[loop].op == Opcode::While || k_.insts[loop].op == Opcode::For);
    int64_t around = weight(k_, 0);
    for (BlockId b : simple ? k_.insts[loop].blocks : std::vector<BlockId>{})
      around -= weight(k_, b);
    if (simple && arrays <= limits_.max_interleaved_arrays &&
        around <= limits_.max_interleaved_body) {
      int most = limits_.interleave;
      if (writes_rows(loop))
        most = trip_weight(loop) <= limits_.short_body ? 1 : limits_.interleave_rows;
      s_.interleave = std::min(interleave_of(loop), most);
    }
    if (one_plain_fold() && arrays == 0 && weight(k_, 0) <= 5 * limits_.short_body)
      s_.interleave = limits_.interleave_fold;
    limit_interleave(points());
    if (options_.interleave) s_.interleave = options_.interleave;
  }
  // Interleaves no more vectors than this number of points fills, if it is known. The partial
  // results of a fold are a power of two, and so are its vectors.
  void limit_interleave(int64_t points) {
    if (points == 0 || options_.interleave) return;
    const auto vectors = static_cast<uint64_t>(vectors_of(points));
    const auto most = static_cast<int64_t>(one_plain_fold() ? std::bit_ceil(vectors) : vectors);
    s_.interleave = static_cast<int>(std::min<int64_t>(s_.interleave, most));
  }
  bool writes_rows(Id loop) const {
    const LoopSchedule rows = choose_row_operands(k_, d_, limits_, s_.vector_width, 1, loop);
    return std::any_of(rows.operands.begin(), rows.operands.end(),
                       [&](const auto& o) { return k_.insts[o.access].op == Opcode::Store; });
  }

  // Returns the number of rows of a grid of two axes, or the largest number if it is not known.
  int64_t outer_points() const {
    const auto& grid = options_.grid;
    int64_t rows = grid.empty() ? INT64_MAX : 1;
    for (size_t a = 0; a + 1 < grid.size(); ++a) rows *= grid[a];
    return rows;
  }
  // Returns the number of points, or 0 if it is not known.
  int64_t points() const {
    int64_t all = options_.grid.empty() ? 0 : 1;
    for (int64_t n : options_.grid) all *= n;
    return all;
  }
  // Returns the number of points of a row, or 0 if it is not known.
  int64_t row_points() const { return options_.grid.empty() ? 0 : options_.grid.back(); }
  int64_t vectors_of(int64_t points) const {
    return (points + s_.vector_width - 1) / s_.vector_width;
  }
  // Returns true if the points are known to be so few that most vectors would not be refilled.
  bool fills_few_vectors() const { return points() > 0 && vectors_of(points()) <= 2; }

  // Returns the loop whose elements are refilled, or no_id.
  Id refilled_loop() const {
    using Use = Options::Use;
    if (options_.refill == Use::never) return no_id;
    const Id loop = refillable_while(k_, d_);
    if (loop == no_id || options_.refill == Use::always) return loop;
    const bool pays = weight(k_, k_.insts[loop].blocks[1]) >= limits_.min_refilled_body;
    return pays && !fills_few_vectors() ? loop : no_id;
  }

  void choose_refill() {
    const Id loop = refilled_loop();
    if (loop == no_id) return;
    s_.mode = Mode::refill;
    s_.refill = loop;
    d_ = analyse_divergence(k_, s_.mode);
    // An idle element wastes a share of each trip. Elements are refilled once they have wasted
    // about the cost of a refill.
    const RefillParts parts = refill_parts(k_, d_, loop);
    const Inst& w = k_.insts[loop];
    const nest::Block& body = k_.blocks[w.blocks[1]];
    auto slots = static_cast<int64_t>(parts.kept.size());
    for (size_t c = 0; c < w.kinds.size(); ++c) slots += body.yields[c] != body.params[c];
    int64_t around = 0;
    for (const auto* part : {&parts.prologue, &parts.epilogue})
      for (Id v : *part) around += instructions_run(k_, k_.insts[v]).value_or(1);
    const int64_t trip = weight(k_, w.blocks[0]) + weight(k_, w.blocks[1]);
    const int64_t refill_cost = 60 + s_.interleave * (4 * slots + 2 * around);
    s_.idle_trips = std::max<int64_t>(refill_cost * s_.vector_width / trip, s_.vector_width / 2);
  }

  // Refills threads if there are more points than threads that run concurrently. Points of equal
  // trip counts keep their pattern of memory accesses.
  void choose_thread_refill() {
    using Use = Options::Use;
    if (options_.refill == Use::never || k_.rank == 0) return;
    const Id loop = thread_refillable_while(k_);
    if (loop == no_id || (options_.refill != Use::always &&
                          weight(k_, k_.insts[loop].blocks[1]) < limits_.min_refilled_body))
      return;
    const int64_t each = points() / limits_.refill_threads;
    if (options_.refill != Use::always && each < 2) return;
    s_.points = static_cast<int>(std::clamp<int64_t>(each, 2, limits_.refill_points));
    s_.refill = loop;
    const nest::Inst& w = k_.insts[loop];
    const int64_t trip = weight(k_, w.blocks[0]) + weight(k_, w.blocks[1]);
    const int64_t refill_cost = 30 + weight(k_, 0) - trip;
    s_.idle_trips = std::max<int64_t>(refill_cost * limits_.threads / trip, limits_.threads / 2);
  }

  // Returns the If of a block by whose sides points can be sorted, besides those in `chosen`, and
  // whose sides cost most.
  Id best_branch(BlockId block, const std::set<Id>& chosen) const {
    Id best = no_id;
    int64_t most = 0;
    for (Id v : k_.blocks[block].body) {
      const Inst& i = k_.insts[v];
      if (i.op != Opcode::If || is_cold(i) || !d_.divergent[v]) continue;
      std::set<Id> all = chosen;
      all.insert(v);
      int64_t cost = 0;
      for (BlockId side : i.blocks) cost += cost_of_trips(k_, d_, side);
      if (cost > most && sort_keys(k_, d_, all)) best = v, most = cost;
    }
    const bool always = options_.sort == Options::Use::always;
    return always || most >= limits_.min_sorted_sides ? best : no_id;
  }
  // Adds the branches of a block, and of their sides, while there are few keys.
  void add_branches(BlockId block, std::set<Id>& chosen) const {
    const Id branch = best_branch(block, chosen);
    if (branch == no_id || std::ssize(chosen) + 2 > limits_.sort_keys) return;
    chosen.insert(branch);
    for (BlockId side : k_.insts[branch].blocks) add_branches(side, chosen);
  }

  // Sorts points by their sides of branches if vectors that run all sides cost much more than
  // vectors that run one, and more than gathers of operands.
  void choose_sort() {
    using Use = Options::Use;
    const auto& grid = options_.grid;
    const bool always = options_.sort == Use::always;
    if (options_.sort == Use::never || s_.interleave != 1) return;
    if (!always && (weight(k_, 0) > limits_.max_sorted_kernel ||
                    (!grid.empty() && grid.back() < limits_.min_sorted_row)))
      return;
    std::set<Id> chosen;
    add_branches(0, chosen);
    const auto keys = sort_keys(k_, d_, chosen);
    if (!keys) return;
    int64_t all_sides = 0, cheapest = INT64_MAX;
    for (const int64_t cost : keys->costs) all_sides += cost, cheapest = std::min(cheapest, cost);
    const int64_t moved = std::ranges::max(keys->moved);
    const int64_t cost = s_.vector_width * (limits_.sort_cost + limits_.gather_cost * moved);
    const int64_t saved = all_sides - cheapest;
    if (!always &&
        (saved < limits_.min_sort_gain * cost || saved < limits_.min_sort_gain * keys->slice_cost))
      return;
    s_.sorted = chosen;
    s_.sort_points = limits_.sort_points;
    s_.sort_cost = always ? 0 : cost;
  }

  void choose_records() {
    for (const auto& [first, r] : records_of(k_, d_)) {
      if (has_field_of(r, s_.tiled)) continue;
      const int64_t bytes = record_bytes(k_, first);
      if (bytes < word_bytes) {
        const auto words = static_cast<int64_t>(words_of(r, bytes).size());
        if (s_.mode == Mode::grid && words > 0 && r.stride <= limits_.long_record &&
            2 * words <= static_cast<int64_t>(r.fields.size()))
          s_.records.insert(first);
        continue;
      }
      if (s_.vector_width * bytes > limits_.row_vector) continue;
      // A record moves all elements, a gather only one.
      const bool most = 2 * static_cast<int64_t>(r.fields.size()) >= r.stride;
      if (s_.mode == Mode::inner && !most) continue;
      if (r.stride <= limits_.record || (most && r.stride <= limits_.long_record))
        s_.records.insert(first);
    }
  }

  void choose_tile() {
    if (s_.interleave != 1 || weight(k_, 0) > limits_.max_tiled_kernel) return;
    for (Id v : k_.blocks[0].body)
      if (is_loop(k_.insts[v])) return;
    // Enough rows to fill cache lines, or as many as the grid has.
    int64_t rows = s_.vector_width;
    for (Id v : tile_accesses(k_, d_, rows))
      rows = std::max(rows, cache_line / element_bytes(k_, v));
    for (; rows >= s_.vector_width && s_.tile == 0; rows /= 2) {
      if (rows > outer_points()) continue;
      const std::vector<Id> tiled = tile_accesses(k_, d_, rows);
      s_.tiled.insert(tiled.begin(), tiled.end());
      if (!tiled.empty()) s_.tile = rows;
    }
  }

  const Kernel& k_;
  const TargetInfo& target_;
  const Options& options_;
  const Limits limits_;
  Divergence d_;
  Schedule s_;
};

Schedule choose_schedule(const Kernel& k, const TargetInfo& target, const Options& options) {
  return Chooser(k, target, options).run();
}

}  // namespace weft::compiler
