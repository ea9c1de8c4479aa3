// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/linalg/linalg_scale_test.cpp: functions of matrices whose numbers have squares
// beyond the range of their type. The result is the same except for the scale.
#include <cmath>
#include <functional>

#include "support/check.h"
#include "support/share.h"
#include "weft/lax/linalg/qr.h"

using namespace weft;
using namespace weft::test;

namespace {

// Checks f(2^k a) = 2^(k power) f(a).
struct Scaled {
  const char* name;
  double power;
  std::function<Array(const Array&)> f;
};

Array column_of(const Array& a) { return lax::slice_in_dim(a, 0, 1, 1, 1) * 0 + 1; }
Array line(const Array& a, int64_t k) { return lax::index_in_dim(a, k, 0, false); }
Array symmetric(const Array& a) { return a + swapaxes(a, -1, -2); }
// Returns a matrix that has positive eigenvalues for the matrices that are used here.
Array definite(const Array& a) {
  const int64_t n = a.shape()[0];
  const Array large = max(abs(a)) * static_cast<double>(4 * n);
  return symmetric(a) / 2 + where(eye(n) > 0, large, 0);
}

std::vector<Scaled> factors() {
  using namespace linalg;
  return {
      {"cholesky", 0.5, [](const Array& a) { return cholesky(definite(a)); }},
      {"cholesky_update", 1,
       [](const Array& a) { return lax::cholesky_update(triu(definite(a)), line(a, 0)); }},
      {"lu", 1, [](const Array& a) { return std::get<2>(linalg::lu(a)); }},
      {"lu_l", 0, [](const Array& a) { return std::get<1>(linalg::lu(a)); }},
      {"lu_pivots", 0, [](const Array& a) { return lu_factor(a).second.astype(a.dtype()); }},
      {"qr_q", 0, [](const Array& a) { return qr(a).first; }},
      {"qr_r", 1, [](const Array& a) { return qr(a).second; }},
      {"geqrf", 0, [](const Array& a) { return lax::geqrf(a).second; }},
      {"geqp3", 0, [](const Array& a) { return std::get<1>(lax::geqp3(a)).astype(a.dtype()); }},
      {"pivoted_qr", 1, [](const Array& a) { return std::get<1>(lax::pivoted_qr(a)); }},
      {"eigvalsh", 1, [](const Array& a) { return eigvalsh(a); }},
      {"eigh", 0, [](const Array& a) { return eigh(a).second; }},
      {"eigvals", 1, [](const Array& a) { return abs(eigvals(a)); }},
      {"eig", 0, [](const Array& a) { return abs(eig(a).second); }},
      {"svdvals", 1, [](const Array& a) { return svdvals(a); }},
      {"svd_s", 1, [](const Array& a) { return std::get<1>(svd(a)); }},
      {"svd_u", 0, [](const Array& a) { return std::get<0>(svd(a)); }},
      {"svd_vh", 0, [](const Array& a) { return std::get<2>(svd(a)); }},
      {"polar_u", 0, [](const Array& a) { return polar(a).first; }},
      {"polar_p", 1, [](const Array& a) { return polar(a).second; }},
      {"qdwh_u", 0, [](const Array& a) { return std::get<0>(lax::linalg::qdwh(a)); }},
      {"qdwh_h", 1, [](const Array& a) { return std::get<1>(lax::linalg::qdwh(a)); }},
      // LAPACK itself scales some matrices, and its roundings change the order of the eigenvalues.
      {"schur", 1,
       [](const Array& a) {
         const auto [t, z] = schur(a);
         return matmul(matmul(z, t), swapaxes(is_complex(z.dtype()) ? lax::conj(z) : z, 0, 1));
       }},
      {"hessenberg_h", 1, [](const Array& a) { return hessenberg(a).first; }},
      {"hessenberg_q", 0, [](const Array& a) { return hessenberg(a, {.calc_q = true}).second; }},
      {"tridiagonal_d", 1, [](const Array& a) { return std::get<1>(lax::tridiagonal(a)); }},
      {"tridiagonal_e", 1, [](const Array& a) { return std::get<2>(lax::tridiagonal(a)); }},
      {"eigh_tridiagonal", 1,
       [](const Array& a) {
         const Array e = lax::slice_in_dim(line(a, 1), 1, a.shape()[0]);
         return eigh_tridiagonal(line(a, 0), e, {.eigvals_only = true}).first;
       }},
      {"eigh_tridiagonal_vectors", 0,
       [](const Array& a) {
         const Array e = lax::slice_in_dim(line(a, 1), 1, a.shape()[0]);
         return eigh_tridiagonal(line(a, 0), e).second;
       }},
  };
}

std::vector<Scaled> systems() {
  using namespace linalg;
  return {
      {"solve", -1, [](const Array& a) { return solve(a, column_of(a)); }},
      {"solve_same", 0, [](const Array& a) { return solve(a, symmetric(a)); }},
      {"inv", -1, [](const Array& a) { return inv(a); }},
      {"power", -1, [](const Array& a) { return matrix_power(a, -1); }},
      {"sign", 0, [](const Array& a) { return slogdet(a).first; }},
      {"solve_triangular", -1,
       [](const Array& a) { return solve_triangular(definite(a), column_of(a)); }},
      {"cho_solve", -1,
       [](const Array& a) {
         const Array d = definite(a);
         return cho_solve(cho_factor(d), column_of(a));
       }},
      {"pinv", -1, [](const Array& a) { return pinv(a); }},
      {"matrix_rank", 0, [](const Array& a) { return matrix_rank(a).astype(a.dtype()); }},
      {"lstsq", -1, [](const Array& a) { return std::get<0>(lstsq(a, column_of(a))); }},
      {"lstsq_s", 1, [](const Array& a) { return std::get<3>(lstsq(a, column_of(a))); }},
      {"cond", 0, [](const Array& a) { return linalg::cond(a); }},
      {"norm_2", 1, [](const Array& a) { return norm(a, {0, 1}, {.ord = 2}); }},
      {"norm_nuc", 1, [](const Array& a) { return norm(a, {0, 1}, {.ord = "nuc"}); }},
      {"norm_1", 1, [](const Array& a) { return norm(a, {0, 1}, {.ord = 1}); }},
      {"sylvester", -1,
       [](const Array& a) {
         return solve_sylvester(a, definite(a), column_of(a) * ones_like(a), {.tol = 0});
       }},
      {"sqrtm", 0.5, [](const Array& a) { return abs(sqrtm(definite(a))); }},
      {"tridiagonal_solve", -1,
       [](const Array& a) {
         return lax::tridiagonal_solve(line(a, 0), line(a, 1), line(a, 2), column_of(a));
       }},
  };
}

Array noise(int64_t n, DType d) {
  const Array x = arange(n * n).astype(F64);
  const Array real = (sin(x * 1.7 + 1) * 2 + cos(x * x)).reshape({n, n});
  return (is_complex(d) ? lax::complex(real, cos(x * 2.3).reshape({n, n})) : real).astype(d);
}

void check_scaled(const Scaled& s, const Array& a, int k) {
  const bool wide = a.dtype() == F64 || a.dtype() == C128;
  // The scale is applied in two steps, each of which is in the range of the type. So is the inverse
  // scale of the result.
  const Array half = array(std::vector<double>{std::ldexp(1, k / 2)}).astype(wide ? F64 : F32)[0];
  const auto whole = static_cast<int>(k * s.power);
  const double back = std::ldexp(1, -whole / 2);
  const Array want = s.f(a), got = s.f(a * half * half) * back * back;
  REQUIRE(got.shape() == want.shape());
  const double size = max(abs(want)).item<double>(), off = max(abs(got - want)).item<double>();
  INFO(s.name << " of " << to_string(a.type()) << " times 2^" << k << " is off by " << off / size);
  CHECK(off <= size * (wide ? 1e-10 : 2e-3));
}

}  // namespace

TEST_CASE("functions of matrices are independent of the scale", "[linalg][share]") {
  std::vector<Scaled> all = factors();
  for (const Scaled& s : systems()) all.push_back(s);
  Share share(6);
  for (const Scaled& s : all)
    for (const int64_t n : {3, 40})
      for (const DType d : {F64, F32, C128})
        for (const int k : {-1000, -600, 600, 1000}) {
          const bool complex_refused = std::string(s.name) == "cholesky_update";
          if (is_complex(d) && complex_refused) continue;
          if (!share.next()) continue;
          const Array a = noise(n, d);
          check_scaled(s, a, d == F32 ? k / 10 : k);
        }
}
