// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/tridiagonal_solve.cpp: tridiagonal_solve: elimination in one loop over the
// rows, then back substitution in a second loop.
#include "weft/lax/linalg/tridiagonal_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/control/control_flow.h"
#include "ops/kit/arith.h"
#include "ops/kit/kit.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

using namespace lax;
using matrix::zeros_like;
constexpr unsigned classes = DTypes::wide_floats | DTypes::complexes;

struct Perturb {
  bool perturb_singular = false;
  WEFT_FIELDS(perturb_singular)
};

// Pivots without an inverse are replaced by one rounding unit of the largest element of the
// triangle.
double min_normal(DType d) {
  return real_part(d) == F64 ? std::numeric_limits<double>::min()
                             : std::numeric_limits<float>::min();
}
double rounding(DType d) { return real_part(d) == F64 ? 0x1p-52 : 0x1p-23; }

Types solve_type(const Types& in, const Perturb&) {
  constexpr auto name = "tridiagonal_solve";
  require_operands(name, in, 4);
  for (const Type& t : in)
    if (t.dtype() != in[3].dtype())
      reject_dtype(name, "requires arguments to have the same dtypes", in);
  if (!dtype_in(in[3].dtype(), classes))
    reject_dtype(name, "takes f32, f64, c64 and c128 operands", in);
  if (in[0].ndim() < 1 || in[0].shape() != in[1].shape() || in[0].shape() != in[2].shape())
    reject_shape(name, "takes three diagonals of one shape", in);
  const int n = in[1].ndim();
  bool fits = in[3].ndim() > n;
  for (int k = 0; fits && k < n; ++k) fits = in[3].shape()[k] == in[1].shape()[k];
  if (!fits) reject_shape(name, "takes b with the axes of the diagonals and one of columns", in);
  return {in[3].strong()};
}

// After elimination with the rows above it, a row has elements at its own column and the next one,
// and of b. The row below has an element in the same column. The larger of the two is the pivot.

// ---- the reference

template <class P>
double size_of(const P& x) {
  if constexpr (arith::is_cx<P>)
    return std::hypot(static_cast<double>(x.re), static_cast<double>(x.im));
  else
    return std::abs(static_cast<double>(x));
}

// Solves one matrix and one column, from b to x. Returns false if a pivot is 0.
template <class P>
bool solve_one(const std::vector<P>& dl, const std::vector<P>& d, const std::vector<P>& du,
               std::vector<P>& x, DType type, bool perturb) {
  const size_t m = d.size();
  std::vector<P> pivot(m), next(m), second(m, P(0));
  P p = d[0], q = m > 1 ? du[0] : P(0);
  for (size_t i = 0; i + 1 < m; ++i) {
    const P below = dl[i + 1], middle = d[i + 1], above = i + 2 < m ? du[i + 1] : P(0);
    if (size_of(p) >= size_of(below)) {
      const P f = perturb && size_of(p) == 0 ? P(0) : arith::div(below, p);
      pivot[i] = p;
      next[i] = q;
      p = arith::sub(middle, arith::mul(f, q));
      q = above;
      x[i + 1] = arith::sub(x[i + 1], arith::mul(f, x[i]));
    } else {
      const P f = arith::div(p, below);
      pivot[i] = below;
      next[i] = middle;
      second[i] = above;
      p = arith::sub(q, arith::mul(f, middle));
      q = arith::sub(P(0), arith::mul(f, above));
      const P mine = x[i];
      x[i] = x[i + 1];
      x[i + 1] = arith::sub(mine, arith::mul(f, x[i]));
    }
  }
  pivot[m - 1] = p;
  next[m - 1] = P(0);
  if (perturb) {
    double largest = 0;
    for (const std::vector<P>* numbers : {&pivot, &next, &second})
      for (const P& e : *numbers) largest = std::max(largest, size_of(e));
    const double least = min_normal(type), instead = std::max(rounding(type) * largest, least);
    for (P& e : pivot)
      if (size_of(e) < least) e = arith::constant<P>(arith::real_of(e) < 0 ? -instead : instead);
  }
  bool regular = true;
  for (size_t i = m; i-- > 0;) {
    if (i + 1 < m) x[i] = arith::sub(x[i], arith::mul(next[i], x[i + 1]));
    if (i + 2 < m) x[i] = arith::sub(x[i], arith::mul(second[i], x[i + 2]));
    x[i] = arith::div(x[i], pivot[i]);
    regular = regular && size_of(pivot[i]) != 0;
  }
  return regular;
}

