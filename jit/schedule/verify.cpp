// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/verify.cpp: verifies a schedule from any source. A schedule that passes computes the
// same bits as every other schedule of the kernel, except for sums that the nest allows in any
// order. Each of its lines has an effect, except for `streamed` on a CPU that is not x86.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/loops/fold_order.h"
#include "jit/schedule/loops.h"
#include "jit/schedule/mask_loops.h"
#include "jit/schedule/nest_names.h"
#include "jit/schedule/points.h"
#include "jit/schedule/product.h"
#include "jit/schedule/records.h"
#include "jit/schedule/rows.h"
#include "jit/schedule/schedule.h"
#include "jit/schedule/sorting.h"
#include "runtime/native/transpose.h"
#include "weft/error.h"

namespace weft::compiler {

using fold_order::few_partials, fold_order::many_partials, fold_order::run_terms;

namespace {

// Limits of the generated code: the sizes of a frame and of a thread are finite.
constexpr int64_t max_interleave = 4, max_tile = 64, max_row_bytes = 1 << 16, max_added = 1 << 16,
                  max_block = 1024, max_points = 64, max_words = 128, max_product = 128,
                  max_shared = 48 << 10, max_idle = 1 << 24;
constexpr uint64_t max_trips = 64;

struct Refused {
  std::string why;
};
template <class... A>
void require(bool ok, fmt::format_string<A...> text, A&&... a) {
  if (!ok) throw Refused{fmt::format(text, std::forward<A>(a)...)};
}
bool power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

class Verifier {
 public:
  Verifier(const Schedule& s, const Kernel& k, const TargetInfo& target)
      : s_(s),
        k_(k),
        target_(target),
        d_(divergence_by(s, k)),
        written_(emitted_blocks(k, target.gpu())) {}

  void run() const {
    target_.gpu() ? threads() : width();
    if (s_.mode == Mode::refill || s_.refill != no_id || s_.idle_trips) refill();
    require(!s_.versioned || (s_.mode == Mode::grid && !target_.gpu()),
            "versioned: goes with mode grid of vectors");
    require(!s_.plain_remainder || (s_.versioned && std::ranges::any_of(s_.loops, in_blocks)),
            "plain_remainder: goes with versioned and a loop of rows or runs");
    if (s_.sort_points || s_.sort_cost || !s_.sorted.empty()) sorted();
    if (s_.tile || !s_.tiled.empty()) tile();
    if (!s_.records.empty()) records();
    if (s_.kept) kept();
    if (s_.product != ProductSchedule()) product();
    for (const auto& [id, l] : s_.loops) loop(id, l);
    for (const auto& [id, f] : s_.folds) fold(id, f);
    for (const auto& [id, ahead] : s_.prefetch) {
      require(is(id, Opcode::Load) && can_prefetch(k_, d_, s_, id),
              "prefetch {}: is not a load of neighbours of an operand by elements that all run",
              id);
      require(ahead != 0, "prefetch {}: fetches what is loaded", id);
    }
    for (BlockId b : s_.flat) {
      require(b > 0 && b < static_cast<BlockId>(k_.blocks.size()) &&
                  is(k_.blocks[b].owner, Opcode::If) &&
                  branches_at_run_time(k_, d_, k_.blocks[b].owner, target_.gpu()),
              "flat {}: is not a side of a branch that depends on the elements", b);
      require(is_arithmetic(k_, b), "flat {}: does more than arithmetic", b);
    }
    for (int64_t b : s_.streamed) streamed(b);
    Constants known;
    require(added(0, known) <= max_added, "loops and folds written out add too much code");
    require(s_.band == 1, "band {}: steps do not share blocks yet", s_.band);
  }

 private:
  static bool in_blocks(const std::pair<const Id, LoopSchedule>& l) {
    return l.second.how == LoopSchedule::How::rows || l.second.how == LoopSchedule::How::runs;
  }
  // Returns true if v is such an instruction in code that the kernel emits.
  bool is(Id v, Opcode op) const {
    return v >= 0 && v < static_cast<Id>(k_.insts.size()) && k_.insts[v].op == op &&
           written_[k_.insts[v].home];
  }
  bool grid() const { return s_.mode == Mode::grid || s_.mode == Mode::refill; }

