// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/solve/iterative_test.cpp: compares the iterates of cg, bicgstab and gmres with
// JAX's. It also tests derivatives, trees, lanes that stop independently, and the status if they do
// not converge.
#include "functions/solve/problems.h"

using namespace weft;
using namespace weft::test;

namespace {

const Array square6 = quarters({6, 6}, 7, 23) + 8. * eye(6).astype(F64),
            spd6 = matmul(square6, square6.T()) / 8. + eye(6).astype(F64),
            skew = quarters({6, 6}, 5, 19) - quarters({6, 6}, 5, 19).T(), b6 = quarters({6}, 3, 7);
Array near() { return diag(1. / diag(square6)); }

template <class Solve>
void check_iterates(const std::string& name, const Array& a, Solve solve) {
  for (int64_t steps : {1, 2, 3}) {
    const std::string line = name + ".steps" + std::to_string(steps);
    check_golden(line, solve(a, steps, false).first, 1e-8);
    check_golden(line + ".M", solve(a, steps, true).first, 1e-8);
  }
}
template <class Solve>
void check_slopes(const std::string& name, const Array& a, Solve solve) {
  const auto f = [solve](Array m, Array b) {
    return sum(sin(solve([m](Array v) { return matmul(m, v); }, b).first));
  };
  const auto [by_a, by_b] = jit(grad<0, 1>(f))(a, b6);
  check_golden(name + ".slope_a", by_a, 1e-8);
  check_golden(name + ".slope_b", by_b, 1e-8);
  const Array many = stack({a, 2. * a, a + eye(6).astype(F64)}, 0);
  CHECK(close(vmap(grad(f), {0, none})(many, b6)[0], by_a, 1e-7));
}

}  // namespace

TEST_CASE("iterations for systems are JAX's", "[iterative]") {
  check_iterates("cg", spd6, [](Array a, int64_t n, bool m) {
    return m ? cg(a, b6, {.x0 = b6 / 3., .tol = 1e-14, .maxiter = n, .M = near()})
             : cg(a, b6, {.tol = 1e-14, .maxiter = n});
  });
  check_iterates("bicgstab", square6, [](Array a, int64_t n, bool m) {
    return m ? bicgstab(a, b6, {.x0 = b6 / 3., .tol = 1e-14, .maxiter = n, .M = near()})
             : bicgstab(a, b6, {.tol = 1e-14, .maxiter = n});
  });
  for (const char* method : {"batched", "incremental"}) {
    const std::string name = std::string(method) == "batched" ? "gmres" : "gmres_incremental";
    check_iterates(name, square6, [=](Array a, int64_t n, bool m) {
      return m ? gmres(a, b6,
                       {.x0 = b6 / 3.,
                        .tol = 1e-14,
                        .restart = 2,
                        .maxiter = n,
                        .M = near(),
                        .solve_method = method})
               : gmres(a, b6, {.tol = 1e-14, .restart = 2, .maxiter = n, .solve_method = method});
    });
    check_slopes(name, square6, [=](auto a, Array b) {
      return gmres(a, b, {.tol = 1e-13, .solve_method = method});
    });
  }
  check_slopes("cg", spd6, [](auto a, Array b) { return cg(a, b, {.tol = 1e-13}); });
  check_slopes("bicgstab", square6, [](auto a, Array b) { return bicgstab(a, b, {.tol = 1e-13}); });
  const Array turned = lax::complex(spd6, skew), right = lax::complex(b6, flip(b6));
  check_golden("cg.complex", cg(turned, right, {.tol = 1e-13}).first);
  check_golden("gmres.complex",
               gmres(turned + lax::complex(0. * square6, square6), right, {.tol = 1e-13}).first);
}

