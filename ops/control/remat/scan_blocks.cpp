// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/scan_blocks.cpp: a scan as a scan of scans (docs/decisions/0041).
//
// The known part is a scan over blocks. Each block is a scan of steps, and returns the carries at
// its start. The unknown part is also a scan over blocks. Its body runs the known steps of the
// block again to get their carries, and then the unknown steps. The blocks that run first are
// longer than the others.
#include "ops/control/remat/scan_blocks.h"

#include <algorithm>
#include <cmath>

#include "ops/control/remat/run_twice.h"
#include "ops/control/rewrites/unroll.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"

namespace weft {
namespace {

// Shorter scans keep all carries, because recomputing costs more than the memory.
constexpr int64_t short_scan = 64;

// `count` blocks of `size` steps each.
struct Blocks {
  int64_t count, size;
};
// Returns the blocks of n steps, in the order in which they run. The backward pass holds the start
// carries of all blocks that it still must reach, and the step carries of one block. It holds most
// at the beginning, when it is at the last block, so later blocks are shorter. Two block sizes hold
// at most sqrt(3 n) carries; one size would hold 2 sqrt(n).
std::vector<Blocks> blocks_of(int64_t n) {
  for (auto most = static_cast<int64_t>(std::sqrt(3. * static_cast<double>(n)));; ++most)
    for (int64_t first = 1; first < most; ++first) {
      const int64_t room = most - first, left = n - first * room;
      if (left == 0) return {{first, room}};
      // The start and step carries of the later blocks use the memory that the step carries of an
      // earlier block need afterwards, with one carry to spare.
      const int64_t later = room - 1;
      const double spread = static_cast<double>(later * later - 4 * left);
      if (left < 0 || spread < 0) continue;
      // Tries the counts with count + left / count <= later.
      const double root = std::sqrt(spread), middle = static_cast<double>(later);
      const auto end = static_cast<int64_t>((middle + root) / 2);
      for (auto count = std::max<int64_t>(1, static_cast<int64_t>(std::ceil((middle - root) / 2)));
           count <= end; ++count)
        if (left % count == 0) return {{first, room}, {count, left / count}};
    }
}

// The scan with its unknown constants as carries, which each step returns unchanged. In both forms
// the cotangents of such constants are added step by step. Only in this form does the sum continue
// from one block into the next.
struct Threaded {
  BodyOp o;
  LoopValues<bool> unknown;
  LoopValues<Array> x;
};
Threaded threaded(const BodyOp& o, const LoopValues<Array>& x, const LoopValues<bool>& unknown) {
  const auto moved = [&](const auto& g) {
    auto r = g;
    r.body_consts = filter_list(g.body_consts, unknown.body_consts, false);
    r.carry = concat_lists(filter_list(g.body_consts, unknown.body_consts), g.carry);
    return r;
  };
  Threaded t{o, moved(unknown), moved(x)};
  t.o.lane_axes = moved(o.lane_axes);
  t.o.bodies = {program(t.o.takes(t.x), [&](const Arrays& in) {
    const LoopValues<Array> g = t.o.body_inputs(in);
    const size_t n = filter_list(unknown.body_consts, unknown.body_consts).size();
    const LoopValues<Array> as_before{{},
                                      {},
                                      merge_lists(unknown.body_consts, g.carry, g.body_consts),
                                      drop_first(g.carry, n),
                                      g.xs};
    // One equation, so that the cotangents of one constant within a step are added before they are
    // added to the sum over the steps.
    return concat_lists(sublist(g.carry, 0, n),
                        base::call(o.bodies[0], in_order(as_before), "step"));
  })};
  return t;
}

// Makes a scan of `body` over the rows of x, one row for each block.
Scan over_blocks(const LoopValues<Array>& x, int64_t blocks, bool reverse,
                 FunctionRef<Arrays(const LoopValues<Array>&)> body) {
  Scan p;
  p.length = blocks;
  p.reverse = reverse;
  p.num_consts = static_cast<int64_t>(x.body_consts.size());
  p.num_carry = static_cast<int64_t>(x.carry.size());
  const LoopValues<Type> in{
      {}, {}, types_of(x.body_consts), types_of(x.carry), map_list(row_type, types_of(x.xs))};
  p.jaxpr = program(in_order(in), [&](const Arrays& a) { return body(by_role(a, ranges_of(x))); });
  return p;
}

// Returns the carries and the rows in blocks. For the known part, the known carries at the start of
// each block follow.
Arrays known_blocks(const Op& op, const Threaded& t, const Unknown& u, int64_t blocks) {
  BodyOp k = known_part(t.o, u);
  const Split& s = u.bodies[0];
  std::vector<bool> keep(s.known->out.size(), true);
  std::fill(keep.end() - s.residuals, keep.end(), false);
  k.bodies = {dce(s.known, keep)};
  const LoopValues<Array> x = filter_list(t.x, u.operand, false);
  const Scan p =
      over_blocks(x, blocks, std::get<Scan>(t.o.like).reverse,
                  [&](const LoopValues<Array>& g) { return concat_lists(k.bind(op, g), g.carry); });
  return bind_op(op, in_order(x), make_params(p));
}
Arrays unknown_blocks(const Op& op, const Threaded& t, const Unknown& u, const Arrays& starts,
                      int64_t blocks, PartialEvalTrace& trace) {
  // The steps without known results, which are not recomputed.
  BodyOp step = t.o;
  step.bodies = {dce(*second_run(step.bodies[0]),
                     concat_lists(std::vector<bool>(u.operand.carry.size(), true), u.result))};
  step.result_lane_axes = filter_list(step.result_lane_axes, u.result);
  const Unknown unknown = find_unknown(step, in_order(u.operand));
  const LoopValues<Array> x{{},
                            {},
                            filter_list(t.x.body_consts, u.operand.body_consts, false),
                            filter_list(t.x.carry, u.operand.carry),
                            concat_lists(starts, t.x.xs)};
  const Scan p =
      over_blocks(x, blocks, std::get<Scan>(t.o.like).reverse, [&](const LoopValues<Array>& g) {
        const LoopValues<Array> in{{},
                                   {},
                                   g.body_consts,
                                   merge_lists(u.operand.carry, g.carry, g.xs),
                                   drop_first(g.xs, starts.size())};
        const Arrays out =
            run_parts(op, step, in, unknown,
                      [&](const BodyOp& q, const LoopValues<Array>& v) { return q.bind(op, v); });
        return filter_list(out, concat_lists(unknown.operand.carry, unknown.result));
      });
  return trace.record(op, in_order(x), make_params(p));
}

// Returns the carries, then the rows in blocks.
Arrays run_blocks(const Op& op, const Threaded& t, int64_t blocks, PartialEvalTrace& trace) {
  const Unknown u = find_unknown(t.o, in_order(t.unknown));
  const Arrays known = known_blocks(op, t, u, blocks);
  const size_t made = filter_list(u.operand.carry, u.operand.carry, false).size() +
                      filter_list(u.result, u.result, false).size();
  return both_parts(u, known, unknown_blocks(op, t, u, drop_first(known, made), blocks, trace));
}

}  // namespace

bool runs_in_blocks(const BodyOp& o, const Unknown& u) {
  const Scan* p = std::get_if<Scan>(&o.like);
  if (!p || !o.lanes.empty() || !o.lane_axes.control.empty() || p->length <= short_scan)
    return false;
  const Split& s = u.bodies[0];
  const auto known = [](const auto& g, const std::vector<bool>& unknown) {
    return static_cast<int32_t>(filter_list(g, unknown, false).size());
  };
  const int32_t first = known(o.lane_axes.body_consts, u.operand.body_consts),
                end = first + known(o.lane_axes.carry, u.operand.carry);
  bool carries = false;
  for (size_t k = s.known->out.size() - static_cast<size_t>(s.residuals); k < s.known->out.size();
       ++k) {
    const Atom a = s.known->out[k];
    if (a.is_literal() || a.index >= s.known->n_in) return false;
    carries = carries || (a.index >= first && a.index < end);
  }
  return carries && second_run(o.bodies[0]) &&
         any_equation({s.rest},
                      [](const JaxprData&, const Eqn& e) { return e.op->name() == "remat2"; });
}

Arrays record_scan_in_blocks(const Op& op, const BodyOp& o, const LoopValues<Array>& x,
                             const Unknown& u, PartialEvalTrace& trace) {
  const CurrentTraceScope running{Ref<Interpreter>(&trace)};
  const int64_t length = std::get<Scan>(o.like).length;
  const bool reverse = std::get<Scan>(o.like).reverse;
  Threaded t = threaded(o, x, u.operand);
  const size_t n = t.x.carry.size(), threads = n - x.carry.size();
  Arrays ys;
  int64_t done = 0;
  for (const Blocks& b : blocks_of(length)) {
    const int64_t steps = b.count * b.size, from = reverse ? length - done - steps : done;
    done += steps;
    Threaded p = t;
    std::get<Scan>(p.o.like).length = b.size;
    for (Array& v : p.x.xs) v = in_blocks(rows_of(v, from, from + steps), b.size);
    const Arrays out = run_blocks(op, p, b.count, trace);
    t.x.carry = sublist(out, 0, n);
    const Arrays rows = map_list(from_blocks, drop_first(out, n));
    for (size_t k = 0; k < ys.size(); ++k)
      ys[k] = concatenate_arrays(reverse ? Arrays{rows[k], ys[k]} : Arrays{ys[k], rows[k]}, 0);
    if (ys.empty()) ys = rows;
  }
  return concat_lists(drop_first(t.x.carry, threads), ys);
}

}  // namespace weft