Arrays solve_reference(const Arrays& x, const Perturb& params) {
  const Type t = x[3].type().strong();
  const int axis = x[1].ndim() - 1;
  struct {
    int64_t batch = 1, rows, columns = 1;
  } s;
  s.rows = t.shape()[axis];
  for (int k = 0; k < t.ndim(); ++k)
    if (k != axis) (k < axis ? s.batch : s.columns) *= t.shape()[k];
  const Fresh r = fresh_array(t);
  with_class<classes>(t.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    using P = typename Element<T>::plain;
    const P nan = arith::mul(arith::constant<P>(std::numeric_limits<double>::quiet_NaN()), P(1));
    const auto row = [&](const Array& a, int64_t b) {
      std::vector<P> v;
      for (int64_t i = 0; i < s.rows; ++i)
        v.push_back(Element<T>::load(data_of<T>(a)[b * s.rows + i]));
      return v;
    };
    if (s.rows == 0) return;
    for (int64_t b = 0; b < s.batch; ++b)
      for (int64_t c = 0; c < s.columns; ++c) {
        const auto place = [&](int64_t i) { return (b * s.rows + i) * s.columns + c; };
        std::vector<P> v;
        for (int64_t i = 0; i < s.rows; ++i)
          v.push_back(Element<T>::load(data_of<T>(x[3])[place(i)]));
        const bool regular = solve_one(row(x[0], b), row(x[1], b), row(x[2], b), v, t.dtype(),
                                       params.perturb_singular);
        for (int64_t i = 0; i < s.rows; ++i)
          static_cast<T*>(r.data)[place(i)] = Element<T>::store(regular ? v[i] : nan);
      }
  });
  return {r.array};
}

// ---- as a program

// One step, for the rows from the second on. Maps (p, q, right; below, middle, above, b) to the
// remaining next row, and to pivot, next, second and right of this row.
Arrays eliminated(const Arrays& c, bool perturb) {
  const Array &p = c[0], &q = c[1], &right = c[2], &below = c[3], &middle = c[4], &above = c[5],
              &b = c[6];
  const Array swap = lt(abs(p), abs(below));
  const Array none = zeros_like(p), pivot = select(swap, below, p);
  const Array quotient = div(select(swap, p, below), pivot);
  const Array f = perturb ? select(eq(pivot, none), none, quotient) : quotient;
  const Shape& wide = b.shape();
  const auto along = [&](const Array& x) { return matrix::along_leading(x, wide); };
  const Array chosen = along(swap), first = select(chosen, b, right),
              other = select(chosen, right, b);
  const Array next = select(swap, middle, q), second = select(swap, above, none);
  return {sub(select(swap, q, middle), mul(f, next)),
          sub(select(swap, none, above), mul(f, second)),
          sub(other, mul(along(f), first)),
          pivot,
          next,
          second,
          first};
}

// x with zero at this position of its last axis. That element is ignored.
Array without_number(const Array& x, int64_t place) {
  const Array here = eq(iota(I32, x.shape(), x.ndim() - 1),
                        matrix::all(Array(static_cast<int32_t>(place)), x.shape()));
  return select(here, zeros_like(x), x);
}

// Maps pivots and the other elements of the triangle, along the first axis, to pivots with
// inverses.
Array perturbed(const Arrays& triangle) {
  const Array& pivots = triangle[0];
  const DType d = pivots.dtype();
  Array largest;
  for (const Array& numbers : triangle) {
    if (numbers.type().elements() == 0) continue;
    const Array here = reduce_max(abs(numbers), {0});
    largest = largest.empty_handle() ? here : max(largest, here);
  }
  const Array size = abs(pivots), least = matrix::all(like(size, min_normal(d)), size.shape());
  const Array one = max(mul(largest, like(largest, rounding(d))),
                        matrix::all(like(largest, min_normal(d)), largest.shape()));
  const Array instead = base::insert_axis(one, 0, pivots.shape()[0]);
  const Array part = matrix::real_part_of(pivots);
  const Array turned = select(lt(part, zeros_like(part)), neg(instead), instead);
  return select(lt(size, least), matrix::as_number(turned, d), pivots);
}

