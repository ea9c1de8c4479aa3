// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/linalg/schur_forms_test.cpp: Schur, Hessenberg and tridiagonal forms reproduce
// the matrix, also mapped and compiled. Square roots and solutions fulfil their equations.
#include <limits>

#include "support/check.h"
#include "weft/error.h"

using namespace weft;
using namespace weft::test;

namespace {

Array adjoint(const Array& x) { return swapaxes(is_complex(x.dtype()) ? lax::conj(x) : x, -1, -2); }
Array unit(int64_t n, DType d) { return eye(n).astype(d); }
// Returns `count` matrices of n rows and full rank.
Array some(int64_t count, int64_t n, DType d) {
  const Array i = arange(count * n * n).astype(real_part(d)), x = sin(i * i * 0.37 + 1.);
  const Array y = is_complex(d) ? lax::complex(x, cos(i * i * 0.61)) : x;
  return y.reshape({count, n, n});
}
double apart(const Array& a, const Array& b) {
  return a.size() == 0 ? 0 : max(abs(a - b)).astype(F64).item<double>();
}
double tolerance(DType d, int64_t n) {
  return (real_part(d) == F64 ? 1e-14 : 1e-5) * static_cast<double>(n + 1);
}
// Returns true if all elements below diagonal -k are zero.
bool upper(const Array& x, int64_t k) { return apart(triu(x, -k), x) == 0; }
void check_nan(const Array& x) { CHECK(isnan(x).all().item<bool>()); }

constexpr DType all_types[] = {F32, F64, C64, C128};
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinite = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("Schur forms and their vectors make the matrix", "[linalg]") {
  for (const DType d : all_types)
    for (const int64_t n : {1, 2, 5, 40}) {
      INFO(to_string(Type(d, {n, n})));
      const Array x = some(3, n, d);
      const lax::Schur f = lax::schur(x);
      const double near = tolerance(d, n);
      CHECK(apart(matmul(f.second, matmul(f.first, adjoint(f.second))), x) < near);
      CHECK(apart(matmul(adjoint(f.second), f.second), unit(n, d)) < near);
      CHECK(upper(f.first, is_complex(d) ? 0 : 1));
      const lax::Schur alone = lax::schur(x, {.compute_schur_vectors = false});
      CHECK(alone.second.empty_handle());
      CHECK(apart(alone.first, f.first) < near);
      const auto g = [](Array a) { return lax::schur(a).first; };
      CHECK(apart(jit(g)(x), f.first) == 0);
      CHECK(apart(vmap(g)(x), f.first) == 0);
      const linalg::Schur whole = linalg::schur(x, {.output = "complex"});
      CHECK(is_complex(whole.first.dtype()));
      CHECK(upper(whole.first, 0));
      const linalg::Schur turned = linalg::rsf2csf(f.first, f.second);
      CHECK(upper(turned.first, 0));
      CHECK(apart(matmul(turned.second, matmul(turned.first, adjoint(turned.second))), x) < near);
      CHECK(apart(matmul(adjoint(turned.second), turned.second), unit(n, turned.second.dtype())) <
            near);
    }
}

TEST_CASE("Hessenberg forms and their reflections make the matrix", "[linalg]") {
  for (const DType d : all_types)
    for (const int64_t n : {1, 2, 5, 40}) {
      INFO(to_string(Type(d, {n, n})));
      const Array x = some(2, n, d);
      const linalg::Hessenberg f = linalg::hessenberg(x, {.calc_q = true});
      CHECK(apart(matmul(f.second, matmul(f.first, adjoint(f.second))), x) < tolerance(d, n));
      CHECK(apart(matmul(adjoint(f.second), f.second), unit(n, d)) < tolerance(d, n));
      CHECK(upper(f.first, 1));
      CHECK(linalg::hessenberg(x).second.empty_handle());
      const auto g = [](Array a) { return linalg::hessenberg(a, {.calc_q = true}).second; };
      CHECK(apart(vmap(g)(x), f.second) <= tolerance(d, n));
      CHECK(apart(jit(g)(x), f.second) <= tolerance(d, n));
    }
  CHECK(linalg::hessenberg(zeros({2, 0, 0}, F64), {.calc_q = true}).second.shape() ==
        Shape{2, 0, 0});
}

TEST_CASE("tridiagonal forms have the eigenvalues of the matrix, by either triangle", "[linalg]") {
  for (const DType d : all_types)
    for (const int64_t n : {1, 2, 5, 40})
      for (const bool lower : {true, false}) {
        INFO(to_string(Type(d, {n, n})) << lower);
        const Array x = some(2, n, d);
        const Array whole = lower ? x : adjoint(x);
        const Array want = lax::eigh(whole, {.symmetrize_input = false}).second;
        const lax::Tridiagonal f = lax::tridiagonal(x, {.lower = lower});
        CHECK(std::get<1>(f).dtype() == real_part(d));
        CHECK(std::get<3>(f).shape() == Shape{2, n - 1});
        const double near = 10 * tolerance(d, n);
        CHECK(apart(linalg::eigh_tridiagonal(std::get<1>(f), std::get<2>(f), {.eigvals_only = true})
                        .first,
                    want) < near);
        const linalg::EighTridiagonal both =
            linalg::eigh_tridiagonal(std::get<1>(f), std::get<2>(f));
        CHECK(apart(both.first, want) < near);
        const Array v = both.second;
        CHECK(apart(matmul(adjoint(v), v), unit(n, v.dtype())) < near);
        const auto g = [lower](Array a) {
          return std::get<2>(lax::tridiagonal(a, {.lower = lower}));
        };
        CHECK(apart(vmap(g)(x), std::get<2>(f)) == 0);
        CHECK(apart(jit(g)(x), std::get<2>(f)) == 0);
      }
}

TEST_CASE("forms of matrices that are not finite are NaN, in their lane only", "[linalg]") {
  const Array good = some(1, 4, F64)[0];
  for (const double odd : {not_a_number, infinite}) {
    const Array x = stack({good, good.at({2, 1}).set(odd), good}, 0);
    const auto check = [&](const Array& r) {
      check_nan(r[1]);
      CHECK(isfinite(r[0]).all().item<bool>());
      CHECK(apart(r[0], r[2]) == 0);
    };
    check(lax::schur(x).first);
    check(lax::schur(x).second);
    check(lax::hessenberg(x).first);
    check(lax::hessenberg(x).second);
    const lax::Tridiagonal t = lax::tridiagonal(x);
    for (const Array& r : {std::get<0>(t), std::get<1>(t), std::get<2>(t), std::get<3>(t)})
      check(r);
    // The other triangle is not read.
    CHECK(isfinite(std::get<1>(lax::tridiagonal(x, {.lower = false}))).all().item<bool>());
  }
}

TEST_CASE("Schur and Hessenberg forms raise for derivatives", "[linalg]") {
  const Array x = some(1, 3, F64)[0];
  check_error<DifferentiationError>(
      [&] { (void)grad([](Array a) { return sum(lax::schur(a).first); })(x); }, "schur");
  check_error<DifferentiationError>(
      [&] { (void)grad([](Array a) { return sum(linalg::hessenberg(a).first); })(x); },
      "hessenberg");
  check_error<DifferentiationError>(
      [&] { (void)grad([](Array a) { return sum(std::get<1>(lax::tridiagonal(a))); })(x); },
      "tridiagonal");
}

TEST_CASE("a square root times itself is the matrix, of any batch", "[linalg]") {
  for (const DType d : all_types)
    for (const int64_t n : {1, 2, 6, 30}) {
      INFO(to_string(Type(d, {n, n})));
      const Array x = some(2, n, d) + 2. * unit(n, d);
      const Array root = linalg::sqrtm(x);
      CHECK(is_complex(root.dtype()));
      CHECK(apart(matmul(root, root), x) < 100 * tolerance(d, n));
      const auto f = [](Array a) { return linalg::sqrtm(a); };
      CHECK(apart(vmap(f)(x), root) < tolerance(d, n));
      CHECK(apart(jit(f)(x[0]), root[0]) < tolerance(d, n));
    }
  CHECK(linalg::sqrtm(zeros({0, 0}, F32)).dtype() == C64);
}

TEST_CASE("solutions of Sylvester's equation solve it, of matrices that are broadcast",
          "[linalg]") {
  using Way = std::pair<DType, const char*>;
  for (const auto& [d, method] : {Way(F64, "schur"), Way(C64, "schur"), Way(F32, "eigen")}) {
    INFO(to_string(Type(d, {})) << method);
    const Array a = some(2, 4, d) + 3. * unit(4, d), b = some(1, 3, d)[0] + 2. * unit(3, d);
    const Array c = some(1, 12, d)[0][0].reshape({4, 3});
    const linalg::SylvesterOptions o{.method = method};
    const Array x = linalg::solve_sylvester(a, b, c, o);
    CHECK(x.type() == Type(d, {2, 4, 3}));
    const Array again = matmul(a, x) + matmul(x, b);
    CHECK(apart(again, stack({c, c}, 0)) < 10 * tolerance(d, 4));
    const auto f = [&](Array v) { return linalg::solve_sylvester(v, b, c, o); };
    CHECK(apart(vmap(f)(a), x) < tolerance(d, 4));
    CHECK(apart(jit(f)(a), x) < tolerance(d, 4));
  }
  const Array a = some(1, 3, F64)[0];
  check_nan(linalg::solve_sylvester(a, -a, a));
  CHECK(isfinite(linalg::solve_sylvester(a, a * 2. + 9. * unit(3, F64), a)).all().item<bool>());
}

TEST_CASE("eigenvalues of tridiagonal matrices are found at any size of their numbers",
          "[linalg]") {
  const Array d = array({1., 2., -3., 0.5, 4.}).astype(F64),
              e = array({0.5, -1., 0., 2.}).astype(F64);
  const linalg::EighTridiagonalOptions alone{.eigvals_only = true};
  const Array w = linalg::eigh_tridiagonal(d, e, alone).first;
  for (const double size : {1e-300, 1e300}) {
    const Array scaled = linalg::eigh_tridiagonal(d * size, e * size, alone).first;
    CHECK(apart(scaled / size, w) < 1e-14);
  }
  CHECK(apart(linalg::eigh_tridiagonal(d, zeros({4}, F64), alone).first, sort(d)) < 1e-14);
  check_nan(linalg::eigh_tridiagonal(d * not_a_number, e, alone).first);
  const Array some_of =
      linalg::eigh_tridiagonal(
          d, e, {.eigvals_only = true, .select = "i", .select_range = std::pair(1, 3)})
          .first;
  CHECK(apart(some_of, lax::slice_in_dim(w, 1, 4)) < 1e-14);
  const linalg::EighTridiagonal both =
      linalg::eigh_tridiagonal(d, e, {.select = "i", .select_range = std::pair(0, 1)});
  CHECK(both.second.shape() == Shape{5, 2});
  CHECK(linalg::eigh_tridiagonal(array({3.}).astype(F64), zeros({0}, F64), alone)
            .first.item<double>() == 3.);
  const auto f = [&](Array x) { return linalg::eigh_tridiagonal(x, e, alone).first; };
  CHECK(apart(vmap(f)(stack({d, d * 2.}, 0))[0], w) == 0);
  check_error<Error>([&] { (void)linalg::eigh_tridiagonal(d, e, {.select = "v"}); },
                     "select is \"a\" or \"i\"");
  check_error<Error>([&] { (void)linalg::eigh_tridiagonal(d, e, {.select = "i"}); },
                     "needs select_range");
  check_error<IndexError>(
      [&] {
        (void)linalg::eigh_tridiagonal(d, e, {.select = "i", .select_range = std::pair(2, 5)});
      },
      "out of range for 5");
}

TEST_CASE("Halley's method finds the polar factors, and reports if it did not converge",
          "[linalg]") {
  using Size = std::tuple<DType, int64_t, int64_t>;
  for (const auto& [d, m, n] : {Size(F64, 4, 4), Size(F32, 6, 3), Size(C128, 5, 2)}) {
    INFO(to_string(Type(d, {m, n})));
    const Array x = some(1, 6, d)[0];
    const Array a = lax::slice_in_dim(lax::slice_in_dim(x, 0, m), 0, n, 1, 1);
    const auto f = [](Array v) { return lax::linalg::qdwh(v); };
    const lax::linalg::Qdwh q = f(a);
    const double near = 10 * tolerance(d, m);
    CHECK(apart(matmul(std::get<0>(q), std::get<1>(q)), a) < near);
    CHECK(apart(matmul(adjoint(std::get<0>(q)), std::get<0>(q)), unit(n, d)) < near);
    CHECK(apart(std::get<1>(q), linalg::polar(a).second) < near);
    CHECK(std::get<3>(q).item<bool>());
    CHECK(std::get<2>(q).item<int32_t>() < 10);
    const auto u = [&](Array v) { return std::get<0>(f(v)); };
    CHECK(apart(vmap(u)(stack({a, 2. * a}, 0))[1], std::get<0>(q)) < near);
    CHECK(!std::get<3>(lax::linalg::qdwh(a, {.max_iterations = 1})).item<bool>());
    CHECK(std::get<2>(lax::linalg::qdwh(a, {.eps = 1e-3})).item<int32_t>() <
          std::get<2>(q).item<int32_t>());
  }
  const Array a = some(1, 3, F64)[0];
  const auto weighted = [](Array u) { return sum(u * cos(arange(9).reshape({3, 3}))); };
  const Array slope = grad([&](Array v) { return weighted(std::get<0>(lax::linalg::qdwh(v))); })(a),
              want = grad([&](Array v) { return weighted(linalg::polar(v).first); })(a);
  CHECK(apart(slope, want) < 1e-10);
  CHECK(std::get<1>(lax::linalg::qdwh(zeros({3, 0}, F32))).shape() == Shape{0, 0});
}

TEST_CASE("reflections are applied as their product would be, with derivatives", "[linalg]") {
  for (const DType d : {F32, C128})
    for (const int64_t n : {4, 2}) {
      const Array x = lax::slice_in_dim(some(2, 4, d), 0, n, 1, 2);
      const lax::Geqrf f = lax::geqrf(x);
      const Array q = linalg::qr(x, {.mode = "complete"}).first, c = some(2, 4, d) + 1.;
      for (const bool left : {true, false})
        for (const bool transpose : {true, false}) {
          INFO(to_string(x.type()) << left << transpose);
          const lax::OrmqrOptions o{.left = left, .transpose = transpose};
          const Array by = transpose ? adjoint(q) : q;
          const auto g = [o](Array a, Array taus, Array y) { return lax::ormqr(a, taus, y, o); };
          const Array want = left ? matmul(by, c) : matmul(c, by);
          CHECK(apart(g(f.first, f.second, c), want) < tolerance(d, 4));
          CHECK(apart(jit(vmap(g))(f.first, f.second, c), want) < tolerance(d, 4));
        }
    }
  const lax::Geqrf f = lax::geqrf(some(1, 4, F64)[0]);
  const Array c = some(2, 4, F64)[1];
  const auto loss = [&](Array y) { return sum(sin(y)); };
  const Array slope = grad([&](Array a) { return loss(lax::ormqr(a, f.second, c)); })(f.first);
  const Array want = grad(
      [&](Array a) { return loss(matmul(lax::householder_product(a, f.second), c)); })(f.first);
  CHECK(apart(slope, want) < 1e-12);
}

TEST_CASE("options of singular values choose them and their vectors", "[linalg]") {
  const Array a = some(1, 5, F64)[0], tall = lax::slice_in_dim(a, 0, 3, 1, 1);
  const linalg::SVD all = linalg::svd(tall, {.full_matrices = false});
  const linalg::SVD some_of =
      linalg::svd(tall, {.full_matrices = false, .subset_by_index = std::pair(1, 3)});
  CHECK(apart(std::get<1>(some_of), lax::slice_in_dim(std::get<1>(all), 1, 3)) == 0);
  CHECK(apart(std::get<0>(some_of), lax::slice_in_dim(std::get<0>(all), 1, 3, 1, 1)) == 0);
  CHECK(apart(std::get<2>(some_of), lax::slice_in_dim(std::get<2>(all), 1, 3)) == 0);
  CHECK(std::get<0>(linalg::svd(tall, {.subset_by_index = std::pair(0, 3)})).shape() ==
        Shape{5, 5});
  const lax::SVD same =
      lax::svd(tall, {.full_matrices = false, .subset_by_index = std::pair(1, 3)});
  CHECK(apart(std::get<0>(same), std::get<0>(some_of)) == 0);
  CHECK(apart(std::get<2>(same), std::get<2>(some_of)) == 0);
  const linalg::SVD f = linalg::svd(a, {.hermitian = true});
  CHECK(apart(matmul(std::get<0>(f) * std::get<1>(f), std::get<2>(f)), (a + a.T()) / 2.) < 1e-13);
  CHECK((lax::slice_in_dim(std::get<1>(f), 0, 4) >= lax::slice_in_dim(std::get<1>(f), 1, 5))
            .all()
            .item<bool>());
  // Each matrix has its own tolerance.
  const Array x = stack({diag(array({4., 2., 1.})), diag(array({4., 2., 1.}))}, 0);
  const Array rtol = array({0.3, 0.6});
  CHECK(array_equal(linalg::matrix_rank(x, {.rtol = rtol * 5.}), array({2, 1})).item<bool>());
  const Array p = linalg::pinv(x, {.rtol = rtol});
  CHECK(apart(p[0], diag(array({0.25, 0.5, 0.}))) < 1e-6);
  CHECK(apart(p[1], diag(array({0.25, 0., 0.}))) < 1e-6);
  const auto each = [](Array m, Array r) { return linalg::pinv(m, {.rtol = r}); };
  CHECK(apart(vmap(each)(x, rtol), p) < 1e-6);
}
