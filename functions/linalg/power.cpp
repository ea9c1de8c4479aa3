// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/power.cpp: powers, exponentials and products of matrices.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "autodiff/autodiff.h"
#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/control/control_flow.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"
#include "weft/linalg.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"

namespace weft::linalg {
namespace {

Array identity_like(const Array& x) {
  const int last = x.ndim() - 1;
  const Array one = lax::eq(iota(I32, x.shape(), last - 1), iota(I32, x.shape(), last));
  return base::convert(one, x.dtype());
}

// ---- e^a = (e^(a / 2^k))^(2^k), with the quotient of polynomials of N. J. Higham, "The scaling
// and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26 (2005).
// The degree is 13 for norms up to 5.37 in double precision, and 7 for norms up to 3.93 in single
// precision.

struct Pade {
  std::vector<double> coefficients;
  double largest_norm;
};
const Pade& pade(DType d) {
  static const Pade single{{17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1},
                           3.925724783138660},
      wide{{64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800.,
            129060195264000., 10559470521600., 670442572800., 33522128640., 1323241920., 40840800.,
            960960., 16380., 182., 1.},
           5.371920351148152};
  return real_part(d) == F64 ? wide : single;
}

// The quotient of p(a) and p(-a). Terms of even and of odd powers are summed by Horner's rule.
Array quotient(const Array& a, const std::vector<double>& c) {
  const Array square = matrix::product(a, a), one = identity_like(a);
  const auto term = [&](size_t k) { return lax::mul(one, fn::number_like(a, c[k])); };
  const auto sum_from = [&](size_t last) {
    Array s = term(last);
    for (size_t k = last; k >= 2; k -= 2) s = base::add(matrix::product(s, square), term(k - 2));
    return s;
  };
  const size_t degree = c.size() - 1;
  const Array odd = matrix::product(a, sum_from(degree)), even = sum_from(degree - 1);
  return solve(lax::sub(even, odd), base::add(even, odd));
}

Array largest_column_sum(const Array& a) {
  const int last = a.ndim() - 1;
  return lax::reduce_max(base::reduce_sum(lax::abs(a), {last - 1}), {last - 1});
}

// No finite norm needs more squarings: 2^128 and 2^1024 are beyond the range of the types.
int64_t max_squarings(DType real) { return real == F64 ? 1024 : 128; }

}  // namespace

Array expm(const Arg& a) {
  const ApiNameScope s("expm", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("expm", x);
  if (x.shape().elements() == 0) return x;
  const DType real = real_part(x.dtype());
  const Pade& p = pade(x.dtype());
  const Array norm = base::stop_gradient(largest_column_sum(x));
  const Array exponent = lax::ceil(log2(lax::div(norm, fn::number_like(norm, p.largest_norm))));
  const Array endless = lax::eq(
      norm,
      matrix::all(fn::number_like(norm, std::numeric_limits<double>::infinity()), norm.shape()));
  const Array none = base::zeros(exponent.type().strong());
  const Array squarings = lax::select(endless, none, lax::max(exponent, none));
  const Array scale = fn::as_dtype(exp2(lax::neg(squarings)), x.dtype());
  const Array start =
      quotient(lax::mul(x, matrix::along_leading(scale, x.shape())), p.coefficients);
  // The loop runs as often as the matrix with the most squarings needs.
  const auto left = [](const Array& n) { return lax::gt(n, base::zeros(n.type())); };
  const Types carry{start.type(), squarings.type()};
  const ClosedJaxpr more = record(carry, [&](const Arrays& c) { return Arrays{any(left(c[1]))}; });
  const ClosedJaxpr body = record(carry, [&](const Arrays& c) {
    const Array on = matrix::along_leading(left(c[1]), c[0].shape());
    return Arrays{lax::select(on, matrix::product(c[0], c[0]), c[0]),
                  lax::sub(c[1], matrix::all(fn::number_like(c[1], 1), c[1].shape()))};
  });
  const Array power = while_flat(more, body, {start, squarings}, max_squarings(real))[0];
  const Array nan = fn::number_like(x, std::numeric_limits<double>::quiet_NaN());
  return lax::select(matrix::along_leading(endless, x.shape()), matrix::all(nan, x.shape()), power);
}

ExpmFrechet expm_frechet(const Arg& a, const Arg& e) {
  const ApiNameScope s("expm_frechet", a.at());
  const Arrays both = fn::same_dtype({fn::inexact(a), fn::inexact(e)});
  kit::require_square("expm_frechet", both[0]);
  if (both[0].shape() != both[1].shape())
    fn::fail_shape(
        fmt::format("expm_frechet: the direction must have the shape of the matrix; got "
                    "{} and {}",
                    to_string(both[0].type()), to_string(both[1].type())));
  Dual d = jvp_flat([](const Arrays& x) { return Arrays{expm(x[0])}; }, {both[0]}, {both[1]});
  return {std::move(d.out[0]), std::move(d.tangent[0])};
}

Array matrix_power(const Arg& a, int64_t n) {
  const ApiNameScope s("matrix_power", a.at());
  Array x = a;
  kit::require_square("matrix_power", x);
  if (n == 0) return identity_like(x);
  if (n < 0) x = inv(x);
  // Multiplied in the order of JAX, so that the rounding is the same.
  if (n == 3 || n == -3) return matrix::product(matrix::product(x, x), x);
  uint64_t left = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  Array power;
  for (; left; left >>= 1) {
    if (left & 1) power = power.empty_handle() ? x : matrix::product(power, x);
    if (left > 1) x = matrix::product(x, x);
  }
  return power;
}

namespace {
// Where to split factors [first, last) in two for the fewest multiplications (Cormen et al.,
// "Introduction to Algorithms", matrix-chain multiplication). `sizes` holds the numbers of rows of
// the factors, then the number of columns of the last one.
struct Cuts {
  explicit Cuts(const std::vector<double>& sizes)
      : n(sizes.size() - 1), cut(n * (n + 1)), cost(n * (n + 1)) {
    for (size_t length = 2; length <= n; ++length)
      for (size_t i = 0; i + length <= n; ++i) {
        double& best = cost[place(i, i + length)];
        best = std::numeric_limits<double>::infinity();
        for (size_t k = i + 1; k < i + length; ++k) {
          const double c = cost[place(i, k)] + cost[place(k, i + length)] +
                           sizes[i] * sizes[k] * sizes[i + length];
          if (c <= best) {  // the last one of equal costs wins
            best = c;
            cut[place(i, i + length)] = k;
          }
        }
      }
  }
  size_t place(size_t first, size_t last) const { return first * (n + 1) + last; }
  Array product(const Arrays& x, size_t first, size_t last) const {
    if (last - first == 1) return x[first];
    const size_t k = cut[place(first, last)];
    return matmul(product(x, first, k), product(x, k, last));
  }
  size_t n;
  std::vector<size_t> cut;
  std::vector<double> cost;
};
}  // namespace

Array multi_dot(const Arrays& matrices, Location at) {
  const ApiNameScope s("multi_dot", at);
  if (matrices.size() < 2) fn::fail_shape("multi_dot: takes two or more matrices");
  for (size_t k = 0; k < matrices.size(); ++k) {
    const bool end = k == 0 || k + 1 == matrices.size();
    if (matrices[k].ndim() != 2 && !(end && matrices[k].ndim() == 1))
      fn::fail_shape(fmt::format("multi_dot: argument {} must be a matrix{}, got {}", k,
                                 end ? " or a vector" : "", to_string(matrices[k].type())));
  }
  for (size_t k = 0; k + 1 < matrices.size(); ++k) {
    const Array &l = matrices[k], &r = matrices[k + 1];
    if (l.shape()[-1] != r.shape()[0])
      fn::fail_shape(fmt::format("multi_dot: arguments {} and {} do not fit: {} and {}", k, k + 1,
                                 to_string(l.type()), to_string(r.type())));
  }
  Arrays x = matrices;
  const bool row = x.front().ndim() == 1, column = x.back().ndim() == 1;
  if (row) x.front() = base::insert_axis(x.front(), 0, 1);
  if (column) x.back() = base::insert_axis(x.back(), 1, 1);
  std::vector<double> sizes;
  for (const Array& m : x) sizes.push_back(static_cast<double>(m.shape()[0]));
  sizes.push_back(static_cast<double>(x.back().shape()[1]));
  const Array out = Cuts(sizes).product(x, 0, x.size());
  std::vector<int64_t> gone;
  if (row) gone.push_back(0);
  if (column) gone.push_back(1);
  return squeeze_axes(out, gone);
}

Array matrix_transpose(const Arg& a) {
  const ApiNameScope s("matrix_transpose", a.at());
  kit::require_matrices("matrix_transpose", a);
  return matrix::transposed(a);
}

Array trace(const Arg& a, int64_t offset) {
  const ApiNameScope s("trace", a.at());
  kit::require_matrices("trace", a);
  return weft::trace(a, offset, -2, -1);
}

}  // namespace weft::linalg