Arrays solve_expand(const ExpandArgs<Perturb>& e) {
  const Type t = e.x[3].type().strong();
  const int axis = e.x[1].ndim() - 1;
  const int64_t m = t.shape()[axis];
  if (t.elements() == 0) return {base::convert(e.x[3], t.dtype())};
  const auto rows = [&](const Array& x, int64_t lo) {
    return base::slice_axis(base::move_axis(base::convert(x, t.dtype()), axis, 0), 0, lo, m);
  };
  const auto first = [](const Array& x) { return squeeze_axes(base::slice_axis(x, 0, 0, 1), {0}); };
  const Array du = rows(without_number(e.x[2], m - 1), 0), d = rows(e.x[1], 0), b = rows(e.x[3], 0);
  const auto rest = [&](const Array& x) { return base::slice_axis(x, 0, 1, m); };
  const Arrays start = {first(d), first(du), first(b)};
  const Type number = start[0].type(), row = start[2].type();
  const ClosedJaxpr down =
      record({number, number, row, number, number, number, row},
             [&](const Arrays& c) { return eliminated(c, e.params.perturb_singular); });
  const Arrays r =
      scan_flat(down, start, {rest(rows(e.x[0], 0)), rest(d), rest(du), rest(b)}, m - 1);
  const auto joined = [](const Array& all, const Array& last) {
    return base::concatenate({all, base::insert_axis(last, 0, 1)}, 0);
  };
  const Array none = zeros_like(r[1]), nothing = zeros_like(r[2]);
  const Array found = joined(r[3], r[0]);
  const Array pivots = e.params.perturb_singular ? perturbed({found, r[4], r[5]}) : found;
  const ClosedJaxpr up = record({row, row, number, number, number, row}, [](const Arrays& c) {
    const auto along = [&](const Array& x) { return matrix::along_leading(x, c[0].shape()); };
    const Array known = base::add(mul(along(c[3]), c[0]), mul(along(c[4]), c[1]));
    const Array x = div(sub(c[5], known), along(c[2]));
    return Arrays{x, c[0], x};
  });
  const Array x =
      scan_flat(up, {nothing, nothing},
                {pivots, joined(r[4], none), joined(r[5], none), joined(r[6], r[2])}, m, true)[2];
  const Array singular = lax::reduce_or(eq(pivots, zeros_like(pivots)), {0});
  const Array nan =
      convert_element_type(Array(std::numeric_limits<double>::quiet_NaN()), t.dtype());
  const Array kept = base::move_axis(x, 0, axis);
  Ints lead;
  for (int k = 0; k < axis; ++k) lead.push_back(k);
  return {select(broadcast_in_dim(singular, t.shape(), lead), matrix::all(nan, t.shape()), kept)};
}

// ---- transforms

// A' x for the three diagonals of A'. Each diagonal may be an empty handle (zero).
Array product(const Arrays& diagonals, const Array& x) {
  Array sum;
  for (int k = 0; k < 3; ++k) {
    const Array& diagonal = diagonals[k];
    if (diagonal.empty_handle()) continue;
    const int axis = diagonal.ndim() - 1;
    const int64_t m = x.shape()[axis];
    // Row i reads element i - 1, i or i + 1 of x.
    std::vector<int64_t> low(x.ndim(), 0), high = low, none = low;
    low[axis] = 1 - k;
    high[axis] = k - 1;
    const Array moved = m == 0 ? x : pad_with(x, like(x, 0), low, high, none);
    const Array numbers = k == 1 ? diagonal : without_number(diagonal, k == 0 ? 0 : m - 1);
    const Array term = mul(matrix::along_leading(numbers, x.shape()), moved);
    sum = sum.empty_handle() ? term : base::add(sum, term);
  }
  return sum;
}

Arrays solve_jvp(const JvpArgs<Perturb>& j) {
  Array right = j.dx[3];
  const Array change = product(j.dx, j.out[0]);
  if (!change.empty_handle()) right = right.empty_handle() ? neg(change) : sub(right, change);
  if (right.empty_handle()) return Arrays(1);
  return {j.op({j.x[0], j.x[1], j.x[2], right}, j.params)};
}

