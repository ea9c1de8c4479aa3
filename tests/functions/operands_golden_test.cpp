// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/operands_golden_test.cpp: compares functions by one operand with JAX's results
// for the same calls (tests/golden/generators/make_operands.py). The tests of their families do not
// cover these operands. It compares values of a second shape, gradients, tangents and maps, eagerly
// and compiled.
#include "functions/array_calls.h"
#include "weft/weft.h"

using namespace weft;
using weft::testing::Call, weft::testing::Calls, weft::testing::steps;
namespace init = weft::nn::initializers;

namespace {

const Array square = steps({3, 3}, 7, 23), plane = steps({4, 5}, 3, 13), six = steps({6, 6}, 7, 23),
            row = steps({9}), seed = Array(5.f).astype(F32);

Array strong(const Array& v) { return v + 8 * eye(v.shape().sizes().back()); }

Calls matrices() {
  using namespace linalg;
  return {
      {"cholesky",
       {[](Array v) { return linalg::cholesky(strong(linalg::matmul(v, v.T()))); }, square}},
      {"solve_triangular",
       {[](Array v) { return solve_triangular(strong(v), steps({3, 2}), {.lower = true}); },
        square}},
      {"triangular_solve",
       {[](Array v) {
          return lax::triangular_solve(strong(v), steps({2, 3}), {.left_side = false});
        },
        square}},
      {"lu_factor", {[](Array v) { return lu_factor(strong(v)).first; }, square}},
      {"tensorinv_wide", {[](Array v) { return tensorinv(strong(v).reshape({2, 3, 6})); }, six}},
      {"tensorsolve_wide",
       {[](Array v) { return tensorsolve(strong(v).reshape({2, 3, 6}), steps({2, 3})); }, six}},
      {"rsf2csf_small",
       {[](Array v) {
          const Schur f = schur(v);
          return abs(rsf2csf(f.first, f.second).first);
        },
        square}},
      {"cross", {[](Array v) { return linalg::cross(v, steps({3, 3}, 5, 7)); }, square}},
      {"matmul", {[](Array v) { return linalg::matmul(v, v); }, square}},
      {"tensordot", {[](Array v) { return linalg::tensordot(v, steps({5, 2}), 1); }, plane}},
      {"vecdot", {[](Array v) { return linalg::vecdot(v, steps({5})); }, plane}},
      {"tridiagonal_solve",
       {[](Array v) { return lax::tridiagonal_solve(v[0], v[1] + 8, v[2], steps({5, 2})); },
        plane}},
      {"shift_rows", {[](Array v) { return fft::fftshift(v, 0); }, plane}},
  };
}

Calls layers() {
  return {
      {"hard_swish", {[](Array v) { return nn::hard_swish(v); }, plane}},
      {"sparse_plus", {[](Array v) { return nn::sparse_plus(v); }, plane}},
      {"sparse_sigmoid", {[](Array v) { return nn::sparse_sigmoid(v); }, plane}},
      {"log1mexp", {[](Array v) { return nn::log1mexp(v * v + 0.25f); }, plane}},
      {"glu", {[](Array v) { return nn::glu(v, 0); }, plane}},
      {"layer_norm",
       {[](Array v) {
          return nn::layer_norm(v, -1, {.scale = steps({5}), .bias = steps({5}, 3, 7)});
        },
        plane}},
      {"layer_norm_axes",
       {[](Array v) { return nn::layer_norm(v, {0, 2}, {.epsilon = 0.5}); },
        steps({3, 4, 2}, 7, 23)}},
      {"broadcast_like_deep",
       {[](Array v) { return lax::broadcast_like(v, steps({2, 3, 4})); }, steps({4})}},
      {"stack_row", {[](Array v) { return lax::stack({v, v, 3 * v}); }, row}},
      {"unstack_row", {[](Array v) { return lax::unstack(v)[2]; }, row}},
  };
}

template <class F>
Call seeded(F f) {
  return {[f](Array s) { return f(random::key(s.astype(I32))); }, seed};
}
Array part(const Array& words) {
  return lax::shift_right_logical(words, full(words.shape(), 8, U32)).astype(F32);
}
Array wrapped(const Array& a, const Array& b) {
  return random::wrap_key_data(stack({a, b}).astype(U32));
}
Calls draws() {
  const Array key = random::key(7), corner = lax::slice(plane, {0, 0}, {4, 3});
  Calls t = {
      {"constant", {[=](Array v) { return init::constant(v[0])(key, {2, 3}); }, corner}},
      {"constant_wide", {[=](Array v) { return init::constant(v)(key, {2, 4, 5}); }, plane}},
      {"choice", {[=](Array v) { return random::choice(key, v, {3, 2}); }, row}},
      {"split", seeded([](Array k) { return part(random::key_data(random::split(k, 3))); })},
      {"key_data", seeded([](Array k) { return part(random::key_data(k)); })},
      {"wrap", {[](Array s) { return random::uniform(wrapped(s, s * s), {2, 2}); }, seed + 1}},
      {"wrap_row", {[](Array s) { return random::uniform(wrapped(s + 7, s * s), {3}); }, seed + 1}},
      {"clone", seeded([](Array k) { return random::uniform(random::clone(k), {2, 3}); })},
      {"delta_orthogonal", seeded([](Array k) { return init::delta_orthogonal()(k, {3, 2, 2}); })},
      {"zeros_row", seeded([](Array k) { return init::zeros(k, {5}); })},
      {"ones_plane", seeded([](Array k) { return init::ones(k, {5, 2}); })},
  };
  const std::map<std::string, init::Initializer> makers = {
      {"variance_scaling", init::variance_scaling(2, "fan_out", "uniform")},
      {"initial_uniform", init::uniform()},
      {"initial_normal", init::normal()},
      {"initial_truncated_normal", init::truncated_normal()},
      {"glorot_uniform", init::glorot_uniform()},
      {"glorot_normal", init::glorot_normal()},
      {"xavier_uniform", init::xavier_uniform()},
      {"xavier_normal", init::xavier_normal()},
      {"lecun_uniform", init::lecun_uniform()},
      {"lecun_normal", init::lecun_normal()},
      {"he_uniform", init::he_uniform()},
      {"he_normal", init::he_normal()},
      {"kaiming_uniform", init::kaiming_uniform()},
      {"kaiming_normal", init::kaiming_normal()}};
  for (const auto& [name, made] : makers)
    t[name] = seeded([made = made](Array k) { return made(k, {4, 3}); });
  return t;
}

Array of(const std::vector<lax::Sizes>& rows) {
  Arrays all;
  for (const auto& r : rows) all.push_back(array(r).astype(F32));
  return stack(all);
}
Array of(const std::vector<std::pair<int64_t, int64_t>>& pads) {
  std::vector<lax::Sizes> rows;
  for (const auto& [low, high] : pads) rows.push_back({low, high});
  return of(rows);
}
Calls sizes() {
  const auto letters = [](const lax::ConvDimensionNumbers& d) {
    return of({d.lhs_spec, d.rhs_spec, d.out_spec});
  };
  const auto shape = [](const Shape& s) { return array(s.sizes()).astype(F32); };
  const std::map<std::string, Array> all = {
      {"padtype_to_pads", of(lax::padtype_to_pads({9, 7}, {3, 2}, {2, 1}, "SAME"))},
      {"padtype_to_pads_row", of(lax::padtype_to_pads({9}, {4}, {1}, "SAME_LOWER"))},
      {"reduce_window_shape", shape(lax::reduce_window_shape_tuple({9, 7}, {3, 2},
                                                                   {.window_strides = {2, 1},
                                                                    .padding = {{1, 1}, {0, 2}},
                                                                    .base_dilation = {1, 2},
                                                                    .window_dilation = {2, 1}}))},
      {"reduce_window_shape_row", shape(lax::reduce_window_shape_tuple(
                                      {9}, {4}, {.window_strides = {3}, .padding = {{0, 1}}}))},
      {"conv_dimension_numbers",
       letters(lax::conv_dimension_numbers({1, 2, 3, 4}, {1, 2, 3, 4}, {"NHWC", "HWIO", "NCHW"}))},
      {"conv_dimension_numbers_row", letters(lax::conv_dimension_numbers({1, 2, 3}, {1, 2, 3}))},
      {"conv_permutations_row", letters(lax::conv_general_permutations({"NWC", "WIO", "CNW"}))},
      {"conv_shape_row", shape(lax::conv_shape_tuple({4, 3, 9}, {5, 3, 2}, {2}, "SAME"))}};
  Calls t;
  for (const auto& [name, v] : all) t[name] = {[v = v](Array s) { return v + 0.f * s; }, seed};
  return t;
}

}  // namespace

TEST_CASE("functions by one operand give what JAX gives", "[functions]") {
  const auto want = testing::golden_lines("operands.txt");
  Calls calls = matrices();
  calls.merge(layers());
  calls.merge(draws());
  calls.merge(sizes());
  CHECK(testing::compare_calls(calls, want, [](const Array& got, const testing::GoldenLine& line) {
          testing::check_line(got, line, 1e-5);
        }) == want.size());
}
