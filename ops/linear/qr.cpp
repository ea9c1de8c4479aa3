// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/qr.cpp: geqrf, geqp3, householder_product, qr: reflections in order inside the lane,
// large matrices by LAPACK.
#include "weft/lax/linalg/qr.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autodiff/autodiff.h"
#include "ops/control/control_flow.h"
#include "ops/index/index.h"
#include "ops/kit/arith.h"
#include "ops/kit/kit.h"
#include "ops/kit/sample_numbers.h"
#include "ops/linear/device/calls.h"
#include "ops/linear/implementations.h"
#include "ops/linear/matrix.h"
#include "ops/linear/reflection_cost.h"
#include "ops/structure/structure.h"
#include "runtime/native/linalg.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/triangular_solve.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

using namespace lax;
using arith::conj_of, arith::real_of;
using matrix::as_number, matrix::real_part_of, matrix::squares, matrix::zeros_like;
constexpr unsigned classes = DTypes::wide_floats | DTypes::complexes;

struct Full {
  bool full_matrices = true;
  WEFT_FIELDS(full_matrices)
};

// ---- the reference, on row-major numbers

template <class P>
struct Numbers {
  std::vector<P> x;
  int64_t rows, columns;
  P& operator()(int64_t i, int64_t j) { return x[i * columns + j]; }
};
// The larger absolute value of the parts of x.
template <class P>
double part_of(const P& x) {
  if constexpr (arith::is_cx<P>)
    return std::max(std::abs(static_cast<double>(x.re)), std::abs(static_cast<double>(x.im)));
  else
    return std::abs(static_cast<double>(x));
}
// The Euclidean length of a column from row `first` on. Numbers are scaled by one factor, so that
// no square overflows or underflows.
template <class P>
double length(Numbers<P>& a, int64_t first, int64_t column) {
  double scale = 0, sum = 0;
  for (int64_t i = first; i < a.rows; ++i) {
    const double part = part_of(a(i, column));
    if (!(part <= scale)) scale = part;
  }
  if (scale == 0) return 0;
  for (int64_t i = first; i < a.rows; ++i) {
    const double re = static_cast<double>(real_of(a(i, column))) / scale;
    sum += re * re;
    if constexpr (arith::is_cx<P>) {
      const double im = static_cast<double>(a(i, column).im) / scale;
      sum += im * im;
    }
  }
  return scale * std::sqrt(sum);
}

// Applies a reflection to the columns of `to` from `first_column` on: subtracts `factor` times its
// projection. Column j of `v` contains the reflection below its diagonal.
template <class P>
void reflect(Numbers<P>& v, int64_t j, P factor, Numbers<P>& to, int64_t first_column) {
  for (int64_t c = first_column; c < to.columns; ++c) {
    P dot = to(j, c);
    for (int64_t i = j + 1; i < to.rows; ++i)
      dot = arith::add(dot, arith::mul(conj_of(v(i, j)), to(i, c)));
    dot = arith::mul(factor, dot);
    to(j, c) = arith::sub(to(j, c), dot);
    for (int64_t i = j + 1; i < to.rows; ++i)
      to(i, c) = arith::sub(to(i, c), arith::mul(v(i, j), dot));
  }
}

template <class P>
P make_reflection(Numbers<P>& a, int64_t j) {
  const P alpha = a(j, j);
  const double below = length(a, j + 1, j), own = part_of(alpha - P(real_of(alpha)));
  if (below == 0 && own == 0) return P(0);
  using R = decltype(real_of(alpha));
  const double whole = length(a, j, j);
  const R beta = static_cast<R>(std::signbit(real_of(alpha)) ? whole : -whole);
  const P tau = arith::div(arith::sub(P(beta), alpha), P(beta));
  const P divisor = arith::sub(alpha, P(beta));
  for (int64_t i = j + 1; i < a.rows; ++i) a(i, j) = arith::div(a(i, j), divisor);
  a(j, j) = P(beta);
  return tau;
}

// With `pivoting`, columns are exchanged, except for the first `held` ones. `order` records their
// order.
template <class P>
void factor(Numbers<P>& a, P* taus, bool pivoting, int64_t held, int32_t* order) {
  for (int64_t j = 0; j < std::min(a.rows, a.columns); ++j) {
    if (pivoting && j >= held) {
      int64_t best = j;
      for (int64_t c = j + 1; c < a.columns; ++c)
        if (length(a, j, c) > length(a, j, best)) best = c;
      std::swap(order[j], order[best]);
      for (int64_t i = 0; i < a.rows && best != j; ++i) std::swap(a(i, j), a(i, best));
    }
    taus[j] = make_reflection(a, j);
    reflect(a, j, conj_of(taus[j]), a, j + 1);
  }
}

