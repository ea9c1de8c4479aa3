// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/linalg/linalg_test.cpp: factors and triangular systems by both implementations,
// their maps and derivatives, and matrices that cannot be factored.
#include <cmath>

#include "support/check.h"
#include "weft/detail/jaxpr.h"
#include "weft/error.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns `count` distinct positive definite matrices of n rows.
Array definite(int count, int n, DType d = F64) {
  const Array x = sin(arange(count * n * n).astype(F64)).reshape({count, n, n});
  const Array square = matmul(x, swapaxes(x, 1, 2)) + eye(n).astype(F64);
  return square.astype(d);
}
bool close(const Array& a, const Array& b, double tolerance = 1e-9) {
  return allclose(a, b, tolerance, tolerance).item<bool>();
}
Array again(const Array& l) { return matmul(l, swapaxes(l, -1, -2)); }

}  // namespace

TEST_CASE("a factor times itself is the matrix, in the lane and by LAPACK", "[linalg]") {
  for (int n : {1, 2, 3, 8, 28, 33, 80}) {
    INFO(n << " rows");
    const Array a = definite(3, n);
    const auto f = jit([](Array x) { return linalg::cholesky(x); });
    CHECK(close(again(f(a)), a));
    CHECK(close(f(a), tril(f(a))));
    const std::string report = f.lower(a).report();
    CHECK(holds(report, "cholesky: library") == (n > 32));
    // The steps for few rows are written out.
    if (n > 4 && n <= 28) CHECK(holds(report, "loop in the lane"));
    CHECK(close(linalg::cholesky(a, {.upper = true}), swapaxes(f(a), 1, 2)));
    CHECK(close(vmap([](Array x) { return linalg::cholesky(x); })(a), f(a)));
  }
}

TEST_CASE("matrices that are not positive definite give NaN, the others of the batch do not",
          "[linalg]") {
  for (int n : {3, 40}) {
    const Array good = definite(1, n)[0];
    const Array bad = good - 100. * eye(n).astype(F64);
    const Array l = jit([](Array x) { return linalg::cholesky(x); })(stack({good, bad, good}, 0));
    CHECK(close(again(l[0]), good));
    CHECK(close(again(l[2]), good));
    const Array nan = isnan(l[1]);
    CHECK(array_equal(nan, tril(ones({n, n}, Bool))).item<bool>());
    CHECK((where(nan, 0., l[1]) == 0.).all().item<bool>());
  }
}

TEST_CASE("triangular systems are solved on either side", "[linalg]") {
  for (int n : {1, 4, 32, 40}) {
    INFO(n << " rows");
    const Array a = definite(2, n), b = cos(arange(2 * n * 3).astype(F64)).reshape({2, n, 3});
    for (const bool lower : {false, true}) {
      const Array t = lower ? tril(a) : triu(a);
      const auto f =
          jit([&](Array x, Array y) { return linalg::solve_triangular(x, y, {.lower = lower}); });
      CHECK(close(matmul(t, f(a, b)), b));
      const auto g = jit([&](Array x, Array y) {
        return linalg::solve_triangular(
            x, y, {.trans = linalg::Trans::transpose, .lower = lower, .unit_diagonal = true});
      });
      const Array one = eye(n).astype(F64), unit = (t - t * one) / (4. * n) + one;
      CHECK(close(matmul(swapaxes(unit, 1, 2), g(a / (4. * n), b)), b));
      CHECK(holds(f.lower(a, b).report(), "triangular_solve: library") == (n > 32));
    }
    CHECK(close(matvec(tril(a[0]), linalg::solve_triangular(a[0], b[0].T()[0], {.lower = true})),
                b[0].T()[0]));
  }
}

TEST_CASE("lanes with the same matrix become columns of one system", "[linalg]") {
  const Array a = definite(1, 4)[0], b = cos(arange(7 * 4 * 2).astype(F64)).reshape({7, 4, 2});
  const auto one = [](Array x, Array y) { return linalg::solve_triangular(x, y, {.lower = true}); };
  const auto mapped = vmap(one, {none, 0});
  const Array x = mapped(a, b);
  for (int i = 0; i < 7; ++i) CHECK(close(x[i], one(a, b[i])));
  CHECK(!holds(to_string(make_jaxpr(mapped)(a, b).jaxpr), "f64[7,4,4]"));
}

TEST_CASE("the likelihood of a Gaussian is differentiated through its factor", "[linalg]") {
  const auto loss = [](Array a, Array y) {
    const Array l = linalg::cholesky(a), z = linalg::solve_triangular(l, y, {.lower = true});
    return (z * z).sum() / 2. + log(diagonal(l)).sum();
  };
  for (int n : {3, 36}) {
    const Array a = definite(1, n)[0], y = cos(arange(n).astype(F64));
    const Array g = jit(grad(loss))(a, y);
    // The expected gradient is (A^-1 - A^-1 y y^T A^-1) / 2.
    const Array l = linalg::cholesky(a), unit = eye(n).astype(F64);
    const Array inverse =
        linalg::solve_triangular(l, linalg::solve_triangular(l, unit, {.lower = true}),
                                 {.trans = linalg::Trans::transpose, .lower = true});
    const Array w = matvec(inverse, y);
    CHECK(close(g, (inverse - outer(w, w)) / 2., 1e-7));
  }
}

