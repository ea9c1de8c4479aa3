// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/unroll.cpp: rewrites a scan into a shorter one whose body holds several steps.
#include "weft/ops/control/unroll.h"

#include "weft/ops/control/lanes.h"
#include "weft/ops/structure/structure.h"

namespace weft {
namespace {

Array rows_of(const Array& x, int64_t from, int64_t to) {
  std::vector<int64_t> lo(static_cast<size_t>(x.ndim()), 0), hi = x.shape().sizes();
  lo[0] = from;
  hi[0] = to;
  return slice_static(x, lo, hi, std::vector<int64_t>(lo.size(), 1));
}
// The leading axis n as two, [n / size, size], and back.
Array in_blocks(const Array& x, int64_t size) {
  return reshape_to(x, x.shape().erased(0).inserted(0, size).inserted(0, x.shape()[0] / size));
}
Array from_blocks(const Array& x) {
  const int64_t n = x.shape()[0] * x.shape()[1];
  return reshape_to(x, x.shape().erased(0).erased(0).inserted(0, n));
}

// All steps on rows xs one after another: the carry becomes the last one, the rows of results come
// back stacked.
Arrays steps_written_out(const Scan& p, const Arrays& consts, Arrays* carry, const Arrays& xs,
                         int64_t length) {
  const size_t n = carry->size(), m = p.jaxpr->out.size() - n;
  std::vector<Arrays> rows(m, Arrays(static_cast<size_t>(length)));
  for (int64_t s = 0; s < length; ++s) {
    const int64_t t = p.reverse ? length - 1 - s : s;
    Arrays in = consts;
    append(in, *carry);
    for (const Array& x : xs) in.push_back(reshape_to(rows_of(x, t, t + 1), x.shape().erased(0)));
    const Arrays out = eval_jaxpr(p.jaxpr, in);
    *carry = part(out, 0, n);
    for (size_t k = 0; k < m; ++k) {
      const Array& y = out[n + k];
      rows[k][static_cast<size_t>(t)] = reshape_to(y, y.shape().inserted(0, 1));
    }
  }
  Arrays ys;
  for (const Arrays& r : rows) ys.push_back(concatenate_arrays(r, 0));
  return ys;
}

}  // namespace

Arrays unrolled(const Arrays& x, const Scan& p) {
  const int64_t u = std::min(p.unroll, p.length);
  if (u <= 1 || p.trips) return {};
  const size_t nc = static_cast<size_t>(p.num_consts), n = static_cast<size_t>(p.num_carry);
  const Arrays consts = part(x, 0, nc), init = part(x, nc, n),
               rows = part(x, nc + n, x.size() - nc - n);
  const int64_t blocks = p.length / u, rest = p.length % u, first = p.reverse ? rest : 0,
                over = p.reverse ? 0 : blocks * u;
  Arrays carry = init, ys, xs;
  for (const Array& v : rows) xs.push_back(in_blocks(rows_of(v, first, first + blocks * u), u));
  Scan q = p;
  q.unroll = 1;
  q.length = blocks;
  Types types = types_of(consts);
  append(types, types_of(init));
  for (const Array& v : xs) types.push_back(v.type().with_shape(v.shape().erased(0)));
  q.jaxpr = program(types, [&](const Arrays& a) {
    Arrays c = part(a, nc, n);
    const size_t first_row = nc + n;
    const Arrays y =
        steps_written_out(p, part(a, 0, nc), &c, part(a, first_row, a.size() - first_row), u);
    append(c, y);
    return c;
  });
  Arrays operands = consts;
  append(operands, init);
  append(operands, xs);
  const Arrays out = bind_op(*find_op("scan"), operands, make_params(q));
  carry = part(out, 0, n);
  for (size_t k = n; k < out.size(); ++k) ys.push_back(from_blocks(out[k]));
  if (rest) {
    Arrays left;
    for (const Array& v : rows) left.push_back(rows_of(v, over, over + rest));
    const Arrays y = steps_written_out(p, consts, &carry, left, rest);
    for (size_t k = 0; k < ys.size(); ++k)
      ys[k] = concatenate_arrays(p.reverse ? Arrays{y[k], ys[k]} : Arrays{ys[k], y[k]}, 0);
  }
  append(carry, ys);
  return carry;
}

}  // namespace weft