template <class P>
void multiply(Numbers<P>& v, const std::vector<P>& taus, Numbers<P>& q) {
  for (int64_t i = 0; i < q.rows; ++i)
    for (int64_t j = 0; j < q.columns; ++j) q(i, j) = P(i == j ? 1 : 0);
  for (auto j = static_cast<int64_t>(taus.size()) - 1; j >= 0; --j) reflect(v, j, taus[j], q, j);
}

template <class T>
auto loaded(const T* from, int64_t rows, int64_t columns) {
  using P = typename Element<T>::plain;
  Numbers<P> a{{}, rows, columns};
  for (int64_t k = 0; k < rows * columns; ++k) a.x.push_back(Element<T>::load(from[k]));
  return a;
}

// ---- types

Shape taus_shape(const Type& x) {
  const Shape rows = x.shape().erased(x.ndim() - 1);
  return rows.with(rows.ndim() - 1, matrix::Sizes(x).smaller());
}
Type taus_type(const Type& x) { return Type(x.dtype(), taus_shape(x)); }
Type order_type(const Type& x) { return Type(I32, x.shape().erased(x.ndim() - 2)); }
// The types of Q and R. Q has `full` columns, or min(m, n).
Types qr_types(const Type& x, bool full) {
  const matrix::Sizes s(x);
  const int last = x.ndim() - 1;
  const int64_t inner = full ? s.rows : s.smaller();
  return {Type(x.dtype(), x.shape().with(last, inner)),
          Type(x.dtype(), x.shape().with(last - 1, inner))};
}

// ---- references

Arrays factored(const Arrays& x, bool pivoting) {
  const Type t = x[0].type().strong();
  const matrix::Sizes s(t);
  const Fresh a = fresh_array(t), taus = fresh_array(taus_type(t));
  const Fresh order = fresh_array(pivoting ? order_type(t) : Type(I32, {}));
  with_class<classes>(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    using P = typename Element<T>::plain;
    const int64_t size = s.rows * s.columns, k = s.smaller();
    std::vector<P> factors(k);
    for (int64_t b = 0; b < s.batch; ++b) {
      auto m = loaded(data_of<T>(x[0]) + b * size, s.rows, s.columns);
      int32_t* columns = pivoting ? static_cast<int32_t*>(order.data) + b * s.columns : nullptr;
      int64_t held = 0;
      if (pivoting) {
        const bool leading = x.size() > 1;
        held = native::leading_first(s.columns, leading,
                                     leading ? data_of<int32_t>(x[1]) + b * s.columns : nullptr,
                                     columns);
        const auto given = m;
        for (int64_t i = 0; i < s.rows; ++i)
          for (int64_t j = 0; j < s.columns; ++j)
            m.x[i * s.columns + j] = given.x[i * s.columns + columns[j]];
      }
      factor(m, factors.data(), pivoting, held, columns);
      std::transform(m.x.begin(), m.x.end(), static_cast<T*>(a.data) + b * size, Element<T>::store);
      std::transform(factors.begin(), factors.end(), static_cast<T*>(taus.data) + b * k,
                     Element<T>::store);
    }
  });
  return pivoting ? Arrays{a.array, order.array, taus.array} : Arrays{a.array, taus.array};
}

Arrays product_reference(const Arrays& x, const None&) {
  const Type t = x[0].type().strong();
  const matrix::Sizes s(t);
  const int64_t k = x[1].shape()[x[1].ndim() - 1];
  const Fresh q = fresh_array(t);
  with_class<classes>(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const int64_t size = s.rows * s.columns;
    for (int64_t b = 0; b < s.batch; ++b) {
      auto v = loaded(data_of<T>(x[0]) + b * size, s.rows, s.columns), product = v;
      multiply(v, loaded(data_of<T>(x[1]) + b * k, 1, k).x, product);
      std::transform(product.x.begin(), product.x.end(), static_cast<T*>(q.data) + b * size,
                     Element<T>::store);
    }
  });
  return {q.array};
}

// ---- as programs

// Replaces each row i from `first` on by f(row i). `carry` is passed from row to row.
using EachRow = FunctionRef<Arrays(const Array& i, const Array& row, const Array& carry)>;
// Returns x with the new rows, and the carry.
Arrays each_row(const Array& x, const Array& first, const Array& carry, EachRow f) {
  const int rows = x.ndim() - 2;
  const double m = static_cast<double>(x.shape()[rows]);
  const Types types = {Type(I32, {}), x.type(), carry.type()};
  const ClosedJaxpr test =
      record(types, [&](const Arrays& c) { return Arrays{lt(c[0], like(c[0], m))}; });
  const ClosedJaxpr body = record(types, [&](const Arrays& c) {
    const Arrays out = f(c[0], matrix::element(c[1], c[0], rows), c[2]);
    return Arrays{add(c[0], like(c[0], 1)),
                  out[0].empty_handle() ? c[1] : matrix::with_element(c[1], out[0], c[0], rows),
                  out[1].empty_handle() ? c[2] : out[1]};
  });
  const Arrays out = while_flat(test, body, {first, x, carry});
  return {out[1], out[2]};
}

