// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/cholesky.cpp: cholesky: column by column inside the lane, large matrices by LAPACK.
#include "weft/lax/linalg/cholesky.h"

#include <cmath>
#include <limits>

#include "ops/control/control_flow.h"
#include "ops/index/index.h"
#include "ops/kit/arith.h"
#include "ops/kit/kit.h"
#include "ops/linear/device/calls.h"
#include "ops/linear/implementations.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "runtime/native/linalg.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/triangular_solve.h"

namespace weft {
namespace {

using namespace lax;
using arith::conj_of, arith::real_of;
using matrix::as_number, matrix::real_part_of;
constexpr unsigned classes = DTypes::wide_floats | DTypes::complexes;

// ---- the reference

// Factors one matrix of n rows. Returns false if it is not positive definite.
template <class P>
bool factor(std::vector<P>& l, int64_t n) {
  const auto at = [&](int64_t i, int64_t j) -> P& { return l[i * n + j]; };
  for (int64_t j = 0; j < n; ++j) {
    const auto pivot = real_of(at(j, j));
    if (!(pivot > 0)) return false;
    const P root(std::sqrt(pivot));
    at(j, j) = root;
    for (int64_t i = j + 1; i < n; ++i) at(i, j) = arith::div(at(i, j), root);
    for (int64_t i = j + 1; i < n; ++i)
      for (int64_t k = j + 1; k <= i; ++k)
        at(i, k) = arith::sub(at(i, k), arith::mul(at(i, j), conj_of(at(k, j))));
  }
  return true;
}

template <class T>
void factor_dense(const T* from, T* to, int64_t batch, int64_t n) {
  using P = typename Element<T>::plain;
  const P nan = arith::mul(arith::constant<P>(std::numeric_limits<double>::quiet_NaN()), P(1));
  std::vector<P> l(n * n);
  for (int64_t b = 0; b < batch; ++b, from += n * n, to += n * n) {
    for (int64_t k = 0; k < n * n; ++k) l[k] = Element<T>::load(from[k]);
    const bool definite = factor(l, n);
    for (int64_t k = 0; k < n * n; ++k)
      to[k] = Element<T>::store(k % n > k / n ? P(0) : definite ? l[k] : nan);
  }
}

Arrays cholesky_reference(const Arrays& x, const None&) {
  const Type t = x[0].type().strong();
  const matrix::Sizes s(t);
  const Fresh r = fresh_array(t);
  with_class<classes>(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    factor_dense(data_of<T>(x[0]), static_cast<T*>(r.data), s.batch, s.rows);
  });
  return {r.array};
}

// ---- as a program.
// Each step subtracts the contribution of a pivot's column from the rows below it, in place. At the
// end the columns are scaled by the roots of their pivots.

// x with only the real parts of its diagonal.
Array with_real_diagonal(const Array& x) {
  if (!is_complex(x.dtype())) return x;
  const Array i = iota(I32, x.shape(), x.ndim() - 2), j = iota(I32, x.shape(), x.ndim() - 1);
  return select(eq(i, j), as_number(real(x), x.dtype()), x);
}

// From each row after j, subtracts its element j times `inverse` and `across`.
Array without_column(const Array& a, const Array& inverse, const Array& across,
                     const matrix::Row& j) {
  const int rows = a.ndim() - 2;
  const auto row_without = [&](const Array& i, const Array& x) {
    const Array row = matrix::element(x, i, rows);
    const Array factor = mul(matrix::number(x, i, j.index), inverse);
    const Array less = sub(row, mul(matrix::along_leading(factor, row.shape()), across));
    return matrix::with_element(x, less, i, rows);
  };
  return matrix::over_rows(matrix::after(j), matrix::row_at(a.shape()[rows]), a, row_without);
}

// One step, from (matrices, flags of those that are positive definite so far) and j. Returns the
// new matrices and flags, and the inverse of the root of the pivot. This inverse is finite where
// the inverse of the pivot overflows.
Arrays column_step(const Array& a, const Array& definite, const matrix::Row& step) {
  const int rank = a.ndim();
  const Array& j = step.index;
  const Array pivot = real_part_of(matrix::number(a, j, j)), root = rsqrt(pivot);
  const Array inverse = as_number(root, a.dtype());
  const Array column = matrix::conj(matrix::column(a, j));
  const Array later = gt(iota(I32, column.shape(), rank - 2), j);
  const Array quotients = mul(column, matrix::along_leading(inverse, column.shape()));
  const Array across = select(later, quotients, base::zeros(column.type().strong()));
  return {without_column(a, inverse, across, step),
          bitwise_and(definite, gt(pivot, base::zeros(pivot.type().strong()))), root};
}

Arrays cholesky_expand(const ExpandArgs<None>& e) {
  const Array& x = e.x[0];
  const int rank = x.ndim();
  const Type t = x.type().strong(), flag(Bool, x.shape().erased(rank - 1).erased(rank - 2));
  const int64_t n = matrix::Sizes(t).rows;
  const Array first = with_real_diagonal(base::convert(x, t.dtype()));
  if (n == 0) return {first};
  const Arrays out = matrix::over_steps(
      n, false, {first, base::ones(flag)},
      [](const matrix::Row& j, const Arrays& c) { return column_step(c[0], c[1], j); });
  const Array roots = as_number(base::move_axis(out[2], 0, rank - 2), t.dtype());
  const Array factors = mul(out[0], matrix::along(roots, t.shape(), rank - 1));
  const Array none =
      convert_element_type(Array(std::numeric_limits<double>::quiet_NaN()), out[2].dtype());
  const Array nan = is_complex(t.dtype()) ? lax::complex(none, none) : none;
  return {matrix::triangle(select(matrix::along_leading(out[1], t.shape()),
                                  with_real_diagonal(factors), matrix::all(nan, t.shape())),
                           true)};
}

// ---- by LAPACK

native::Squares squares(const Use<None>& u) {
  const matrix::Sizes s(u.in[0]);
  return {u.in[0].dtype(), s.batch, s.rows};
}
NativeCall cholesky_call(const Use<None>& u) {
  NativeCall call;
  call.run = [a = squares(u)](const NativeArgs& args) { native::cholesky(a, args); };
  const int n = u.in[0].ndim();
  call.axis_map = axis_map_without(1, n, {n - 2, n - 1}, false);
  return call;
}

// Nanoseconds per matrix among many (AVX-512, one thread), in the lane and by LAPACK: 29 and 190
// for 8 rows, 120 and 570 for 16, 1160 and 2200 for 32 in F32, 1860 and 3900 for 32 in F64. Single
// matrices are slower in the lane, but the choice does not depend on the number of matrices.
std::vector<Implementation<None>> cholesky_implementations() {
  return lane_or_library<None>({.rows = longer_side<None>,
                                .in_lane = [](const Use<None>& u) { return 0.035 * work(u); },
                                .library = [](const Use<None>& u) { return 150 + 0.054 * work(u); },
                                .call = cholesky_call,
                                .device = {"cusolver", "cuSOLVER", [](const Use<None>& u) {
                                             return device_calls::cholesky(u.in[0]);
                                           }}});
}

// ---- derivative: L' = L phi(L^-1 A' L^-H).
// phi takes the lower triangle with half of the diagonal. Only the lower triangle of A' is read, as
// for A.
Array hermitian(const Array& x) {
  const Array low = matrix::triangle(x, true, true);
  const Array diagonal = sub(matrix::triangle(x, true), low);
  return add(add(low, matrix::transposed(low, true)), as_number(real_part_of(diagonal), x.dtype()));
}
Arrays cholesky_jvp(const JvpArgs<None>& j) {
  if (j.dx[0].empty_handle()) return Arrays(1);
  const Array& l = j.out[0];
  const Array right = triangular_solve(
      l, hermitian(j.dx[0]),
      {.left_side = false, .lower = true, .transpose_a = true, .conjugate_a = true});
  const Array both = triangular_solve(l, right, {.left_side = true, .lower = true});
  const Array low = matrix::triangle(both, true, true), whole = matrix::triangle(both, true);
  return {matrix::product(l, mul(add(low, whole), like(low, 0.5)))};
}

std::vector<Sample<None>> cholesky_samples() {
  std::vector<Sample<None>> s;
  const auto add_sample = [&](const Type& t) {
    s.push_back({.in = {t}, .values = [t](uint64_t seed) {
                   return Arrays{matrix::positive_definite(t, seed)};
                 }});
  };
  for (DType d : {F32, F64, C64, C128}) add_sample(Type(d, {3, 3}));
  for (const Shape& shape : {Shape{1, 1}, Shape{0, 0}, Shape{2, 4, 4}, Shape{0, 2, 2}})
    add_sample(Type(F64, shape));
  add_sample(Type(F64, {34, 34}));
  return s;
}

// The factor of one number is its root.
Arrays cholesky_simplify(const SimplifyArgs<None>& s) {
  const Array& x = s.x[0];
  if (x.shape()[x.ndim() - 1] != 1) return {};
  const Array pivot = matrix::real_part_of(base::convert(x, x.dtype()));
  const Array nan = like(pivot, std::numeric_limits<double>::quiet_NaN());
  const Array root = sqrt(pivot), none = matrix::all(nan, x.shape());
  const Array factor = select(gt(pivot, base::zeros(pivot.type())), root, none);
  if (!is_complex(x.dtype())) return {factor};
  return {lax::complex(factor, select(eq(factor, factor), base::zeros(factor.type()), none))};
}

const Primitive<None>& cholesky_op = define<None>({
    .name = "cholesky",
    .doc = "Computes the lower triangular Cholesky factors of positive definite matrices, of which "
           "the lower triangles are read. The factors of other matrices are NaN.",
    .type =
        [](const Types& in, const None&) {
          require_operands("cholesky", in, 1);
          matrix::require_square("cholesky", in);
          return Types{in[0].strong()};
        },
    .reference = cholesky_reference,
    .jvp = cholesky_jvp,
    .batch = batch_in_front<None>,
    .expand = cholesky_expand,
    .implementations = cholesky_implementations,
    .simplify = cholesky_simplify,
    .tolerance = 64,
    .samples = cholesky_samples,
    .rejects =
        [] {
          return std::vector<Reject<None>>{{{Type(F32, {3, 2})}, {}, "square matrices"},
                                           {{Type(F32, {3})}, {}, "square matrices"},
                                           {{Type(I32, {3, 3})}, {}, "takes f32, f64"}};
        },
});

}  // namespace

