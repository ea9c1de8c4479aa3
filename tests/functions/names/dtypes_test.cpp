// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/names/dtypes_test.cpp: every function with a dtype accepts {.dtype = F64}, and
// accepts F64 alone if the options are the last argument. {} and none have their usual meaning.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

const Array x = array({{1., 2.}, {3., 4.}});
const std::vector<double> v = {1, 2};

// Checks that all arrays have this dtype.
void all_are(DType d, const Arrays& made) {
  for (size_t i = 0; i < made.size(); ++i) {
    INFO(i);
    CHECK(made[i].dtype() == d);
  }
}

}  // namespace

TEST_CASE("functions that make arrays take {.dtype}", "[dtypes]") {
  all_are(F64, {zeros({2}, {.dtype = F64}),
                ones(2, {.dtype = F64}),
                empty({2}, {.dtype = F64}),
                full({2}, 1, {.dtype = F64}),
                zeros_like(x, {.dtype = F64}),
                ones_like(x, {.dtype = F64}),
                empty_like(x, {.dtype = F64}),
                full_like(x, 1, {.dtype = F64}),
                array({1, 2}, {.dtype = F64}),
                array(std::vector<float>{1, 2}, {2, 1}, {.dtype = F64}),
                asarray(x, {.dtype = F64}),
                asarray({1, 2}, {.dtype = F64}),
                asarray(std::vector<float>{1}, {.dtype = F64}),
                arange(3, {.dtype = F64}),
                arange(0, 3, {.dtype = F64}),
                arange(0, 3, 1, {.dtype = F64}),
                linspace(0, 1, 3, {.dtype = F64}),
                linspace(0, 1, {.dtype = F64}),
                geomspace(1, 2, 3, {.dtype = F64}),
                logspace(0, 1, 3, {.dtype = F64}),
                iota(3, {.dtype = F64}),
                eye(3, {.dtype = F64}),
                eye(3, 2, {.dtype = F64}),
                eye(3, none, 1, {.dtype = F64}),
                tri(3, {.dtype = F64}),
                identity(3, {.dtype = F64}),
                indices({2}, {.dtype = F64}),
                sparse_indices({2}, {.dtype = F64})[0],
                fromfunction([](Array i) { return i; }, {3}, {.dtype = F64}),
                lax::empty({2}, {.dtype = F64}),
                lax::full({2}, 1., {.dtype = F64}),
                lax::full_like(x, 1., {.dtype = F64})});
  CHECK(zeros_like(x, {.shape = Shape{3}}).shape() == Shape{3});
  CHECK(floats(eye(2, 3, 1, {.dtype = F64})) == Floats{0, 1, 0, 0, 0, 1});
}

TEST_CASE("joins and folds take {.dtype}", "[dtypes]") {
  all_are(F64, {concatenate({x, x}, {.dtype = F64}),
                concatenate({x, x}, 1, {.dtype = F64}),
                stack({x, x}, {.dtype = F64}),
                stack({x, x}, 1, {.dtype = F64}),
                vstack({x, x}, {.dtype = F64}),
                hstack({x, x}, {.dtype = F64}),
                dstack({x, x}, {.dtype = F64}),
                trace(x, {.dtype = F64}),
                trace(x, 1, {.dtype = F64}),
                sum(x, {.dtype = F64}),
                var(x, {.dtype = F64}),
                nansum(x, {.dtype = F64}),
                nanprod(x, {.dtype = F64}),
                nanmean(x, {.dtype = F64}),
                nanvar(x, {.dtype = F64}),
                nanstd(x, {.dtype = F64}),
                cumsum(x, {.dtype = F64}),
                cumprod(x, {.dtype = F64}),
                nancumsum(x, {.dtype = F64}),
                x.std({.dtype = F64}),
                x.var({.dtype = F64}),
                x.cumsum({.dtype = F64})});
}