// x - v (factor v^H x), in the rows from j on; v is 0 before j. If `column` is given, it replaces
// column j.
Array reflected(const Array& x, const Array& v, const Array& factor, const Array& j,
                const Array& column = {}) {
  const int rows = x.ndim() - 2;
  const Shape across = x.shape().erased(rows);
  const auto along = [&](const Array& number) { return matrix::along_leading(number, across); };
  const Array none = base::zeros(Type(x.dtype(), across));
  const Array dots = each_row(x, j, none, [&](const Array& i, const Array& row, const Array& sum) {
    const Array weight = matrix::conj(matrix::element(v, i, rows));
    return Arrays{Array(), add(sum, mul(along(weight), row))};
  })[1];
  const Array less = mul(along(factor), dots);
  return each_row(x, j, less, [&](const Array& i, const Array& row, const Array& d) {
    const Array next = sub(row, mul(along(matrix::element(v, i, rows)), d));
    if (column.empty_handle()) return Arrays{next, Array()};
    const Array place = iota(I32, across, rows);
    const Array kept = select(lt(place, matrix::all(j, across)), row, next);
    return Arrays{
        select(eq(place, matrix::all(j, across)), along(matrix::element(column, i, rows)), kept),
        Array()};
  })[0];
}

Array largest_part(const Array& x) {
  return is_complex(x.dtype()) ? max(abs(real(x)), abs(imag(x))) : abs(x);
}

// The reflection that makes column j of x zero below row j: its vector, tau, and the column as
// geqrf returns it. Numbers are divided by the largest, so that no square overflows or underflows.
struct Reflection {
  Array v, tau, column;
};
Reflection reflection(const Array& x, const Array& j) {
  const int rows = x.ndim() - 2;
  const Array whole = matrix::column(x, j), i = iota(I32, whole.shape(), rows);
  const DType d = x.dtype();
  const Array at = matrix::all(j, i.shape());
  const auto along = [&](const Array& number) { return matrix::along_leading(number, i.shape()); };
  const Array below = select(gt(i, at), whole, zeros_like(whole));
  const Array alpha = matrix::element(whole, j, rows);
  const Array size = max(reduce_max(largest_part(below), {rows}), largest_part(alpha));
  // For the smallest numbers 1 / size overflows. Dividing by the smallest normal number is enough
  // for them.
  const double tiny =
      real_part(d) == F64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Array scale = max(size, matrix::all(like(size, tiny), size.shape()));
  const Array divisor = as_number(scale, d);
  const Array scaled = div(below, along(divisor)), first = div(alpha, divisor);
  const Array rest = reduce_sum(squares(scaled), {rows});
  const Array norm = sqrt(add(rest, squares(first)));
  // The sign of zero counts, too, as in LAPACK.
  const Array a = real_part_of(first);
  const DType bits = real_part(d) == F64 ? I64 : I32;
  const Array whole_bits = bitcast_convert_type(a, bits);
  const Array beta = select(lt(whole_bits, zeros_like(whole_bits)), norm, neg(norm));
  Array nothing = eq(rest, zeros_like(rest));
  if (is_complex(d)) nothing = bitwise_and(nothing, eq(imag(first), zeros_like(rest)));
  const Array number = as_number(beta, d);
  const Array tau = select(nothing, zeros_like(first), div(sub(number, first), number));
  const Array diagonal = select(nothing, alpha, mul(number, divisor));
  const Array tail =
      select(along(nothing), zeros_like(scaled), div(scaled, along(sub(first, number))));
  const Array one = base::ones(whole.type().strong());
  return {select(eq(i, at), one, tail), tau,
          select(gt(i, at), tail, select(eq(i, at), along(diagonal), whole))};
}

Arrays geqrf_expand(const ExpandArgs<None>& e) {
  const Type t = e.x[0].type().strong();
  const Array a = base::convert(e.x[0], t.dtype());
  if (t.elements() == 0) return {a, base::zeros(taus_type(t))};
  const int64_t steps = matrix::Sizes(t).smaller();
  const ClosedJaxpr body = record({t, Type(I32, {})}, [](const Arrays& c) {
    const Reflection r = reflection(c[0], c[1]);
    return Arrays{reflected(c[0], r.v, matrix::conj(r.tau), c[1], r.column), r.tau};
  });
  const Arrays r = scan_flat(body, {a}, {iota(I32, {steps}, 0)}, steps);
  return {r[0], base::move_axis(r[1], 0, t.ndim() - 2)};
}

