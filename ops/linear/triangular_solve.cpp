// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/triangular_solve.cpp: triangular_solve: row by row inside the lane, large systems by
// BLAS.
#include "weft/lax/linalg/triangular_solve.h"

#include <algorithm>

#include "ops/control/control_flow.h"
#include "ops/kit/arith.h"
#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/linear/device/calls.h"
#include "ops/linear/implementations.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "runtime/native/linalg.h"
#include "weft/lax/compare.h"
#include "weft/lax/dot.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace lax;
constexpr unsigned classes = DTypes::wide_floats | DTypes::complexes;

struct Solve {
  bool conjugate_a = false, left_side = false, lower = false, transpose_a = false,
       unit_diagonal = false;
  WEFT_FIELDS(conjugate_a, left_side, lower, transpose_a, unit_diagonal)
};

// The axis of b that a multiplies.
int solved_axis(int a_rank, int b_rank, const Solve& p) {
  return p.left_side ? a_rank - 2 : b_rank - 1;
}

Types solve_type(const Types& in, const Solve& p) {
  const char* op = "triangular_solve";
  require_operands(op, in, 2);
  matrix::require_square(op, in);
  if (in[0].dtype() != in[1].dtype())
    reject_dtype(op, "requires arguments to have the same dtypes", in);
  const int rank = in[0].ndim();
  if (in[1].ndim() < rank)
    reject_shape(op, "the second operand has the batch axes of the first, rows and columns", in);
  for (int a = 0; a + 2 < rank; ++a)
    if (in[0].shape()[a] != in[1].shape()[a])
      reject_shape(op, "batch axes must have equal sizes", in);
  if (in[1].shape()[solved_axis(rank, in[1].ndim(), p)] != in[0].shape()[rank - 1])
    reject_shape(op, "the triangle must have the size of the axis that it is multiplied with", in);
  return {Type(in[1].dtype(), in[1].shape())};
}

// The batch, rows and columns of a call.
struct Sizes {
  int64_t batch = 1, n = 1, columns = 1;
};
Sizes sizes_of(const Type& a, const Type& b, const Solve& p) {
  Sizes s;
  s.n = a.shape()[a.ndim() - 1];
  const int at = solved_axis(a.ndim(), b.ndim(), p);
  for (int k = 0; k < b.ndim(); ++k)
    if (k != at) (k < a.ndim() - 2 ? s.batch : s.columns) *= b.shape()[k];
  return s;
}
// The system is solved with the matrix on the left. transposes: true if that matrix is the
// transpose of the operand. forward: true if its first row has one element.
bool transposes(const Solve& p) { return p.transpose_a == p.left_side; }
bool forward(const Solve& p) { return p.lower != transposes(p); }

// ---- the reference

template <class T>
void solve_dense(const Sizes& s, const Solve& p, const T* a, const T* b, T* x) {
  using P = typename Element<T>::plain;
  const int64_t n = s.n;
  const auto matrix_at = [&](int64_t i, int64_t k) {
    P v = Element<T>::load(transposes(p) ? a[k * n + i] : a[i * n + k]);
    if constexpr (arith::is_cx<P>)
      if (p.conjugate_a) v.im = -v.im;
    return v;
  };
  std::vector<P> column(n);
  for (int64_t batch = 0; batch < s.batch;
       ++batch, a += n * n, b += n * s.columns, x += n * s.columns)
    for (int64_t c = 0; c < s.columns; ++c) {
      const auto place = [&](int64_t i) { return p.left_side ? i * s.columns + c : c * n + i; };
      for (int64_t i = 0; i < n; ++i) column[i] = Element<T>::load(b[place(i)]);
      for (int64_t step = 0; step < n; ++step) {
        const int64_t k = forward(p) ? step : n - 1 - step;
        P& found = column[k];
        if (!p.unit_diagonal) found = arith::div(found, matrix_at(k, k));
        for (int64_t left = step + 1; left < n; ++left) {
          const int64_t i = forward(p) ? left : n - 1 - left;
          P& v = column[i];
          v = arith::sub(v, arith::mul(matrix_at(i, k), found));
        }
      }
      for (int64_t i = 0; i < n; ++i) x[place(i)] = Element<T>::store(column[i]);
    }
}

Arrays solve_reference(const Arrays& x, const Solve& p) {
  const Fresh r = fresh_array(x[1].type().strong());
  with_class<classes>(x[1].dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    solve_dense(sizes_of(x[0].type(), x[1].type(), p), p, data_of<T>(x[0]), data_of<T>(x[1]),
                static_cast<T*>(r.data));
  });
  return {r.array};
}

// ---- as a program.
// A step finds the elements of a row, and subtracts their contribution from the remaining rows, in
// place.

