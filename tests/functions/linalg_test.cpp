// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/linalg_test.cpp: factors and triangular systems by either implementation, their
// maps and derivatives, and what cannot be factored.
#include <cmath>

#include "support/check.h"
#include "weft/core/error.h"
#include "weft/core/jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

// Positive definite, of n rows, a different one for each of `count`.
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
    if (n > 1 && n <= 28) CHECK(holds(report, "loop in the lane"));
    CHECK(close(linalg::cholesky(a, {.upper = true}), swapaxes(f(a), 1, 2)));
    CHECK(close(vmap([](Array x) { return linalg::cholesky(x); })(a), f(a)));
  }
}

TEST_CASE("what is not positive definite has NaN for a factor, the others have theirs",
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

TEST_CASE("lanes that share a matrix are columns of one system", "[linalg]") {
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
    // (A^-1 - A^-1 y y^T A^-1) / 2.
    const Array l = linalg::cholesky(a), unit = eye(n).astype(F64);
    const Array inverse =
        linalg::solve_triangular(l, linalg::solve_triangular(l, unit, {.lower = true}),
                                 {.trans = linalg::Trans::transpose, .lower = true});
    const Array w = matvec(inverse, y);
    CHECK(close(g, (inverse - outer(w, w)) / 2., 1e-7));
  }
}

TEST_CASE("what is no system of matrices raises", "[linalg]") {
  const Array x = ones({3, 2});
  check_error<ShapeError>([&] { (void)linalg::cholesky(x); },
                          "cholesky: argument 0 must be square");
  check_error<ShapeError>([&] { (void)linalg::solve_triangular(x, x); },
                          "solve_triangular: argument 0 must be square");
  check_error<ShapeError>([&] { (void)linalg::solve_triangular(ones({3, 3}), ones({2, 3})); },
                          "does not fit 2 rows");
  check_error<DTypeError>([&] { (void)lax::cholesky(ones({2, 2}, I32), false); }, "takes f32, f64");
}
