// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/nn/initializers_golden_test.cpp: compares the initializers of nn and
// random::orthogonal with JAX's for the same keys (tests/golden/generators/make_initializers.py).
#include <functional>

#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;
namespace init = weft::nn::initializers;

namespace {

using Cases = std::map<std::string, std::function<Array()>>;
const auto made = [](const init::Initializer& f, const Shape& shape,
                     const init::InitOptions& o = {}) {
  return [=] { return f(random::key(42), shape, o); };
};

void add_simple(Cases& t) {
  t["zeros"] = made(init::zeros, {2, 3});
  t["ones"] = made(init::ones, {2}, {.dtype = F64});
  t["constant"] = made(init::constant(-7), {2, 3});
  t["constant_row"] = made(init::constant(array({1., 2., 3.}), {.dtype = F64}), {2, 3});
  t["uniform"] = made(init::uniform(), {2, 3});
  t["uniform_scale"] = made(init::uniform(3, {.dtype = F64}), {5});
  t["normal"] = made(init::normal(), {2, 3});
  t["normal_scale"] = [] {
    return init::normal(5, {.dtype = F16})(random::key(42), {5}).astype(F32);
  };
  t["normal_complex"] = made(init::normal(0.5), {3}, {.dtype = C64});
  t["truncated_normal"] = made(init::truncated_normal(), {2, 3});
  t["truncated_normal_ends"] = made(init::truncated_normal(2, {.lower = -0.5, .upper = 3}), {7});
}
void add_fans(Cases& t) {
  t["fan_out"] = made(init::variance_scaling(1.5, "fan_out", "normal"), {3, 4});
  t["fan_geo_avg"] = made(init::variance_scaling(1.5, "fan_geo_avg", "uniform"), {2, 3, 4});
  t["fan_axes"] = made(init::variance_scaling(2, "fan_in", "normal",
                                              {.in_axis = {0, 1}, .out_axis = 3, .batch_axis = 2}),
                       {2, 3, 2, 4});
  t["fan_vector"] = made(init::variance_scaling(2, "fan_in", "normal", {.in_axis = 0}), {6});
  t["fan_dtype"] = made(init::variance_scaling(2, "fan_in", "uniform", {.dtype = F64}), {2, 5});
  for (const auto& [name, distribution] : {std::pair{"complex_normal", "normal"},
                                           {"complex_uniform", "uniform"},
                                           {"complex_truncated", "truncated_normal"}})
    t[name] = made(init::variance_scaling(1, "fan_in", distribution), {3, 2}, {.dtype = C64});
  using Make = init::Initializer (*)(const init::FanOptions&);
  const std::vector<std::pair<std::string, Make>> all = {
      {"glorot_uniform", init::glorot_uniform},   {"glorot_normal", init::glorot_normal},
      {"xavier_uniform", init::xavier_uniform},   {"xavier_normal", init::xavier_normal},
      {"lecun_uniform", init::lecun_uniform},     {"lecun_normal", init::lecun_normal},
      {"he_uniform", init::he_uniform},           {"he_normal", init::he_normal},
      {"kaiming_uniform", init::kaiming_uniform}, {"kaiming_normal", init::kaiming_normal}};
  for (const auto& [name, make] : all) {
    t[name] = made(make({}), {3, 5});
    t[name + "_kernel"] = made(make({.in_axis = 1, .out_axis = 0, .dtype = F64}), {2, 3, 3});
  }
}
void add_orthogonal(Cases& t) {
  const Array key = random::key(42), keys = random::split(key, 3);
  t["orthogonal"] = made(init::orthogonal(), {4, 4});
  t["orthogonal_tall"] = made(init::orthogonal(2), {3, 2, 4});
  t["orthogonal_wide"] = made(init::orthogonal(), {2, 5});
  t["orthogonal_column"] = made(init::orthogonal(0.5, {.column_axis = 0, .dtype = F64}), {3, 2, 2});
  t["orthogonal_empty"] = made(init::orthogonal(), {0, 3});
  t["orthogonal_complex"] = made(init::orthogonal(), {3, 3}, {.dtype = C64});
  t["delta_3"] = made(init::delta_orthogonal(), {3, 3, 3});
  t["delta_4"] = made(init::delta_orthogonal(2), {2, 3, 2, 4});
  t["delta_5"] = made(init::delta_orthogonal(1, {.column_axis = 0, .dtype = F64}), {1, 2, 4, 2, 2});
  t["random_square"] = [=] { return random::orthogonal(key, 3); };
  t["random_shape"] = [=] { return random::orthogonal(key, 3, {.shape = {2, 2}, .dtype = F64}); };
  t["random_tall"] = [=] { return random::orthogonal(key, 4, {.m = 2}); };
  t["random_wide"] = [=] { return random::orthogonal(key, 2, {.shape = {3}, .m = 4}); };
  t["random_none"] = [=] { return random::orthogonal(key, 0, {.shape = {2}}); };
  t["random_map"] = [=] { return vmap([](Array k) { return random::orthogonal(k, 2); })(keys); };
  t["orthogonal_map"] = [=] {
    return vmap([](Array k) { return init::orthogonal()(k, {2, 3}); })(keys);
  };
}
// Uniform and normal real numbers and their multiples agree to the bit. XLA computes erf of the
// bounds and factors of matrices in another way.
double tolerance(const std::string& name) {
  for (const char* other : {"truncated", "orthogonal", "delta", "random_", "complex"})
    if (name.find(other) != std::string::npos) return 2e-6;
  for (const char* other :
       {"glorot_normal", "xavier_normal", "lecun_normal", "he_normal", "kaiming_normal"})
    if (name.rfind(other, 0) == 0) return 2e-6;
  return 0;
}

}  // namespace

