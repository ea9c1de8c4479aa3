// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_linalg.cpp: writes factorizations and triangular systems.
#include <fmt/format.h>

#include "interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

// StableHLO does not specify the upper triangle, nor the result for matrices that have no factor.
// The diagonal of a Hermitian matrix is real, but XLA would read imaginary parts there, so they are
// removed.
Vals cholesky(Writer& w, const Equation& e, const Vals& x) {
  const Type t = e.result();
  const int rank = t.ndim();
  const Type index(I32, t.shape());
  const Val i = w.iota(index, rank - 2), j = w.iota(index, rank - 1);
  Val a = x[0];
  if (is_complex(t.dtype())) {
    const Type part(real_part(t.dtype()), t.shape());
    const Val re = w.one("stablehlo.real", {a}, part);
    const Val real = w.one("stablehlo.complex", {re, w.number(part, 0)}, t);
    a = w.select(w.compare("EQ", i, j), real, a);
  }
  const Val l = w.one("stablehlo.cholesky", {a}, t, {{"lower", bool_attr(true)}});
  return {w.select(w.compare("GE", i, j), l, w.fit(w.number(t.with_shape(Shape{}), 0), t.shape()))};
}

// Several axes of columns are merged into one. StableHLO cannot conjugate a matrix without
// transposing it, so such a matrix is conjugated first.
Vals triangular_solve(Writer& w, const Equation& e, const Vals& x) {
  const bool left = e.field<bool>("left_side"), transpose = e.field<bool>("transpose_a"),
             conjugate = e.field<bool>("conjugate_a") && is_complex(x[0].dtype());
  const Shape &a = x[0].shape(), &b = x[1].shape();
  std::vector<int64_t> sizes(b.sizes().begin(), b.sizes().begin() + (a.ndim() - 2));
  int64_t columns = 1;
  for (int k = a.ndim() - 2; k < b.ndim(); ++k)
    if (k != (left ? a.ndim() - 2 : b.ndim() - 1)) columns *= b[k];
  const int64_t n = a[a.ndim() - 1];
  sizes.insert(sizes.end(), {left ? n : columns, left ? columns : n});
  const auto conjugated = [&](const Val& v) {
    const Type part(real_part(v.dtype()), v.shape());
    const Val re = w.one("stablehlo.real", {v}, part), im = w.one("stablehlo.imag", {v}, part);
    return w.one("stablehlo.complex", {re, w.one("stablehlo.negate", {im}, part)}, v.type);
  };
  const bool matrix = conjugate && !transpose;
  const Val lhs = matrix ? conjugated(x[0]) : x[0];
  const char* how = !transpose ? "NO_TRANSPOSE" : conjugate ? "ADJOINT" : "TRANSPOSE";
  const Val rhs = w.reshape(x[1], Shape(sizes));
  const Val out = w.one("stablehlo.triangular_solve", {lhs, rhs}, rhs.type,
                        {{"left_side", bool_attr(left)},
                         {"lower", bool_attr(e.field<bool>("lower"))},
                         {"transpose_a", text_attr(fmt::format("#stablehlo<transpose {}>", how))},
                         {"unit_diagonal", bool_attr(e.field<bool>("unit_diagonal"))}});
  return {w.reshape(out, b)};
}

}  // namespace

void write_linalg(WriteRules& r) {
  r["cholesky"] = cholesky;
  r["triangular_solve"] = triangular_solve;
}

}  // namespace weft::hlo
