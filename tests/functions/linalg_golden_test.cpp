// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/linalg_golden_test.cpp: functions of matrices against what JAX gives for the same
// calls (tests/golden/make_linalg.py): values, first and second derivatives, singular matrices; by
// the ops themselves, compiled and mapped.
#include <functional>
#include <limits>

#include "golden_lines.h"
#include "weft/ops/linear/lu.h"
#include "weft/ops/linear/qr.h"
#include "weft/weft.h"

using namespace weft;
using weft::testing::check_line;

namespace {

Array x(const Shape& s, int64_t m = 7, int64_t k = 11) {
  std::vector<double> v;
  for (int64_t i = 0; i < s.elements(); ++i)
    v.push_back(static_cast<double>(i * m % k - k / 2) / 4);
  return array(v, s);
}
Array unit(int64_t n) { return eye(n).astype(F64); }

const Array square4 = x({4, 4}, 7, 23) + 2 * unit(4), many = x({2, 3, 3}, 5, 17) + 3 * unit(3),
            tall = x({5, 3}, 7, 19), wide = x({3, 5}, 7, 17), broad = x({3, 5}, 5, 19),
            turned = lax::complex(square4, x({4, 4}, 5, 19)), b4 = x({4}, 3, 7),
            b3 = x({2, 3, 2}, 3, 13), c4 = x({4, 2}, 5, 11),
            singular = square4.at(3).set(square4[0] + square4[1]), nothing = zeros({4, 4}, F64),
            broken = square4.at({1, 2}).set(std::numeric_limits<double>::quiet_NaN()),
            spd = matmul(square4, square4.T()) + unit(4);

// V sin(w) V^H, which no turn of an eigenvector changes.
Array spectral(const linalg::Eigh& e) {
  const Array v = e.eigenvectors, w = expand_dims(e.eigenvalues, -2);
  const Array turned_v = swapaxes(is_complex(v.dtype()) ? lax::conj(v) : v, -1, -2);
  return matmul(v * sin(w), turned_v);
}

Array singular_function(const linalg::SVD& f) {
  return matmul(f.u * sin(expand_dims(f.s, -2)), f.vh);
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
      {"slogdet", {[](Array a) { return slogdet(a).logabsdet; }, {square4, many, turned}}},
      {"lu", {[](Array a) { return lax::lu(a).lu; }, {square4, many, turned, tall, wide}}},
      {"lu_l", {[](Array a) { return lu(a).l; }, {square4, many, tall, wide}}},
      {"lu_u", {[](Array a) { return lu(a).u; }, {square4, many, tall, wide}}},
      {"lu_solve", {[](Array a) { return lu_solve(lu_factor(a), c4); }, {square4, turned}}},
      {"lu_solve_trans",
       {[](Array a) { return lu_solve(lu_factor(a), c4, {.trans = Trans::transpose}); },
        {square4, turned}}},
      {"lu_solve_conj",
       {[](Array a) { return lu_solve(lu_factor(a), c4, {.trans = Trans::conjugate_transpose}); },
        {turned}}},
      {"qr_q", {[](Array a) { return qr(a).q; }, {square4, many, turned, tall}}},
      {"qr_r", {[](Array a) { return qr(a).r; }, {square4, many, turned, tall}}},
      {"eigvalsh", {[](Array a) { return eigvalsh(a); }, {square4, many, turned}}},
      {"eigh_sizes", {[](Array a) { return abs(eigh(a).eigenvectors); }, {square4, many, turned}}},
      {"eigh_function", {[](Array a) { return spectral(eigh(a)); }, {square4, many, turned}}},
      {"svdvals", {[](Array a) { return svdvals(a); }, everything}},
      {"svd_u", {[](Array a) { return abs(svd(a, {.full_matrices = false}).u); }, everything}},
      {"svd_vh", {[](Array a) { return abs(svd(a, {.full_matrices = false}).vh); }, everything}},
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

std::map<std::string, std::function<Array()>> plain() {
  using namespace linalg;
  const Array odd = stack({nothing, broken}, 0);
  return {
      {"lu_pivots", [] { return lax::lu(many).pivots; }},
      {"lu_order", [] { return lax::lu(many).permutation; }},
      {"lu_p", [] { return lu(wide).p; }},
      {"lu_factor_pivots", [] { return lu_factor(square4).pivots; }},
      {"lu_order_of",
       [] { return lax::lu_pivots_to_permutation(array({{2, 3, 2}, {0, 4, 3}}), 5); }},
      {"slogdet_sign", [] { return slogdet(many).sign; }},
      {"slogdet_sign_complex", [] { return slogdet(turned).sign; }},
      {"qr_complete_q", [] { return qr(tall, {.mode = "complete"}).q; }},
      {"qr_complete_r", [] { return qr(tall, {.mode = "complete"}).r; }},
      {"qr_wide_r", [] { return qr(wide).r; }},
      {"geqrf_a", [] { return lax::geqrf(tall).a; }},
      {"geqrf_taus", [] { return lax::geqrf(turned).taus; }},
      {"householder_product", [] { return lax::householder_product(tall, x({3}, 3, 7)); }},
      {"qr_pivoted_r", [] { return lax::pivoted_qr(many, {.full_matrices = false}).r; }},
      {"qr_pivoted_order",
       [] { return lax::pivoted_qr(tall, {.full_matrices = false}).permutation; }},
      {"vector_norm_count", [] { return vector_norm(square4, 1, {.ord = 0}); }},
      {"power_zero", [] { return matrix_power(many, 0); }},
      {"solve.odd", [=] { return solve(odd, ones({2, 4, 1}, F64)); }},
      {"inv.odd", [=] { return inv(odd); }},
      {"det.odd", [=] { return det(odd); }},
      {"slogdet.odd", [=] { return slogdet(odd).logabsdet; }},
      {"slogdet_sign.odd", [=] { return slogdet(odd).sign; }},
      {"lu.odd", [=] { return lax::lu(stack({nothing, nothing + 2}, 0)).lu; }},
      {"expm.odd", [=] { return expm(stack({nothing, square4 * 1e8}, 0)); }},
      {"eigvalsh_upper",
       [] { return eigvalsh(square4, {.upper = true, .symmetrize_input = false}); }},
      {"eigvalsh_lower", [] { return eigvalsh(turned, {.symmetrize_input = false}); }},
      {"eigh.odd", [=] { return eigvalsh(odd); }},
      {"eigh_same.odd",
       [] { return grad([](Array a) { return sum(eigh(a).eigenvectors); })(unit(3)); }},
      {"svd_full_s", [] { return svd(tall).s; }},
      {"svd_full_projector",
       [] {
         const Array more = lax::slice_in_dim(svd(tall).u, 3, 5, 1, 1);
         return matmul(more, more.T());
       }},
      {"svd.odd",
       [=] {
         return svdvals(stack({nothing, broken, broken.at({1, 2}).set(infinite), singular}, 0));
       }},
      {"svd_nan.odd", [] { return svd(broken).u; }},
      {"svd_same.odd", [] { return grad([](Array a) { return sum(svd(a).u); })(unit(3)); }},
      {"qr.odd", [=] { return qr(nothing).q; }},
      {"cho_factor", [=] { return cholesky(spd); }},
  };
}

Array weighted(const Array& y) {
  const Array product = y * (x(y.shape(), 5, 13) + 0.25);
  return sum(is_complex(y.dtype()) ? lax::real(product) : product);
}

}  // namespace

TEST_CASE("functions of matrices, and their derivatives, give what JAX gives", "[linalg]") {
  const auto want = testing::golden_lines("linalg.txt");
  const auto at = [&](const std::string& name) {
    const auto it = want.find(name);
    if (it == want.end()) FAIL(name << " has no line");
    return it->second;
  };
  for (const auto& [name, c] : smooth())
    for (size_t k = 0; k < c.at.size(); ++k) {
      const std::string line = name + "." + std::to_string(k);
      INFO(line);
      const Call f = c.f;
      const Array& a = c.at[k];
      check_line(f(a), at(line), 1e-12);
      check_line(jit([f](Array v) { return f(v); })(a), at(line), 1e-12);
      check_line(vmap([f](Array v) { return f(v); })(stack({a, a * 2}, 0))[0], at(line), 1e-12);
      const auto slope = grad([f](Array v) { return weighted(f(v)); });
      check_line(slope(a), at(line + ".slope"), 1e-10);
      check_line(jit(vmap(slope))(stack({a * 2, a}, 0))[1], at(line + ".slope"), 1e-10);
      if (is_complex(a.dtype())) continue;
      check_line(grad([slope](Array v) { return sum(square(slope(v))); })(a), at(line + ".slope2"),
                 1e-8);
    }
  for (const auto& [name, f] : plain()) {
    INFO(name);
    check_line(f(), at(name), 1e-12);
  }
}
