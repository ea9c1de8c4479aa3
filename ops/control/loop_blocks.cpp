// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/loop_blocks.cpp: long bounded loops run in blocks. The known carries are kept at the
// start of each block, and the transposed loop computes a block again before it goes through it
// backwards: of m trips that the bound allows, about 2 sqrt(m) rows are held, not m.
#include "weft/ops/control/loop_blocks.h"

#include <cmath>
#include <limits>

#include "weft/ops/control/lanes.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/structure/structure.h"

namespace weft {
namespace {

// Steps of a scan that an i32 counts.
constexpr int64_t most_steps = std::numeric_limits<int32_t>::max();
// Up to here a residual of each trip is kept: computing them again costs more than they weigh.
constexpr int64_t short_loop = 64;

// clamp(trips - b * size, 0, size) of each block b. The trips of the whole loop may be more than an
// i32 holds, those of a block are not.
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

Arrays chosen(const Arrays& x, const std::vector<bool>& unknown, bool want) {
  Arrays r;
  for (size_t i = 0; i < x.size(); ++i)
    if (unknown[i] == want) r.push_back(x[i]);
  return r;
}

Type row_type(const Array& rows) { return rows.type().with_shape(rows.shape().erased(0)); }

// One block as a program of (trips, consts, carry), split by what is unknown.
struct Block {
  Split split;
  Arrays consts, carry;  // known
  size_t results = 0;    // known carries
};
Block split_block(const BoundedLoop& l, const Scan& step, const Type& trips) {
  Types types{trips};
  append(types, types_of(l.consts));
  append(types, types_of(l.carry));
  const Jaxpr whole = program(
      types, [&](const Arrays& x) { return bind_op(*find_op("scan"), x, make_params(step)); });
  std::vector<bool> unknown{false};
  append(unknown, l.const_unknown);
  append(unknown, l.carry_unknown);
  Block b{partial_eval_jaxpr(whole, unknown, l.carry_unknown),
          chosen(l.consts, l.const_unknown, false), chosen(l.carry, l.carry_unknown, false), 0};
  b.results = b.carry.size();
  return b;
}

// The known carries at the start of each block, stacked.
Arrays starts_of_blocks(const Block& b, const Array& trips) {
  const size_t nc = b.consts.size();
  std::vector<bool> keep(b.split.known->out.size(), false);
  std::fill_n(keep.begin(), b.results, true);
  const Jaxpr forward = dce(b.split.known, keep);
  Scan k;
  k.length = trips.shape()[0];
  k.num_consts = static_cast<int64_t>(nc);
  k.num_carry = static_cast<int64_t>(b.results);
  Types types = types_of(b.consts);
  append(types, types_of(b.carry));
  types.push_back(row_type(trips));
  k.jaxpr = program(types, [&](const Arrays& x) {
    Arrays args{x.back()};
    append(args, part(x, 0, nc + b.results));
    Arrays out = eval_jaxpr(forward, args);
    append(out, part(x, nc, b.results));
    return out;
  });
  Arrays operands = b.consts;
  append(operands, b.carry);
  operands.push_back(trips);
  const Arrays out = bind_op(*find_op("scan"), operands, make_params(k));
  return part(out, b.results, b.results);
}

}  // namespace

Arrays record_bounded(PartialEval& level, const BoundedLoop& l) {
  const int64_t bound = l.step.length;
  if (bound <= short_loop) {
    Arrays operands{l.trips};
    append(operands, l.consts);
    append(operands, l.carry);
    const Running running{Ref<Interpreter>(&level)};
    return chosen(bind_op(*find_op("scan"), operands, make_params(l.step)), l.carry_unknown, true);
  }
  Scan step = l.step;
  step.length =
      std::min<int64_t>(std::llround(std::ceil(std::sqrt(static_cast<double>(bound)))), most_steps);
  const int64_t blocks = (bound - 1) / step.length + 1;
  const Array trips = trips_of_blocks(l.trips, blocks, step.length);
  const Block b = split_block(l, step, row_type(trips));
  const Arrays starts = starts_of_blocks(b, trips),
               consts = chosen(l.consts, l.const_unknown, true),
               carry = chosen(l.carry, l.carry_unknown, true);
  const size_t nc = b.consts.size(), nu = consts.size() + carry.size();
  Scan u;
  u.length = blocks;
  u.num_consts = static_cast<int64_t>(nc + consts.size());
  u.num_carry = static_cast<int64_t>(carry.size());
  Arrays operands = b.consts;
  append(operands, consts);
  append(operands, carry);
  Types types = types_of(operands);
  operands.push_back(trips);
  append(operands, starts);
  types.push_back(row_type(trips));
  for (const Array& s : starts) types.push_back(row_type(s));
  u.jaxpr = program(types, [&](const Arrays& x) {
    Arrays args{x[nc + nu]};
    append(args, part(x, 0, nc));
    append(args, part(x, nc + nu + 1, b.results));
    const Arrays again = eval_jaxpr(b.split.known, args);
    Arrays rest = part(again, b.results, again.size() - b.results);
    append(rest, part(x, nc, nu));
    return eval_jaxpr(b.split.rest, rest);
  });
  return level.record(*find_op("scan"), operands, make_params(u));
}

}  // namespace weft