// x with columns j and `other` exchanged. `other` has one index for each matrix.
Array exchanged(const Array& x, const Array& j, const Array& other) {
  const int last = x.ndim() - 1;
  const Array c = iota(I32, x.shape(), last);
  const Array here = eq(c, matrix::all(j, x.shape()));
  const Array there = eq(c, matrix::along_leading(other, x.shape()));
  const auto column = [&](const Array& mask) {
    const Array only = reduce_sum(select(mask, x, zeros_like(x)), {last});
    return matrix::along_leading(only, x.shape());
  };
  return select(here, column(there), select(there, column(here), x));
}

// Returns the order of columns after moving those with a nonzero entry to the front, and their
// number.
std::pair<Array, Array> leading_first(const Array& first) {
  const int rows = first.ndim() - 1;
  const int64_t n = first.shape()[rows];
  const Type order = first.type().strong(), count(I32, first.shape().erased(rows));
  const ClosedJaxpr body = record({order, count, Type(I32, {})}, [&](const Arrays& c) {
    const Array number = matrix::element(first, c[2], rows);
    const Array comes = ne(number, zeros_like(number)), here = matrix::all(c[2], count.shape());
    const Array other = select(comes, c[1], here);
    const Array wide = exchanged(base::insert_axis(c[0], rows, 1), c[2], other);
    return Arrays{squeeze_axes(wide, {rows}), add(c[1], convert_element_type(comes, I32))};
  });
  const Array start = iota(I32, order.shape(), rows);
  const Arrays r = scan_flat(body, {start, base::zeros(count)}, {iota(I32, {n}, 0)}, n);
  return {r[0], r[1]};
}

Arrays geqp3_expand(const ExpandArgs<None>& e) {
  const Type t = e.x[0].type().strong(), order = order_type(t);
  const int rows = t.ndim() - 2;
  Array a = base::convert(e.x[0], t.dtype()), start = iota(I32, order.shape(), rows);
  Array held = base::zeros(Type(I32, order.shape().erased(rows)));
  if (e.x.size() > 1 && order.elements() > 0) {
    std::tie(start, held) = leading_first(e.x[1]);
    a = gather_along(a, matrix::along(start, t.shape(), rows + 1), rows + 1);
  }
  if (t.elements() == 0) return {a, start, base::zeros(taus_type(t))};
  const int64_t steps = matrix::Sizes(t).smaller();
  const ClosedJaxpr body = record({t, order, Type(I32, {})}, [&](const Arrays& c) {
    const Array &x = c[0], &j = c[2];
    const Array left = ge(iota(I32, x.shape(), rows), matrix::all(j, x.shape()));
    const Array rest = select(left, x, zeros_like(x));
    const Array size = reduce_max(largest_part(rest), {rows, rows + 1});
    const Array scale = select(gt(size, zeros_like(size)), size, base::ones(size.type()));
    const Array scaled = div(rest, matrix::along_leading(as_number(scale, t.dtype()), x.shape()));
    const Array lengths = reduce_sum(squares(scaled), {rows});
    const Array open = ge(iota(I32, lengths.shape(), rows), matrix::all(j, lengths.shape()));
    Array longest =
        argmax(select(open, lengths, matrix::all(like(lengths, -1), lengths.shape())), rows);
    if (e.x.size() > 1) {
      const Array here = matrix::all(j, longest.shape());
      longest = select(lt(here, held), here, longest);
    }
    const Array next = exchanged(x, j, longest);
    const Reflection r = reflection(next, j);
    return Arrays{reflected(next, r.v, matrix::conj(r.tau), j, r.column),
                  squeeze_axes(exchanged(base::insert_axis(c[1], rows, 1), j, longest), {rows}),
                  r.tau};
  });
  const Arrays r = scan_flat(body, {a, start}, {iota(I32, {steps}, 0)}, steps);
  return {r[0], r[1], base::move_axis(r[2], 0, rows)};
}

Arrays product_expand(const ExpandArgs<None>& e) {
  const Type t = e.x[0].type().strong();
  const Array v = base::convert(e.x[0], t.dtype()), taus = base::convert(e.x[1], t.dtype());
  const int rows = t.ndim() - 2;
  const int64_t steps = taus.shape()[rows];
  if (t.elements() == 0 || steps == 0) return {matrix::identity(t)};
  const ClosedJaxpr body = record({t, Type(I32, {})}, [&](const Arrays& c) {
    const Array whole = matrix::column(v, c[1]), i = iota(I32, whole.shape(), rows);
    const Array at = matrix::all(c[1], i.shape());
    const Array below = select(gt(i, at), whole, zeros_like(whole));
    const Array one = base::ones(whole.type().strong());
    return Arrays{
        reflected(c[0], select(eq(i, at), one, below), matrix::element(taus, c[1], rows), c[1])};
  });
  return scan_flat(body, {matrix::identity(t)}, {iota(I32, {steps}, 0)}, steps, true);
}

// ---- by LAPACK