// The off-diagonals of the transposed matrix: dl[i] is in column i - 1, so it is du[i - 1] of the
// transposed matrix.
Array along_other(const Array& diagonal, int64_t step) {
  std::vector<int64_t> low(diagonal.ndim(), 0), high = low, none = low;
  low.back() = step;
  high.back() = -step;
  return diagonal.type().elements() == 0 ? diagonal
                                         : pad_with(diagonal, like(diagonal, 0), low, high, none);
}
Arrays solve_transpose(const TransposeArgs<Perturb>& t) {
  return {Array(), Array(), Array(),
          t.op({along_other(t.x[2], 1), t.x[1], along_other(t.x[0], -1), t.ct[0]}, t.params)};
}

// Lanes that share the matrix become columns of one system.
Batched solve_batch(const BatchArgs<Perturb>& b) {
  if (b.mapped(0) || b.mapped(1) || b.mapped(2)) return batch_in_front(b);
  const int last = b.x[3].ndim() - 1;
  return {{b.op({b.x[0], b.x[1], b.x[2], move_mapped(b.x[3], b.axis[3], last, b.size)}, b.params)},
          {last}};
}

std::vector<Sample<Perturb>> solve_samples() {
  std::vector<Sample<Perturb>> s;
  const auto add_sample = [&](DType d, const Shape& diagonal, int64_t columns) {
    const Type a(d, diagonal), b(d, diagonal.inserted(diagonal.ndim(), columns));
    s.push_back({.in = {a, a, a, b}, .values = [a, b](uint64_t seed) {
                   const Array middle = matrix::random(a, seed + 1);
                   return Arrays{matrix::random(a, seed), add(middle, like(middle, 3)),
                                 matrix::random(a, seed + 2), matrix::random(b, seed + 3)};
                 }});
  };
  for (DType d : {F32, F64, C64, C128}) add_sample(d, {5}, 2);
  add_sample(F64, {1}, 1);
  add_sample(F64, {2}, 3);
  add_sample(F64, {0}, 2);
  add_sample(F64, {3}, 0);
  add_sample(F64, {2, 4}, 2);
  add_sample(F64, {0, 3}, 1);
  const Type a(F64, {3});
  s.push_back({.in = {a, a, a, Type(F64, {3, 2, 2})}});
  for (DType d : {F32, F64, C64, C128}) {
    add_sample(d, {4}, 2);
    s.back().params = {true};
  }
  add_sample(F64, {1}, 2);
  s.back().params = {true};
  return s;
}

const Primitive<Perturb>& solve_op = define<Perturb>({
    .name = "tridiagonal_solve",
    .doc = "Solves `a x = b` for tridiagonal matrices, given as the lower, main and upper "
           "diagonals. `b` has one or more axes of columns.",
    .type = solve_type,
    .reference = solve_reference,
    .jvp = solve_jvp,
    .transpose = solve_transpose,
    .batch = solve_batch,
    .expand = solve_expand,
    .tolerance = 64,
    .samples = solve_samples,
    .rejects =
        [] {
          const Type three(F32, {3}), b(F32, {3, 2});
          return std::vector<Reject<Perturb>>{
              {{three, three, Type(F32, {2}), b}, {}, "three diagonals of one shape"},
              {{three, three, three, Type(F32, {2, 2})}, {}, "the axes of the diagonals"},
              {{three, three, three, three}, {}, "the axes of the diagonals"},
              {{three, three, three, Type(F64, {3, 2})}, {}, "same dtypes"},
              {{Type(I32, {3}), Type(I32, {3}), Type(I32, {3}), Type(I32, {3, 1})},
               {},
               "takes f32, f64"}};
        },
});

}  // namespace

namespace lax {
Array tridiagonal_solve(const Arg& dl, const Arg& d, const Arg& du, const Arg& b,
                        const TridiagonalSolveOptions& o) {
  const SourceScope s(dl.at());
  if (b->ndim() != d->ndim() + 1)
    reject_shape("tridiagonal_solve", "takes b with the axes of the diagonals and one of columns",
                 {dl->type(), d->type(), du->type(), b->type()});
  return solve_op({dl, d, du, b}, {o.perturb_singular});
}
}  // namespace lax

}  // namespace weft
