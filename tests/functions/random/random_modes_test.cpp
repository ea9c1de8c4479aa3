// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/random/random_modes_test.cpp: compares random functions with modes, without
// replacement, with parameters that are Arrays and with .impl, with jax.random
// (make_random_modes.py).
#include <functional>

#include "functions/array_calls.h"
#include "support/check.h"
#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;
using testing::steps;
using weft::test::check_error;

namespace {

using Cases = std::map<std::string, std::function<Array()>>;
const Array key = random::key(7);

void add_modes(Cases& t) {
  const Array logits = steps({3, 5}), p = array({0.1, 0.2, 0.05, 0.4, 0.15, 0.1});
  for (const std::string mode : {"low", "high", "highest"}) {
    t["gumbel." + mode] = [=] { return random::gumbel(key, {3, 5}, {.mode = mode}); };
    t["gumbel." + mode + ".f16"] = [=] {
      return random::gumbel(key, {4}, {F16, mode}).astype(F32);
    };
    t["gumbel." + mode + ".many"] = [=] {
      return sort(random::gumbel(random::key(1), {1000}, {.mode = mode}))[slice(0, none, 50)];
    };
    t["categorical." + mode] = [=] { return random::categorical(key, logits, {.mode = mode}); };
    t["categorical." + mode + ".none"] = [=] {
      return random::categorical(key, logits, {.axis = 0, .replace = false, .mode = mode});
    };
    t["choice." + mode] = [=] {
      return random::choice(key, 6, {3}, {.replace = false, .p = p, .mode = mode});
    };
  }
  t["gumbel.high.f64"] = [] { return random::gumbel(key, {3}, {F64, "high"}); };
}
void add_categorical(Cases& t) {
  const Array logits = steps({3, 5});
  const auto drawn = [=](int64_t axis, const Shape& shape, bool replace = false) {
    return [=] {
      return random::categorical(key, logits, {.axis = axis, .shape = shape, .replace = replace});
    };
  };
  t["categorical.two"] = drawn(-1, {2, 3});
  t["categorical.all"] = drawn(0, {3, 5});
  t["categorical.matrix"] = drawn(1, {2, 2, 3});
  t["categorical.axis"] = drawn(0, {2, 5}, true);
  t["categorical.vector"] = [=] {
    return random::categorical(key, logits[0], {.shape = Shape{4}, .replace = false});
  };
}
void add_parameters(Cases& t) {
  const Array p = array({0.1, 0.5, 0.9}), powers = array({0.7, 1.5, 3.0});
  t["bernoulli.high"] = [=] { return random::bernoulli(key, p, {4, 3}, {.mode = "high"}); };
  t["bernoulli.low"] = [=] { return random::bernoulli(key, p, {4, 3}, {.mode = "low"}); };
  t["bernoulli.high.scalar"] = [] { return random::bernoulli(key, 0.3, {9}, {.mode = "high"}); };
  t["bernoulli.high.f64"] = [] {
    return random::bernoulli(key, array({0.2, 0.8}, F64), {}, {.mode = "high"});
  };
  t["rademacher.f32"] = [] { return random::rademacher(key, {5}, {.dtype = F32}); };
  t["rademacher.i8"] = [] { return random::rademacher(key, {5}, {.dtype = I8}); };
  t["generalized_normal"] = [=] { return random::generalized_normal(key, powers, {2, 3}); };
  t["generalized_normal.slope"] = [=] {
    return grad([](Array q) { return sum(random::generalized_normal(key, q, {2, 3})); })(powers);
  };
  t["generalized_normal.map"] = [=] {
    return vmap([](Array q) { return random::generalized_normal(key, q, {2}); })(powers);
  };
  t["ball"] = [] { return random::ball(key, 3, full({}, 1.5, F32), {2}); };
  t["ball.slope"] = [] {
    return grad([](Array q) { return sum(square(random::ball(key, 3, q, {2}))); })(
        full({}, 1.5, F32));
  };
  t["ball.map"] = [=] { return vmap([](Array q) { return random::ball(key, 3, q); })(powers); };
  t["weibull_min"] = [=] {
    return random::weibull_min(key, powers, array({{1.5}, {2.0}}), {2, 3});
  };
  t["lognormal.complex"] = [] { return random::lognormal(key, 0.5, {3}, {C128}); };
}

}  // namespace

TEST_CASE("random functions with modes and parameters draw JAX's numbers", "[functions][random]") {
  const auto lines = testing::golden_lines("random_modes.txt");
  Cases all;
  add_modes(all);
  add_categorical(all);
  add_parameters(all);
  for (const auto& [name, call] : all) {
    INFO(name);
    REQUIRE(lines.count(name) == 1);
    testing::check_line(call(), lines.at(name), name.ends_with(".f16") ? 2e-3 : 2e-6);
  }
  CHECK(all.size() == lines.size());
}

TEST_CASE("keys say which implementation they are of, and split into parts",
          "[functions][random]") {
  const Array a = random::key(3, {.impl = "threefry2x32"});
  CHECK(array_equal(random::key_data(a), random::key_data(random::key(3))).item<bool>());
  CHECK(
      array_equal(random::key_data(a), random::PRNGKey(3, {.impl = "threefry2x32"})).item<bool>());
  const auto [b, c, d] = random::split<3>(a);
  const Array all = random::split(a, 3);
  CHECK(array_equal(random::key_data(c), random::key_data(all)[1]).item<bool>());
  CHECK_FALSE(array_equal(random::key_data(b), random::key_data(d)).item<bool>());
  const std::string text = ".impl is \"threefry2x32\" or \"rbg\", not \"unsafe_rbg\"";
  const random::KeyOptions other{.impl = "unsafe_rbg"};
  check_error<IndexError>([&] { random::key(3, other); }, "key: " + text);
  check_error<IndexError>([&] { random::key(3, other); }, "random_modes_test.cpp:");
  check_error<IndexError>([&] { random::key(zeros({}, I32), other); }, text);
  check_error<IndexError>([&] { random::PRNGKey(3, other); }, text);
  check_error<IndexError>([&] { random::wrap_key_data(zeros({2}, U32), other); },
                          "wrap_key_data: " + text);
}

TEST_CASE("random functions refuse unknown modes", "[functions][random][errors]") {
  const Array logits = zeros({3});
  check_error<IndexError>([] { random::gumbel(key, {}, {.mode = "best"}); },
                          ".mode must be \"low\", \"high\" or \"highest\", not \"best\"");
  check_error<IndexError>([] { random::bernoulli(key, 0.5, {}, {.mode = "highest"}); },
                          ".mode must be \"low\" or \"high\", not \"highest\"");
  check_error<IndexError>([&] { random::categorical(key, logits, {.mode = "best"}); }, "gumbel");
  check_error<ShapeError>(
      [&] { random::categorical(key, logits, {.shape = Shape{4}, .replace = false}); },
      "categorical: 4 draws without replacement from 3 categories");
  check_error<ShapeError>([] { random::ball(key, 2, ones({2})); },
                          "p must be a scalar, got f32[2]");
  check_error<ShapeError>([] { random::generalized_normal(key, ones({2}), {3}); },
                          "generalized_normal: p of shape (2,) does not broadcast to (3,)");
  check_error<DTypeError>([] { random::lognormal(key, 1., {}, {I32}); },
                          "dtype must be a float or complex, not i32");
}
