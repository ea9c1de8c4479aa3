// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/eigh.cpp: eigh: Jacobi rotations inside the lane, large matrices by LAPACK.
#include "weft/lax/linalg/eigh.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "ops/control/control_flow.h"
#include "ops/kit/kit.h"
#include "ops/linear/device/calls.h"
#include "ops/linear/implementations.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "runtime/native/eigen.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

using namespace lax;
using matrix::as_number, matrix::real_part_of, matrix::squares, matrix::zeros_like;
constexpr unsigned classes = DTypes::wide_floats | DTypes::complexes;

Type values_type(const Type& x) {
  return Type(real_part(x.dtype()), x.shape().erased(x.ndim() - 1));
}

// ---- the reference.
// Plane rotations make the off-diagonal elements 0, one after another, in repeated sweeps until all
// are 0. The remaining diagonal contains the eigenvalues.

struct Definition {
  using Number = std::complex<double>;
  int64_t n;
  std::vector<Number> a, v;
  explicit Definition(int64_t n)
      : n(n), a(static_cast<size_t>(n * n)), v(static_cast<size_t>(n * n)) {}
  Number& at(std::vector<Number>& x, int64_t i, int64_t j) { return x[i * n + j]; }
  void rotate(int64_t p, int64_t q) {
    const Number apq = at(a, p, q);
    const double size = std::abs(apq);
    // negligible, because the largest elements are about 1, and its phase is inexact
    if (size < 0x1p-960) return;
    const double theta = (at(a, q, q).real() - at(a, p, p).real()) / (2 * size);
    const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(1 + theta * theta));
    const double c = 1 / std::sqrt(1 + t * t), s = t * c;
    const Number u = apq / size;
    for (int64_t k = 0; k < n; ++k) {  // rows: multiplies by the conjugate rotation from the left
      const Number x = at(a, p, k), y = at(a, q, k);
      at(a, p, k) = c * x - s * u * y;
      at(a, q, k) = s * std::conj(u) * x + c * y;
    }
    for (std::vector<Number>* m : {&a, &v})
      for (int64_t k = 0; k < n; ++k) {
        const Number x = at(*m, k, p), y = at(*m, k, q);
        at(*m, k, p) = c * x - s * std::conj(u) * y;
        at(*m, k, q) = s * u * x + c * y;
      }
  }
  // Returns the eigenvalues, ascending. v becomes their eigenvectors.
  std::vector<double> solve() {
    double largest = 0;
    bool finite = true;
    for (const Number& x : a) {
      finite = finite && std::isfinite(x.real()) && std::isfinite(x.imag());
      largest = std::max({largest, std::fabs(x.real()), std::fabs(x.imag())});
    }
    for (int64_t k = 0; k < n; ++k) at(v, k, k) = 1;
    if (!finite) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      std::fill(v.begin(), v.end(), Number(nan, nan));
      return std::vector<double>(static_cast<size_t>(n), nan);
    }
    // Scales the elements to about 1, so that none overflows.
    const double scale = largest == 0 ? 1 : std::ldexp(1, std::min(std::ilogb(largest), 1022));
    for (Number& x : a) x /= scale;
    for (int sweep = 0; sweep < 60; ++sweep)
      for (int64_t p = 0; p < n; ++p)
        for (int64_t q = p + 1; q < n; ++q) rotate(p, q);
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t i, int64_t j) { return at(a, i, i).real() < at(a, j, j).real(); });
    std::vector<double> values;
    std::vector<Number> sorted(v.size());
    for (int64_t k = 0; k < n; ++k) {
      const int64_t from = order[k];
      values.push_back(scale * at(a, from, from).real());
      const Number lead = at(
          v, native::leading_number(n, [&](int64_t i) { return std::abs(at(v, i, from)); }), from);
      for (int64_t i = 0; i < n; ++i)
        at(sorted, i, k) = at(v, i, from) * std::conj(lead) / std::abs(lead);
    }
    v = sorted;
    return values;
  }
};

Arrays eigh_reference(const Arrays& x, const None&) {
  const Type t = x[0].type().strong();
  const matrix::Sizes s(t);
  const Fresh vectors = fresh_array(t), values = fresh_array(values_type(t));
  with_class<classes>(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    constexpr bool is_cx = is_complex(dtype_of_v<T>);
    const int64_t n = s.rows;
    for (int64_t b = 0; b < s.batch; ++b) {
      Definition d(n);
      const T* from = data_of<T>(x[0]) + b * n * n;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
          const T& e = from[i * n + j];
          std::complex<double> z;
          if constexpr (is_cx)
            z = {e.re, i == j ? 0 : e.im};
          else
            z = e;
          d.at(d.a, i, j) = z;
          d.at(d.a, j, i) = std::conj(z);
        }
      const std::vector<double> w = d.solve();
      T* to = static_cast<T*>(vectors.data) + b * n * n;
      for (size_t k = 0; k < d.v.size(); ++k) {
        if constexpr (is_cx) {
          using R = decltype(to->re);
          to[k] = {static_cast<R>(d.v[k].real()), static_cast<R>(d.v[k].imag())};
        } else {
          to[k] = static_cast<T>(d.v[k].real());
        }
      }
      for (int64_t k = 0; k < n; ++k) {
        const int64_t place = b * n + k;
        const double value = w[k];
        if (values_type(t).dtype() == F64)
          static_cast<double*>(values.data)[place] = value;
        else
          static_cast<float*>(values.data)[place] = static_cast<float>(value);
      }
    }
  });
  return {vectors.array, values.array};
}

