// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/linalg/linalg_points_test.cpp: compares every function of matrices with JAX
// (tests/golden/generators/make_linalg_points.py). The matrices are empty, of one element,
// singular, defective, not finite, of F32, or of integers. It also tests matrices near the ends of
// the range of F64.
#include <functional>
#include <limits>

#include "support/golden_lines.h"
#include "support/share.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/qr.h"
#include "weft/weft.h"

using namespace weft;
using weft::testing::GoldenLine;

namespace {

using Call = std::function<Array(const Array&)>;
using Calls = std::map<std::string, Call>;
constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

Array matrix(const std::vector<double>& v, int64_t n, DType d = F64) {
  return array(v, Shape{n, n}).astype(d);
}
const std::vector<double> whole_numbers = {2, 1, 0, 1, 3, -1, 0, 2, 4};
const Array whole = matrix(whole_numbers, 3),
            usual = whole + matrix({0.5, -0.25, 1.25, 0.75, 0, -0.5, -1.5, 0.25, 0}, 3);

std::map<std::string, Array> points() {
  return {
      {"empty", zeros({0, 0}, F64)},
      {"none", zeros({0, 3, 3}, F64)},
      {"one", matrix({-2.5}, 1)},
      {"one_zero", matrix({0}, 1)},
      {"positive", matrix({4}, 1)},
      {"zero", zeros({3, 3}, F64)},
      {"unit", eye(3).astype(F64)},
      {"singular", matrix({1, 2, 4, 2, 4, 8, 1, 0, 2}, 3)},
      {"indefinite", matrix({1, 2, 2, 1}, 2)},
      {"defective", matrix({2, 1, 0, 2}, 2)},
      {"turn", matrix({0, -1, 1, 0}, 2)},
      {"swap", matrix({0, 1, 1, 0}, 2)},
      {"nan", usual.at({0, 1}).set(not_a_number)},
      {"inf", usual.at({1, 1}).set(inf)},
      {"f32", usual.astype(F32)},
      {"c64", lax::complex(usual, whole.T()).astype(C64)},
      {"int", whole.astype(I32)},
      {"batch", stack({usual, zeros({3, 3}, F64), whole}, 0)},
      {"spd", matmul(whole, whole.T())},
      {"half_rank", matrix({4, 2, 2, 2, 1, 1, 2, 1, 5}, 3)},
  };
}

Array ones_of(const Array& a, int64_t columns) {
  return ones(a.shape().with(a.ndim() - 1, columns), a.dtype());
}
Array row_of_ones(const Array& a) { return ones(a.shape().erased(a.ndim() - 1), a.dtype()); }
Array adjoint(const Array& x) { return swapaxes(is_complex(x.dtype()) ? lax::conj(x) : x, -1, -2); }
Array again(const linalg::SVD& f) {
  const int64_t k = std::get<1>(f).shape()[-1];
  return matmul(lax::slice_in_dim(std::get<0>(f), 0, k, 1, std::get<0>(f).ndim() - 1) *
                    expand_dims(std::get<1>(f), -2),
                lax::slice_in_dim(std::get<2>(f), 0, k, 1, std::get<2>(f).ndim() - 2));
}
Array column(const Array& a, int64_t k) { return lax::index_in_dim(a, k, a.ndim() - 1, false); }

Calls factors() {
  using namespace linalg;
  return {
      {"cholesky", [](const Array& a) { return cholesky(a); }},
      {"cholesky_upper", [](const Array& a) { return cholesky(a, {.upper = true}); }},
      {"cholesky_lower_only",
       [](const Array& a) { return cholesky(a, {.symmetrize_input = false}); }},
      {"cho_factor", [](const Array& a) { return triu(cho_factor(a, {.lower = false})); }},
      {"cho_solve", [](const Array& a) { return cho_solve(a, ones_of(a, 2)); }},
      {"solve_triangular", [](const Array& a) { return solve_triangular(a, ones_of(a, 2)); }},
      {"solve_triangular_lower",
       [](const Array& a) {
         return solve_triangular(a, ones_of(a, 2), {.trans = Trans::transpose, .lower = true});
       }},
      {"solve_triangular_unit",
       [](const Array& a) {
         return solve_triangular(
             a, ones_of(a, 2),
             {.trans = Trans::conjugate_transpose, .lower = true, .unit_diagonal = true});
       }},
      {"triangular_right",
       [](const Array& a) {
         return lax::triangular_solve(a, row_of_ones(a), {.left_side = false, .lower = true});
       }},
      {"triangular_conj",
       [](const Array& a) {
         return lax::triangular_solve(
             a, ones_of(a, 1), {.left_side = true, .transpose_a = true, .conjugate_a = true});
       }},
      {"lu", [](const Array& a) { return std::get<0>(lax::lu(a)); }},
      {"lu_pivots", [](const Array& a) { return std::get<1>(lax::lu(a)); }},
      {"lu_order", [](const Array& a) { return std::get<2>(lax::lu(a)); }},
      {"lu_p", [](const Array& a) { return std::get<0>(linalg::lu(a)); }},
      {"lu_l", [](const Array& a) { return std::get<1>(linalg::lu(a)); }},
      {"lu_u", [](const Array& a) { return std::get<2>(linalg::lu(a)); }},
      {"lu_factor", [](const Array& a) { return lu_factor(a).first; }},
      {"lu_solve", [](const Array& a) { return lu_solve(lu_factor(a), ones_of(a, 2)); }},
      {"qr_r", [](const Array& a) { return abs(qr(a).second); }},
      {"qr_q", [](const Array& a) { return abs(qr(a).first); }},
      {"qr_complete", [](const Array& a) { return abs(qr(a, {.mode = "complete"}).second); }},
      {"geqrf", [](const Array& a) { return lax::geqrf(a).first; }},
      {"taus", [](const Array& a) { return lax::geqrf(a).second; }},
      {"geqp3_order", [](const Array& a) { return std::get<1>(lax::geqp3(a)) + 1; }},
      {"householder_product",
       [](const Array& a) { return lax::householder_product(a, row_of_ones(a) / 2); }},
      {"ormqr", [](const Array& a) { return lax::ormqr(a, row_of_ones(a) / 2, ones_of(a, 2)); }},
      {"pivoted_r", [](const Array& a) { return abs(std::get<1>(lax::pivoted_qr(a))); }},
  };
}

Calls spectra() {
  using namespace linalg;
  return {
      {"eigvalsh", [](const Array& a) { return eigvalsh(a); }},
      {"eigvalsh_upper",
       [](const Array& a) { return eigvalsh(a, {.upper = true, .symmetrize_input = false}); }},
      {"eigh_again",
       [](const Array& a) {
         const auto [w, v] = eigh(a);
         return matmul(v * expand_dims(w, -2), adjoint(v));
       }},
      {"eigvals_sum", [](const Array& a) { return sum(eigvals(a), -1); }},
      {"eigvals_product", [](const Array& a) { return prod(eigvals(a), -1); }},
      {"svdvals", [](const Array& a) { return svdvals(a); }},
      {"svd_again", [](const Array& a) { return again(svd(a)); }},
      {"svd_projector",
       [](const Array& a) {
         const Array u = std::get<0>(svd(a));
         return matmul(u, adjoint(u));
       }},
      {"svd_hermitian", [](const Array& a) { return std::get<1>(svd(a, {.hermitian = true})); }},
      {"polar_u", [](const Array& a) { return polar(a).first; }},
      {"polar_p", [](const Array& a) { return polar(a).second; }},
      {"qdwh_u", [](const Array& a) { return std::get<0>(lax::linalg::qdwh(a)); }},
      {"qdwh_h", [](const Array& a) { return std::get<1>(lax::linalg::qdwh(a)); }},
      {"schur_diagonal",
       [](const Array& a) { return sum(weft::diagonal(schur(a).first, 0, -2, -1)); }},
      {"schur_complex",
       [](const Array& a) {
         const auto [t, z] = schur(a, {.output = "complex"});
         return matmul(matmul(z, t), adjoint(z));
       }},
      {"hessenberg", [](const Array& a) { return linalg::hessenberg(a).first; }},
      {"hessenberg_q",
       [](const Array& a) { return linalg::hessenberg(a, {.calc_q = true}).second; }},
      {"tridiagonal_d", [](const Array& a) { return std::get<1>(lax::tridiagonal(a)); }},
      {"tridiagonal_e", [](const Array& a) { return abs(std::get<2>(lax::tridiagonal(a))); }},
      {"sqrtm", [](const Array& a) { return sqrtm(a); }},
      {"sylvester", [](const Array& a) { return solve_sylvester(a, a, ones_like(a)); }},
      {"eigh_tridiagonal",
       [](const Array& a) {
         const Array e = column(lax::slice_in_dim(a, 1, a.shape()[-1], 1, a.ndim() - 2), 1);
         return eigh_tridiagonal(column(a, 0), e, {.eigvals_only = true}).first;
       }},
  };
}

Calls systems() {
  using namespace linalg;
  return {
      {"solve", [](const Array& a) { return solve(a, ones_of(a, 2)); }},
      {"solve_vector", [](const Array& a) { return solve(a, ones({a.shape()[-1]}, a.dtype())); }},
      {"inv", [](const Array& a) { return inv(a); }},
      {"det", [](const Array& a) { return det(a); }},
      {"slogdet_sign", [](const Array& a) { return slogdet(a).first; }},
      {"slogdet", [](const Array& a) { return slogdet(a).second; }},
      {"power_3", [](const Array& a) { return matrix_power(a, 3); }},
      {"power_0", [](const Array& a) { return matrix_power(a, 0); }},
      {"power_inverse", [](const Array& a) { return matrix_power(a, -1); }},
      {"expm", [](const Array& a) { return expm(a); }},
      {"expm_frechet", [](const Array& a) { return expm_frechet(a, ones_like(a)).second; }},
      {"multi_dot", [](const Array& a) { return multi_dot({a, a, a}); }},
      {"pinv", [](const Array& a) { return pinv(a); }},
      {"pinv_hermitian", [](const Array& a) { return pinv(a, {.hermitian = true}); }},
      {"matrix_rank", [](const Array& a) { return matrix_rank(a); }},
      {"lstsq", [](const Array& a) { return std::get<0>(lstsq(a, ones_of(a, 2))); }},
      {"lstsq_residuals", [](const Array& a) { return std::get<1>(lstsq(a, ones_of(a, 2))); }},
      {"lstsq_rank", [](const Array& a) { return std::get<2>(lstsq(a, ones_of(a, 2))); }},
      {"lstsq_s", [](const Array& a) { return std::get<3>(lstsq(a, ones_of(a, 2))); }},
      {"tridiagonal_solve",
       [](const Array& a) {
         return lax::tridiagonal_solve(column(a, 0), column(a, 1), column(a, 2), ones_of(a, 2));
       }},
      {"symmetric_product",
       [](const Array& a) {
         return lax::symmetric_product(a, ones_like(a),
                                       {.alpha = 2, .beta = 0.5, .symmetrize_output = true});
       }},
      {"cholesky_update",
       [](const Array& a) {
         return lax::cholesky_update(triu(a), ones({a.shape()[-1]}, a.dtype()));
       }},
  };
}

Calls norms() {
  using namespace linalg;
  const auto of = [](const NormOrder& ord) {
    return [ord](const Array& a) { return norm(a, {-2, -1}, {.ord = ord}); };
  };
  const auto length = [](double ord) {
    return [ord](const Array& a) { return vector_norm(a, -1, {.ord = ord}); };
  };
  return {
      {"norm", of({})},
      {"norm_all", [](const Array& a) { return norm(a); }},
      {"norm_1", of(1)},
      {"norm_inf", of(inf)},
      {"norm_least", of(-inf)},
      {"norm_2", of(2)},
      {"norm_nuc", of("nuc")},
      {"matrix_norm", [](const Array& a) { return matrix_norm(a); }},
      {"vector_norm", length(2)},
      {"vector_norm_half", length(0.5)},
      {"vector_norm_0", length(0)},
      {"vector_norm_negative", length(-2)},
      {"cond", [](const Array& a) { return linalg::cond(a); }},
      {"cond_1", [](const Array& a) { return linalg::cond(a, 1); }},
      {"cond_2", [](const Array& a) { return linalg::cond(a, 2); }},
      {"cond_fro", [](const Array& a) { return linalg::cond(a, "fro"); }},
      {"cond_inf", [](const Array& a) { return linalg::cond(a, -inf); }},
      {"trace", [](const Array& a) { return linalg::trace(a); }},
      {"diagonal", [](const Array& a) { return linalg::diagonal(a); }},
      {"matrix_transpose", [](const Array& a) { return linalg::matrix_transpose(a); }},
      {"block_diag", [](const Array& a) { return block_diag({a, a}); }},
      {"toeplitz", [](const Array& a) { return toeplitz(column(a, 0), column(a, 1)); }},
      {"outer", [](const Array& a) { return linalg::outer(a[0], a[1]); }},
      {"cross", [](const Array& a) { return linalg::cross(a, swapaxes(a, -1, -2)); }},
      {"matmul", [](const Array& a) { return linalg::matmul(a, a); }},
      {"tensordot", [](const Array& a) { return linalg::tensordot(a, a, 1); }},
      {"vecdot", [](const Array& a) { return linalg::vecdot(a, swapaxes(a, -1, -2)); }},
  };
}

Calls all_calls() {
  Calls t = factors();
  t.merge(spectra());
  t.merge(systems());
  t.merge(norms());
  return t;
}

// Compares up to the rounding errors that are possible in these functions. The condition number of
// a singular matrix is the inverse of a rounding error.
void compare(const std::function<Array()>& call, GoldenLine want, DType d) {
  try {
    Array got = call();
    if (want.values.size() == 1 && want.values[0] > 1e15) {
      got = where(got > 1e15, inf, got);
      want.values[0] = inf;
    }
    testing::check_line(got, want, d == F64 || d == C128 ? 3e-11 : 5e-5);
  } catch (const Error& e) {
    FAIL_CHECK(e.what());
  }
}

}  // namespace

TEST_CASE("functions of matrices that are empty, singular or not finite give what JAX gives",
          "[linalg][share]") {
  const auto want = testing::golden_lines("linalg_points.txt");
  const auto at = points();
  size_t found = 0;
  Share share(8);
  for (const auto& [name, f] : all_calls())
    for (const auto& [point, a] : at) {
      const std::string line = name + "." + point;
      INFO(line);
      const auto it = want.find(line);
      if (it == want.end()) {
        // If JAX has no value, Weft may return one or raise an error that gives the reason.
        try {
          f(a).block_until_ready();
        } catch (const InternalError& e) {
          FAIL(e.what());
        } catch (const Error&) {
        }
        continue;
      }
      ++found;
      compare([&] { return f(a); }, it->second, a.dtype());
      if (!share.next()) continue;
      const Call call = f;
      compare([&] { return jit([&](Array v) { return call(v); })(a); }, it->second, a.dtype());
      compare([&] { return vmap([&](Array v) { return call(v); })(stack({a, a}, 0))[1]; },
              it->second, a.dtype());
    }
  CHECK(found == want.size());
}
