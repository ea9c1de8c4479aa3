// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/spectral/eig.cpp: eig: general eigenproblems by LAPACK.
#include "weft/lax/linalg/eig.h"

#include "ops/kit/kit.h"
#include "ops/linear/matrix.h"
#include "ops/linear/spectral/library.h"
#include "ops/structure/structure.h"
#include "runtime/native/eigen.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/lu.h"

namespace weft {
namespace {

using namespace lax;

struct Sides {
  bool left = true, right = true;
  WEFT_FIELDS(left, right)
};

DType complex_of(DType d) { return real_part(d) == F64 ? C128 : C64; }
Types eig_types(const Type& x, const Sides& p) {
  const Type vectors(complex_of(x.dtype()), x.shape());
  Types out = {Type(vectors.dtype(), x.shape().erased(x.ndim() - 1))};
  out.insert(out.end(), static_cast<size_t>(p.left) + static_cast<size_t>(p.right), vectors);
  return out;
}

Arrays eig_reference(const Arrays& x, const Sides& p) {
  const Type& t = x[0].type();
  return by_library(x[0], eig_types(t, p), [&](const NativeArgs& args) {
    native::eig(squares_of(t), p.left, p.right, args);
  });
}

std::vector<Implementation<Sides>> eig_implementations() {
  return library_alone<Sides>(
      25,
      [](const Use<Sides>& u) {
        return [a = squares_of(u.in[0]), p = u.params](const NativeArgs& args) {
          native::eig(a, p.left, p.right, args);
        };
      },
      native::eig_workspace);
}

// ---- derivative: with P = V^-1 X' V, w' is the diagonal of P, and V' = V (F * P) + V c.
// F(i, j) = 1 / (w(j) - w(i)), and 0 on the diagonal. c keeps the lengths, and keeps the leading
// elements real.
Arrays vector_tangents(const Array& w, const Array& v, const Array& dx) {
  const Shape& s = v.shape();
  const int last = v.ndim() - 1;
  const Array inner = substituted(lu(v), matrix::product(dx, v));
  const Array one = base::convert(eq(iota(I32, s, last - 1), iota(I32, s, last)), v.dtype());
  const Array gaps = sub(matrix::along(w, s, last), matrix::along_leading(w, s));
  const Array f = sub(div(base::ones(gaps.type()), add(gaps, one)), one);
  const Array u = matrix::product(v, mul(f, inner));
  const Array leads = matrix::leads(v, last - 1);
  const Array turn =
      div(matrix::at_leads(imag(u), leads, last - 1), matrix::at_leads(real(v), leads, last - 1));
  const Array growth = base::reduce_sum(real(mul(matrix::conj(v), u)), {last - 1});
  const Array c = complex(neg(growth), neg(turn));
  return {matrix::diagonal(inner), add(u, mul(v, matrix::along(c, s, last)))};
}

Arrays eig_jvp(const JvpArgs<Sides>& j) {
  if (j.dx[0].empty_handle()) return Arrays(j.out.size());
  const Sides& p = j.params;
  const DType d = complex_of(j.dx[0].dtype());
  const Array dx = is_complex(j.dx[0].dtype()) ? j.dx[0] : matrix::as_number(j.dx[0], d);
  const Array& w = j.out[0];
  Arrays out(1);
  if (p.left) {
    const Arrays t = vector_tangents(matrix::conj(w), j.out[1], matrix::transposed(dx, true));
    out[0] = matrix::conj(t[0]);
    out.push_back(t[1]);
  }
  if (p.right || !p.left) {
    const Array v = p.right ? j.out.back() : j.op.bind(j.x, Sides{false, true})[1];
    const Arrays t = vector_tangents(w, v, dx);
    out[0] = t[0];
    if (p.right) out.push_back(t[1]);
  }
  return out;
}

// Eigenvalues far apart. If there are at least two, two of them are a complex pair.
Array separated(const Type& t, uint64_t seed) {
  const Array x = matrix::random(t, seed), row = iota(I32, t.shape(), t.ndim() - 2),
              column = iota(I32, t.shape(), t.ndim() - 1);
  const Array places = base::convert(add(row, row), t.dtype());
  const Array diagonal = select(eq(row, column), places, base::zeros(t));
  const Array turn = base::convert(sub(column, row), t.dtype());
  const Array corner = lt(add(row, column), like(row, 2));
  const Array skew = select(corner, mul(turn, like(turn, 3)), base::zeros(t));
  return add(mul(x, like(x, 0.1)), add(diagonal, skew));
}
std::vector<Sample<Sides>> eig_samples() {
  std::vector<Sample<Sides>> s;
  const auto add_sample = [&](const Type& t, bool left, bool right) {
    s.push_back({.in = {t}, .params = {left, right}, .values = [t](uint64_t seed) {
                   return Arrays{separated(t, seed)};
                 }});
  };
  for (DType d : {F32, F64, C64, C128}) add_sample(Type(d, {4, 4}), true, true);
  for (const Shape& shape :
       {Shape{1, 1}, Shape{0, 0}, Shape{2, 3, 3}, Shape{0, 2, 2}, Shape{12, 12}})
    add_sample(Type(F64, shape), false, true);
  add_sample(Type(F64, {3, 3}), true, false);
  add_sample(Type(F64, {3, 3}), false, false);
  add_sample(Type(C128, {3, 3}), false, false);
  return s;
}

const Primitive<Sides>& eig_op = define<Sides>({
    .name = "eig",
    .doc = "Computes the complex eigenvalues of square matrices and, if requested, left and right "
           "eigenvectors of length 1 as columns.",
    .type =
        [](const Types& in, const Sides& p) {
          require_operands("eig", in, 1);
          matrix::require_square("eig", in);
          return eig_types(in[0].strong(), p);
        },
    .reference = eig_reference,
    .jvp = eig_jvp,
    .batch = batch_in_front<Sides>,
    .implementations = eig_implementations,
    .tolerance = 1024,
    .samples = eig_samples,
    .rejects =
        [] {
          return std::vector<Reject<Sides>>{{{Type(F32, {3, 2})}, {}, "square matrices"},
                                            {{Type(I32, {3, 3})}, {}, "takes f32, f64"}};
        },
});

}  // namespace

namespace lax {
Eig eig(const Arg& x, const EigOptions& o) {
  const SourceScope s(x.at());
  const Arrays r = eig_op.bind({x}, {o.compute_left_eigenvectors, o.compute_right_eigenvectors});
  return {r[0], o.compute_left_eigenvectors ? r[1] : Array(),
          o.compute_right_eigenvectors ? r.back() : Array()};
}
}  // namespace lax

}  // namespace weft