template <class P>
native::Matrices matrices(const Use<P>& u) {
  const matrix::Sizes s(u.in[0]);
  return {u.in[0].dtype(), s.batch, s.rows, s.columns};
}
template <class P>
NativeCall call(const Use<P>& u, native::Reflections what) {
  NativeCall call;
  const native::Matrices a = matrices(u);
  const int64_t taus =
      what == native::Reflections::product ? u.in[1].shape()[u.in[1].ndim() - 1] : a.smaller();
  call.run = [=](const NativeArgs& args) { native::householder(what, a, taus, args); };
  call.workspace = [=] { return native::householder_workspace(a); };
  for (const Type& t : u.in) {
    const int n = t.ndim(), lead = u.in[0].ndim() - 2;
    Ints along;
    for (int k = lead; k < n; ++k) along.push_back(k);
    call.axis_map.push_back(axis_map_without(1, n, along, false)[0]);
  }
  return call;
}
// The ops that the GPU library has. It does not have column exchanges.
OnDevice<None> on_device(native::Reflections what) {
  OnDevice<None> d{"cusolver", "cuSOLVER", {}};
  if (what == native::Reflections::plain)
    d.call = [](const Use<None>& u) { return device_calls::geqrf(u.in[0]); };
  if (what == native::Reflections::product)
    d.call = [](const Use<None>& u) { return device_calls::householder_product(u.in[0], u.in[1]); };
  return d;
}
std::vector<Implementation<None>> ways(native::Reflections what) {
  const ReflectionCost cost{what};
  return lane_or_library<None>({.rows = mean_side<None>,
                                .size = longer_side<None>,
                                .in_lane = [=](const Use<None>& u) { return cost.in_lane(u); },
                                .library = [=](const Use<None>& u) { return cost.library(u); },
                                .call = [what](const Use<None>& u) { return call(u, what); },
                                .device = on_device(what)});
}

// ---- transforms and samples

const std::vector<Shape>& sample_shapes() {
  static const std::vector<Shape> all = {{1, 1}, {0, 0}, {2, 0}, {0, 3}, {4, 2}, {2, 5}, {2, 4, 4}};
  return all;
}
template <class P>
std::vector<Sample<P>> matrix_samples(const P& p, bool tall_only = false) {
  std::vector<Sample<P>> s;
  const auto add_sample = [&](const Type& t) {
    s.push_back({.in = {t}, .params = p, .values = [t](uint64_t seed) {
                   return Arrays{matrix::dominant(t, seed)};
                 }});
  };
  for (DType d : {F32, F64, C64, C128}) add_sample(Type(d, {3, 3}));
  for (const Shape& shape : sample_shapes())
    if (!tall_only || shape[shape.ndim() - 2] >= shape[shape.ndim() - 1])
      add_sample(Type(F64, shape));
  add_sample(Type(F64, {34, 33}));
  return s;
}
template <class P>
std::vector<Reject<P>> matrix_rejects(const P& p) {
  return {{{Type(F32, {3})}, p, "takes matrices"}, {{Type(I32, {3, 3})}, p, "takes f32, f64"}};
}

// ---- derivative