namespace {
Array adjoint(const Array& x) { return swapaxes(is_complex(x.dtype()) ? lax::conj(x) : x, -1, -2); }
// Compares real or complex numbers.
bool near(const Array& a, const Array& b, double tolerance) {
  return max(abs(a - b)).item<double>() <= tolerance;
}
void check_svd(const Array& a, const linalg::SVDOptions& o, double tolerance) {
  const linalg::SVD f = jit([o](Array x) { return linalg::svd(x, o); })(a);
  const int last = a.ndim() - 1;
  const int64_t k = std::min(a.shape()[last], a.shape()[last - 1]);
  const Array u = lax::slice_in_dim(std::get<0>(f), 0, k, 1, last),
              vh = lax::slice_in_dim(std::get<2>(f), 0, k, 1, last - 1);
  const double size = std::max(1e-300, max(std::get<1>(f)).item<double>());
  CHECK(near(matmul(u * (expand_dims(std::get<1>(f), -2) / size), vh), a / size, tolerance));
  const auto unit = [](int64_t n) { return eye(n).astype(F64); };
  CHECK(near(matmul(adjoint(std::get<0>(f)), std::get<0>(f)), unit(std::get<0>(f).shape()[last]),
             tolerance));
  CHECK(near(matmul(std::get<2>(f), adjoint(std::get<2>(f))),
             unit(std::get<2>(f).shape()[last - 1]), tolerance));
  CHECK((std::get<1>(f) >= 0.).all().item<bool>());
  CHECK(near(std::get<1>(f), flip(sort(std::get<1>(f), -1), -1), 0.));
  CHECK(near(linalg::svdvals(a) / size, std::get<1>(f) / size, tolerance));
}
}  // namespace

TEST_CASE("singular vectors are orthonormal and make the matrix, of any rank and size",
          "[linalg]") {
  for (const Shape& s : {Shape{1, 1}, Shape{3, 3}, Shape{5, 2}, Shape{2, 7}, Shape{12, 12},
                         Shape{30, 9}, Shape{40, 40}, Shape{50, 3}, Shape{3, 41}}) {
    INFO(to_string(s));
    const Array x = sin(arange(s.elements()).astype(F64) + 1.).reshape(s);
    const Array all = lax::complex(x, cos(x * 3.));
    for (const bool full : {false, true}) {
      const linalg::SVDOptions o{.full_matrices = full};
      check_svd(x, o, 1e-12);  // of rank 2
      check_svd(x * x * x, o, 1e-12);
      check_svd(all, o, 1e-12);
      check_svd(zeros(s, F64), o, 1e-12);
      check_svd(ones(s, F64), o, 1e-12);
      check_svd(stack({x, 1e200 * x, 1e-200 * x}, 0), o, 1e-12);
      check_svd(1e200 * x, o, 1e-12);
      check_svd(1e-200 * x, o, 1e-12);
    }
  }
}

TEST_CASE("columns of very unlike lengths keep their directions", "[linalg]") {
  for (const double small : {1e-3, 1e-10, 1e-18, 1e-25, 1e-37}) {
    INFO(small);
    const Array a = array({{1., 2., small}, {small, small, 3. * small}, {2., 4., -small}});
    check_svd(a.astype(F64), {}, 1e-12);
    const linalg::SVD f = linalg::svd(a.astype(F32));
    CHECK(close(matmul(std::get<0>(f) * std::get<1>(f), std::get<2>(f)), a.astype(F32), 1e-5));
    CHECK(close(matmul(std::get<0>(f).T(), std::get<0>(f)), eye(3), 1e-5));
  }
}

TEST_CASE("full singular vectors of matrices that are not square have no derivative", "[linalg]") {
  const auto f = [](Array x) { return sum(std::get<1>(linalg::svd(x))); };
  check_error<DifferentiationError>([&] { (void)grad(f)(ones({3, 2})); },
                                    "svd has no derivative with full_matrices");
  CHECK(close(grad([](Array x) { return sum(linalg::svdvals(x)); })(array({{3., 0.}, {0., 2.}})),
              eye(2)));
  check_error<ShapeError>([&] { (void)linalg::svd(ones({3})); },
                          "svd: argument 0 must be matrices");
  check_error<ShapeError>([&] { (void)linalg::svdvals(ones({3})); }, "svdvals: argument 0 must be");
  check_error<DTypeError>([&] { (void)lax::svd(ones({2, 2}, I32)); }, "takes f32, f64");
}

