// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/derivatives/det_test.cpp: derivatives of determinants of every rank, compared
// with the minors.
#include <algorithm>
#include <cmath>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using Numbers = std::vector<double>;

// Returns the determinant of the matrix without those rows and columns, expanded along its first
// row.
double minor_of(const Numbers& a, size_t n, const std::vector<size_t>& rows,
                const std::vector<size_t>& columns) {
  if (rows.empty()) return 1;
  double sum = 0, sign = 1;
  const std::vector<size_t> below(rows.begin() + 1, rows.end());
  for (size_t k = 0; k < columns.size(); ++k, sign = -sign) {
    std::vector<size_t> others = columns;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    sum += sign * a[rows[0] * n + columns[k]] * minor_of(a, n, below, others);
  }
  return sum;
}
std::vector<size_t> all_but(size_t n, std::vector<size_t> gone) {
  std::vector<size_t> r;
  for (size_t i = 0; i < n; ++i)
    if (std::find(gone.begin(), gone.end(), i) == gone.end()) r.push_back(i);
  return r;
}
double parity(size_t k) { return k % 2 ? -1 : 1; }
double first(const Numbers& a, size_t n, size_t i, size_t j) {
  return parity(i + j) * minor_of(a, n, all_but(n, {i}), all_but(n, {j}));
}
double second(const Numbers& a, size_t n, size_t i, size_t j, size_t k, size_t l) {
  if (i == k || j == l) return 0;
  const double sign = parity(i + j + k + l) * ((k < i) == (l < j) ? 1 : -1);
  return sign * minor_of(a, n, all_but(n, {i, k}), all_but(n, {j, l}));
}

void check_near(const Array& got, const Numbers& want, double tolerance) {
  const Numbers x = got.to_vector<double>();
  REQUIRE(x.size() == want.size());
  double size = 1;
  for (double w : want) size = std::max(size, std::fabs(w));
  for (size_t i = 0; i < x.size(); ++i) {
    INFO("element " << i << ": " << x[i] << ", not " << want[i]);
    CHECK(std::fabs(x[i] - want[i]) <= tolerance * size);
  }
}

Array det(Array a) { return linalg::det(a); }

void check_matrix(const Numbers& a, size_t n) {
  INFO("the matrix " << array(a).reshape({static_cast<int64_t>(n), -1}));
  const Array x = array(a, F64).reshape({static_cast<int64_t>(n), -1});
  Numbers g, h;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      g.push_back(first(a, n, i, j));
      for (size_t k = 0; k < n; ++k)
        for (size_t l = 0; l < n; ++l) h.push_back(second(a, n, i, j, k, l));
    }
  check_near(grad(det)(x), g, 1e-13);
  check_near(jacfwd(det)(x), g, 1e-13);
  check_near(hessian(det)(x), h, 1e-12);
  check_near(jit(jacrev(grad(det)))(x), h, 1e-12);
  check_near(grad(det)(x.astype(F32)), g, 1e-5);
}

Numbers product(const Array& a, const Array& b) { return matmul(a, b).to_vector<double>(); }

}  // namespace

TEST_CASE("derivatives of det are minors whatever the rank", "[det]") {
  const auto diagonal = [](const Numbers& d) {
    Numbers a(d.size() * d.size());
    for (size_t i = 0; i < d.size(); ++i) a[i * d.size() + i] = d[i];
    return a;
  };
  for (const Numbers& d :
       {Numbers{1, 2, 3, 4}, Numbers{1, 2, 3, 0}, Numbers{0, 1, 2, 3}, Numbers{1, 2, 0, 0},
        Numbers{1, 0, 0, 0}, Numbers{0, 0, 0, 0}, Numbers{1e-3, 1, 1e3, 0, 2}, Numbers{3},
        Numbers{0, 1}, Numbers{0, 0}, Numbers{0, 1, 2}, Numbers{0, 0, 2}, Numbers{0, 0, 0}})
    check_matrix(diagonal(d), d.size());
  // All columns have zero pivots, though three of them are independent.
  check_matrix({0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0}, 4);
  check_matrix({0, 0, 0, 0, 1, 2, 0, 1, 3, 1, 1, 1, 2, 0, 1, 1}, 4);
  // The pivots of these matrices are rounding errors.
  check_matrix(arange(16.).to_vector<double>(), 4);
  for (int64_t n : {4, 5})
    for (int64_t rank = 0; rank <= n; ++rank) {
      const Array k = random::key(static_cast<uint64_t>(10 * n + rank));
      const auto keys = random::split(k, 2);
      check_matrix(product(random::normal(keys[0], {n, rank}, {.dtype = F64}),
                           random::normal(keys[1], {rank, n}, {.dtype = F64})),
                   static_cast<size_t>(n));
    }
}

