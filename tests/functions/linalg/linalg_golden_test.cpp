// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/linalg/linalg_golden_test.cpp: compares functions of matrices with JAX's results
// for the same calls (tests/golden/generators/make_linalg.py). It compares values, first and second
// derivatives, and singular matrices. They run eagerly, compiled and mapped.
#include <functional>
#include <limits>

#include "support/golden_lines.h"
#include "support/share.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/qr.h"
#include "weft/weft.h"

using namespace weft;
using weft::testing::check_line;

namespace {

Array x(const Shape& s, int64_t m = 7, int64_t k = 11) {
  const int64_t middle = k / 2;
  std::vector<double> v;
  for (int64_t i = 0; i < s.elements(); ++i)
    v.push_back(static_cast<double>(i * m % k - middle) / 4);
  return array(v, s);
}
Array unit(int64_t n) { return eye(n).astype(F64); }

const Array square4 = x({4, 4}, 7, 23) + 2 * unit(4), many = x({2, 3, 3}, 5, 17) + 3 * unit(3),
            tall = x({5, 3}, 7, 19), wide = x({3, 5}, 7, 17), broad = x({3, 5}, 5, 19),
            turned = lax::complex(square4, x({4, 4}, 5, 19)), b4 = x({4}, 3, 7),
            b3 = x({2, 3, 2}, 3, 13), c4 = x({4, 2}, 5, 11),
            singular = square4.at(3).set(square4[0] + square4[1]), nothing = zeros({4, 4}, F64),
            broken = square4.at({1, 2}).set(std::numeric_limits<double>::quiet_NaN()),
            spd = matmul(square4, square4.T()) + unit(4),
            blocks = array({{1., 2., 0.5, 1.},
                            {-3., 1., 0.25, -1.},
                            {0., 0.5, 2., -4.},
                            {1., 0., 1., 2.5}})
                         .astype(F64);

// Returns V sin(w) V^H, which does not depend on the phases of the eigenvectors.
Array spectral(const linalg::Eigh& e) {
  const Array v = e.second, w = expand_dims(e.first, -2);
  const Array turned_v = swapaxes(is_complex(v.dtype()) ? lax::conj(v) : v, -1, -2);
  return matmul(v * sin(w), turned_v);
}

Array singular_function(const linalg::SVD& f) {
  return matmul(std::get<0>(f) * sin(expand_dims(std::get<1>(f), -2)), std::get<2>(f));
}

// Returns V e^(w / 4) V^-1.
Array general_function(const linalg::Eig& e) {
  const Array v = e.second, w = expand_dims(e.first, -2);
  return matmul(v * exp(w / 4), linalg::inv(v));
}

using Call = std::function<Array(Array)>;
struct Smooth {
  Call f;
  Arrays at;
};
constexpr double infinite = std::numeric_limits<double>::infinity();

std::map<std::string, Smooth> smooth() {
  using namespace linalg;
  const Arrays everything = {square4, many, turned, tall, broad};
  return {
      {"solve_vector", {[](Array a) { return solve(a, b4); }, {square4}}},
      {"solve", {[](Array a) { return solve(a, b3); }, {many}}},
      {"solve_complex", {[](Array a) { return solve(a, c4); }, {turned}}},
      {"inv", {[](Array a) { return inv(a); }, {square4, many, turned}}},
      {"det", {[](Array a) { return det(a); }, {square4, many, turned, singular}}},
      {"slogdet", {[](Array a) { return slogdet(a).second; }, {square4, many, turned}}},
      {"lu",
       {[](Array a) { return std::get<0>(lax::lu(a)); }, {square4, many, turned, tall, wide}}},
      {"lu_l", {[](Array a) { return std::get<1>(lu(a)); }, {square4, many, tall, wide}}},
      {"lu_u", {[](Array a) { return std::get<2>(lu(a)); }, {square4, many, tall, wide}}},
      {"lu_solve", {[](Array a) { return lu_solve(lu_factor(a), c4); }, {square4, turned}}},
      {"lu_solve_trans",
       {[](Array a) { return lu_solve(lu_factor(a), c4, {.trans = Trans::transpose}); },
        {square4, turned}}},
      {"lu_solve_conj",
       {[](Array a) { return lu_solve(lu_factor(a), c4, {.trans = Trans::conjugate_transpose}); },
        {turned}}},
      {"qr_q", {[](Array a) { return qr(a).first; }, {square4, many, turned, tall}}},
      {"qr_r", {[](Array a) { return qr(a).second; }, {square4, many, turned, tall}}},
      {"eigvalsh", {[](Array a) { return eigvalsh(a); }, {square4, many, turned}}},
      {"eigh_sizes", {[](Array a) { return abs(eigh(a).second); }, {square4, many, turned}}},
      {"eigh_function", {[](Array a) { return spectral(eigh(a)); }, {square4, many, turned}}},
      {"svdvals", {[](Array a) { return svdvals(a); }, everything}},
      {"svd_u",
       {[](Array a) { return abs(std::get<0>(svd(a, {.full_matrices = false}))); }, everything}},
      {"svd_vh",
       {[](Array a) { return abs(std::get<2>(svd(a, {.full_matrices = false}))); }, everything}},
      {"svd_function",
       {[](Array a) { return singular_function(svd(a, {.full_matrices = false})); }, everything}},
      {"cho_solve", {[](Array a) { return cho_solve(a, c4); }, {square4, turned}}},
      {"cho_solve_upper", {[](Array a) { return cho_solve(a, b4, {.lower = false}); }, {square4}}},
      {"matrix_power", {[](Array a) { return matrix_power(a, 5); }, {square4, many}}},
      {"matrix_power_inv", {[](Array a) { return matrix_power(a, -2); }, {square4, many}}},
      {"expm",
       {[](Array a) { return expm(a); }, {square4, many, turned, 5 * square4, square4 / 64}}},
      {"multi_dot",
       {[](Array a) { return multi_dot({a, matmul(square4, c4), c4.T(), b4}); }, {square4}}},
      {"matrix_transpose", {[](Array a) { return linalg::matrix_transpose(a); }, {many}}},
      {"trace", {[](Array a) { return linalg::trace(a, 1); }, {many}}},
      {"vector_norm", {[](Array a) { return vector_norm(a, -1); }, {square4, turned}}},
      {"vector_norm_all",
       {[](Array a) { return vector_norm(a, none, {.ord = 3, .keepdims = true}); }, {many}}},
      {"vector_norm_1", {[](Array a) { return vector_norm(a, 0, {.ord = 1}); }, {square4}}},
      {"vector_norm_max",
       {[](Array a) { return vector_norm(a, 0, {.ord = infinite}); }, {square4}}},
      {"vector_norm_min",
       {[](Array a) { return vector_norm(a, 0, {.ord = -infinite}); }, {square4}}},
  };
}

// Norms, least squares and related functions.
std::map<std::string, Smooth> more() {
  using namespace linalg;
  return {
      {"pinv", {[](Array a) { return pinv(a); }, {square4, many, turned, tall, broad}}},
      {"pinv_rank", {[](Array a) { return pinv(a, {.rtol = 1e-6}); }, {singular, unit(3)}}},
      {"norm", {[](Array a) { return norm(a); }, {square4, many, turned}}},
      {"norm_axis", {[](Array a) { return norm(a, 0, {.ord = 3}); }, {many}}},
      {"norm_axes",
       {[](Array a) { return norm(a, {0, 2}, {.ord = "nuc", .keepdims = true}); }, {many}}},
      {"norm_rows", {[](Array a) { return norm(a, {2, 0}, {.ord = 1}); }, {many}}},
      {"norm_two", {[](Array a) { return norm(a, none, {.ord = 2}); }, {square4, turned}}},
      {"norm_least", {[](Array a) { return norm(a, {-2, -1}, {.ord = -2}); }, {many, tall}}},
      {"norm_nuc",
       {[](Array a) { return norm(a, none, {.ord = "nuc"}); }, {square4, turned, broad}}},
      {"norm_fro",
       {[](Array a) { return norm(a, {1, 2}, {.ord = "fro", .keepdims = true}); }, {many}}},
      {"norm_1",
       {[](Array a) { return norm(a, {0, 1}, {.ord = 1, .keepdims = true}); }, {square4, turned}}},
      {"norm_minus_1", {[](Array a) { return norm(a, none, {.ord = -1}); }, {square4}}},
      {"norm_inf", {[](Array a) { return norm(a, {1, 2}, {.ord = infinite}); }, {many}}},
      {"norm_minus_inf", {[](Array a) { return norm(a, none, {.ord = -infinite}); }, {tall}}},
      {"matrix_norm", {[](Array a) { return matrix_norm(a); }, {square4, many}}},
      {"matrix_norm_2",
       {[](Array a) { return matrix_norm(a, {.ord = 2, .keepdims = true}); }, {many, broad}}},
      {"cond", {[](Array a) { return cond(a); }, {square4, many, tall}}},
      {"cond_1", {[](Array a) { return cond(a, 1); }, {square4, many}}},
      {"cond_fro", {[](Array a) { return cond(a, "fro"); }, {square4}}},
      {"cond_minus_2", {[](Array a) { return cond(a, -2); }, {square4, broad}}},
      {"lstsq",
       {[](Array a) { return std::get<0>(lstsq(a, x({a.shape()[0], 2}, 5, 11))); },
        {square4, turned, tall, broad}}},
      {"lstsq_vector",
       {[](Array a) { return std::get<0>(lstsq(a, x({5}, 3, 7), {.rcond = 0.01})); }, {tall}}},
      {"lstsq_residuals",
       {[](Array a) { return std::get<1>(lstsq(a, x({5, 2}, 5, 11))); }, {tall}}},
      {"polar_u", {[](Array a) { return polar(a).first; }, {square4, turned, tall}}},
      {"polar_p", {[](Array a) { return polar(a).second; }, {square4, turned, tall}}},
      {"polar_left_u",
       {[](Array a) { return polar(a, {.side = "left"}).first; }, {square4, broad}}},
      {"polar_left_p",
       {[](Array a) { return polar(a, {.side = "left"}).second; }, {turned, broad}}},
      {"expm_frechet",
       {[](Array a) { return expm_frechet(a, square4).second; }, {square4, turned}}},
      {"cho_factor_upper",
       {[](Array a) { return cho_factor((a + a.T()) / 2, {.lower = false}); }, {spd}}},
      {"tensorinv", {[](Array a) { return tensorinv(a.reshape({2, 2, 4})); }, {square4}}},
      {"tensorsolve",
       {[](Array a) { return tensorsolve(a.reshape({2, 2, 4}), x({2, 2}, 3, 7)); }, {square4}}},
      {"toeplitz", {[](Array a) { return toeplitz(a[0], a[1]); }, {square4, turned}}},
      {"toeplitz_rows", {[](Array a) { return toeplitz(a); }, {tall, turned}}},
      {"block_diag", {[](Array a) { return block_diag({a, a[0], a[1][1]}); }, {square4, tall}}},
      {"linalg_diagonal", {[](Array a) { return linalg::diagonal(a, -1); }, {many}}},
      {"linalg_outer", {[](Array a) { return linalg::outer(a[0], a[1]); }, {square4}}},
  };
}

// Systems of one shape, updates, general eigenproblems.
std::map<std::string, Smooth> rest() {
  const Arrays squares = {square4, many, turned};
  return {
      {"tridiagonal",
       {[](Array a) {
          const Array zero = 0. * a;
          return lax::tridiagonal_solve(a[0], a[1], a[2], c4 + lax::slice_in_dim(zero, 0, 2, 1, 1));
        },
        {square4, turned}}},
      {"tridiagonal_right",
       {[](Array a) { return lax::tridiagonal_solve(b4, b4 + 2, b4 * b4 - 1, a); }, {square4}}},
      {"tridiagonal_many",
       {[](Array a) {
          const Array t = swapaxes(a, -1, -2);
          const auto column = [&](int k) { return lax::index_in_dim(t, k, 1, false); };
          return lax::tridiagonal_solve(column(0), column(1), column(2), b3);
        },
        {many}}},
      {"symmetric_product",
       {[](Array a) {
          const int64_t m = a.shape()[a.ndim() - 2];
          const Array c = ones(a.shape().with(a.ndim() - 1, m), F64);
          return lax::symmetric_product(a, c, {.alpha = 0.5, .beta = 2});
        },
        {many, tall}}},
      {"cholesky_update", {[](Array a) { return lax::cholesky_update(triu(a), b4); }, {spd}}},
      {"cholesky_update_w",
       {[](Array a) { return lax::cholesky_update(triu(spd), a); },
        {b4, array({0., 1., 0., 2.}).astype(F64)}}},
      {"eigvals", {[](Array a) { return sum(exp(linalg::eigvals(a) / 4), -1); }, squares}},
      {"eig_function", {[](Array a) { return general_function(linalg::eig(a)); }, squares}},
      {"eig_sizes",
       {[](Array a) { return sum(abs(linalg::eig(a).second), -1); }, {square4, turned}}},
      {"eig_left", {[](Array a) { return sum(abs(std::get<1>(lax::eig(a))), -1); }, squares}},
  };
}

// Options of singular values, Sylvester's equation and tridiagonal matrices.
std::map<std::string, Smooth> late() {
  const Arrays squares = {square4, many, turned};
  return {
      {"svd_hermitian",
       {[](Array a) { return std::get<1>(linalg::svd(a, {.hermitian = true})); }, squares}},
      {"svd_hermitian_u",
       {[](Array a) { return abs(std::get<0>(linalg::svd(a, {.hermitian = true}))); },
        {square4, turned}}},
      {"svd_hermitian_function",
       {[](Array a) { return singular_function(linalg::svd(a, {.hermitian = true})); },
        {square4, turned}}},
      {"svd_subset",
       {[](Array a) {
          return abs(std::get<2>(
              linalg::svd(a, {.full_matrices = false, .subset_by_index = std::pair(1, 3)})));
        },
        {square4, tall, broad}}},
      {"pinv_hermitian",
       {[](Array a) { return linalg::pinv(a, {.hermitian = true}); }, {square4, turned}}},
      {"pinv_each",
       {[](Array a) { return linalg::pinv(a, {.rtol = array({1e-6, 0.6}).astype(F64)}); }, {many}}},
      {"tensorsolve_axes",
       {[](Array a) {
          return linalg::tensorsolve(a.reshape({2, 4, 2}), x({2, 2}, 3, 7), {.axes = {1}});
        },
        {square4}}},
      {"sylvester_a",
       {[](Array a) { return linalg::solve_sylvester(a, many[0], x({4, 3}, 5, 13)); }, {square4}}},
      {"sylvester_b",
       {[](Array a) { return linalg::solve_sylvester(many[0], a, x({3, 4}, 5, 13)); },
        {square4, turned}}},
      {"sylvester_c",
       {[](Array a) {
          return linalg::solve_sylvester(square4, many[1], lax::slice_in_dim(a, 0, 3, 1, 1));
        },
        {square4}}},
      {"eigh_tridiagonal",
       {[](Array a) {
          return linalg::eigh_tridiagonal(a[0], lax::slice_in_dim(a[1], 0, 3),
                                          {.eigvals_only = true})
              .first;
        },
        {square4}}},
      {"eigh_tridiagonal_some",
       {[](Array a) {
          return linalg::eigh_tridiagonal(
                     a[0], lax::slice_in_dim(a[1], 0, 3),
                     {.eigvals_only = true, .select = "i", .select_range = std::pair(1, 2)})
              .first;
        },
        {square4}}},
      {"eigh_tridiagonal_vectors",
       {[](Array a) {
          return abs(linalg::eigh_tridiagonal(a[0], lax::slice_in_dim(a[1], 0, 3)).second);
        },
        {square4}}},
  };
}

std::map<std::string, std::function<Array()>> plain() {
  using namespace linalg;
  const Array odd = stack({nothing, broken}, 0);
  return {
      {"lu_pivots", [] { return std::get<1>(lax::lu(many)); }},
      {"lu_order", [] { return std::get<2>(lax::lu(many)); }},
      {"lu_p", [] { return std::get<0>(lu(wide)); }},
      {"lu_factor_pivots", [] { return lu_factor(square4).second; }},
      {"lu_order_of",
       [] { return lax::lu_pivots_to_permutation(array({{2, 3, 2}, {0, 4, 3}}), 5); }},
      {"slogdet_sign", [] { return slogdet(many).first; }},
      {"slogdet_sign_complex", [] { return slogdet(turned).first; }},
      {"qr_complete_q", [] { return qr(tall, {.mode = "complete"}).first; }},
      {"qr_complete_r", [] { return qr(tall, {.mode = "complete"}).second; }},
      {"qr_wide_r", [] { return qr(wide).second; }},
      {"geqrf_a", [] { return lax::geqrf(tall).first; }},
      {"geqrf_taus", [] { return lax::geqrf(turned).second; }},
      {"householder_product", [] { return lax::householder_product(tall, x({3}, 3, 7)); }},
      {"qr_pivoted_r", [] { return std::get<1>(lax::pivoted_qr(many, {.full_matrices = false})); }},
      {"qr_pivoted_order",
       [] { return std::get<2>(lax::pivoted_qr(tall, {.full_matrices = false})); }},
      {"vector_norm_count", [] { return vector_norm(square4, 1, {.ord = 0}); }},
      {"power_zero", [] { return matrix_power(many, 0); }},
      {"solve.odd", [=] { return solve(odd, ones({2, 4, 1}, F64)); }},
      {"inv.odd", [=] { return inv(odd); }},
      {"det.odd", [=] { return det(odd); }},
      {"slogdet.odd", [=] { return slogdet(odd).second; }},
      {"slogdet_sign.odd", [=] { return slogdet(odd).first; }},
      {"lu.odd", [=] { return std::get<0>(lax::lu(stack({nothing, nothing + 2}, 0))); }},
      {"expm.odd", [=] { return expm(stack({nothing, square4 * 1e8}, 0)); }},
      {"eigvalsh_upper",
       [] { return eigvalsh(square4, {.upper = true, .symmetrize_input = false}); }},
      {"eigvalsh_lower", [] { return eigvalsh(turned, {.symmetrize_input = false}); }},
      {"eigh.odd", [=] { return eigvalsh(odd); }},
      {"eigh_same.odd", [] { return grad([](Array a) { return sum(eigh(a).second); })(unit(3)); }},
      {"svd_full_s", [] { return std::get<1>(svd(tall)); }},
      {"svd_full_projector",
       [] {
         const Array more = lax::slice_in_dim(std::get<0>(svd(tall)), 3, 5, 1, 1);
         return matmul(more, more.T());
       }},
      {"svd.odd",
       [=] {
         return svdvals(stack({nothing, broken, broken.at({1, 2}).set(infinite), singular}, 0));
       }},
      {"svd_nan.odd", [] { return std::get<0>(svd(broken)); }},
      {"svd_same.odd",
       [] { return grad([](Array a) { return sum(std::get<0>(svd(a))); })(unit(3)); }},
      {"qr.odd", [=] { return qr(nothing).first; }},
      {"cho_factor", [=] { return cholesky(spd); }},
  };
}

std::map<std::string, std::function<Array()>> more_plain() {
  using namespace linalg;
  const Array odd = stack({nothing, broken}, 0);
  return {
      {"rank", [=] { return matrix_rank(stack({square4, singular, nothing, broken}, 0)); }},
      {"rank_rtol", [] { return matrix_rank(many, {.rtol = 2}); }},
      {"rank_vector", [] { return matrix_rank(b4); }},
      {"lstsq_rank", [] { return std::get<2>(lstsq(singular, b4)); }},
      {"lstsq_s", [] { return std::get<3>(lstsq(tall, x({5}))); }},
      {"lstsq_singular", [] { return std::get<0>(lstsq(singular, b4)); }},
      {"lstsq_negative", [] { return std::get<0>(lstsq(tall, x({5}), {.rcond = -1})); }},
      {"lstsq_empty", [] { return std::get<1>(lstsq(zeros({3, 0}, F64), ones({3, 2}, F64))); }},
      {"pinv.odd", [=] { return pinv(odd); }},
      {"pinv_empty", [] { return pinv(zeros({2, 0, 3}, F64)); }},
      {"cond.odd", [=] { return cond(odd); }},
      {"cond_minus.odd", [=] { return cond(odd, -2); }},
      {"cond_1.odd", [=] { return cond(odd, 1); }},
      {"norm.odd", [=] { return norm(odd, {1, 2}, {.ord = "nuc"}); }},
      {"norm_empty", [] { return norm(zeros({0, 3}, F64), none, {.ord = 2}); }},
      {"norm_1_empty", [] { return norm(zeros({3, 0}, F64), none, {.ord = 1}); }},
      {"toeplitz_complex", [] { return toeplitz(turned[0]); }},
      {"polar_square_zero", [] { return polar(nothing).second; }},
      {"tridiagonal.odd",
       [=] {
         const auto row = [&](int k) { return lax::index_in_dim(odd, k, 1, false); };
         return lax::tridiagonal_solve(row(0), row(1), row(2), ones({2, 4, 1}, F64));
       }},
      {"tridiagonal_swap", [] { return lax::tridiagonal_solve(b4 + 1, 0 * b4, b4 + 2, c4); }},
      {"symmetric_product_lower",
       [] {
         return lax::symmetric_product(tall, x({5, 5}, 3, 11),
                                       {.alpha = 2, .beta = 0.5, .symmetrize_output = true});
       }},
      {"cholesky_update_kept",
       [] { return lax::cholesky_update(-triu(spd), array({0., 1., 0., 0.}).astype(F64)); }},
      {"cholesky_update_zero", [] { return lax::cholesky_update(nothing, zeros({4}, F64)); }},
      {"eig.odd", [=] { return eigvals(odd); }},
      {"eig_nan.odd", [] { return eig(broken).second; }},
  };
}

std::map<std::string, std::function<Array()>> late_plain() {
  using namespace linalg;
  return {
      {"rank_each", [] { return matrix_rank(many, {.rtol = array({0.5, 3.}).astype(F64)}); }},
      {"rank_hermitian",
       [] { return matrix_rank(stack({square4, nothing}, 0), {.hermitian = true}); }},
      {"tridiagonal_perturbed",
       [] {
         const auto row = [](std::initializer_list<double> v) {
           return array(std::vector(v), Shape{4});
         };
         return lax::tridiagonal_solve(row({0, 1, 1, 0}), row({1, 1, 0, 0}), row({1, 0, 2, 0}), c4,
                                       {.perturb_singular = true});
       }},
      {"tridiagonal_unperturbed",
       [] { return lax::tridiagonal_solve(b4 + 1, b4, b4 + 2, c4, {.perturb_singular = true}); }},
      {"ormqr", [] { return lax::linalg::ormqr(tall, x({3}, 3, 7), x({5, 2}, 5, 11)); }},
      {"ormqr_transpose",
       [] {
         return lax::ormqr(turned, lax::geqrf(turned).second, lax::complex(c4, 0. * c4),
                           {.transpose = true});
       }},
      {"ormqr_right",
       [] { return lax::ormqr(many, x({2, 2}, 3, 7), swapaxes(b3, 1, 2), {.left = false}); }},
      {"ormqr_right_transpose",
       [] {
         const Array taus = x({4}, 3, 7);
         return lax::ormqr(turned, lax::complex(taus, 0. * taus + 0.5), turned,
                           {.left = false, .transpose = true});
       }},
  };
}

// Schur, Hessenberg and tridiagonal forms, and functions that use them.
std::map<std::string, std::function<Array()>> forms() {
  using namespace linalg;
  const Array d = lax::index_in_dim(c4, 0, 1, false),
              e = lax::slice_in_dim(lax::index_in_dim(c4, 1, 1, false), 0, 3);
  const Array c = x({4, 3}, 5, 13);
  const EighTridiagonalOptions alone{.eigvals_only = true};
  return {
      {"schur_t", [] { return abs(lax::schur(many).first); }},
      {"schur_z", [] { return abs(lax::schur(square4).second); }},
      {"schur_t_alone",
       [] { return abs(lax::schur(turned, {.compute_schur_vectors = false}).first); }},
      {"schur_z_complex", [] { return abs(lax::schur(turned).second); }},
      {"hessenberg_a", [] { return lax::hessenberg(many).first; }},
      {"hessenberg_taus", [] { return lax::hessenberg(turned).second; }},
      {"tridiagonal_a", [] { return std::get<0>(lax::tridiagonal(turned)); }},
      {"tridiagonal_upper",
       [] { return std::get<0>(lax::tridiagonal(square4, {.lower = false})); }},
      {"tridiagonal_d", [] { return std::get<1>(lax::tridiagonal(many)); }},
      {"tridiagonal_e", [] { return std::get<2>(lax::tridiagonal(turned)); }},
      {"tridiagonal_taus", [] { return std::get<3>(lax::tridiagonal(turned, {.lower = false})); }},
      {"schur_real", [] { return abs(schur(square4).first); }},
      {"schur_complex", [] { return abs(schur(many, {.output = "complex"}).first); }},
      {"rsf2csf_t",
       [] {
         const Schur f = schur(blocks);
         return abs(rsf2csf(f.first, f.second).first);
       }},
      {"rsf2csf_z",
       [] {
         const Schur f = schur(blocks);
         return abs(rsf2csf(f.first, f.second).second);
       }},
      {"hessenberg_h", [] { return hessenberg(square4).first; }},
      {"hessenberg_q", [] { return hessenberg(turned, {.calc_q = true}).second; }},
      {"hessenberg_many", [] { return hessenberg(many, {.calc_q = true}).second; }},
      {"sqrtm", [] { return sqrtm(square4); }},
      {"sqrtm_complex", [] { return sqrtm(turned); }},
      {"sqrtm_blocks", [] { return sqrtm(blocks); }},
      {"sqrtm.odd", [] { return sqrtm(nothing); }},
      {"sqrtm_singular.odd", [] { return sqrtm(diag(array({0., -4., 9.}).astype(F64))); }},
      {"sylvester", [=] { return solve_sylvester(square4, many[0], c); }},
      {"sylvester_eigen", [=] { return solve_sylvester(turned, many[0], c, {.method = "eigen"}); }},
      {"sylvester.odd", [] { return solve_sylvester(square4, -square4, square4); }},
      {"eigh_tridiagonal_a", [=] { return eigh_tridiagonal(d, e, alone).first; }},
      {"eigh_tridiagonal_i",
       [=] {
         return eigh_tridiagonal(
                    d, e, {.eigvals_only = true, .select = "i", .select_range = std::pair(1, 2)})
             .first;
       }},
      {"eigh_tridiagonal_complex",
       [=] { return eigh_tridiagonal(d, lax::slice_in_dim(turned[0], 0, 3), alone).first; }},
      {"eigh_tridiagonal_apart",
       [=] { return eigh_tridiagonal(b4, zeros({3}, F64), alone).first; }},
  };
}

Array weighted(const Array& y) {
  const Array product = y * (x(y.shape(), 5, 13) + 0.25);
  return sum(is_complex(y.dtype()) ? lax::real(product) : product);
}

}  // namespace

