// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/lu.cpp: lu: column by column inside the lane, where rows keep their positions until
// the end; large matrices by LAPACK.
#include "weft/lax/linalg/lu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/control/control_flow.h"
#include "ops/index/index.h"
#include "ops/kit/arith.h"
#include "ops/kit/axes.h"
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
#include "weft/lax/reduce.h"

namespace weft {
namespace {

using namespace lax;
constexpr unsigned classes = DTypes::wide_floats | DTypes::complexes;

// ---- the reference.
// Each step exchanges rows so that the largest element of the column becomes the pivot; the first
// one of equal elements. Complex numbers are compared by the sum of the absolute values of both
// parts, as in LAPACK. A NaN is larger than any number.

template <class P>
double magnitude(const P& x) {
  double size;
  if constexpr (arith::is_cx<P>)
    size = std::abs(static_cast<double>(x.re)) + std::abs(static_cast<double>(x.im));
  else
    size = std::abs(static_cast<double>(x));
  return size == size ? size : std::numeric_limits<double>::infinity();
}

template <class P>
void factor(std::vector<P>& a, int64_t m, int64_t n, int32_t* pivots, int32_t* permutation) {
  const auto at = [&](int64_t i, int64_t j) -> P& { return a[i * n + j]; };
  for (int64_t i = 0; i < m; ++i) permutation[i] = static_cast<int32_t>(i);
  for (int64_t j = 0; j < std::min(m, n); ++j) {
    int64_t p = j;
    for (int64_t i = j + 1; i < m; ++i)
      if (magnitude(at(i, j)) > magnitude(at(p, j))) p = i;
    pivots[j] = static_cast<int32_t>(p);
    std::swap(permutation[j], permutation[p]);
    for (int64_t k = 0; k < n && p != j; ++k) std::swap(at(j, k), at(p, k));
    const P pivot = at(j, j);
    if (magnitude(pivot) == 0) continue;
    for (int64_t i = j + 1; i < m; ++i) {
      at(i, j) = arith::div(at(i, j), pivot);
      for (int64_t k = j + 1; k < n; ++k)
        at(i, k) = arith::sub(at(i, k), arith::mul(at(i, j), at(j, k)));
    }
  }
}

template <class T>
void factor_dense(const matrix::Sizes& s, const T* from, T* to, int32_t* pivots,
                  int32_t* permutation) {
  const int64_t size = s.rows * s.columns;
  std::vector<typename Element<T>::plain> a(size);
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t k = 0; k < size; ++k) a[k] = Element<T>::load(from[b * size + k]);
    factor(a, s.rows, s.columns, pivots + b * s.smaller(), permutation + b * s.rows);
    for (int64_t k = 0; k < size; ++k) to[b * size + k] = Element<T>::store(a[k]);
  }
}

Types lu_types(const Type& x) {
  const Shape rows = x.shape().erased(x.ndim() - 1);
  const int64_t smaller = matrix::Sizes(x).smaller();
  return {x.strong(), Type(I32, rows.with(rows.ndim() - 1, smaller)), Type(I32, rows)};
}

Arrays lu_reference(const Arrays& x, const None&) {
  const Types t = lu_types(x[0].type());
  const Fresh lu = fresh_array(t[0]), pivots = fresh_array(t[1]), permutation = fresh_array(t[2]);
  with_class<classes>(t[0].dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    factor_dense(matrix::Sizes(t[0]), data_of<T>(x[0]), static_cast<T*>(lu.data),
                 static_cast<int32_t*>(pivots.data), static_cast<int32_t*>(permutation.data));
  });
  return {lu.array, pivots.array, permutation.array};
}

// ---- as a program.
// The pivot row differs between lanes, but its position does not matter for the other rows. A step
// takes the pivot row out, and later reads of its position get the row with which it is exchanged.

Array magnitude(const Array& x) {
  const Array size =
      is_complex(x.dtype()) ? lax::add(lax::abs(real(x)), lax::abs(imag(x))) : lax::abs(x);
  return select(ne(size, size),
                matrix::all(like(size, std::numeric_limits<double>::infinity()), size.shape()),
                size);
}

// Returns the element at position `at` of the last axis. The position differs between matrices.
Array taken(const Array& x, const Array& at) {
  const int last = x.ndim() - 1;
  const Array here = eq(iota(I32, x.shape(), last), matrix::along_leading(at, x.shape()));
  return reduce_sum(select(here, x, base::zeros(x.type().strong())), {last});
}

// The values of a step that all rows use. Displaced: the row at the position to which the pivot row
// moves.
struct Pivot {
  Array place, row, number, displaced, displaced_number;
};