  void width() const {
    require(!grid() || k_.rank > 0, "mode: a kernel of one point has no neighbours");
    require(s_.mode != Mode::inner || std::ranges::count(d_.vectorized, 1) > 0,
            "mode: a point has no folds that could run in vectors");
    const bool wide = s_.vector_width == 4 || s_.vector_width == 8 || s_.vector_width == 16;
    require(s_.mode == Mode::scalar ? s_.vector_width == 1
                                    : wide && s_.vector_width <= target_.vector_width,
            "vector_width {}: has to be 4, 8 or 16, at most {}; 1 in mode scalar", s_.vector_width,
            target_.vector_width);
    require(s_.interleave >= 1 && s_.interleave <= max_interleave,
            "interleave {}: has to be 1 to {}", s_.interleave, max_interleave);
    require(grid() || s_.interleave == 1, "interleave {}: points are run one by one",
            s_.interleave);
    require(s_.block == 0 && s_.points == 1 && s_.threads == 1,
            "block, points, threads: are of GPUs");
  }

  void threads() const {
    require(s_.vector_width == 1, "vector_width {}: threads of GPUs have scalar code",
            s_.vector_width);
    require(s_.mode == (s_.interleave == 1 ? Mode::scalar : Mode::grid),
            "mode: that of threads is scalar, of points side by side grid");
    if (s_.interleave != 1) neighbours();
    require(s_.block >= warp && s_.block <= max_block && s_.block % warp == 0,
            "block {}: has to be a multiple of {} up to {}", s_.block, warp, max_block);
    require(s_.points >= 1 && s_.points <= max_points, "points {}: has to be 1 to {}", s_.points,
            max_points);
    require(k_.rank > 0 || s_.points == 1, "points {}: there is one", s_.points);
    require(s_.threads == 1 || s_.threads == warp || (s_.threads == s_.block && s_.block > warp),
            "threads {}: a point is run by one, by the {} of a warp, or by all of a block",
            s_.threads, warp);
    require(s_.threads == 1 || std::ranges::count(partitionable_loops(k_), 1) > 0,
            "threads {}: a point has no folds or for_eachs for them", s_.threads);
    if (s_.threads > warp) row_of_block();
  }

  void row_of_block() const {
    require(power_of_two(s_.threads) && s_.points == 1,
            "threads {}: a block has a power of two of them for one point", s_.threads);
    require(rows_by_blocks(k_), "threads {}: have other loops than those that they share",
            s_.threads);
    require(row_bytes(k_) <= max_shared, "threads {}: their terms take more than {} bytes",
            s_.threads, max_shared);
  }

  // Verifies points that a thread interleaves.
  void neighbours() const {
    require(power_of_two(s_.interleave) && s_.interleave <= widest_access,
            "interleave {}: has to be a power of two up to {}", s_.interleave, widest_access);
    require(s_.points == 1 && s_.threads == 1 && s_.product.loop == no_id,
            "interleave {}: threads have these points alone", s_.interleave);
    require(!neighbour_accesses(k_, d_).empty(),
            "interleave {}: points have more than arithmetic, or their numbers are not adjacent in "
            "memory",
            s_.interleave);
  }

  void kept() const {
    require(s_.threads > 1, "kept: goes with threads that share a point");
    const RowValues row = row_values(k_, d_, s_.threads);
    require(!row.loops.empty(), "kept: no loop computes what one before it did");
    require(row.turns <= static_cast<int64_t>(max_trips) && row.words <= max_words,
            "kept: {} turns of a thread, {} words of registers; at most {}, {}", row.turns,
            row.words, max_trips, max_words);
    int64_t added = 0;
    for (const Id v : row.loops) added += row.turns * weight(k_, k_.insts[v].blocks[0]);
    require(added <= max_added, "kept: loops written out add too much code");
  }

  void refill() const {
    require((target_.gpu() || s_.mode == Mode::refill) && s_.refill != no_id,
            "refill: goes with mode refill");
    require((target_.gpu() ? thread_refillable_while(k_)
                           : refillable_while(k_, analyse_divergence(k_, Mode::grid))) == s_.refill,
            "refill {}: cannot be refilled", s_.refill);
    require(!target_.gpu() || (s_.points > 1 && s_.threads == 1),
            "refill {}: threads have several points each", s_.refill);
    require(s_.idle_trips > 0 && s_.idle_trips <= max_idle, "idle_trips {}: has to be 1 to {}",
            s_.idle_trips, max_idle);
  }

