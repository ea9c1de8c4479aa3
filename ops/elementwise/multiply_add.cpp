// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/multiply_add.cpp: finds sums that have a product as an operand, and sums with 0.
#include "ops/elementwise/multiply_add.h"

#include <optional>

#include "ops/kit/kit.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/fma.h"

namespace weft {
namespace {

// A product, and the ops that move its result to the sum, outermost first.
struct Product {
  const Producer* mul = nullptr;
  std::vector<const Producer*> moves = {};
};
std::optional<Product> product(const Producer* operand) {
  Product p;
  for (const Producer* m = operand; m; m = m->from[0]) {
    if (m->op.is_product()) {
      p.mul = m;
      return p;
    }
    if (!m->op.forwards_operand()) return {};
    p.moves.push_back(m);
  }
  return {};
}

// Returns true if x is 0 (not -0), looking through ops that return their operand's elements.
bool is_zero(const Array& x, const Producer* made) {
  if (!made) return is_number(x, 0);
  while (made->op.forwards_operand()) {
    if (!made->from[0]) return is_number(made->x[0], 0);
    made = made->from[0];
  }
  return false;
}

// A dot product starts its sum with 0, so it is never -0, and adding 0 does not change it.
bool is_sum_of_products(const Producer* made) {
  static const Op& dot = *find_op("dot_general");
  while (made && made->op.forwards_operand()) made = made->from[0];
  return made && &made->op == &dot;
}

// Applies the moves to a factor. A scalar factor applies to all elements, so it is not moved.
Array moved(Array x, const Shape& product, const std::vector<const Producer*>& moves) {
  if (x.shape() != product) return x;
  for (size_t m = moves.size(); m-- > 0;) {
    Arrays in = moves[m]->x;
    in[0] = x;
    x = bind_op(moves[m]->op, in, moves[m]->params)[0];
  }
  return x;
}

}  // namespace

Arrays multiply_add(const FuseArgs<None>& f, bool difference) {
  const DType d = f.x[0].dtype();
  if (d != F32 && d != F64) return {};
  if (f.producers[0] && f.producers[0] == f.producers[1])
    return {};  // p - p is 0 and p + p is exact
  for (size_t operand : {0, 1}) {
    const size_t other = 1 - operand;
    if (!(difference && other == 0) && is_zero(f.x[other], f.producers[other]) &&
        is_sum_of_products(f.producers[operand]))
      return {f.x[operand]};
    const auto p = product(f.producers[operand]);
    // Adding 0 only changes the sign of a product that is 0 or rounds to 0.
    if (!p || is_zero(f.x[other], f.producers[other])) continue;
    const Shape shape =
        p->mul->x.front().ndim() ? p->mul->x.front().shape() : p->mul->x.back().shape();
    Array a = moved(p->mul->x.front(), shape, p->moves),
          b = moved(p->mul->x.back(), shape, p->moves), c = f.x[other];
    if (difference) (operand == 0 ? c : a) = lax::neg(operand == 0 ? c : a);
    return {lax::fma(a, b, c)};
  }
  return {};
}

}  // namespace weft