// With X = Q R and W = Q^H X' R^-1: Q' = Q (S - W) + X' R^-1 and R' = (W - S) R. S is
// antihermitian. It has the lower triangle of W and the imaginary part of W's diagonal.
Arrays qr_derivative(const char* op, const Array& dx, const Array& q, const Array& r, bool full) {
  const matrix::Sizes s(dx.type());
  if (full && s.rows > s.columns)
    throw DifferentiationError(
        std::string(op) +
        " of matrices of more rows than columns has a derivative without full_matrices only: the "
        "further columns of Q do not depend on the matrix alone");
  if (s.rows < s.columns) {
    // The first columns have the square factors Q and R. For the other columns, R' is (Q^H X)'.
    const auto columns = [&](const Array& x, int64_t lo, int64_t hi) {
      return base::slice_axis(x, x.ndim() - 1, lo, hi);
    };
    const Arrays first = qr_derivative(op, columns(dx, 0, s.rows), q, columns(r, 0, s.rows), full);
    const Array adjoint = matrix::transposed(q, true);
    const Array turn = matrix::product(adjoint, first[0]);  // antihermitian
    const Array behind = sub(matrix::product(adjoint, columns(dx, s.rows, s.columns)),
                             matrix::product(turn, columns(r, s.rows, s.columns)));
    return {first[0], base::concatenate({first[1], behind}, dx.ndim() - 1)};
  }
  const Array right = triangular_solve(r, dx, {.left_side = false, .lower = false});
  const Array w = matrix::product(matrix::transposed(q, true), right);
  const Array low = matrix::triangle(w, true, true);
  Array turn = sub(low, matrix::transposed(low, true));
  if (is_complex(w.dtype())) {
    const Array diagonal = sub(matrix::triangle(w, true), low);
    turn = add(turn, complex(base::zeros(Type(real_part(w.dtype()), w.shape())), imag(diagonal)));
  }
  return {base::add(matrix::product(q, sub(turn, w)), right), matrix::product(sub(w, turn), r)};
}
// The columns v of the reflections and an upper triangle U satisfy V U = E - Q, where E are the
// first columns of the identity. (J. Ballard et al., "Reconstructing Householder vectors from
// tall-skinny QR", J. Parallel Distrib. Comput. 85 (2015).) The taus are the diagonal of U. A
// change of Q therefore changes V and the taus like the factors of an LU factorization. A tau of 0
// in the last column is not a divisor.
Arrays reflection_tangents(const Array& v, const Array& q, const Array& dq) {
  const int rows = v.ndim() - 2;
  const int64_t m = v.shape()[rows], k = v.shape()[rows + 1];
  const auto top = [&](const Array& x) { return base::slice_axis(x, rows, 0, k); };
  const auto below = [&](const Array& x) { return base::slice_axis(x, rows, k, m); };
  const TriangularSolve by_v{.left_side = true, .lower = true, .unit_diagonal = true};
  const TriangularSolve by_u{.left_side = false, .lower = false};
  const Array l = top(v), rest = sub(matrix::identity(l.type().strong()), top(q));
  const Array u = matrix::triangle(triangular_solve(l, rest, by_v), false);
  const Array on_diagonal = eq(iota(I32, u.shape(), rows), iota(I32, u.shape(), rows + 1));
  const Array none = bitwise_and(on_diagonal, eq(u, zeros_like(u)));
  const Array divisor = select(none, base::ones(u.type().strong()), u);
  const Array change = triangular_solve(l, neg(top(dq)), by_v);
  const Array low = matrix::triangle(triangular_solve(divisor, change, by_u), true, true);
  const Array du = matrix::triangle(sub(change, matrix::product(low, u)), false);
  Array dv = matrix::product(l, low);
  if (m > k) {
    const Array left = neg(base::add(below(dq), matrix::product(below(v), du)));
    dv = base::concatenate({dv, triangular_solve(divisor, left, by_u)}, rows);
  }
  return {dv, matrix::diagonal(du)};
}

Arrays geqrf_jvp(const JvpArgs<None>& j) {
  if (j.dx[0].empty_handle()) return Arrays(2);
  const Array &a = j.out[0], &dx = j.dx[0];
  const int last = a.ndim() - 1;
  const matrix::Sizes s(a.type());
  const int64_t k = s.smaller();
  if (a.type().elements() == 0) return {dx, base::zeros(j.out[1].type())};
  const auto columns = [&](const Array& x, int64_t lo, int64_t hi) {
    return base::slice_axis(x, last, lo, hi);
  };
  const Array first = columns(a, 0, k);
  const Array r = matrix::triangle(base::slice_axis(first, last - 1, 0, k), false);
  const Array q = triangular_solve(r, columns(base::convert(j.x[0], a.dtype()), 0, k),
                                   {.left_side = false, .lower = false});
  const Arrays change = qr_derivative("geqrf", columns(dx, 0, k), q, r, false);
  const Array v =
      base::add(matrix::triangle(first, true, true), matrix::identity(first.type().strong()));
  const Arrays reflections = reflection_tangents(v, q, change[0]);
  Array upper = change[1];
  if (s.rows > k) {
    const Shape below = first.shape().with(last - 1, s.rows - k);
    upper = base::concatenate({upper, base::zeros(Type(a.dtype(), below))}, last - 1);
  }
  Array packed = base::add(matrix::triangle(reflections[0], true, true), upper);
  if (s.columns > k) {
    const Array x = columns(base::convert(j.x[0], a.dtype()), k, s.columns);
    const Array more =
        base::add(matrix::product(matrix::transposed(change[0], true), x),
                  matrix::product(matrix::transposed(q, true), columns(dx, k, s.columns)));
    packed = base::concatenate({packed, more}, last);
  }
  return {packed, reflections[1]};
}

// One row has nothing below its diagonal. (A complex row is turned, so that it begins with a real.)
Arrays geqrf_simplify(const SimplifyArgs<None>& s) {
  if (!matrix::is_real_row(s.x[0])) return {};
  return {base::convert(s.x[0], s.x[0].dtype()), base::zeros(taus_type(s.x[0].type()))};
}

const Primitive<None>& geqrf_op = define<None>({
    .name = "geqrf",
    .doc = "Computes QR factorizations of matrices. Returns the upper triangular factor and the "
           "Householder vectors packed into one matrix, and the scalar factors of the reflections.",
    .type =
        [](const Types& in, const None&) {
          require_operands("geqrf", in, 1);
          matrix::require_matrices("geqrf", in);
          return Types{in[0].strong(), taus_type(in[0])};
        },
    .reference = [](const Arrays& x, const None&) { return factored(x, false); },
    .jvp = geqrf_jvp,
    .batch = batch_in_front<None>,
    .expand = geqrf_expand,
    .implementations = [] { return ways(native::Reflections::plain); },
    .simplify = geqrf_simplify,
    .tolerance = 256,
    .samples = [] { return matrix_samples<None>({}); },
    .rejects = [] { return matrix_rejects<None>({}); },
});