// Subtracts row k times the elements of column k from the rows of b after it, or before it.
Array without_row(const Array& b, const Array& a, const Array& row, const matrix::Row& k, int at,
                  bool forward) {
  const auto less = [&](const Array& i, const Array& x) {
    const Array here = matrix::element(x, i, at);
    const Array number = matrix::along_leading(matrix::number(a, i, k.index), here.shape());
    return matrix::with_element(x, sub(here, mul(number, row)), i, at);
  };
  if (forward) return matrix::over_rows(matrix::after(k), matrix::row_at(b.shape()[at]), b, less);
  return matrix::over_rows(matrix::row_at(0), k, b, less);
}

Arrays solve_expand(const ExpandArgs<Solve>& e) {
  const Solve p = e.params;
  const int at = solved_axis(e.x[0].ndim(), e.x[1].ndim(), p);
  Array a = transposes(p) ? matrix::transposed(e.x[0]) : e.x[0];
  if (p.conjugate_a) a = matrix::conj(a);
  const Type t = e.x[1].type().strong();
  const int64_t n = t.shape()[at];
  if (n == 0) return {base::convert(e.x[1], t.dtype())};
  const auto solve_row = [&](const matrix::Row& step, const Arrays& carry) {
    const Array &b = carry[0], &k = step.index;
    Array row = matrix::element(b, k, at);
    if (!p.unit_diagonal)
      row = div(row, matrix::along_leading(matrix::number(a, k, k), row.shape()));
    const Array rest = without_row(b, a, row, step, at, forward(p));
    return Arrays{p.unit_diagonal ? rest : matrix::with_element(rest, row, k, at)};
  };
  return matrix::over_steps(n, !forward(p), {base::convert(e.x[1], t.dtype())}, solve_row);
}

// ---- by BLAS

native::Triangular triangular(const Use<Solve>& u) {
  const Sizes s = sizes_of(u.in[0], u.in[1], u.params);
  const Solve& p = u.params;
  return {{u.in[0].dtype(), s.batch, s.n},
          s.columns,
          p.left_side,
          p.lower,
          p.transpose_a,
          p.conjugate_a,
          p.unit_diagonal};
}
NativeCall solve_call(const Use<Solve>& u) {
  NativeCall call;
  const native::Triangular t = triangular(u);
  call.run = [t](const NativeArgs& args) { native::solve_triangular(t, args); };
  call.workspace = [t] { return native::solve_triangular_workspace(t); };
  const int rank = u.in[0].ndim(), at = solved_axis(rank, u.in[1].ndim(), u.params);
  call.axis_map = {axis_map_without(1, rank, {rank - 2, rank - 1}, false)[0],
                   axis_map_without(1, u.in[1].ndim(), {at}, false)[0]};
  return call;
}

// n^2, for one column. The batch must not count.
double square(const Use<Solve>& u) {
  const auto n = static_cast<double>(u.in[0].shape()[u.in[0].ndim() - 1]);
  return n * n;
}
// Nanoseconds per system of one column among many (AVX-512, one thread), in the lane and by BLAS:
// 16 and 98 for 8 rows, 110 and 210 for 20, 290 and 350 for 28 in F32, 970 and 1200 for 32 in F64.
std::vector<Implementation<Solve>> solve_implementations() {
  return lane_or_library<Solve>(
      {.rows = longer_side<Solve>,
       .size =
           [](const Use<Solve>& u) {
             const Sizes s = sizes_of(u.in[0], u.in[1], u.params);
             return std::max(s.n, s.columns);
           },
       .in_lane = [](const Use<Solve>& u) { return 0.5 * square(u); },
       .library = [](const Use<Solve>& u) { return 80 + 0.45 * square(u); },
       .call = solve_call,
       .device = {"cublas", "cuBLAS", [](const Use<Solve>& u) {
                    return device_calls::triangular_solve(u.in[0], u.in[1], triangular(u));
                  }}});
}

// ---- transforms

// op(A) X = B implies op(A) X' = B' - op(A') X, where A' has the triangle of A.
Array change_of_matrix(const Array& da, const Array& x, const Solve& p) {
  Array d = matrix::triangle(da, p.lower, p.unit_diagonal);
  if (p.conjugate_a) d = matrix::conj(d);
  const int rank = d.ndim();
  const Ints batch = axis_range(rank - 2);
  if (p.left_side)
    return dot_general(d, x, {{p.transpose_a ? rank - 2 : rank - 1}, {rank - 2}, batch, batch});
  return dot_general(x, d, {{x.ndim() - 1}, {p.transpose_a ? rank - 1 : rank - 2}, batch, batch});
}

Arrays solve_jvp(const JvpArgs<Solve>& j) {
  Array right = j.dx[1];
  if (!j.dx[0].empty_handle()) {
    const Array change = neg(change_of_matrix(j.dx[0], j.out[0], j.params));
    right = right.empty_handle() ? change : base::add(right, change);
  }
  if (right.empty_handle()) return Arrays(1);
  return {j.op({j.x[0], right}, j.params)};
}

Arrays solve_transpose(const TransposeArgs<Solve>& t) {
  Solve p = t.params;
  p.transpose_a = !p.transpose_a;
  return {Array(), t.op({t.x[0], t.ct[0]}, p)};
}