  void sorted() const {
    require(!target_.gpu() && s_.mode == Mode::grid && s_.interleave == 1 && s_.tile == 0,
            "sort_points: goes with mode grid of single vectors, without tiles");
    require(power_of_two(s_.sort_points) && s_.sort_points >= s_.vector_width &&
                s_.sort_points <= max_sort_points,
            "sort_points {}: has to be a power of two from {} to {}", s_.sort_points,
            s_.vector_width, max_sort_points);
    require(s_.sort_cost >= 0 && s_.sort_cost <= max_idle, "sort_cost {}: has to be 0 to {}",
            s_.sort_cost, max_idle);
    require(sort_keys(k_, d_, s_.sorted).has_value(),
            "sorted {}: the sides of these branches cannot be known before points run",
            fmt::join(s_.sorted, " "));
  }

  void tile() const {
    require(k_.rank == 2 && s_.interleave == 1, "tile: is of two axes, without interleaving");
    target_.gpu() ? shared_tile() : tile_of_vectors();
    for (Id v : k_.blocks[0].body)
      require(!is_structured(k_.insts[v].op) || k_.insts[v].op == Opcode::If,
              "tile: points have loops");
    require(!s_.tiled.empty(), "tile {}: of no access", s_.tile);
    const Divergence d = analyse_divergence(k_, Mode::grid);
    const std::vector<Id> can =
        target_.gpu() ? tile_loads(k_, d, s_.tile) : tile_accesses(k_, d, s_.tile);
    for (Id v : s_.tiled)
      require(std::ranges::count(can, v) == 1, "tiled {}: does not go along the rows", v);
  }

  void tile_of_vectors() const {
    require(s_.mode == Mode::grid, "tile: goes with mode grid");
    require(power_of_two(s_.tile) && s_.tile % s_.vector_width == 0 && s_.tile <= max_tile,
            "tile {}: has to be a power of two from {} to {}", s_.tile, s_.vector_width, max_tile);
  }
  // Verifies a tile of a block of threads, in shared memory.
  void shared_tile() const {
    require(s_.tile == warp, "tile {}: has to be {}, so that a warp has a row of it", s_.tile,
            warp);
    require(power_of_two(s_.block), "tile {}: cannot be divided among {} threads", s_.tile,
            s_.block);
    require(s_.points == 1 && s_.threads == 1 && s_.product.loop == no_id,
            "tile {}: threads have its points alone", s_.tile);
    int64_t bytes = 0;
    for (const Id v : s_.tiled)
      if (is(v, Opcode::Load)) bytes += tile_bytes(s_, element_bytes(k_, v));
    require(bytes <= max_shared, "tile {}: takes more than {} bytes", s_.tile, max_shared);
  }

  void product() const {
    const ProductSchedule& p = s_.product;
    const auto is = product_loop(k_);
    require(target_.gpu() && is && is->loop == p.loop && is->matrix == p.matrix,
            "product {}: is not a product of matrices of {} rows", p.loop, p.matrix);
    for (const int n : {p.rows, p.columns, p.terms, p.thread_rows, p.thread_columns})
      require(power_of_two(n) && n <= max_product,
              "product {}: tiles are of powers of two up to {}", p.loop, max_product);
    require(p.thread_rows <= p.rows && p.thread_columns <= p.columns &&
                p.rows / p.thread_rows * (p.columns / p.thread_columns) == s_.block,
            "product {}: its tiles cannot be divided among {} threads", p.loop, s_.block);
    require(p.rows * p.terms % s_.block == 0 && p.columns * p.terms % s_.block == 0,
            "product {}: {} threads cannot move its tiles alike", p.loop, s_.block);
    if (p.mma) {
      require(has_mma(*is, k_, target_),
              "product {}: mma is for factors of BF16 or of F16 whose products may be added in any "
              "order, on GPUs from sm_80 on",
              p.loop);
      require(
          p.terms % 16 == 0 && p.thread_rows % 2 == 0 && p.thread_columns % 2 == 0 &&
              p.rows % (8 * p.thread_rows) == 0 && p.columns % (4 * p.thread_columns) == 0,
          "product {}: its tiles are not those of warps that multiply 16 x 8 points of 16 terms",
          p.loop);
    }
    require(2 * product_stage(p, *is, k_).bytes <= max_shared,
            "product {}: its tiles take more than {} bytes", p.loop, max_shared);
    require(s_.threads == 1 && s_.points == 1, "product {}: has threads of its own", p.loop);
  }