Types geqp3_type(const Types& in, const None&) {
  require_operands("geqp3", in, in.size() == 2 ? 2 : 1);
  matrix::require_matrices("geqp3", {in[0]});
  if (in.size() == 2 && in[1].strong() != order_type(in[0]))
    reject_shape("geqp3",
                 "takes an i32 a column, whose axes are those of the matrices but the rows", in);
  return {in[0].strong(), order_type(in[0]), taus_type(in[0])};
}
std::vector<Sample<None>> geqp3_samples() {
  std::vector<Sample<None>> s = matrix_samples<None>({});
  for (const Shape& shape :
       {Shape{3, 4}, Shape{4, 3}, Shape{0, 3}, Shape{2, 4, 4}, Shape{0, 3, 3}, Shape{18, 17}}) {
    const Type t(F64, shape), order = order_type(t);
    s.push_back({.in = {t, order}, .values = [t, order](uint64_t seed) {
                   SampleNumbers numbers(seed);
                   return Arrays{matrix::dominant(t, seed), numbers(order, 0, 1)};
                 }});
  }
  return s;
}
const Primitive<None>& geqp3_op = define<None>({
    .name = "geqp3",
    .doc = "Computes QR factorizations as geqrf does, but exchanges columns so that each step uses "
           "the longest remaining one. Also returns the order of the columns.",
    .type = geqp3_type,
    .reference = [](const Arrays& x, const None&) { return factored(x, true); },
    .batch = batch_in_front<None>,
    .expand = geqp3_expand,
    .implementations = [] { return ways(native::Reflections::pivoted); },
    .tolerance = 256,
    .samples = geqp3_samples,
    .rejects =
        [] {
          std::vector<Reject<None>> r = matrix_rejects<None>({});
          r.push_back({{Type(F32, {3, 4}), Type(I32, {3})}, {}, "an i32 a column"});
          return r;
        },
});

// Q as one expression, whose derivative is that of each factor: E - V D (1 + S D)^-1 V^H. D has the
// taus on its diagonal, and S is the part of V^H V above the diagonal.
Array compact_product(const Array& a, const Array& taus) {
  const int last = a.ndim() - 1;
  const int64_t n = a.shape()[last], k = taus.shape()[last - 1];
  const Array some = base::slice_axis(a, last, 0, k);
  const Array v =
      base::add(matrix::triangle(some, true, true), matrix::identity(some.type().strong()));
  const Array vh = matrix::transposed(v, true);
  const Array s = matrix::triangle(matrix::product(vh, v), false, true);
  const Array scaled = mul(s, matrix::along(taus, s.shape(), last));
  const Array inner = triangular_solve(scaled, base::slice_axis(vh, last, 0, n),
                                       {.left_side = true, .unit_diagonal = true});
  const Array less = matrix::product(mul(v, matrix::along(taus, v.shape(), last)), inner);
  return sub(matrix::identity(a.type().strong()), less);
}
Arrays product_jvp(const JvpArgs<None>& j) {
  return jvp_flat([](const Arrays& x) { return Arrays{compact_product(x[0], x[1])}; }, j.x, j.dx)
      .tangent;
}

Types product_type(const Types& in, const None&) {
  require_operands("householder_product", in, 2);
  matrix::require_matrices("householder_product", in);
  if (in[0].dtype() != in[1].dtype())
    reject_dtype("householder_product", "requires arguments to have the same dtypes", in);
  const matrix::Sizes s(in[0]);
  const Shape lead = in[0].shape().erased(in[0].ndim() - 1);
  const int last = lead.ndim() - 1;
  if (in[1].ndim() != lead.ndim() || in[1].shape().erased(last) != lead.erased(last))
    reject_shape("householder_product", "the taus have the batch axes of the matrices and one more",
                 in);
  if (s.rows < s.columns || in[1].shape()[last] > s.columns)
    reject_shape("householder_product", "takes no more columns than rows, nor taus than columns",
                 in);
  return {in[0].strong()};
}
const Primitive<None>& product_op = define<None>({
    .name = "householder_product",
    .doc = "Computes the first columns of the product of Householder reflections that geqrf has "
           "packed.",
    .type = product_type,
    .reference = product_reference,
    .jvp = product_jvp,
    .batch = batch_in_front<None>,
    .expand = product_expand,
    .implementations = [] { return ways(native::Reflections::product); },
    .tolerance = 256,
    .samples =
        [] {
          std::vector<Sample<None>> s = matrix_samples<None>({}, true);
          for (Sample<None>& sample : s) {
            const Type a = sample.in[0], taus = taus_type(a);
            sample.in = {a, taus};
            sample.values = [a, taus](uint64_t seed) {
              return Arrays{matrix::random(a, seed), matrix::random(taus, seed + 1)};
            };
          }
          return s;
        },
    .rejects =
        [] {
          return std::vector<Reject<None>>{
              {{Type(F32, {2, 3}), Type(F32, {2})}, {}, "no more columns than rows"},
              {{Type(F32, {3, 2}), Type(F32, {3})}, {}, "nor taus than columns"},
              {{Type(F32, {3, 2}), Type(F64, {2})}, {}, "same dtypes"},
              {{Type(F32, {2, 3, 2}), Type(F32, {2})}, {}, "batch axes"},
              {{Type(I32, {3, 3}), Type(I32, {3})}, {}, "takes f32, f64"}};
        },
});

