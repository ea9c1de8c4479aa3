// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/spectral/svd.cpp: svd: Hestenes rotations inside the lane, large matrices by LAPACK.
#include "weft/lax/linalg/svd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "ops/control/control_flow.h"
#include "ops/index/index.h"
#include "ops/kit/kit.h"
#include "ops/linear/device/calls.h"
#include "ops/linear/implementations.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "runtime/native/eigen.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/qr.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

using namespace lax;
using matrix::as_number, matrix::real_part_of, matrix::squares, matrix::zeros_like;
constexpr unsigned classes = DTypes::wide_floats | DTypes::complexes;

struct Svd {
  bool full_matrices = true;
  bool compute_uv = true;
  WEFT_FIELDS(full_matrices, compute_uv)
};

bool is_full(const Svd& p) { return p.compute_uv && p.full_matrices; }

// The types of the values, u and vh. With full matrices u and vh are square, else they have as many
// vectors as there are values.
Types svd_types(const Type& x, const Svd& p) {
  const int last = x.ndim() - 1;
  const matrix::Sizes s(x);
  const int64_t k = s.smaller();
  const Types out = {
      Type(real_part(x.dtype()), x.shape().erased(last).with(last - 1, k)),
      Type(x.dtype(), x.shape().with(last, p.full_matrices ? s.rows : k)),
      Type(x.dtype(),
           x.shape().with(last - 1, p.full_matrices ? s.columns : k).with(last, s.columns))};
  return p.compute_uv ? out : Types{out[0]};
}

// Both the reference and the program rotate pairs of columns of a matrix B until all columns are
// orthogonal: B V = W. B is the matrix, or its conjugate transpose if that is the tall one. The
// lengths of the columns of W are the singular values, and their directions are the left vectors.
// (M. R. Hestenes, "Inversion of matrices by biorthogonalization and related results", J. SIAM 6
// (1958).)

// ---- the reference

struct Definition {
  using Number = std::complex<double>;
  using Vector = std::vector<Number>;
  std::vector<Vector> w, v;  // columns
  std::vector<double> values;

  Definition(int64_t rows, int64_t columns)
      : w(static_cast<size_t>(columns), Vector(static_cast<size_t>(rows))),
        v(static_cast<size_t>(columns), Vector(static_cast<size_t>(columns))) {
    for (size_t k = 0; k < v.size(); ++k) v[k][k] = 1;
  }
  static Number dot(const Vector& x, const Vector& y) {
    Number sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += std::conj(x[i]) * y[i];
    return sum;
  }
  static double length(const Vector& x) { return std::sqrt(dot(x, x).real()); }
  void rotate(size_t p, size_t q) {
    const Number pq = dot(w[p], w[q]);
    const double size = std::abs(pq), a = dot(w[p], w[p]).real(), b = dot(w[q], w[q]).real();
    if (size <= 0x1p-53 * std::sqrt(a) * std::sqrt(b)) return;
    const double theta = (b - a) / (2 * size);
    const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(1 + theta * theta));
    const double c = 1 / std::sqrt(1 + t * t), s = t * c;
    const Number u = pq / size;
    for (std::vector<Vector>* m : {&w, &v})
      for (size_t i = 0; i < (*m)[p].size(); ++i) {
        const Number x = (*m)[p][i], y = (*m)[q][i];
        (*m)[p][i] = c * x - s * std::conj(u) * y;
        (*m)[q][i] = s * u * x + c * y;
      }
  }
  // A vector of length 1 that is orthogonal to the first k columns of w: the orthogonal part of a
  // unit vector.
  Vector orthogonal(size_t k) const {
    const size_t n = w[k].size();
    for (size_t i = 0;; ++i) {
      Vector e(n);
      e[i] = 1;
      for (int again = 0; again < 2; ++again)
        for (size_t j = 0; j < k; ++j) {
          const Number d = dot(w[j], e);
          for (size_t r = 0; r < n; ++r) e[r] -= d * w[j][r];
        }
      const double left = length(e);
      if (left * left < 0.5 / static_cast<double>(n)) continue;
      for (Number& x : e) x /= left;
      return e;
    }
  }
  // Computes the values, descending. w and v become the vectors.
  void solve() {
    const size_t n = w.size();
    double largest = 0;
    bool finite = true;
    for (const Vector& x : w)
      for (const Number& e : x) {
        finite = finite && std::isfinite(e.real()) && std::isfinite(e.imag());
        largest = std::max({largest, std::fabs(e.real()), std::fabs(e.imag())});
      }
    if (!finite) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      for (std::vector<Vector>* m : {&w, &v})
        for (Vector& x : *m) std::fill(x.begin(), x.end(), Number(nan, nan));
      values.assign(n, nan);
      return;
    }
    const double scale = largest == 0 ? 1 : largest;
    for (Vector& x : w)
      for (Number& e : x) e /= scale;
    for (int sweep = 0; sweep < 60; ++sweep)
      for (size_t p = 0; p < n; ++p)
        for (size_t q = p + 1; q < n; ++q) rotate(p, q);
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t i, size_t j) { return length(w[i]) > length(w[j]); });
    const std::vector<Vector> columns = w, turned = v;
    for (size_t k = 0; k < n; ++k) {
      w[k] = columns[order[k]];
      v[k] = turned[order[k]];
      const double value = length(w[k]);
      values.push_back(scale * value);
      if (value > 1e-15)
        for (Number& x : w[k]) x /= value;
      else
        w[k] = orthogonal(k);
    }
  }
  // Makes the leading elements of the vectors l positive, and applies the same factors to the
  // vectors r of the other side.
  static void turn(std::vector<Vector>& l, std::vector<Vector>& r) {
    for (size_t k = 0; k < l.size(); ++k) {
      const auto size = [&](int64_t i) { return std::abs(l[k][i]); };
      const int64_t place = native::leading_number(static_cast<int64_t>(l[k].size()), size);
      const Number lead = l[k][place], f = std::conj(lead) / std::abs(lead);
      for (Number& x : l[k]) x *= f;
      for (Number& x : r[k]) x *= f;
    }
  }
};