TEST_CASE("options alone are of all axes", "[dtypes]") {
  CHECK(x.var({.ddof = 1}).item<float>() == Approx(5. / 3));
  CHECK(var(x, {.ddof = 1}).item<float>() == Approx(5. / 3));
  CHECK(x.std({.ddof = 1}).item<float>() == Approx(std::sqrt(5. / 3)));
  CHECK(weft::std(x, {.ddof = 1}).item<float>() == Approx(std::sqrt(5. / 3)));
  CHECK(nanvar(x, {.ddof = 1}).item<float>() == Approx(5. / 3));
  CHECK(nanstd(x, {.ddof = 1}).item<float>() == Approx(std::sqrt(5. / 3)));
  const int64_t one = 1;
  CHECK(var(x, {.ddof = one}).ndim() == 0);
  CHECK(x.var({.ddof = one}).ndim() == 0);
  for (const Array& kept : {sum(x, {.keepdims = true}),       prod(x, {.keepdims = true}),
                            max(x, {.keepdims = true}),       min(x, {.keepdims = true}),
                            any(x, {.keepdims = true}),       all(x, {.keepdims = true}),
                            mean(x, {.keepdims = true}),      var(x, {.keepdims = true}),
                            weft::std(x, {.keepdims = true}), nansum(x, {.keepdims = true}),
                            nanprod(x, {.keepdims = true}),   nanmean(x, {.keepdims = true}),
                            nanvar(x, {.keepdims = true}),    nanstd(x, {.keepdims = true}),
                            x.sum({.keepdims = true}),        x.prod({.keepdims = true}),
                            x.max({.keepdims = true}),        x.min({.keepdims = true}),
                            x.any({.keepdims = true}),        x.all({.keepdims = true}),
                            x.mean({.keepdims = true}),       x.var({.keepdims = true}),
                            x.std({.keepdims = true})})
    CHECK(kept.shape() == Shape{1, 1});
  // Integers in braces are axes. A variable of any integer type is one axis.
  CHECK(var(x, {1}).shape() == Shape{2});
  CHECK(var(x, {0, 1}).shape() == Shape{});
  CHECK(var(x, one).shape() == Shape{2});
  CHECK(x.sum(uint8_t{1}).shape() == Shape{2});
  // {} is the default.
  CHECK(sum(x, {}).item<float>() == 10);
  CHECK(var(x, {}).item<float>() == Approx(1.25));
  CHECK(cov(x, {.rowvar = false}).shape() == Shape{2, 2});
  CHECK(floats(cov(x, {.rowvar = false})) == Floats{2, 2, 2, 2});
  CHECK(floats(cov(x, none, {.rowvar = false})) == Floats{2, 2, 2, 2});
}