TEST_CASE("det(t M) has t^n det M to all orders, at 0, too", "[det]") {
  const Array m =
      array({{1., 2., 0., 1.}, {0., 1., 3., 1.}, {2., 0., 1., 1.}, {1., 1., 0., 2.}}, F64);
  const auto f = [&](Array t) { return linalg::det(t * m); };
  const double whole = 17;
  CHECK(std::fabs(linalg::det(m).item<double>() - whole) < 1e-12);
  const Array zero = array(0., F64);
  CHECK(grad(f)(zero).item<double>() == 0);
  CHECK(std::fabs(grad(grad(grad(f)))(zero).item<double>()) < 1e-12);
  CHECK(std::fabs(grad(grad(grad(grad(f))))(zero).item<double>() - 24 * whole) < 1e-10);
  CHECK(std::fabs(jacfwd(jacfwd(jacfwd(jacfwd(f))))(zero).item<double>() - 24 * whole) < 1e-10);
}

TEST_CASE("a batch with singular matrices", "[det]") {
  const Array batch =
      stack({diag(array({1., 2., 3., 4.}, F64)), zeros({4, 4}, F64),
             diag(array({1., 2., 3., 0.}, F64)), diag(array({0., 0., 3., 2.}, F64))});
  const auto total = [](Array a) { return sum(linalg::det(a)); };
  std::vector<Array> g, h;
  for (int64_t k = 0; k < 4; ++k) {
    g.push_back(grad(det)(batch[k]));
    h.push_back(hessian(det)(batch[k]));
  }
  check_near(grad(total)(batch), stack(g).to_vector<double>(), 1e-14);
  check_near(jit(vmap(grad(det)))(batch), stack(g).to_vector<double>(), 1e-14);
  check_near(vmap(hessian(det))(batch), stack(h).to_vector<double>(), 1e-14);
  check_near(jit(vmap(hessian(det)))(batch), stack(h).to_vector<double>(), 1e-14);
}

TEST_CASE("det of complex matrices of every rank", "[det]") {
  const Array unit = lax::complex(array(0.6, F64), array(0.8, F64));
  for (const std::vector<double>& d :
       {std::vector<double>{1, 2, 3, 4}, {1, 2, 3, 0}, {1, 2, 0, 0}, {0, 0, 0, 0}}) {
    // det(unit D) = unit^4 det D is holomorphic.
    const Array a = unit * diag(array(d, F64));
    const Array g = grad(det, {.holomorphic = true})(a);
    Numbers real_d(16);
    for (size_t i = 0; i < 4; ++i) real_d[i * 5] = d[i];
    Numbers want;
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 4; ++j) want.push_back(first(real_d, 4, i, j));
    const Array turned = g / (unit * unit * unit);
    check_near(real(turned), want, 1e-13);
    check_near(imag(turned), Numbers(16), 1e-13);
  }
}

TEST_CASE("slogdet has the derivatives of the logarithm", "[det]") {
  const Array a =
      array({{3., 1., 0., 1.}, {0., -2., 1., 1.}, {1., 0., 4., 1.}, {1., 1., 0., 5.}}, F64);
  const auto by_det = [](Array x) { return log(abs(linalg::det(x))); };
  const auto f = [](Array x) { return linalg::slogdet(x).second; };
  check_near(grad(f)(a), grad(by_det)(a).to_vector<double>(), 1e-13);
  check_near(hessian(f)(a), hessian(by_det)(a).to_vector<double>(), 1e-12);
}
