// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/loop_blocks.cpp: runs long bounded loops in blocks. The known carries are kept at the
// start of each block. The transposed loop recomputes a block before it runs backward through it.
// If the bound is m trips, about 2 sqrt(m) rows are kept instead of m.
#include "ops/control/loop_blocks.h"

#include <cmath>
#include <limits>

#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

// The largest number of steps that an i32 can count.
constexpr int64_t max_steps = std::numeric_limits<int32_t>::max();
// Shorter loops keep a residual for each trip, because recomputing costs more than the memory.
constexpr int64_t short_loop = 64;

// Returns clamp(trips - b * size, 0, size) for each block b. The trips of the whole loop may exceed
// an i32; those of a block do not.
Array trips_of_blocks(const Array& trips, int64_t blocks, int64_t size) {
  const Shape rows = trips.shape().inserted(0, blocks);
  Ints lanes;
  for (int a = 1; a < rows.ndim(); ++a) lanes.push_back(a);
  const DType d = trips.dtype();
  const auto number = [&](int64_t n) { return broadcast_in_dim(scalar_of_int(d, n), rows, {}); };
  const Array left =
      lax::sub(broadcast_in_dim(trips, rows, lanes), lax::mul(iota(d, rows, 0), number(size)));
  const Array mine = lax::min(lax::max(left, number(0)), number(size));
  return d == I32 ? mine : lax::convert_element_type(mine, I32);
}

const Op& scan() { return *find_op("scan"); }

// Binds a scan with one step per block that runs the body on these operands.
Arrays each_block(const LoopValues<Array>& x, FunctionRef<Arrays(const LoopValues<Array>&)> body,
                  PartialEvalTrace* record_at) {
  Scan p;
  p.length = x.xs[0].shape()[0];
  p.num_consts = static_cast<int64_t>(x.body_consts.size());
  p.num_carry = static_cast<int64_t>(x.carry.size());
  LoopValues<Type> in{
      {}, {}, types_of(x.body_consts), types_of(x.carry), map_list(row_type, types_of(x.xs))};
  p.jaxpr = program(in_order(in), [&](const Arrays& a) { return body(by_role(a, ranges_of(x))); });
  return record_at ? record_at->record(scan(), in_order(x), make_params(p))
                   : bind_op(scan(), in_order(x), make_params(p));
}

}  // namespace

Arrays record_bounded(PartialEvalTrace& trace, const BoundedLoop& l) {
  const int64_t bound = std::get<Scan>(l.step.like).length;
  if (bound <= short_loop) {
    const CurrentTraceScope running{Ref<Interpreter>(&trace)};
    return filter_list(l.step.bind(scan(), l.x), l.unknown.carry);
  }
  BodyOp step = l.step;
  int64_t& length = std::get<Scan>(step.like).length;
  length =
      std::min<int64_t>(std::llround(std::ceil(std::sqrt(static_cast<double>(bound)))), max_steps);
  const Array trips = trips_of_blocks(l.x.control[0], (bound - 1) / length + 1, length);
  // One block as a program of (trips, consts, carry), split into known and unknown parts.
  LoopValues<Type> in{{row_type(trips.type())}, {}, types_of(l.x.body_consts), types_of(l.x.carry)};
  const Split block = partial_eval_jaxpr(
      program(in_order(in), [&](const Arrays& x) { return bind_op(scan(), x, step.params()); }),
      in_order(l.unknown), l.unknown.carry);
  const LoopValues<Array> known = filter_list(l.x, l.unknown, false),
                          unknown = filter_list(l.x, l.unknown);
  const size_t nc = known.body_consts.size(), n = known.carry.size();
  // The known carries at the start of each block, stacked.
  std::vector<bool> keep(block.known->out.size(), false);
  std::fill_n(keep.begin(), n, true);
  const Jaxpr forward = dce(block.known, keep);
  const Arrays starts =
      drop_first(each_block(
                     {{}, {}, known.body_consts, known.carry, {trips}},
                     [&](const LoopValues<Array>& g) {
                       Arrays out = eval_jaxpr(
                           forward, in_order(LoopValues<Array>{g.xs, {}, g.body_consts, g.carry}));
                       append(out, g.carry);
                       return out;
                     },
                     nullptr),
                 n);
  LoopValues<Array> x{{}, {}, known.body_consts, unknown.carry, {trips}};
  append(x.body_consts, unknown.body_consts);
  append(x.xs, starts);
  return each_block(
      x,
      [&](const LoopValues<Array>& g) {
        LoopValues<Array> again{{g.xs[0]}, {}, sublist(g.body_consts, 0, nc), drop_first(g.xs, 1)};
        Arrays args = drop_first(eval_jaxpr(block.known, in_order(again)), n);
        append(args, drop_first(g.body_consts, nc));
        append(args, g.carry);
        return eval_jaxpr(block.rest, args);
      },
      &trace);
}

}  // namespace weft