  void records() const {
    require((s_.mode == Mode::grid || s_.mode == Mode::inner) && !target_.gpu(),
            "records: go with vectors");
    const auto can = records_of(k_, d_);
    for (Id v : s_.records) {
      const auto r = can.find(v);
      require(r != can.end(), "records {}: is not the first access of a record of its elements", v);
      require(!has_field_of(r->second, s_.tiled), "records {}: tiles move its elements", v);
      require(r->second.stride <= longest_record, "records {}: is longer than {} elements", v,
              longest_record);
      const int64_t bytes = record_bytes(k_, v);
      if (bytes < word_bytes)
        require(s_.mode == Mode::grid && !words_of(r->second, bytes).empty(),
                "records {}: its elements do not fill words", v);
      else
        require(s_.vector_width * bytes <= (target_.mask_registers ? 64 : 32),
                "records {}: its elements do not fill registers", v);
    }
  }

  void loop(Id id, const LoopSchedule& l) const {
    require(is(id, Opcode::For) && !d_.divergent[id],
            "loop {}: is not a loop that elements run alike", id);
    require(id != s_.product.loop, "loop {}: is that of the product", id);
    const bool rows = l.how == LoopSchedule::How::rows;
    require(rows || (l.operands.empty() && l.trips == 0), "loop {}: only rows have operands", id);
    if (l.how == LoopSchedule::How::runs)
      require(run_end(k_, d_, id) != no_id, "loop {}: has no runs", id);
    if (l.how == LoopSchedule::How::masks) {
      require(target_.mask_registers && s_.interleave == 1 && s_.vector_width >= min_bits,
              "loop {}: its masks are not the bits of one number", id);
      require(combines_bits(k_, d_, id), "loop {}: does not only combine masks", id);
    }
    if (l.how == LoopSchedule::How::unrolled)
      require(d_.variance[k_.blocks[k_.insts[id].blocks[0]].params[0]].uniform(),
              "loop {}: its index differs between elements", id);
    if (rows) row_loop(id, l);
  }

  void row_loop(Id id, const LoopSchedule& l) const {
    require(l.trips > 0 && l.trips % s_.vector_width == 0,
            "loop {}: blocks have to be multiples of {}", id, s_.vector_width);
    require(run_end(k_, d_, id) == no_id || l.trips == run_terms,
            "loop {}: blocks have to be its runs of {}", id, run_terms);
    require(!l.operands.empty(), "loop {}: has no operands that go along rows", id);
    const auto can = row_operands(k_, d_, id);
    int64_t bytes = 0;
    for (const auto& o : l.operands) {
      require(std::ranges::count(can, o) == 1 && std::ranges::count(l.operands, o) == 1,
              "loop {}: operand {} does not go along rows by {}", id, o.access, o.step);
      bytes += element_bytes(k_, o.access);
      require(s_.vector_width * element_bytes(k_, o.access) <= (target_.mask_registers ? 64 : 32),
              "loop {}: operand {} is wider than a register", id, o.access);
    }
    require(l.trips <= max_row_bytes &&
                bytes * l.trips * s_.interleave * s_.vector_width <= max_row_bytes,
            "loop {}: its blocks are larger than {} bytes", id, max_row_bytes);
  }

  void fold(Id id, const FoldSchedule& f) const {
    require(is(id, Opcode::Fold), "fold {}: is none", id);
    using How = FoldSchedule::How;
    require(f.how == How::blocks || f.registers == 0, "fold {}: only blocks have registers", id);
    require((f.how == How::vectors) == (d_.vectorized[id] != 0),
            "fold {}: its terms are {}in vectors", id, d_.vectorized[id] ? "" : "not ");
    require(f.how == How::blocks || !target_.gpu(), "fold {}: threads have no vectors", id);
    if (f.how == How::blocks) blocks(id, f);
  }

