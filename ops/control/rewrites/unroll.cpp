// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/unroll.cpp: rewrites a scan into a shorter one whose body has several steps.
#include "ops/control/rewrites/unroll.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/control/body_op.h"
#include "ops/structure/structure.h"

namespace weft {

Array rows_of(const Array& x, int64_t from, int64_t to) {
  std::vector<int64_t> lo(x.ndim(), 0), hi = x.shape().sizes();
  lo[0] = from;
  hi[0] = to;
  return slice_static(x, lo, hi, std::vector<int64_t>(lo.size(), 1));
}
Array in_blocks(const Array& x, int64_t size) {
  return reshape_to(x, x.shape().erased(0).inserted(0, size).inserted(0, x.shape()[0] / size));
}
Array from_blocks(const Array& x) {
  const int64_t n = x.shape()[0] * x.shape()[1];
  return reshape_to(x, x.shape().erased(0).erased(0).inserted(0, n));
}

namespace {

// Runs all steps on rows xs one after another. `carry` becomes the last carry, and the rows of
// results are returned stacked.
Arrays steps_written_out(const Scan& p, const Arrays& consts, Arrays* carry, const Arrays& xs,
                         int64_t length) {
  const size_t n = carry->size(), m = p.jaxpr->out.size() - n;
  std::vector<Arrays> rows(m, Arrays(length));
  for (int64_t s = 0; s < length; ++s) {
    const int64_t t = p.reverse ? length - 1 - s : s;
    Arrays in = concat_lists(consts, *carry);
    for (const Array& x : xs) in.push_back(reshape_to(rows_of(x, t, t + 1), x.shape().erased(0)));
    const Arrays out = eval_jaxpr(p.jaxpr, in);
    *carry = sublist(out, 0, n);
    for (size_t k = 0; k < m; ++k) {
      const Array& y = out[n + k];
      rows[k][t] = reshape_to(y, y.shape().inserted(0, 1));
    }
  }
  Arrays ys;
  for (const Arrays& r : rows) ys.push_back(concatenate_arrays(r, 0));
  return ys;
}

// Written-out steps are compiled in one piece, and the compile time grows faster than their number.
constexpr int64_t max_written_out = 32'768;
// rows: operands and results of which each step reads or writes a row.
void require_few(const Scan& p, int64_t steps, size_t rows) {
  const int64_t each =
      std::min(count_equations(p.jaxpr), max_written_out) + 2 * static_cast<int64_t>(rows) + 1;
  if (steps > max_written_out / each)
    throw CompileError(fmt::format(
        "scan: .unroll has {} steps of about {} equations written out, and more than {} equations "
        "in all take too long to compile. Write out fewer steps (.unroll = {}), or leave it out",
        steps, each, max_written_out, std::clamp<int64_t>(max_written_out / each, 1, 16)));
}

}  // namespace

Arrays unrolled(const Arrays& x, const Scan& p) {
  const int64_t u = std::min(p.unroll, p.length);
  if (u <= 1 || p.trip_counts) return {};
  const BodyOp o = body_op(p);
  const LoopValues<Array> g = o.operands(x);
  require_few(p, u, g.xs.size() + o.result_lane_axes.size());
  const int64_t blocks = p.length / u, left = p.length % u, first = p.reverse ? left : 0,
                over = p.reverse ? 0 : blocks * u;
  LoopValues<Array> in = g;
  for (Array& v : in.xs) v = in_blocks(rows_of(v, first, first + blocks * u), u);
  Scan q = p;
  q.unroll = 1;
  q.length = blocks;
  q.jaxpr = program(o.takes(in), [&](const Arrays& a) {
    LoopValues<Array> step = o.body_inputs(a);
    const Arrays y = steps_written_out(p, step.body_consts, &step.carry, step.xs, u);
    return concat_lists(step.carry, y);
  });
  const Arrays out = bind_op(*find_op("scan"), in_order(in), make_params(q));
  Arrays carry = sublist(out, 0, g.carry.size()),
         ys = map_list(from_blocks, drop_first(out, carry.size()));
  if (left) {
    Arrays rows = g.xs;
    for (Array& v : rows) v = rows_of(v, over, over + left);
    const Arrays y = steps_written_out(p, g.body_consts, &carry, rows, left);
    for (size_t k = 0; k < ys.size(); ++k)
      ys[k] = concatenate_arrays(p.reverse ? Arrays{y[k], ys[k]} : Arrays{ys[k], y[k]}, 0);
  }
  return concat_lists(carry, ys);
}

}  // namespace weft