TEST_CASE("a dtype alone is the last argument", "[dtypes]") {
  const Array key = random::key(0);
  all_are(F64, {arange(0, 3, F64),
                linspace(0, 1, 3, F64),
                linspace(0, 1, F64),
                geomspace(1, 2, 3, F64),
                logspace(0, 1, 3, F64),
                logspace(0, 1, 3, 2, F64),
                iota(3, F64),
                eye(3, F64),
                eye(3, 2, F64),
                tri(3, F64),
                concatenate({x, x}, F64),
                stack({x, x}, F64),
                trace(x, F64),
                sum(x, 0, F64),
                sum(x, F64),
                sum(x, {0, 1}, F64),
                prod(x, 0, F64),
                mean(x, F64),
                var(x, 0, F64),
                nansum(x, F64),
                nanvar(x, 0, F64),
                nanstd(x, F64),
                cumsum(x, 0, F64),
                cumprod(x, F64),
                x.sum(0, F64),
                x.sum(F64),
                x.mean(F64),
                x.prod(0, F64),
                x.std(F64),
                x.var(0, F64),
                x.cumsum(0, F64),
                x.cumprod(F64),
                weft::std(x, F64),
                weft::std(x, 0, F64),
                cov(x, F64),
                cov(x, none, F64),
                corrcoef(x, F64),
                corrcoef(x, none, F64),
                cumulative_sum(array({1., 2.}), F64),
                cumulative_prod(array({1., 2.}), F64),
                fft::fftfreq(4, F64),
                fft::fftfreq(4, 0.5, F64),
                fft::fftfreq(4, {.dtype = F64}),
                fft::rfftfreq(4, F64),
                fft::rfftfreq(4, 0.5, F64),
                nn::initializers::zeros(key, {2}, F64),
                nn::initializers::ones(key, {2}, F64),
                nn::initializers::normal(1., F64)(key, {2}),
                nn::initializers::uniform(1., F64)(key, {2}),
                nn::initializers::constant(1., F64)(key, {2}),
                nn::initializers::truncated_normal(1., F64)(key, {2}),
                nn::initializers::glorot_uniform(F64)(key, {2, 2}),
                nn::initializers::he_normal()(key, {2, 2}, F64),
                nn::initializers::orthogonal(1., F64)(key, {2, 2}),
                nn::initializers::variance_scaling(1., "fan_in", "normal", F64)(key, {2, 2}),
                nn::one_hot(array({0, 1}), 2, F64),
                random::normal(key, {3}, F64),
                random::normal(key, {}, F64),
                random::uniform(key, {3}, F64),
                random::exponential(key, {3}, F64),
                random::gamma(key, 1., {3}, F64),
                random::beta(key, 1., 2., {3}, F64),
                random::ball(key, 2, 2, {3}, F64),
                random::triangular(key, 0., 1., 2., {3}, F64),
                random::truncated_normal(key, -1., 1., {3}, F64)});
  CHECK(random::bits(key, {3}, U64).dtype() == U64);
  CHECK(random::randint(key, {3}, 0, 9, I64).dtype() == I64);
  CHECK(random::poisson(key, 3., {2}, I64).dtype() == I64);
  CHECK(argsort(x, 0, I64).dtype() == I64);
  CHECK(array_equal(random::normal(key, {3}, F64), random::normal(key, {3}, {.dtype = F64}))
            .item<bool>());
}

TEST_CASE("{} and none are the default", "[dtypes]") {
  all_are(F32,
          {full({2}, 1., {}), full({2}, 1., none), zeros_like(x, {}), zeros_like(x, none, Shape{3}),
           full_like(x, 1, {}), arange(3., {}), linspace(0, 1, 3, {}), asarray(x, {}),
           concatenate({x, x}, 0, {}), vstack({x, x}, {}), cumsum(x, {}), sum(x, 0, {}),
           random::normal(random::key(0), {3}, {})});
  CHECK(array(v, {2, 1}, {}).dtype() == F64);
}

TEST_CASE("a scan without xs takes the carry alone", "[scan]") {
  const auto alone = [](Array c) { return std::pair{c * 2, c}; };
  const auto with_none = [](Array c, none_t) { return std::pair{c * 2, c}; };
  const auto [last, ys] = scan(alone, Array(1.), none, {.length = 3});
  CHECK(last.item<float>() == 8);
  CHECK(floats(ys) == Floats{1, 2, 4});
  CHECK(floats(scan(with_none, Array(1.), none, {.length = 3}).second) == Floats{1, 2, 4});
  const auto total = [&](Array w) {
    return scan(
               [](std::pair<Array, Array> c) {
                 return std::pair{std::pair{c.first * c.second, c.second}, c.first};
               },
               std::pair{Array(1.), w}, none, {.length = 3})
        .second.sum();
  };
  CHECK(grad(total)(2.).item<float>() == 5);  // 1 + w + w^2
  CHECK(jit(total)(2.).item<float>() == 7);
  CHECK(floats(vmap(total)(array({1., 2.}))) == Floats{3, 7});
}

TEST_CASE("in_axes say that a static argument has an entry", "[vmap][errors]") {
  const auto f = [](Array a, int n, Array b) { return a * n + b; };
  CHECK_THROWS_WITH(vmap(f, {0, 0})(x, 3, x), Catch::Contains("2 entries") &&
                                                  Catch::Contains("args[1] is static") &&
                                                  Catch::Contains("its entry is `none`"));
  CHECK(vmap(f, {0, none, 0})(x, 3, x).shape() == x.shape());
}