// ---- as a program for one matrix

// Rotates a and the eigenvectors so far, stored as rows, in the plane (p, q) so that a(p, q)
// becomes 0.
Arrays rotated(const Array& a, const Array& rows, const Array& p, const Array& q) {
  const DType d = a.dtype();
  const Array rp = matrix::element(a, p, 0), rq = matrix::element(a, q, 0);
  const Array app = real_part_of(matrix::element(rp, p, 0));
  const Array aqq = real_part_of(matrix::element(rq, q, 0));
  const Array apq = matrix::element(rp, q, 0);
  const Array size = abs(apq), zero = zeros_like(size), one = base::ones(size.type().strong());
  // The largest elements are about 1, so the smallest are negligible. Their phases are also
  // inexact.
  const double least = size.dtype() == F64 ? 0x1p-960 : 0x1p-100;
  const Array none = lt(size, like(size, least));
  const Array divisor = select(none, one, size);
  const Array theta = div(mul(sub(aqq, app), like(app, 0.5)), divisor);
  const Array root = add(abs(theta), sqrt(add(one, square(theta))));
  const Array t = select(none, zero, div(select(lt(theta, zero), neg(one), one), root));
  const Array c = rsqrt(add(one, square(t))), s = mul(t, c);
  const Array u = div(apq, as_number(divisor, d));
  const Array cosine = as_number(c, d), sine = mul(as_number(s, d), u);
  const Shape& row = rp.shape();
  // x c - y s u, x s conj(u) + y c
  const auto turned = [&](const Array& x, const Array& y, const Array& su) {
    return std::pair(
        sub(mul(x, matrix::all(cosine, row)), mul(y, matrix::all(su, row))),
        add(mul(x, matrix::all(matrix::conj(su), row)), mul(y, matrix::all(cosine, row))));
  };
  auto [np, nq] = turned(rp, rq, sine);
  const Array i = iota(I32, row, 0), at_p = eq(i, matrix::all(p, row)),
              at_q = eq(i, matrix::all(q, row));
  const Array change = mul(t, size), nothing = zeros_like(np);
  const auto on_diagonal = [&](const Array& x) { return matrix::all(as_number(x, d), row); };
  np = select(at_p, on_diagonal(sub(app, change)), select(at_q, nothing, np));
  nq = select(at_q, on_diagonal(add(aqq, change)), select(at_p, nothing, nq));
  Array next = matrix::with_element(matrix::with_element(a, np, p, 0), nq, q, 0);
  next = matrix::with_element(matrix::with_element(next, matrix::conj(np), p, 1), matrix::conj(nq),
                              q, 1);
  const auto [vp, vq] =
      turned(matrix::element(rows, p, 0), matrix::element(rows, q, 0), matrix::conj(sine));
  return {next, matrix::with_element(matrix::with_element(rows, vp, p, 0), vq, q, 0)};
}

Arrays sweep(const Array& a, const Array& rows) {
  const int64_t n = a.shape()[0];
  const Type index(I32, {});
  const ClosedJaxpr plane = record({index, a.type(), rows.type(), index}, [&](const Arrays& c) {
    const Arrays r = rotated(c[1], c[2], c[3], c[0]);
    return Arrays{add(c[0], like(c[0], 1)), r[0], r[1], c[3]};
  });
  const ClosedJaxpr more = record({index, a.type(), rows.type(), index}, [&](const Arrays& c) {
    return Arrays{lt(c[0], like(c[0], static_cast<double>(n)))};
  });
  const ClosedJaxpr planes = record({a.type(), rows.type(), index}, [&](const Arrays& c) {
    const Arrays r = while_flat(more, plane, {add(c[2], like(c[2], 1)), c[0], c[1], c[2]});
    return Arrays{r[1], r[2]};
  });
  return scan_flat(planes, {a, rows}, {iota(I32, {n - 1}, 0)}, n - 1);
}