TEST_CASE("general matrices act on their eigenvectors as their eigenvalues say", "[linalg]") {
  for (int n : {1, 2, 3, 8, 33}) {
    INFO(n << " rows");
    const Array x = sin(arange(2 * n * n).astype(F64) + 1.).reshape({2, n, n}), zero = 0. * x;
    for (const Array& a : {x, lax::complex(x, cos(x * 3.))}) {
      const bool real_numbers = !is_complex(a.dtype());
      const lax::Eig e = lax::eig(a);
      CHECK(near(jit([](Array m) { return std::get<2>(lax::eig(m)); })(a), std::get<2>(e), 1e-12));
      const Array z = real_numbers ? lax::complex(a, zero) : a, w = expand_dims(std::get<0>(e), -2);
      CHECK(near(matmul(z, std::get<2>(e)), std::get<2>(e) * w, 1e-11 * n));
      CHECK(near(matmul(adjoint(z), std::get<1>(e)), std::get<1>(e) * lax::conj(w), 1e-11 * n));
      for (const Array& v : {std::get<1>(e), std::get<2>(e)})
        CHECK(near(sum(square(abs(v)), 1), ones({2, n}, F64), 1e-12));
      CHECK(near(vmap([](Array m) { return linalg::eigvals(m); })(a), std::get<0>(e), 1e-11 * n));
    }
  }
  check_error<ShapeError>([&] { (void)linalg::eig(ones({3, 2})); },
                          "eig: argument 0 must be square");
  check_error<ShapeError>([&] { (void)linalg::eigvals(ones({3, 2})); }, "eigvals: argument 0");
}

TEST_CASE("several results are pairs and tuples, in the order of JAX", "[linalg]") {
  using Pair = std::pair<Array, Array>;
  using Triple = std::tuple<Array, Array, Array>;
  const Array a = definite(1, 3)[0];
  static_assert(std::same_as<decltype(linalg::lu_factor(a)), Pair>);
  static_assert(std::same_as<decltype(linalg::eig(a)), Pair>);
  static_assert(std::same_as<decltype(linalg::polar(a)), Pair>);
  static_assert(std::same_as<decltype(linalg::schur(a)), Pair>);
  static_assert(std::same_as<decltype(lax::linalg::lu(a)), Triple>);
  static_assert(std::same_as<decltype(lax::linalg::eig(a)), Triple>);

  Array sign, logdet;
  std::tie(sign, logdet) = linalg::slogdet(a);
  CHECK(sign.item<double>() == 1);
  CHECK(close(logdet, std::get<1>(linalg::slogdet(a))));
  CHECK(close(exp(logdet), linalg::det(a)));
  CHECK(close(matmul(linalg::qr(a).first, linalg::qr(a).second), a));
  const std::tuple<Array, Array, Array> t = linalg::svd(a);
  const auto [u, s, vh] = t;
  CHECK(close(matmul(u * s, vh), a));
  const auto [p, l, upper] = linalg::lu(a);
  CHECK(close(matmul(p, matmul(l, upper)), a));
  const auto [w, v] = linalg::eigh(a);
  CHECK(close(matmul(a, v), v * w));
  CHECK(close(w, lax::linalg::eigh(a).second));
  const auto [x, residuals, rank, values] = linalg::lstsq(a, ones({3}, F64));
  CHECK(close(matmul(a, x), ones({3}, F64)));
  CHECK(rank.item<int>() == 3);
  CHECK(close(linalg::lu_solve(linalg::lu_factor(a), ones({3}, F64)), x));
  // The structs of results can pass through transforms.
  const Array many = definite(4, 3);
  const Pair mapped = jit(vmap([](Array m) { return linalg::slogdet(m); }))(many);
  CHECK(close(exp(mapped.second), linalg::det(many)));
}

TEST_CASE("the order of a norm may be the number 0", "[linalg]") {
  const Array x = array({3., 0., -4.});
  CHECK(linalg::norm(x, none, {.ord = 0}).item<float>() == 2);
  CHECK(linalg::norm(x, none, {.ord = int64_t{1}}).item<float>() == 7);
  CHECK(linalg::norm(x, none, {.ord = 2.}).item<float>() == 5);
}

TEST_CASE("solvers of matrices refuse invalid systems", "[linalg]") {
  const Array x = ones({3, 2});
  check_error<ShapeError>([&] { (void)linalg::cholesky(x); },
                          "cholesky: argument 0 must be square");
  check_error<ShapeError>([&] { (void)linalg::solve_triangular(x, x); },
                          "solve_triangular: argument 0 must be square");
  check_error<ShapeError>([&] { (void)linalg::solve_triangular(ones({3, 3}), ones({2, 3})); },
                          "does not fit 2 rows");
  check_error<DTypeError>([&] { (void)lax::cholesky(ones({2, 2}, I32), false); }, "takes f32, f64");
}