// Lanes that share a matrix become columns (rows, if it is on the right) of one system.
Batched solve_batch(const BatchArgs<Solve>& b) {
  if (b.mapped(0))
    return {b.op.bind({move_mapped(b.x[0], b.axis[0], 0, b.size),
                       move_mapped(b.x[1], b.axis[1], 0, b.size)},
                      b.params),
            {0}};
  const int to = b.params.left_side ? b.x[1].ndim() - 1 : b.x[0].ndim() - 2;
  return {b.op.bind({b.x[0], move_mapped(b.x[1], b.axis[1], to, b.size)}, b.params), {to}};
}

std::vector<Sample<Solve>> solve_samples() {
  std::vector<Sample<Solve>> s;
  const auto add_sample = [&](DType d, const Shape& a, const Shape& b, const Solve& p) {
    const Type ta(d, a), tb(d, b);
    s.push_back({.in = {ta, tb}, .params = p, .values = [ta, tb](uint64_t seed) {
                   return Arrays{matrix::dominant(ta, seed), matrix::random(tb, seed + 1)};
                 }});
  };
  for (DType d : {F32, F64, C64, C128})
    add_sample(d, {3, 3}, {3, 2}, {.left_side = true, .lower = true});
  for (int flags = 0; flags < 32; ++flags)
    add_sample(flags & 1 ? C128 : F64, {3, 3}, {3, 3},
               {.conjugate_a = (flags & 1) != 0,
                .left_side = (flags & 2) != 0,
                .lower = (flags & 4) != 0,
                .transpose_a = (flags & 8) != 0,
                .unit_diagonal = (flags & 16) != 0});
  add_sample(F64, {2, 4, 4}, {2, 4, 3, 2}, {.left_side = true});
  add_sample(F64, {2, 4, 4}, {2, 3, 2, 4}, {.lower = true});
  add_sample(F64, {1, 1}, {1, 1}, {.left_side = true});
  add_sample(F64, {0, 0}, {0, 2}, {.left_side = true});
  add_sample(F64, {2, 2}, {2, 0}, {.left_side = true});
  add_sample(F64, {34, 34}, {34, 2}, {.left_side = true, .lower = true});
  return s;
}

// A system of one row is a division.
Arrays solve_simplify(const SimplifyArgs<Solve>& s) {
  const Array &a = s.x[0], &b = s.x[1];
  const int rank = a.ndim();
  if (a.shape()[rank - 1] != 1) return {};
  const Array x = base::convert(b, b.dtype());
  if (s.params.unit_diagonal) return {x};
  const Array number =
      reshape_to(base::convert(a, a.dtype()), a.shape().erased(rank - 1).erased(rank - 2));
  return {div(
      x, matrix::along_leading(s.params.conjugate_a ? matrix::conj(number) : number, x.shape()))};
}

const Primitive<Solve>& solve_op = define<Solve>({
    .name = "triangular_solve",
    .doc = "Solves `op(a) x = b` (with `left_side`) or `x op(a) = b` for triangular `a`. The "
           "parameters say whether `a` is transposed and conjugated.",
    .type = solve_type,
    .reference = solve_reference,
    .jvp = solve_jvp,
    .transpose = solve_transpose,
    .batch = solve_batch,
    .expand = solve_expand,
    .implementations = solve_implementations,
    .simplify = solve_simplify,
    .tolerance = 64,
    .samples = solve_samples,
    .rejects =
        [] {
          const Solve left{.left_side = true};
          return std::vector<Reject<Solve>>{
              {{Type(F32, {3, 2}), Type(F32, {3, 2})}, left, "square matrices"},
              {{Type(F32, {3, 3}), Type(F64, {3, 2})}, left, "same dtypes"},
              {{Type(F32, {3, 3}), Type(F32, {2, 3})}, left, "must have the size"},
              {{Type(F32, {3, 3}), Type(F32, {3, 2})}, {}, "must have the size"},
              {{Type(F32, {2, 3, 3}), Type(F32, {4, 3, 3})}, left, "equal sizes"},
              {{Type(F32, {3, 3}), Type(F32, {3})}, left, "has the batch axes"},
              {{Type(I32, {3, 3}), Type(I32, {3, 3})}, left, "takes f32, f64"}};
        },
});

}  // namespace

namespace lax {
Array triangular_solve(const Arg& a, const Arg& b, const TriangularSolve& o) {
  const SourceScope s(a.at());
  const Solve p{o.conjugate_a, o.left_side, o.lower, o.transpose_a, o.unit_diagonal};
  const int rank = a->ndim();
  if (rank < 2 || b->ndim() != rank - 1) return solve_op({a, b}, p);
  const int alone = o.left_side ? rank - 1 : rank - 2;
  return squeeze_axes(solve_op({a, base::insert_axis(b, alone, 1)}, p), {alone});
}
}  // namespace lax

}  // namespace weft