// Returns true if the off-diagonal elements are not negligible compared with the whole. A NaN makes
// it false, which ends the loop.
Array unfinished(const Array& a) {
  const Shape& s = a.shape();
  const Array all = squares(a);
  const Array off = select(eq(iota(I32, s, 0), iota(I32, s, 1)), zeros_like(all), all);
  const double eps = real_part(a.dtype()) == F64 ? 0x1p-53 : 0x1p-24;
  const Array whole = reduce_sum(all, {0, 1});
  return gt(reduce_sum(off, {0, 1}), mul(whole, like(whole, eps * eps)));
}

// Returns eigenvectors as columns and eigenvalues, sorted. The rank of a value is the number of
// smaller values.
Arrays in_order(const Array& a, const Array& rows, const Array& scale) {
  const Shape& s = a.shape();
  const Array w = real_part_of(matrix::diagonal(a));
  const Array across = broadcast_in_dim(w, s, {1}), along = broadcast_in_dim(w, s, {0});
  const Array i = iota(I32, s, 0), j = iota(I32, s, 1);
  const Array smaller = bitwise_or(lt(across, along), bitwise_and(eq(across, along), lt(j, i)));
  const Array one = base::ones(i.type());
  const Array rank = reduce_sum(select(smaller, one, zeros_like(one)), {1});
  // mine(i, r): true if value i has rank r.
  const Array mine = eq(broadcast_in_dim(rank, s, {0}), j);
  const Array values = reduce_sum(select(mine, along, zeros_like(along)), {0});
  const Shape cube = s.inserted(2, s[0]);  // i, r, element
  const Array each = broadcast_in_dim(rows, cube, {0, 2});
  const Array sorted = reduce_sum(
      select(broadcast_in_dim(mine, cube, {0, 1}), each, zeros_like(each)), {0});  // r, element
  // NaN if an eigenvalue is NaN, because sorting loses NaNs.
  const Array lost = mul(reduce_sum(w, {0}), like(w, 0));
  const Array vectors = add(matrix::scaled(sorted, matrix::to_positive_leads(sorted, 1), 1),
                            matrix::all(as_number(lost, a.dtype()), s));
  return {matrix::transposed(vectors),
          mul(add(values, matrix::all(lost, values.shape())), matrix::all(scale, values.shape()))};
}

Arrays eigh_of_one(const Array& x) {
  const DType d = x.dtype();
  const Shape& s = x.shape();
  const Array i = iota(I32, s, 0), j = iota(I32, s, 1);
  const Array diagonal = as_number(real_part_of(x), d);
  Array a = select(eq(i, j), diagonal, select(gt(i, j), x, matrix::transposed(x, true)));
  // Scales the elements to about 1, so that no square overflows or underflows.
  const Array size = abs(a), largest = reduce_max(size, {0, 1});
  const double tiny =
      real_part(d) == F64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Array scale = max(largest, like(largest, tiny));
  a = div(a, matrix::all(as_number(scale, d), s));
  const Type index(I32, {});
  const Array one = select(eq(i, j), base::ones(a.type().strong()), zeros_like(a));
  // Convergence is quadratic, so this many sweeps are never needed.
  constexpr double max_sweeps = 30;
  const ClosedJaxpr test = record({index, a.type(), a.type()}, [&](const Arrays& c) {
    return Arrays{bitwise_and(unfinished(c[1]), lt(c[0], like(c[0], max_sweeps)))};
  });
  const ClosedJaxpr body = record({index, a.type(), a.type()}, [](const Arrays& c) {
    const Arrays r = sweep(c[1], c[2]);
    return Arrays{add(c[0], like(c[0], 1)), r[0], r[1]};
  });
  const Arrays r = while_flat(test, body, {base::zeros(index), a, one});
  return in_order(r[1], r[2], scale);
}

Arrays eigh_expand(const ExpandArgs<None>& e) {
  const Type t = e.x[0].type().strong();
  const Array x = base::convert(e.x[0], t.dtype());
  if (t.elements() == 0) return {x, base::zeros(values_type(t))};
  return matrix::each_matrix(x, [](const Array& one) { return eigh_of_one(one); });
}

// ---- by LAPACK

native::Squares squares_of(const Use<None>& u) {
  const matrix::Sizes s(u.in[0]);
  return {u.in[0].dtype(), s.batch, s.rows};
}
NativeCall eigh_call(const Use<None>& u) {
  NativeCall call;
  call.run = [a = squares_of(u)](const NativeArgs& args) { native::eigh(a, args); };
  call.workspace = [a = squares_of(u)] { return native::eigh_workspace(a); };
  const int n = u.in[0].ndim();
  call.axis_map = axis_map_without(1, n, {n - 2, n - 1}, false);
  return call;
}
std::vector<Implementation<None>> eigh_implementations() {
  return lane_or_library<None>({.rows = longer_side<None>,
                                .in_lane = [](const Use<None>& u) { return 10 * work(u); },
                                .library = [](const Use<None>& u) { return 2000 + 8 * work(u); },
                                .call = eigh_call,
                                .device = {"cusolver", "cuSOLVER", [](const Use<None>& u) {
                                             return device_calls::eigh(u.in[0]);
                                           }}});
}

