// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/multiply_add.cpp: finds the product behind an operand of a sum, and a 0 beside
// one.
#include "weft/ops/elementwise/multiply_add.h"

#include <optional>

#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/elementwise/fma.h"
#include "weft/ops/kit/kit.h"

namespace weft {
namespace {

// A product, and what hands it on to the sum, outermost first.
struct Product {
  const Made* mul = nullptr;
  std::vector<const Made*> moves = {};
};
std::optional<Product> product(const Made* operand) {
  Product p;
  for (const Made* m = operand; m; m = m->from[0]) {
    if (m->op.is_product()) {
      p.mul = m;
      return p;
    }
    if (!m->op.hands_on()) return {};
    p.moves.push_back(m);
  }
  return {};
}

// The number 0, wherever it has been handed on from; not -0.
bool is_zero(const Array& x, const Made* made) {
  if (!made) return is_number(x, 0);
  while (made->op.hands_on()) {
    if (!made->from[0]) return is_number(made->x[0], 0);
    made = made->from[0];
  }
  return false;
}

// A sum of products begins with 0: it is no -0, and 0 more leaves it as it is.
bool is_sum_of_products(const Made* made) {
  static const Op& dot = *find_op("dot_general");
  while (made && made->op.hands_on()) made = made->from[0];
  return made && &made->op == &dot;
}

// A factor where the product would be; a scalar among arrays stands for all of their elements.
Array moved(Array x, const Shape& product, const std::vector<const Made*>& moves) {
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
  if (f.made[0] && f.made[0] == f.made[1]) return {};  // p - p is 0, p + p is exact
  for (size_t operand : {0, 1}) {
    const size_t other = 1 - operand;
    if (!(difference && other == 0) && is_zero(f.x[other], f.made[other]) &&
        is_sum_of_products(f.made[operand]))
      return {f.x[operand]};
    const auto p = product(f.made[operand]);
    // Adding 0 changes nothing but the sign of a product that is 0, or is rounded to it.
    if (!p || is_zero(f.x[other], f.made[other])) continue;
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
