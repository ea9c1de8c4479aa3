// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/solve.cpp: solutions of systems, inverses, and logarithms of determinants. Their
// derivatives reuse the factors of the values.
#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/index/index.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/triangular_solve.h"
#include "weft/lax/reduce.h"
#include "weft/linalg.h"

namespace weft::linalg {
namespace {

// a x = b gives a x' = b' - a' x.
Array solved(const Array& a, const Array& b) {
  return kit::with_rule(
      "solve", {a, b},
      [](const Arrays& x) { return Arrays{lax::substituted(lax::lu(x[0]), x[1])}; },
      [](const Arrays& x) {
        const lax::LU f = lax::lu(x[0]);
        const Array y = lax::substituted(f, x[1]);
        return Arrays{y, lax::substituted(f, lax::sub(x[3], matrix::product(x[2], y)))};
      })[0];
}

Array traced(const Array& x) { return base::reduce_sum(matrix::diagonal(x), {x.ndim() - 2}); }

// The sign of a real NaN counts as 1.
Array sign_of(const Array& x) {
  if (is_complex(x.dtype())) return lax::sign(x);
  const Array zero = base::zeros(x.type().strong()), one = base::ones(x.type().strong());
  return lax::select(lax::lt(x, zero), lax::neg(one), lax::select(lax::eq(x, zero), zero, one));
}

Arrays sign_and_log(const lax::LU& f) {
  const Array d = matrix::diagonal(std::get<0>(f));
  const int last = d.ndim() - 1;
  const Array sign = lax::mul(kit::parity(f), lax::reduce_prod(sign_of(d), {last}));
  return {sign, base::reduce_sum(lax::log(lax::abs(d)), {last})};
}
// The derivative of the logarithm is tr(a^-1 a'). For complex numbers, the imaginary part of the
// trace rotates the sign.
Arrays slogdet_rule(const Arrays& x) {
  const lax::LU f = lax::lu(x[0]);
  const Arrays out = sign_and_log(f);
  const Array change = traced(lax::substituted(f, x[1]));
  const Array turn =
      is_complex(change.dtype())
          ? lax::mul(out[0],
                     lax::sub(change, lax::complex(lax::real(change), base::zeros(out[1].type()))))
          : base::zeros(out[0].type());
  return {out[0], out[1], turn, matrix::real_part_of(change)};
}

}  // namespace

Array solve(const Arg& a, const Arg& b) {
  const ApiNameScope s("solve", a.at());
  const kit::System y = kit::system("solve", a, b);
  return y.result(solved(y.a, y.b));
}

Array inv(const Arg& a) {
  const ApiNameScope s("inv", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("inv", x);
  const int last = x.ndim() - 1;
  const Array one = lax::eq(iota(I32, x.shape(), last - 1), iota(I32, x.shape(), last));
  return solved(x, base::convert(one, x.dtype()));
}

SlogDet slogdet(const Arg& a) {
  const ApiNameScope s("slogdet", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("slogdet", x);
  Arrays r = kit::with_rule(
      "slogdet", {x}, [](const Arrays& m) { return sign_and_log(lax::lu(m[0])); },
      [](const Arrays& m) { return slogdet_rule(m); });
  return {std::move(r[0]), std::move(r[1])};
}

}  // namespace weft::linalg