TEST_CASE("initializers draw JAX's numbers") {
  Cases cases;
  add_simple(cases);
  add_fans(cases);
  add_orthogonal(cases);
  const auto want = testing::golden_lines("initializers.txt");
  CHECK(want.size() == cases.size());
  for (const auto& [name, call] : cases) {
    INFO(name);
    const auto it = want.find(name);
    REQUIRE(it != want.end());
    testing::check_line(call(), it->second, tolerance(name));
  }
}

TEST_CASE("initializers refuse shapes, types and names that are none") {
  const Array key = random::key(0);
  CHECK_THROWS_AS(init::he_normal()(key, {3}), ShapeError);
  CHECK_THROWS_AS(init::he_normal()(key, {3, 0}), ShapeError);
  CHECK_THROWS_AS(init::he_normal({.in_axis = 2})(key, {3, 2}), IndexError);
  CHECK_THROWS_AS(init::he_normal({.in_axis = none})(key, {3, 2}), IndexError);
  CHECK_THROWS_AS(init::he_uniform()(key, {3, 2}, {.dtype = I32}), DTypeError);
  CHECK_THROWS_AS(init::variance_scaling(1, "fan", "normal")(key, {3, 2}), IndexError);
  CHECK_THROWS_AS(init::variance_scaling(1, "fan_in", "gamma")(key, {3, 2}), IndexError);
  CHECK_THROWS_AS(init::uniform()(key, {3}, {.dtype = I32}), DTypeError);
  CHECK_THROWS_AS(init::normal()(array({1., 2.}), {3}), DTypeError);
  CHECK_THROWS_AS(init::constant(array({1., 2.}))(key, {3}), ShapeError);
  CHECK_THROWS_AS(init::orthogonal()(key, {3}), ShapeError);
  CHECK_THROWS_AS(init::delta_orthogonal()(key, {3, 3}), ShapeError);
  CHECK_THROWS_AS(init::delta_orthogonal()(key, {3, 4, 3}), ShapeError);
  CHECK_THROWS_AS(random::orthogonal(key, -1), ShapeError);
  CHECK_THROWS_AS(random::orthogonal(key, 2, {.dtype = F16}), DTypeError);
}