// ---- qr: both as matrices

Arrays unpacked(const Array& a, const Array& taus, bool full) {
  const Types t = qr_types(a.type(), full);
  const matrix::Sizes s(a.type());
  const int last = a.ndim() - 1;
  const int64_t inner = t[0].shape()[last];
  std::vector<int64_t> none(a.ndim(), 0), more = none;
  more.back() = std::max<int64_t>(0, inner - s.columns);
  const Array wide = pad_with(a, like(a, 0), none, more, none);
  return {householder_product(base::slice_axis(wide, last, 0, inner), taus),
          matrix::triangle(base::slice_axis(a, last - 1, 0, inner), false)};
}
Arrays qr_expand(const ExpandArgs<Full>& e) {
  const auto [a, taus] = geqrf(e.x[0]);
  return unpacked(a, taus, e.params.full_matrices);
}
Arrays qr_reference(const Arrays& x, const Full& p) {
  const Arrays f = factored(x, false);
  return unpacked(f[0], f[1], p.full_matrices);
}

Arrays qr_jvp(const JvpArgs<Full>& j) {
  if (j.dx[0].empty_handle()) return Arrays(2);
  return qr_derivative("qr", j.dx[0], j.out[0], j.out[1], j.params.full_matrices);
}

Arrays qr_simplify(const SimplifyArgs<Full>& s) {
  if (!matrix::is_real_row(s.x[0])) return {};
  const Types t = qr_types(s.x[0].type(), s.params.full_matrices);
  return {base::ones(t[0]), base::convert(s.x[0], t[1].dtype())};
}

const Primitive<Full>& qr_op = define<Full>({
    .name = "qr",
    .doc = "Computes QR factorizations of matrices. Returns Q with orthonormal columns and the "
           "upper triangular R.",
    .type =
        [](const Types& in, const Full& p) {
          require_operands("qr", in, 1);
          matrix::require_matrices("qr", in);
          return qr_types(in[0].strong(), p.full_matrices);
        },
    .reference = qr_reference,
    .jvp = qr_jvp,
    .batch = batch_in_front<Full>,
    .expand = qr_expand,
    .simplify = qr_simplify,
    .tolerance = 256,
    .samples =
        [] {
          std::vector<Sample<Full>> s = matrix_samples<Full>({false});
          s.push_back({.in = {Type(F64, {3, 3})}, .params = {true}});
          return s;
        },
    .rejects = [] { return matrix_rejects<Full>({}); },
});

}  // namespace

namespace lax {

Geqrf geqrf(const Arg& x) {
  const SourceScope s(x.at());
  Arrays r = geqrf_op.bind({x});
  return {std::move(r[0]), std::move(r[1])};
}
Geqp3 geqp3(const Arg& x) {
  const SourceScope s(x.at());
  Arrays r = geqp3_op.bind({x});
  return {std::move(r[0]), std::move(r[1]), std::move(r[2])};
}
Geqp3 geqp3(const Arg& x, const Arg& first) {
  const SourceScope s(x.at());
  Arrays r = geqp3_op.bind({x, first});
  return {std::move(r[0]), std::move(r[1]), std::move(r[2])};
}
Array householder_product(const Arg& a, const Arg& taus) {
  const SourceScope s(a.at());
  return product_op({a, taus});
}
QR qr(const Arg& x, const QROptions& o) {
  const SourceScope s(x.at());
  Arrays r = qr_op.bind({x}, {o.full_matrices});
  return {std::move(r[0]), std::move(r[1])};
}
// The column order is not differentiated. The derivative is that of the factorization of the matrix
// with its columns in this order.
PivotedQR pivoted_qr(const Arg& x, const QROptions& o) {
  const SourceScope s(x.at());
  if (x->ndim() < 2) reject_shape("qr", "takes matrices along the last two axes", {x->type()});
  const auto [packed, permutation, taus] = geqp3(base::stop_gradient(x));
  const Array order = matrix::along(permutation, x->shape(), x->ndim() - 1);
  auto [q, r] = qr(gather_along(x, order, x->ndim() - 1), o);
  return {std::move(q), std::move(r), permutation};
}

}  // namespace lax

}  // namespace weft
