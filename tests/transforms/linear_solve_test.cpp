// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/linear_solve_test.cpp: linear systems that a loop solves. The custom derivatives
// are with respect to the right side and the matrix, in forward and reverse mode, mapped and
// compiled.
#include "support/check.h"
#include "weft/error.h"

using namespace weft;
using namespace weft::test;

namespace {

Array matrix_of(int n) {
  const Array x = sin(arange(n * n).astype(F64)).reshape({n, n});
  return x + 4. * eye(n).astype(F64);
}
Array symmetric_of(int n) { return matmul(matrix_of(n), matrix_of(n).T()); }
Array right_of(int n) { return cos(arange(n).astype(F64)); }

bool close(const Array& a, const Array& b, double tolerance = 1e-8) {
  return allclose(a, b, tolerance, tolerance).item<bool>();
}

// Conjugate gradients are a loop of unknown length, which has no reverse-mode derivative.
constexpr auto gradients = [](auto matvec, Array b) {
  struct State {
    Array x, r, p;
  };
  const auto more = [](std::tuple<Array, Array, Array> s) {
    return sum(square(std::get<1>(s))) > 1e-24;
  };
  const auto step = [matvec](std::tuple<Array, Array, Array> s) {
    const auto [x, r, p] = s;
    const Array ap = matvec(p), rr = sum(square(r)), alpha = rr / sum(p * ap);
    const Array next = r - alpha * ap;
    return std::tuple{x + alpha * p, next, next + (sum(square(next)) / rr) * p};
  };
  return std::get<0>(while_loop(more, step, std::tuple{0. * b, b, b}));
};
Array by_gradients(Array a, Array b) {
  return custom_linear_solve([a](Array x) { return matvec(a, x); }, b, gradients,
                             {.symmetric = true});
}
// Solves systems that are not symmetric by Jacobi's iteration. The transposed system uses the
// transposed matrix.
Array by_jacobi(Array a, Array b) {
  const auto steps = [](Array m, Array right) {
    return fori_loop(
        0, 200, [m, right](Array, Array x) { return x + (right - matvec(m, x)) / diag(m); },
        0. * right);
  };
  return custom_linear_solve([a](Array x) { return matvec(a, x); }, b,
                             [a, steps](auto, Array right) { return steps(a, right); },
                             [a, steps](auto, Array right) { return steps(a.T(), right); });
}

template <class F>
void check_like_solve(F f, const Array& a, const Array& b) {
  const auto want = [](Array m, Array r) { return sum(sin(linalg::solve(m, r))); };
  const auto got = [f](Array m, Array r) { return sum(sin(f(m, r))); };
  CHECK(close(f(a, b), linalg::solve(a, b)));
  CHECK(close(jit(f)(a, b), linalg::solve(a, b)));
  const auto [by_a, by_b] = jit(grad<0, 1>(got))(a, b);
  const auto [want_a, want_b] = grad<0, 1>(want)(a, b);
  CHECK(close(by_a, want_a));
  CHECK(close(by_b, want_b));
  const Array da = sin(a), db = cos(b);
  CHECK(close(jvp(got, std::tuple{a, b}, std::tuple{da, db}).second,
              jvp(want, std::tuple{a, b}, std::tuple{da, db}).second));
  CHECK(close(jacfwd<1>(f)(a, b), linalg::inv(a)));
  CHECK(close(hessian<1>(got)(a, b), hessian<1>(want)(a, b)));
  const Array many = stack({b, 2. * b, b + 1.}, 0), matrices = stack({a, 2. * a, a.T()}, 0);
  CHECK(close(vmap(f, {none, 0})(a, many), linalg::solve(a, many.T()).T()));
  CHECK(close(vmap(grad(got))(matrices, many), vmap(grad(want))(matrices, many)));
  CHECK(close(jit(vmap(grad<1>(got), {0, none}))(matrices, b),
              vmap(grad<1>(want), {0, none})(matrices, b)));
}

}  // namespace

TEST_CASE("a loop that solves a system is differentiated as its solution", "[linear_solve]") {
  for (int n : {1, 2, 5}) {
    INFO(n << " rows");
    check_like_solve(by_gradients, symmetric_of(n), right_of(n));
    check_like_solve(by_jacobi, matrix_of(n), right_of(n));
  }
}