// From the rows after j, subtracts the multiple of the pivot row that makes column j zero. The
// factors are stored in column j.
Array without_column(const Array& a, const Pivot& p, const matrix::Row& step) {
  const int rows = a.ndim() - 2;
  const Array& j = step.index;
  const auto row_without = [&](const Array& i, const Array& x) {
    const Array here = matrix::element(x, i, rows);
    const auto across = [&](const Array& v) { return matrix::along_leading(v, here.shape()); };
    const Array moved = eq(p.place, matrix::all(i, p.place.shape()));
    const Array row = select(across(moved), p.displaced, here);
    const Array number = select(moved, p.displaced_number, matrix::number(x, i, j));
    const Array factor =
        select(eq(p.number, base::zeros(p.number.type())), number, div(number, p.number));
    const Array column = iota(I32, row.shape(), rows);
    const Array next = select(gt(column, j), sub(row, mul(across(factor), p.row)),
                              select(eq(column, j), across(factor), row));
    return matrix::with_element(x, next, i, rows);
  };
  return matrix::over_rows(matrix::after(step), matrix::row_at(a.shape()[rows]), a, row_without);
}

// Maps (matrices, order of the rows) and j to the same values and the position of the pivot.
Arrays lu_step(const Array& a, const Array& order, const matrix::Row& step) {
  const int rows = a.ndim() - 2;
  const Array& j = step.index;
  const Array column = matrix::column(a, j), i = iota(I32, column.shape(), rows);
  const Array size = magnitude(column);
  Pivot p;
  p.place = argmax(select(ge(i, j), size, matrix::all(like(size, -1), size.shape())), rows);
  const auto at_place = [&](const Array& x, const Shape& s) {
    return squeeze_axes(gather_along(x, matrix::along_leading(p.place, s), rows), {rows});
  };
  p.row = at_place(a, a.shape().with(rows, 1));
  p.number = at_place(column, column.shape().with(rows, 1));
  p.displaced = matrix::element(a, j, rows);
  p.displaced_number = matrix::element(column, j, rows);
  const Array next = matrix::with_element(without_column(a, p, step), p.row, j, rows);
  const auto along = [&](const Array& v) { return matrix::along_leading(v, order.shape()); };
  const Array from = along(taken(order, p.place)), to = along(matrix::element(order, j, rows));
  return {next, select(eq(i, j), from, select(eq(i, along(p.place)), to, order)), p.place};
}

Arrays lu_expand(const ExpandArgs<None>& e) {
  const Type t = e.x[0].type().strong();
  const Types out = lu_types(t);
  const int rows = t.ndim() - 2;
  const int64_t steps = matrix::Sizes(t).smaller();
  const Array a = base::convert(e.x[0], t.dtype()), start = iota(I32, out[2].shape(), rows);
  if (t.elements() == 0) return {a, base::zeros(out[1]), start};
  const Arrays r = matrix::over_steps(
      steps, false, {a, start},
      [](const matrix::Row& j, const Arrays& c) { return lu_step(c[0], c[1], j); });
  return {r[0], base::move_axis(r[2], 0, rows), r[1]};
}

// ---- by LAPACK

native::Matrices matrices(const Use<None>& u) {
  const matrix::Sizes s(u.in[0]);
  return {u.in[0].dtype(), s.batch, s.rows, s.columns};
}
NativeCall lu_call(const Use<None>& u) {
  NativeCall call;
  call.run = [a = matrices(u)](const NativeArgs& args) { native::lu(a, args); };
  call.workspace = [a = matrices(u)] { return native::lu_workspace(a); };
  const int n = u.in[0].ndim();
  call.axis_map = axis_map_without(1, n, {n - 2, n - 1}, false);
  return call;
}

std::vector<Implementation<None>> lu_implementations() {
  return lane_or_library<None>({.rows = longer_side<None>,
                                .in_lane = [](const Use<None>& u) { return 0.1 * work(u); },
                                .library = [](const Use<None>& u) { return 300 + 0.1 * work(u); },
                                .call = lu_call,
                                .device = {"cusolver", "cuSOLVER", [](const Use<None>& u) {
                                             return device_calls::lu(u.in[0]);
                                           }}});
}

// ---- derivative: L' = L low(D), U' = up(D) U.
// Here P A' = L' U + L U' and D = L^-1 P A' U^-1. If L or U is not square, it is extended with the
// identity.

Array grown(const Array& x, int64_t rows, int64_t columns) {
  std::vector<int64_t> none(x.ndim(), 0), high = none;
  high[high.size() - 2] = rows - x.shape()[x.ndim() - 2];
  high[high.size() - 1] = columns - x.shape()[x.ndim() - 1];
  return pad_with(x, like(x, 0), none, high, none);
}
Array lu_part(const Array& lu, int64_t size, bool lower) {
  const int rank = lu.ndim();
  const int64_t k = matrix::Sizes(lu.type()).smaller();
  const Array part = base::slice_axis(lu, lower ? rank - 1 : rank - 2, 0, k);
  const Array square = grown(matrix::triangle(part, lower, lower), size, size);
  const Array i = iota(I32, square.shape(), rank - 2), j = iota(I32, square.shape(), rank - 1);
  const Array ones = base::ones(square.type().strong());
  const Array filled =
      lower ? eq(i, j) : bitwise_and(eq(i, j), ge(i, like(i, static_cast<double>(k))));
  return select(filled, ones, square);
}