namespace lax {
Array cholesky(const Arg& x, bool symmetrize_input) {
  const SourceScope s(x.at());
  if (!symmetrize_input || x->ndim() < 2) return cholesky_op({x});
  const Array sum = add(x, matrix::transposed(x, true));
  return cholesky_op({mul(sum, like(sum, 0.5))});
}

Array cholesky_update(const Arg& r, const Arg& w) {
  const SourceScope s(r.at());
  const Types in = {r->type(), w->type()};
  if (!dtype_in(in[0].dtype(), DTypes::wide_floats) || in[0].dtype() != in[1].dtype())
    reject_dtype("cholesky_update", "takes two operands of f32 or of f64", in);
  if (in[0].ndim() != 2 || in[1].ndim() != 1 || in[0].shape()[0] != in[0].shape()[1] ||
      in[0].shape()[0] != in[1].shape()[0])
    reject_shape("cholesky_update", "takes a square matrix and a vector with a number a row", in);
  const int64_t n = in[1].shape()[0];
  const Type rows = in[0].strong(), vector = in[1].strong(), index(I32, {});
  if (n == 0) return r;
  const ClosedJaxpr body = record({rows, vector, index}, [](const Arrays& c) {
    const Array row = matrix::element(c[0], c[2], 0), &z = c[1];
    const Array x = matrix::element(row, c[2], 0), y = matrix::element(z, c[2], 0);
    const Array zero = matrix::zeros_like(y), one = base::ones(y.type());
    const Array whole = max(abs(x), abs(y)), none = eq(whole, zero);
    const Array size = select(none, one, whole), xs = div(x, size), ys = div(y, size);
    const Array length = rsqrt(select(none, one, add(square(xs), square(ys))));
    // A row with no update does not change, even if its diagonal element is negative.
    const Array stays = bitwise_and(eq(y, zero), lt(x, zero));
    const Array over = select(stays, neg(length), length);
    const Array cosine = matrix::all(select(none, one, mul(xs, over)), row.shape());
    const Array sine = matrix::all(mul(ys, over), row.shape());
    const Array turned = add(mul(cosine, row), mul(sine, z));
    return Arrays{matrix::with_element(c[0], turned, c[2], 0), sub(mul(cosine, z), mul(sine, row))};
  });
  return scan_flat(body, {base::convert(r, rows.dtype()), base::convert(w, rows.dtype())},
                   {iota(I32, {n}, 0)}, n)[0];
}
}  // namespace lax

}  // namespace weft