// ---- derivative: with D = V^H X' V, w' is the diagonal of D, and V' = V (F * D).
// F(i, j) is 1 / (w(j) - w(i)), and 0 on the diagonal. The phase of a complex vector is chosen so
// that its leading element remains real.
Arrays eigh_jvp(const JvpArgs<None>& j) {
  if (j.dx[0].empty_handle()) return Arrays(2);
  const Array &v = j.out[0], &w = j.out[1];
  const int last = v.ndim() - 1;
  const Array low = matrix::triangle(j.dx[0], true, true);
  const Array dx =
      add(add(low, matrix::transposed(low, true)),
          as_number(real_part_of(sub(matrix::triangle(j.dx[0], true), low)), v.dtype()));
  const Array inner = matrix::product(matrix::transposed(v, true), matrix::product(dx, v));
  const Shape s = v.shape();
  const Array on_diagonal = eq(iota(I32, s, last - 1), iota(I32, s, last));
  const Array one = base::convert(on_diagonal, w.dtype());
  const Array gaps = sub(matrix::along(w, s, last), matrix::along_leading(w, s));
  const Array f = sub(div(base::ones(gaps.type()), add(one, gaps)), one);
  Array dv = matrix::product(v, mul(as_number(f, v.dtype()), inner));
  if (is_complex(v.dtype())) {
    const Array leads = matrix::leads(v, last - 1);
    const Array angle = div(matrix::at_leads(imag(dv), leads, last - 1),
                            matrix::at_leads(real(v), leads, last - 1));
    const Array turn = complex(base::zeros(angle.type()), angle);
    dv = sub(dv, mul(v, matrix::along(turn, s, last)));
  }
  return {dv, real_part_of(matrix::diagonal(inner))};
}

// Eigenvalues about 2 apart, so that eigenvectors are well conditioned.
Array separated(const Type& t, uint64_t seed) {
  const Array x = matrix::random(t, seed), row = iota(I32, t.shape(), t.ndim() - 2);
  const Array on_diagonal = eq(row, iota(I32, t.shape(), t.ndim() - 1));
  const Array places = base::convert(row, t.dtype());
  return add(mul(x, like(x, 0.1)), select(on_diagonal, add(places, places), base::zeros(t)));
}
std::vector<Sample<None>> eigh_samples() {
  std::vector<Sample<None>> s;
  const auto add_sample = [&](const Type& t) {
    s.push_back({.in = {t}, .values = [t](uint64_t seed) { return Arrays{separated(t, seed)}; }});
  };
  for (DType d : {F32, F64, C64, C128}) add_sample(Type(d, {3, 3}));
  for (const Shape& shape : {Shape{1, 1}, Shape{0, 0}, Shape{2, 4, 4}, Shape{0, 2, 2}})
    add_sample(Type(F64, shape));
  add_sample(Type(F64, {34, 34}));
  return s;
}

const Primitive<None>& eigh_op = define<None>({
    .name = "eigh",
    .doc = "Computes the orthonormal eigenvectors, as columns, and ascending eigenvalues of "
           "Hermitian matrices, of which the lower triangles are read.",
    .type =
        [](const Types& in, const None&) {
          require_operands("eigh", in, 1);
          matrix::require_square("eigh", in);
          return Types{in[0].strong(), values_type(in[0])};
        },
    .reference = eigh_reference,
    .jvp = eigh_jvp,
    .batch = batch_in_front<None>,
    .expand = eigh_expand,
    .implementations = eigh_implementations,
    .tolerance = 1024,
    .samples = eigh_samples,
    .rejects =
        [] {
          return std::vector<Reject<None>>{{{Type(F32, {3, 2})}, {}, "square matrices"},
                                           {{Type(I32, {3, 3})}, {}, "takes f32, f64"}};
        },
});

}  // namespace

namespace lax {
Eigh eigh(const Arg& x, const EighOptions& o) {
  const SourceScope s(x.at());
  Array a = x;
  if (x->ndim() >= 2 && x->shape()[x->ndim() - 1] == x->shape()[x->ndim() - 2]) {
    if (o.symmetrize_input) {
      const Array sum = add(a, matrix::transposed(a, true));
      a = mul(sum, like(sum, 0.5));
    } else if (!o.lower) {
      a = matrix::transposed(a, true);
    }
  }
  Arrays r = eigh_op.bind({a});
  return {std::move(r[0]), std::move(r[1])};
}
}  // namespace lax

}  // namespace weft
