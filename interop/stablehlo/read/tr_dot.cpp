// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/tr_dot.cpp: products of arrays.
#include "weft/interop/stablehlo/read/translate.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/linear/dot.h"

namespace weft::hlo {
namespace {

Array product(Translator& t, const Op& op, const Arrays& x, const lax::DotDims& dims) {
  if (x.size() != 2) t.fail(op, "a product needs two operands");
  return lax::dot_general(x[0], x[1], dims, t.result(op).dtype());
}
Arrays dot_general(Translator& t, const Op& op, const Arrays& x) {
  const Attr& a = t.attr(op, "dot_dimension_numbers");
  return {product(
      t, op, x,
      {t.field(op, a, "lhs_contracting_dimensions"), t.field(op, a, "rhs_contracting_dimensions"),
       t.field(op, a, "lhs_batching_dimensions"), t.field(op, a, "rhs_batching_dimensions")})};
}
// Of vectors and matrices.
Arrays dot(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 2 || x[0].ndim() < 1 || x[1].ndim() < 1)
    t.fail(op, "a product needs two operands");
  return {product(t, op, x, {{x[0].ndim() - 1}, {0}})};
}

}  // namespace

void add_products(Rules& r) {
  const Rules mine = {{"stablehlo.dot", dot}, {"stablehlo.dot_general", dot_general}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