template <class T>
std::complex<double> loaded(const T& e) {
  if constexpr (is_complex(dtype_of_v<T>))
    return {e.re, e.im};
  else
    return e;
}
template <class T>
void store(std::complex<double> z, T& to) {
  if constexpr (is_complex(dtype_of_v<T>)) {
    using R = decltype(to.re);
    to = {static_cast<R>(z.real()), static_cast<R>(z.imag())};
  } else {
    to = static_cast<T>(z.real());
  }
}

// The reference for one matrix of m rows and n columns.
template <class T>
Definition defined(const T* from, int64_t m, int64_t n) {
  const bool wide = m < n;
  Definition d(std::max(m, n), std::min(m, n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const auto [row, column] = wide ? std::pair(j, i) : std::pair(i, j);
      const std::complex<double> z = loaded(from[i * n + j]);
      d.w[column][row] = wide ? std::conj(z) : z;
    }
  d.solve();
  if (wide) std::swap(d.w, d.v);  // exchanges left and right vectors
  Definition::turn(d.w, d.v);
  return d;
}

// Extends u and vh to square matrices with vectors from a QR factorization.
Array with_full_columns(const Array& u) {
  const int last = u.ndim() - 1;
  const int64_t k = u.shape()[last], m = u.shape()[last - 1];
  if (k == m) return u;
  return base::concatenate({u, base::slice_axis(lax::qr(u).first, last, k, m)}, last);
}
Arrays full(const Array& s, const Array& u, const Array& vh) {
  return {s, with_full_columns(u),
          matrix::transposed(with_full_columns(matrix::transposed(vh, true)), true)};
}

Arrays svd_reference(const Arrays& x, const Svd& p) {
  const Type t = x[0].type().strong();
  const matrix::Sizes sizes(t);
  const Types types = svd_types(t, {.full_matrices = false});
  const int64_t m = sizes.rows, n = sizes.columns, k = sizes.smaller();
  const Fresh values = fresh_array(types[0]), left = fresh_array(types[1]),
              right = fresh_array(types[2]);
  with_class<classes>(t.dtype(), [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    for (int64_t b = 0; b < sizes.batch; ++b) {
      const Definition d = defined(data_of<T>(x[0]) + b * m * n, m, n);
      for (int64_t r = 0; r < k; ++r) {
        const size_t at = r;
        for (int64_t i = 0; i < m; ++i)
          store(d.w[at][i], static_cast<T*>(left.data)[(b * m + i) * k + r]);
        for (int64_t j = 0; j < n; ++j)
          store(std::conj(d.v[at][j]), static_cast<T*>(right.data)[(b * k + r) * n + j]);
        if (types[0].dtype() == F64)
          static_cast<double*>(values.data)[b * k + r] = d.values[at];
        else
          static_cast<float*>(values.data)[b * k + r] = static_cast<float>(d.values[at]);
      }
    }
  });
  if (!p.compute_uv) return {values.array};
  if (is_full(p)) return full(values.array, left.array, right.array);
  return {values.array, left.array, right.array};
}

// ---- as a program for one matrix.
// The columns of B are the rows of `w`. If vectors are requested, each is followed by its column of
// V.

struct Turned {
  Array w, busy;
};
// Makes columns p and q orthogonal. busy: true if they were not.
Turned rotated(const Array& w, int64_t length, const Array& p, const Array& q, const Array& busy) {
  const DType d = w.dtype();
  const Array rp = matrix::element(w, p, 0), rq = matrix::element(w, q, 0);
  const Array x = base::slice_axis(rp, 0, 0, length), y = base::slice_axis(rq, 0, 0, length);
  const Array a = reduce_sum(squares(x), {0}), b = reduce_sum(squares(y), {0});
  const Array pq = reduce_sum(mul(matrix::conj(x), y), {0});
  const Array size = abs(pq), zero = zeros_like(size), one = base::ones(size.type().strong());
  // A product below one rounding unit of the whole is negligible, because columns of rounding noise
  // never become orthogonal.
  const double eps = size.dtype() == F64 ? 0x1p-53 : 0x1p-24;
  const Array la = sqrt(a), lb = sqrt(b);
  const Array least =
      mul(max(la, lb),
          max(mul(min(la, lb), like(la, eps * static_cast<double>(length))), like(la, eps * eps)));
  const Array turns = gt(size, least);
  const Array divisor = select(turns, size, one);
  const Array theta = div(mul(sub(b, a), like(a, 0.5)), divisor);
  const Array root = add(abs(theta), sqrt(add(one, square(theta))));
  const Array t = select(turns, div(select(lt(theta, zero), neg(one), one), root), zero);
  const Array c = rsqrt(add(one, square(t))), s = mul(t, c);
  const Shape& row = rp.shape();
  const Array cosine = matrix::all(as_number(c, d), row);
  const Array sine = mul(as_number(s, d), div(pq, as_number(divisor, d)));
  const Array np = sub(mul(rp, cosine), mul(rq, matrix::all(matrix::conj(sine), row)));
  const Array nq = add(mul(rp, matrix::all(sine, row)), mul(rq, cosine));
  return {matrix::with_element(matrix::with_element(w, np, p, 0), nq, q, 0),
          bitwise_or(busy, turns)};
}

// Returns (w, true if any pair was rotated) after rotating all pairs.
Arrays sweep(const Array& w, int64_t length) {
  const int64_t n = w.shape()[0];
  const Type index(I32, {}), flag(Bool, {});
  const ClosedJaxpr plane = record({index, w.type(), flag, index}, [&](const Arrays& c) {
    const Turned r = rotated(c[1], length, c[3], c[0], c[2]);
    return Arrays{add(c[0], like(c[0], 1)), r.w, r.busy, c[3]};
  });
  const ClosedJaxpr more = record({index, w.type(), flag, index}, [&](const Arrays& c) {
    return Arrays{lt(c[0], like(c[0], static_cast<double>(n)))};
  });
  const ClosedJaxpr planes = record({w.type(), flag, index}, [&](const Arrays& c) {
    const Arrays r = while_flat(more, plane, {add(c[2], like(c[2], 1)), c[0], c[1], c[2]});
    return Arrays{r[1], r[2]};
  });
  return scan_flat(planes, {w, base::zeros(flag)}, {iota(I32, {n - 1}, 0)}, n - 1);
}

Array orthogonalized(const Array& w, int64_t length) {
  const Type index(I32, {}), flag(Bool, {});
  // Convergence is quadratic, so this many sweeps are never needed.
  constexpr double max_sweeps = 30;
  const ClosedJaxpr test = record({index, flag, w.type()}, [&](const Arrays& c) {
    return Arrays{bitwise_and(c[1], lt(c[0], like(c[0], max_sweeps)))};
  });
  const ClosedJaxpr body = record({index, flag, w.type()}, [&](const Arrays& c) {
    const Arrays r = sweep(c[2], length);
    return Arrays{add(c[0], like(c[0], 1)), r[1], r[0]};
  });
  return while_flat(test, body, {base::zeros(index), base::ones(flag), w})[2];
}

// order[r]: the index of the number with rank r, descending.
Array descending(const Array& x) {
  const int64_t n = x.shape()[0];
  const Shape square = {n, n};
  const Array mine = broadcast_in_dim(x, square, {0}), other = broadcast_in_dim(x, square, {1});
  const Array i = iota(I32, square, 0), j = iota(I32, square, 1);
  const Array in_front = bitwise_or(gt(other, mine), bitwise_and(eq(other, mine), lt(j, i)));
  const Array rank = reduce_sum(base::convert(in_front, I32), {1});
  const Array here = eq(broadcast_in_dim(rank, square, {0}), j);
  return reduce_sum(select(here, i, zeros_like(i)), {0});
}

Array diagonal_phase(const Array& r) {
  const Array d = matrix::diagonal(r), size = abs(d), zero = eq(size, zeros_like(size));
  const Array one = base::ones(d.type().strong());
  return select(zero, one,
                div(d, as_number(select(zero, base::ones(size.type().strong()), size), d.dtype())));
}

// Returns (s, u, vh) from orthogonal columns of W, each followed by one of V. QR normalizes the
// columns: it changes only the phases of orthogonal columns, and finds directions for columns of
// length 0.
Arrays vectors(const Array& w, const Array& s, int64_t length, bool wide) {
  const int64_t k = w.shape()[0];
  const auto [q, r] =
      qr(matrix::transposed(base::slice_axis(w, 1, 0, length)), {.full_matrices = false});
  const Array directions = matrix::scaled(q, diagonal_phase(r), 0);
  const Array turned = base::slice_axis(w, 1, length, length + k);
  const Array u = wide ? matrix::transposed(turned) : directions;
  const Array vh = wide ? matrix::transposed(directions, true) : matrix::conj(turned);
  const Array phase = matrix::to_positive_leads(u, 0);
  return {s, matrix::scaled(u, phase, 0), matrix::scaled(vh, matrix::conj(phase), 1)};
}

Arrays svd_of_one(const Array& x, bool compute_uv) {
  const DType d = x.dtype();
  const int64_t m = x.shape()[0], n = x.shape()[1], k = std::min(m, n), length = std::max(m, n);
  Array w = m < n ? matrix::conj(x) : matrix::transposed(x);
  // Scales the elements to about 1, so that no square overflows or underflows.
  const Array size = abs(w), largest = reduce_max(size, {0, 1});
  const double tiny =
      real_part(d) == F64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Array scale = max(largest, like(largest, tiny));
  w = div(w, matrix::all(as_number(scale, d), w.shape()));
  if (compute_uv) {
    const Array one = eq(iota(I32, {k, k}, 0), iota(I32, {k, k}, 1));
    w = base::concatenate({w, base::convert(one, d)}, 1);
  }
  w = orthogonalized(w, length);
  const Array lengths = sqrt(reduce_sum(squares(base::slice_axis(w, 1, 0, length)), {1}));
  const Array order = descending(lengths);
  // NaN if a length is NaN, because sorting loses NaNs.
  const Array lost = mul(reduce_sum(lengths, {0}), like(scale, 0));
  const Array values = add(gather_along(lengths, order, 0), matrix::all(lost, lengths.shape()));
  const Array s = mul(values, matrix::all(scale, values.shape()));
  if (!compute_uv) return {s};
  const Array sorted = gather_along(w, matrix::along_leading(order, w.shape()), 0);
  const Array broken = matrix::all(as_number(lost, d), sorted.shape());
  return vectors(add(sorted, broken), s, length, m < n);
}

Arrays svd_expand(const ExpandArgs<Svd>& e) {
  const Type t = e.x[0].type().strong();
  const Array x = base::convert(e.x[0], t.dtype());
  const Svd& p = e.params;
  if (is_full(p)) {
    const Arrays r = e.op.bind({x}, Svd{.full_matrices = false});
    return full(r[0], r[1], r[2]);
  }
  if (t.elements() == 0) {
    Arrays none;
    for (const Type& each : svd_types(t, p)) none.push_back(base::zeros(each));
    return none;
  }
  return matrix::each_matrix(x, [&](const Array& one) { return svd_of_one(one, p.compute_uv); });
}

// ---- by LAPACK; full matrices are computed from the others

NativeCall svd_call(const Use<Svd>& u) {
  const matrix::Sizes s(u.in[0]);
  const native::Matrices a{u.in[0].dtype(), s.batch, s.rows, s.columns};
  NativeCall call;
  call.run = [a, vectors = u.params.compute_uv](const NativeArgs& args) {
    native::svd(a, vectors, args);
  };
  call.workspace = [a] { return native::svd_workspace(a); };
  const int n = u.in[0].ndim();
  call.axis_map = axis_map_without(1, n, {n - 2, n - 1}, false);
  return call;
}
// Nanoseconds per matrix among many (AVX-512, two threads, F32), in the lane and by LAPACK. With
// vectors: 103 and 1140 for 3 rows, 1270 and 6160 for 8, 18000 and 22000 for 16, 920000 and 77000
// for 32. Only values: 38 and 640, 600 and 3380, 4200 and 9200, 44000 and 33000.
std::vector<Implementation<Svd>> svd_implementations() {
  std::vector<Implementation<Svd>> ways = lane_or_library<Svd>(
      {.rows = longer_side<Svd>,
       .in_lane = [](const Use<Svd>& u) { return (u.params.compute_uv ? 4 : 1.5) * work(u); },
       .library =
           [](const Use<Svd>& u) {
             return u.params.compute_uv ? 2000 + 3.6 * work(u) : 1500 + 1.3 * work(u);
           },
       .call = svd_call,
       .device = {"cusolver", "cuSOLVER", [](const Use<Svd>& u) {
                    return device_calls::svd(u.in[0], u.params.compute_uv);
                  }}});
  for (Implementation<Svd>& way : ways)
    way.applies = [applies = way.applies, program = way.name == expanded](const Use<Svd>& u) {
      return is_full(u.params) ? program : applies(u);
    };
  return ways;
}

// ---- derivative: with D = U^H X' V, s' is the real diagonal of D.
// The rotations dU and dV of U and V within their columns solve dU s - s dV = D off the diagonal.
// The phases of complex vectors are chosen so that the leading element of u remains real.
Array halves_sum(const Array& x) { return base::add(x, matrix::transposed(x, true)); }

// The part of x outside of the space of the columns of q, divided by the values.
Array outside(const Array& x, const Array& q, const Array& s) {
  const Array within = matrix::product(q, matrix::product(matrix::transposed(q, true), x));
  return div(sub(x, within), as_number(matrix::along(s, x.shape(), x.ndim() - 1), x.dtype()));
}

Arrays vector_tangents(const Array& dx, const Array& s, const Array& u, const Array& vh,
                       const Array& inner) {
  const DType d = u.dtype();
  const int last = u.ndim() - 1;
  const Shape& square = inner.shape();
  const Array v = matrix::transposed(vh, true);
  const Array across = matrix::along(s, square, last), down = matrix::along_leading(s, square);
  const Array on_diagonal = eq(iota(I32, square, last - 1), iota(I32, square, last));
  const Array one = base::convert(on_diagonal, s.dtype());
  const Array gaps = add(mul(add(across, down), sub(across, down)), one);
  const Array f = as_number(sub(div(base::ones(gaps.type()), gaps), one), d);
  Array du = mul(f, halves_sum(mul(as_number(across, d), inner)));
  const Array dv = mul(f, halves_sum(mul(as_number(down, d), inner)));
  if (is_complex(d)) {
    const Array zero = eq(s, zeros_like(s)), unit = base::ones(s.type().strong());
    const Array turn =
        div(select(zero, zeros_like(s), imag(matrix::diagonal(inner))), select(zero, unit, s));
    const Array whole = matrix::along(turn, square, last);
    const Array none = zeros_like(whole);
    du = add(du, complex(none, select(on_diagonal, whole, none)));
  }
  Array left = matrix::product(u, du), right = matrix::product(v, dv);
  const matrix::Sizes sizes(dx.type());
  if (sizes.rows > sizes.columns) left = add(left, outside(matrix::product(dx, v), u, s));
  if (sizes.columns > sizes.rows)
    right = add(right, outside(matrix::product(matrix::transposed(dx, true), u), v, s));
  if (is_complex(d)) {
    const Array leads = matrix::leads(u, last - 1);
    const Array angle = div(matrix::at_leads(imag(left), leads, last - 1),
                            matrix::at_leads(real(u), leads, last - 1));
    const Array turn = complex(zeros_like(angle), angle);
    left = sub(left, mul(u, matrix::along(turn, u.shape(), last)));
    right = sub(right, mul(v, matrix::along(turn, v.shape(), last)));
  }
  return {left, matrix::transposed(right, true)};
}

Arrays svd_jvp(const JvpArgs<Svd>& j) {
  const Svd& p = j.params;
  const Array& dx = j.dx[0];
  if (dx.empty_handle()) return Arrays(j.out.size());
  const matrix::Sizes sizes(dx.type());
  if (is_full(p) && sizes.rows != sizes.columns)
    throw DifferentiationError(
        "svd has no derivative with full_matrices of matrices that are not square: what is added "
        "to make u or vh square is not determined");
  const Arrays out = p.compute_uv ? j.out : j.op.bind(j.x, Svd{.full_matrices = false});
  const Array &s = out[0], &u = out[1], &vh = out[2];
  const Array inner = matrix::product(matrix::transposed(u, true),
                                      matrix::product(dx, matrix::transposed(vh, true)));
  const Array ds = real_part_of(matrix::diagonal(inner));
  if (!p.compute_uv) return {ds};
  const Arrays tangents = vector_tangents(dx, s, u, vh, inner);
  return {ds, tangents[0], tangents[1]};
}

// Values about 2 apart, so that vectors are well conditioned.
Array separated(const Type& t, uint64_t seed) {
  const Array x = matrix::random(t, seed), row = iota(I32, t.shape(), t.ndim() - 2);
  const Array on_diagonal = eq(row, iota(I32, t.shape(), t.ndim() - 1));
  const Array places = base::convert(row, t.dtype());
  return add(mul(x, like(x, 0.1)),
             select(on_diagonal, add(add(places, places), base::ones(t)), base::zeros(t)));
}
std::vector<Sample<Svd>> svd_samples() {
  std::vector<Sample<Svd>> s;
  const auto add_sample = [&](const Type& t, bool full, bool vectors) {
    s.push_back({.in = {t}, .params = {full, vectors}, .values = [t](uint64_t seed) {
                   return Arrays{separated(t, seed)};
                 }});
  };
  for (DType d : {F32, F64, C64, C128}) add_sample(Type(d, {3, 3}), true, true);
  for (const Shape& shape : {Shape{1, 1}, Shape{0, 0}, Shape{2, 0}, Shape{0, 3}, Shape{4, 2},
                             Shape{2, 3, 5}, Shape{0, 2, 2}}) {
    add_sample(Type(F64, shape), false, true);
    add_sample(Type(F64, shape), false, false);
  }
  for (const Shape& shape : {Shape{4, 3}, Shape{2, 5}, Shape{3, 0}})
    add_sample(Type(F64, shape), true, true);
  add_sample(Type(C128, {4, 2}), false, true);
  add_sample(Type(C128, {2, 4}), false, true);
  add_sample(Type(F64, {34, 33}), false, true);
  return s;
}

const Primitive<Svd>& svd_op = define<Svd>({
    .name = "svd",
    .doc = "Computes the singular values of matrices, in descending order, and, if requested, "
           "orthonormal left vectors as columns and conjugated right vectors as rows.",
    .type =
        [](const Types& in, const Svd& p) {
          require_operands("svd", in, 1);
          matrix::require_matrices("svd", in);
          return svd_types(in[0].strong(), p);
        },
    .reference = svd_reference,
    .jvp = svd_jvp,
    .batch = batch_in_front<Svd>,
    .expand = svd_expand,
    .implementations = svd_implementations,
    .tolerance = 1024,
    .samples = svd_samples,
    .rejects =
        [] {
          return std::vector<Reject<Svd>>{{{Type(F32, {3})}, {}, "takes matrices"},
                                          {{Type(I32, {3, 3})}, {}, "takes f32, f64"}};
        },
});

}  // namespace

namespace lax {
SVD subset(SVD f, const SVDOptions& o) {
  if (!o.subset_by_index) return f;
  const auto& [u, s, vh] = f;
  const int last = u.ndim() - 1;
  const int64_t k = s.shape()[last - 1];
  const auto [first, end] = *o.subset_by_index;
  if (first < 0 || first > end || end > k)
    throw IndexError(
        fmt::format("svd: subset_by_index ({}, {}) is out of range for {} values", first, end, k));
  if (first == 0 && end == k) return f;
  if (u.shape()[last] != k || vh.shape()[last - 1] != k)
    throw Error("svd: subset_by_index is for full_matrices = false");
  return {base::slice_axis(u, last, first, end), base::slice_axis(s, last - 1, first, end),
          base::slice_axis(vh, last - 1, first, end)};
}
SVD svd(const Arg& x, const SVDOptions& o) {
  const SourceScope s(x.at());
  Arrays r = svd_op.bind({x}, {o.full_matrices, true});
  return subset({std::move(r[1]), std::move(r[0]), std::move(r[2])}, o);
}
Array svdvals(const Arg& x) {
  const SourceScope s(x.at());
  return svd_op.bind({x}, {false, false})[0];
}
}  // namespace lax

}  // namespace weft