TEST_CASE("the status tells that a system was not solved", "[iterative]") {
  CHECK(cg(spd6, b6).second.item<int>() == 0);
  CHECK(cg(spd6, b6, {.tol = 1e-13, .maxiter = 2}).second.item<int>() == 2);
  CHECK(bicgstab(square6, b6).second.item<int>() == 0);
  CHECK(bicgstab(square6, b6, {.tol = 1e-13, .maxiter = 1}).second.item<int>() == 1);
  CHECK(gmres(square6, b6).second.item<int>() == 0);
  CHECK(gmres(square6, b6, {.tol = 1e-13, .restart = 2, .maxiter = 3}).second.item<int>() == 3);
  // The method divides by an inner product that is zero.
  const Array turn = array({{0., 1.}, {-1., 0.}}).astype(F64), e = array({1., 0.}).astype(F64);
  CHECK(bicgstab(turn, e).second.item<int>() < 0);
  CHECK(close(gmres(turn, e).first, array({0., 1.}).astype(F64)));
  const Array nan = spd6 * std::nan("");
  CHECK(cg(nan, b6).second.item<int>() == -1);
  CHECK(gmres(nan, b6).second.item<int>() == -1);
  // The tolerance is atol alone, and one right side is zero.
  CHECK(cg(spd6, b6, {.tol = 0, .atol = 100}).second.item<int>() == 0);
  CHECK(array_equal(cg(spd6, b6, {.tol = 0, .atol = 100}).first, 0. * b6));
  CHECK(array_equal(cg(spd6, 0. * b6).first, 0. * b6));
  CHECK(array_equal(gmres(spd6, 0. * b6).first, 0. * b6));
  // Lanes stop independently of each other.
  const auto steps = [](Array a, Array b) { return cg(a, b, {.tol = 1e-13, .maxiter = 3}).second; };
  const Array infos = vmap(steps, {none, 0})(spd6, stack({0. * b6, b6}, 0));
  CHECK(infos[0].item<int>() == 0);
  CHECK(infos[1].item<int>() == 3);
}

TEST_CASE("unknowns of systems are trees", "[iterative]") {
  struct Two {
    Array x, y;
  };
  const Array k = quarters({2, 3}, 5, 13) + 3.;
  // (4 x + sum(k y), k x + 9 y) is a symmetric map of a scalar and a matrix.
  const auto map = [k](Two v) {
    return Two{4. * v.x + 0.1 * sum(k * v.y), 0.1 * k * v.x + 9. * v.y};
  };
  const Two b{Array(1.5).astype(F64), quarters({2, 3}, 3, 7)};
  const Two by_cg = cg(map, b, {.tol = 1e-13}).first,
            by_gmres = gmres(map, b, {.tol = 1e-13}).first,
            by_bicgstab = bicgstab(map, b, {.tol = 1e-13}).first, again = map(by_cg);
  CHECK(close(again.x, b.x));
  CHECK(close(again.y, b.y));
  CHECK(close(by_cg.y, by_gmres.y));
  CHECK(close(by_cg.x, by_bicgstab.x));
  const auto halves = [](Two v) { return Two{v.x / 4., v.y / 9.}; };
  CHECK(close(cg(map, b, {.x0 = by_cg, .tol = 1e-13, .M = halves}).first.x, by_cg.x));
}

TEST_CASE("iterative solvers refuse invalid systems", "[iterative]") {
  check_error<ShapeError>(
      [&] { (void)cg(ones({2, 3}, F64), b6); },
      "cg: a linear operator must be a square matrix or a function, got f64[2,3]");
  check_error<ShapeError>([&] { (void)gmres(spd6, b6, {.M = ones({2, 3}, F64)}); },
                          "gmres: a linear operator must be a square matrix");
  check_error<ShapeError>(
      [&] { (void)cg(spd6, b6, {.x0 = ones({2}, F64)}); },
      "cg: arrays in x0 and b must have matching shapes, got f64[2] and f64[6]");
  check_error<Error>([&] { (void)gmres(spd6, b6, {.solve_method = "some"}); },
                     ".solve_method must be \"batched\" or \"incremental\", got \"some\"");
  check_error<ShapeError>([&] { (void)gmres(spd6, b6, {.restart = 0}); },
                          ".restart must be at least 1");
  check_error<DTypeError>([&] { (void)cg(eye(3), arange(3)); }, "got i32[3]");
  check_error<ShapeError>([&] { (void)bicgstab([](Array v) { return sum(v); }, b6); },
                          "iterative_test.cpp");
}