Arrays lu_jvp(const JvpArgs<None>& j) {
  if (j.dx[0].empty_handle()) return Arrays(3);
  const Array& lu = j.out[0];
  const int rank = lu.ndim();
  const matrix::Sizes s(lu.type());
  const Array order = matrix::along_leading(j.out[2], lu.shape());
  const Array change = gather_along(j.dx[0], order, rank - 2);
  const Array l = lu_part(lu, s.rows, true), u = lu_part(lu, s.columns, false);
  const Array left =
      triangular_solve(l, change, {.left_side = true, .lower = true, .unit_diagonal = true});
  const Array both = triangular_solve(u, left, {.left_side = false, .lower = false});
  return {base::add(matrix::product(l, matrix::triangle(both, true, true)),
                    matrix::product(matrix::triangle(both, false), u)),
          Array(), Array()};
}

std::vector<Sample<None>> lu_samples() {
  std::vector<Sample<None>> s;
  const auto add_sample = [&](const Type& t) {
    s.push_back(
        {.in = {t}, .values = [t](uint64_t seed) { return Arrays{matrix::dominant(t, seed)}; }});
  };
  for (DType d : {F32, F64, C64, C128}) add_sample(Type(d, {3, 3}));
  for (const Shape& shape : {Shape{1, 1}, Shape{0, 0}, Shape{2, 0}, Shape{4, 2}, Shape{2, 5},
                             Shape{2, 4, 4}, Shape{0, 2, 2}})
    add_sample(Type(F64, shape));
  add_sample(Type(F64, {34, 34}));
  return s;
}

// One row is its own factorization.
Arrays lu_simplify(const SimplifyArgs<None>& s) {
  const Array& x = s.x[0];
  if (x.shape()[x.ndim() - 2] != 1) return {};
  const Types t = lu_types(x.type());
  return {base::convert(x, x.dtype()), base::zeros(t[1]), base::zeros(t[2])};
}

const Primitive<None>& lu_op = define<None>({
    .name = "lu",
    .doc = "Computes LU factorizations of matrices with row exchanges. Returns both triangular "
           "factors packed into one matrix, the exchanges, and the order of the rows.",
    .type =
        [](const Types& in, const None&) {
          require_operands("lu", in, 1);
          matrix::require_matrices("lu", in);
          return lu_types(in[0]);
        },
    .reference = lu_reference,
    .jvp = lu_jvp,
    .batch = batch_in_front<None>,
    .expand = lu_expand,
    .implementations = lu_implementations,
    .simplify = lu_simplify,
    .tolerance = 64,
    .samples = lu_samples,
    .rejects =
        [] {
          return std::vector<Reject<None>>{{{Type(F32, {3})}, {}, "takes matrices"},
                                           {{Type(I32, {3, 3})}, {}, "takes f32, f64"}};
        },
});

}  // namespace

namespace lax {

LU lu(const Arg& x) {
  const SourceScope s(x.at());
  Arrays r = lu_op.bind({x});
  return {std::move(r[0]), std::move(r[1]), std::move(r[2])};
}

Array substituted(const LU& f, const Array& b) {
  const auto& [packed, pivots, permutation] = f;
  const Array order = matrix::along_leading(permutation, b.shape());
  const Array rows = gather_along(b, order, b.ndim() - 2);
  const Array y =
      triangular_solve(packed, rows, {.left_side = true, .lower = true, .unit_diagonal = true});
  return triangular_solve(packed, y, {.left_side = true, .lower = false});
}

Array lu_pivots_to_permutation(const Arg& pivots, int64_t permutation_size) {
  const SourceScope s(pivots.at());
  const Type t = pivots->type().strong();
  const int last = t.ndim() - 1;
  if (t.dtype() != I32) reject_dtype("lu_pivots_to_permutation", "takes i32 pivots", {t});
  if (last < 0 || t.shape()[last] > permutation_size)
    reject_shape("lu_pivots_to_permutation", "takes an axis of pivots, no more than there are rows",
                 {t});
  const Type order(I32, t.shape().with(last, permutation_size));
  const auto exchange = [&](const matrix::Row& j, const Arrays& c) {
    const Array& order = c[0];
    const Array i = iota(I32, order.shape(), last);
    const Array pivot = matrix::element(pivots, j.index, last);
    const Array there = eq(i, matrix::along_leading(pivot, order.shape()));
    const Array here = eq(i, matrix::all(j.index, order.shape()));
    const auto number = [&](const Array& mask) {
      const Array chosen = select(mask, order, base::zeros(order.type()));
      return matrix::along_leading(reduce_sum(chosen, {last}), order.shape());
    };
    return Arrays{select(here, number(there), select(there, number(here), order))};
  };
  return matrix::over_steps(t.shape()[last], false, {iota(I32, order.shape(), last)}, exchange)[0];
}

}  // namespace lax

}  // namespace weft