  // Verifies blocks of partial results, of one vector or of all interleaved vectors.
  void blocks(Id id, const FoldSchedule& f) const {
    const Inst& i = k_.insts[id];
    const bool varying = !d_.results[id].empty() && d_.variance[d_.results[id][0]].varying;
    const int together = varying ? s_.interleave : 1;
    require(power_of_two(f.registers) && f.registers <= few_partials &&
                f.registers % together == 0 && f.registers / together >= 4 && i.kinds.size() == 1,
            "fold {}: blocks are of 4, 8 or 16 registers of one result, as many of each of the {} "
            "vectors",
            id, together);
    require(!is_short_fold(k_, i), "fold {}: is combined in order", id);
    require(!any_inst(k_, i.blocks[0],
                      [](const Inst& x) { return is_structured(x.op) || x.op == Opcode::Local; }),
            "fold {}: its terms have loops or arrays", id);
  }

  void streamed(int64_t b) const {
    require(b >= 0 && b < static_cast<int64_t>(k_.buffers.size()) && k_.buffers[b].written,
            "streamed {}: is not an output", b);
    require(!any_inst(k_, 0, [&](const Inst& i) { return i.op == Opcode::Load && i.imm == b; }),
            "streamed {}: is read again", b);
    require(!target_.gpu() && writes_whole_vectors(k_, d_, s_, b),
            "streamed {}: is not written by whole vectors", b);
    require(target_.non_temporal, "streamed {}: the target has no non-temporal stores", b);
  }

  // Returns the number of instructions that unrolling loops and folds adds. Bounds of loops are
  // constant, including those computed from indices of other unrolled loops.
  int64_t added(BlockId b, Constants& known) const {
    int64_t n = 0;
    for (Id v : k_.blocks[b].body) {
      const Inst& i = k_.insts[v];
      const auto l = s_.loops.find(v);
      if (l != s_.loops.end() && l->second.how == LoopSchedule::How::unrolled) {
        n += added_by_loop(v, known);
      } else {
        for (BlockId inner : i.blocks)
          n += copies(v) * added(inner, known) + (copies(v) - 1) * weight(k_, inner);
      }
      require(n <= max_added, "loops and folds written out add too much code");
    }
    return n;
  }
  int64_t added_by_loop(Id v, Constants& known) const {
    const Inst& i = k_.insts[v];
    int64_t lo = 0, hi = 0;
    require(constant_value(k_, i.args[0], known, &lo) && constant_value(k_, i.args[1], known, &hi),
            "loop {}: its length is not known", v);
    require(hi <= lo || static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) <= max_trips,
            "loop {}: is too long to be written out", v);
    const BlockId body = i.blocks[0];
    int64_t n = 0;
    for (int64_t t = lo; t < hi && n <= max_added; ++t) {
      known[k_.blocks[body].params[0]] = t;
      n += weight(k_, body) + added(body, known);
    }
    known.erase(k_.blocks[body].params[0]);
    return n;
  }
  int64_t copies(Id v) const {
    const auto f = s_.folds.find(v);
    if (f == s_.folds.end()) return 1;
    switch (f->second.how) {
      case FoldSchedule::How::blocks: return 1 + f->second.registers;
      case FoldSchedule::How::vectors: return 1 + (many_partials + few_partials) / s_.vector_width;
    }
    return 1;
  }

  const Schedule& s_;
  const Kernel& k_;
  const TargetInfo& target_;
  const Divergence d_;
  const std::vector<char> written_;
};

}  // namespace

std::string verify(const Schedule& s, const Kernel& k, const TargetInfo& target) {
  try {
    Verifier(s, k, target).run();
    return {};
  } catch (const Refused& r) {
    return r.why;
  }
}

void require_compilable(const Kernel& k, const Schedule& s, const TargetInfo& target) {
  if (const std::string problem = nest::verify(k); !problem.empty())
    throw CompileError(fmt::format("the loop program {} is not well formed: {}", k.name, problem));
  if (k.rank < 0 || k.rank > 2)
    throw CompileError(
        fmt::format("the grid of {} has {} axes; at most 2 can be compiled", k.name, k.rank));
  for (const Inst& i : k.insts)
    if ((i.op == Opcode::Fold || i.op == Opcode::ForEach) &&
        k.insts[i.args[0]].op != Opcode::Const && k.insts[i.args[0]].op != Opcode::Extent)
      throw CompileError(fmt::format(
          "a fold or for_each of {} is over as many elements as a value says; code is made for a "
          "constant or an extent, other numbers take a For",
          k.name));
  if (const std::string problem = verify(s, k, target); !problem.empty())
    throw CompileError(fmt::format("the loop program {} cannot have this schedule: {}\n{}", k.name,
                                   problem, to_string(s)));
}

}  // namespace weft::compiler