TEST_CASE("functions of matrices, and their derivatives, give what JAX gives", "[linalg][share]") {
  const auto want = testing::golden_lines("linalg.txt");
  const auto at = [&](const std::string& name) {
    const auto it = want.find(name);
    if (it == want.end()) FAIL(name << " has no line");
    return it->second;
  };
  std::map<std::string, Smooth> all = smooth();
  all.merge(more());
  all.merge(rest());
  all.merge(late());
  // A share of the cases also runs compiled and checks second derivatives.
  Share share(4);
  for (const auto& [name, c] : all)
    for (size_t k = 0; k < c.at.size(); ++k) {
      const std::string line = name + "." + std::to_string(k);
      INFO(line);
      const Call f = c.f;
      const Array& a = c.at[k];
      check_line(f(a), at(line), 1e-12);
      check_line(vmap([f](Array v) { return f(v); })(stack({a, a * 2}, 0))[0], at(line), 1e-12);
      const auto slope = grad([f](Array v) { return weighted(f(v)); });
      check_line(slope(a), at(line + ".slope"), 1e-10);
      if (!share.next()) continue;
      check_line(jit([f](Array v) { return f(v); })(a), at(line), 1e-12);
      check_line(jit(vmap(slope))(stack({a * 2, a}, 0))[1], at(line + ".slope"), 1e-10);
      if (is_complex(a.dtype())) continue;
      check_line(grad([slope](Array v) { return sum(square(slope(v))); })(a), at(line + ".slope2"),
                 1e-8);
    }
  auto values = plain();
  values.merge(more_plain());
  values.merge(late_plain());
  values.merge(forms());
  for (const auto& [name, f] : values) {
    INFO(name);
    check_line(f(), at(name), 1e-12);
  }
}