TEST_CASE("right sides are trees, and the transpose of a map of trees is found", "[linear_solve]") {
  using Pair = std::pair<Array, Array>;
  const Array a = matrix_of(2), k = right_of(2) + 2.;
  // The map of x and y is (a x + k y, y).
  const auto solved = [a](Array k, Pair b) {
    const auto map = [a, k](Pair v) { return Pair{matvec(a, v.first) + k * v.second, v.second}; };
    const auto forward = [a, k](auto, Pair right) {
      return Pair{linalg::solve(a, right.first - k * right.second), right.second};
    };
    // The transpose is (a^T x, k x + y).
    const auto back = [a, k](auto vecmat, Pair ct) {
      const Array x = linalg::solve(a.T(), ct.first);
      const Pair found{x, ct.second - k * x}, again = vecmat(found);
      return Pair{found.first + 0. * again.first, found.second + (ct.second - again.second)};
    };
    return custom_linear_solve(map, b, forward, back);
  };
  const Pair b{right_of(2), right_of(2) * 3.};
  const auto loss = [&](Array k, Pair b) {
    const Pair x = solved(k, b);
    return sum(square(x.first)) + sum(x.second * x.first);
  };
  const auto want = [&](Array k, Pair b) {
    const Array x = linalg::solve(a, b.first - k * b.second);
    return sum(square(x)) + sum(b.second * x);
  };
  const auto [dk, db] = grad<0, 1>(loss)(k, b);
  const auto [want_k, want_b] = grad<0, 1>(want)(k, b);
  CHECK(close(dk, want_k));
  CHECK(close(db.first, want_b.first));
  CHECK(close(db.second, want_b.second));
}

TEST_CASE("a solve says more than the solution, which has no derivative", "[linear_solve]") {
  struct Told {
    Array steps, rest;
  };
  // Runs Jacobi's iteration to a given residual, and returns the number of steps.
  const auto iterate = [](Array m, Array right) {
    const auto rest = [m, right](Array x) { return right - matvec(m, x); };
    const auto [x, steps] =
        while_loop([rest](std::pair<Array, Array> s) { return sum(square(rest(s.first))) > 1e-24; },
                   [rest, m](std::pair<Array, Array> s) {
                     return std::pair{s.first + rest(s.first) / diag(m), s.second + 1};
                   },
                   std::pair{0. * right, Array(0)});
    return std::pair{x, Told{steps, rest(x)}};
  };
  const auto solved = [iterate](Array a, Array b) {
    return custom_linear_solve_with_aux([a](Array x) { return matvec(a, x); }, b,
                                        [&](auto, Array r) { return iterate(a, r); },
                                        [&](auto, Array r) { return iterate(a.T(), r); });
  };
  const auto only = [solved](Array a, Array b) { return solved(a, b).first; };
  for (const int n : {1, 3}) check_like_solve(only, matrix_of(n), right_of(n));
  const Array a = matrix_of(3), b = right_of(3);
  const auto [x, told] = jit(solved)(a, b);
  CHECK(told.steps.item<int>() > 3);
  CHECK(close(told.rest, b - matvec(a, x)));
  CHECK(vmap(solved, {none, 0})(a, stack({b, 0. * b}, 0)).second.steps[1].item<int>() == 0);
  const auto rest = [solved](Array a, Array b) { return sum(solved(a, b).second.rest); };
  CHECK(array_equal(grad(rest)(a, b), 0. * a));
  CHECK(jvp(rest, std::tuple{a, b}, std::tuple{a, b}).second.item<double>() == 0);

  // The system is its own transpose.
  const auto symmetric = [iterate](Array a, Array b) {
    return custom_linear_solve_with_aux([a](Array x) { return matvec(a, x); }, b,
                                        [&](auto, Array r) { return iterate(a, r); },
                                        {.symmetric = true})
        .first;
  };
  check_like_solve(symmetric, symmetric_of(2) + 20. * eye(2).astype(F64), right_of(2));
}

TEST_CASE("custom_linear_solve refuses invalid systems", "[linear_solve]") {
  const Array a = matrix_of(2), b = right_of(2);
  const auto map = [a](Array x) { return matvec(a, x); };
  const auto solve = [a](auto, Array r) { return linalg::solve(a, r); };
  const auto forward_only = [&](Array r) { return sum(custom_linear_solve(map, r, solve)); };
  CHECK(close(jacfwd(forward_only)(b), matvec(linalg::inv(a).T(), ones({2}, F64))));
  check_error<DifferentiationError>([&] { (void)grad(forward_only)(b); }, "needs transpose_solve");
  check_error<ShapeError>(
      [&] { (void)custom_linear_solve([](Array x) { return sum(x); }, b, solve); },
      "matvec must return what is like b: expected f64[2]");
  check_error<ShapeError>(
      [&] { (void)custom_linear_solve(map, b, [](auto, Array r) { return r.astype(F32); }); },
      "solve must return what is like b");
  check_error<DTypeError>([&] { (void)custom_linear_solve(map, arange(2), solve); },
                          "takes floating-point and complex b");
  // Too many arrays in x are an error; they do not become part of the aux.
  const auto same = [](Arrays v) { return v; };
  const auto twice = [](auto, Arrays r) { return std::pair{Arrays{r[0], r[0]}, Array(1.)}; };
  check_error<ShapeError>([&] { (void)custom_linear_solve_with_aux(same, Arrays{b}, twice); },
                          "solve returns 2 arrays, b has 1");
}
