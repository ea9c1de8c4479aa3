// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/options_test.cpp: every option of the functions has an effect: each of these
// checks fails if the option is ignored. A function that cannot apply an option refuses it.
#include <cmath>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
bool equals(const Array& a, const Array& b) {
  return a.shape() == b.shape() && static_cast<bool>(array_equal(a, b, true));
}
// Returns true if f raises an error of the library.
template <class F>
bool refuses(F f) {
  try {
    f();
    return false;
  } catch (const InternalError&) {
    return false;
  } catch (const Error&) {
    return true;
  }
}
using Reduction = Array (*)(const Arg&, const AxisList&, const ReduceOptions&);
struct Named {
  const char* name;
  Reduction f;
};
const Named reductions[] = {
    {"sum", sum},       {"prod", prod},       {"max", max},
    {"min", min},       {"amax", amax},       {"amin", amin},
    {"any", any},       {"all", all},         {"mean", mean},
    {"ptp", ptp},       {"median", median},   {"count_nonzero", count_nonzero},
    {"nansum", nansum}, {"nanprod", nanprod}, {"nanmax", nanmax},
    {"nanmin", nanmin}, {"nanmean", nanmean}, {"logsumexp", logsumexp}};
}  // namespace

TEST_CASE("linspace between whole numbers is exact where its points are whole", "[functions]") {
  for (DType d : {F16, F32, F64})
    for (int n = 2; n < 60; ++n)
      for (int low : {-7, 0, 1, 3}) {
        const Array x = linspace(low, low + n - 1, n, {.dtype = d});
        CHECK(array_equal(x, arange(low, low + n, {.dtype = d})).item<bool>());
      }
  const std::vector<double> wide =
      linspace(-1.7e308, 1.7e308, 5, {.dtype = F64}).to_vector<double>();
  for (size_t k = 0; k < 5; ++k)
    CHECK(wide[k] / 1e308 == Approx(-1.7 + 0.85 * static_cast<double>(k)).margin(1e-14));
  CHECK(histogram(arange(1, 11), 9).first.to_vector<int>() ==
        std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 2});
}

TEST_CASE("reductions: keepdims, dtype, where, initial", "[options]") {
  const Array x = array({{1., 2., 5.}, {-4., 0.5, 7.}});
  for (const auto& [name, f] : reductions) {
    INFO(name);
    const std::string n = name;
    const bool truth = n == "any" || n == "all";
    const Array data = n == "any" ? x > 6. : n == "all" ? x > 0. : x;
    // Returns true if the options change the result, or are refused.
    const auto seen = [&](const ReduceOptions& a, const ReduceOptions& plain = {}) {
      if (refuses([&] { f(data, 1, a); })) return true;
      const Array y = f(data, 1, a), z = f(data, 1, plain);
      return !equals(y, z) || y.dtype() != z.dtype();
    };
    CHECK(f(data, 1, {.keepdims = true}).shape() == Shape{2, 1});
    CHECK(f(data, 1, {.keepdims = false}).shape() == Shape{2});
    CHECK(seen({.dtype = F64}));
    // The mask hides the elements that determine the result.
    const bool least = n == "min" || n == "amin" || n == "nanmin";
    const Array mask = n == "any" ? x < 6. : n == "all" ? x > 0. : least ? x > 3. : x < 3.;
    const bool most = n == "max" || n == "amax" || n == "nanmax";
    const Array start(most ? -100.f : n == "ptp" ? 2.f : 100.f);
    if (most || least || n == "ptp") {
      // The value of an empty selection must be given.
      CHECK(refuses([&] { f(data, 1, {.where = mask}); }));
      CHECK(seen({.where = mask, .initial = start}, {.initial = start}));
    } else {
      CHECK(seen({.where = mask}));
    }
    if (truth) {
      CHECK(seen({.initial = Array(n == "any")}));
    } else {
      const bool either = seen({.initial = Array(50.f)}) || seen({.initial = Array(-50.f)});
      CHECK(either);
    }
  }
}

TEST_CASE("var, std: ddof, keepdims, dtype, where", "[options]") {
  const Array x = array({{1., 2., 6.}, {3., 3., 9.}});
  using Variance =
      Array (*)(const typing::Arg&, const typing::AxisList&, const typing::VarOptions&);
  for (const Variance f : std::initializer_list<Variance>{var, weft::std, nanvar, nanstd}) {
    CHECK(f(x, 1, {.keepdims = true}).shape() == Shape{2, 1});
    CHECK(f(x, 1, {.dtype = F64}).dtype() == F64);
    CHECK_FALSE(equals(f(x, 1, {.ddof = 1}), f(x, 1, {})));
    CHECK_FALSE(equals(f(x, 1, {.where = x < 5.}), f(x, 1, {})));
  }
}

TEST_CASE("places, quantiles, running folds", "[options]") {
  const Array x = array({{1., 2., 6.}, {3., 4., 9.}});
  CHECK(argmax(x, 1, {.keepdims = true}).shape() == Shape{2, 1});
  CHECK(argmin(x, none, {.keepdims = true}).shape() == Shape{1, 1});
  CHECK(quantile(x, 0.3, 1, {.keepdims = true}).shape() == Shape{2, 1});
  CHECK(percentile(x, 30., 1, {.keepdims = true}).shape() == Shape{2, 1});
  const auto q = [&](const char* method) {
    return quantile(array({0., 10., 20., 30.}), 0.4, none, {.method = method}).item<float>();
  };
  CHECK(q("linear") == Approx(12));
  CHECK(q("lower") == 10);
  CHECK(q("higher") == 20);
  CHECK(q("nearest") == 10);
  CHECK(q("midpoint") == 15);
  for (const auto f : {cumsum, cumprod, cummax, cummin}) {
    CHECK(f(x, 1, {.dtype = F64}).dtype() == F64);
    CHECK_FALSE(
        equals(f(array({2., 1., 3.}), 0, {.reverse = true}), f(array({2., 1., 3.}), 0, {})));
  }
}

TEST_CASE("making and padding", "[options]") {
  CHECK(floats(linspace(0., 1., 2, {.endpoint = false})) == Floats{0, 0.5});
  CHECK(linspace(0., 1., 2, {.dtype = F64}).dtype() == F64);
  CHECK(floats(logspace(0., 2., 2, 10, {.endpoint = false})) == Floats{1, 10});
  CHECK(logspace(0., 2., 2, 10, {.dtype = F64}).dtype() == F64);
  const Array x = array({1., 2., 3.});
  CHECK(floats(pad(x, {1, 1}, {.constant_values = Array(9.f)})) == Floats{9, 1, 2, 3, 9});
  CHECK(floats(pad(x, {1, 1}, {.mode = "edge"})) == Floats{1, 1, 2, 3, 3});
  CHECK(floats(pad(x, {1, 1}, {.mode = "reflect"})) == Floats{2, 1, 2, 3, 2});
  CHECK(floats(pad(x, {1, 1}, {.mode = "symmetric"})) == Floats{1, 1, 2, 3, 3});
  CHECK(floats(pad(x, {1, 1}, {.mode = "wrap"})) == Floats{3, 1, 2, 3, 1});
  CHECK(refuses([&] { pad(x, {1, 1}, {.mode = "sideways"}); }));
}

TEST_CASE("reading and writing at indices", "[options]") {
  const Array x = array({1., 2., 3.}), far = array({9, -9, -1});
  const auto get = [&](const char* mode) { return floats(x.at(far).get({.mode = mode})); };
  CHECK(get("clip") == Floats{3, 1, 3});
  CHECK(get("wrap") == Floats{1, 1, 3});
  CHECK(std::isnan(get("fill")[0]));
  CHECK(floats(x.at(far).get({.mode = "fill", .fill_value = -7.f})) == Floats{-7, -7, 3});
  CHECK(refuses([&] { x.at(far).get({.mode = "check"}); }));
  CHECK(floats(x.at(far).set(0., {.mode = "clip"})) == Floats{0, 2, 0});
  CHECK(floats(x.at(far).set(0., {.mode = "drop"})) == Floats{1, 2, 0});
  CHECK(floats(x.at(far).set(0., {.mode = "wrap"})) == Floats{0, 2, 0});
  CHECK(refuses([&] { x.at(far).set(0., {.mode = "check"}); }));
  using Change = Array (*)(const At&, const Array&, const SetOptions&);
  const Change max = [](const At& a, const Array& v, const SetOptions& o) { return a.max(v, o); };
  for (const Change f :
       {Change([](const At& a, const Array& v, const SetOptions& o) { return a.set(v, o); }),
        Change([](const At& a, const Array& v, const SetOptions& o) { return a.add(v, o); }),
        Change([](const At& a, const Array& v, const SetOptions& o) { return a.subtract(v, o); }),
        Change([](const At& a, const Array& v, const SetOptions& o) { return a.multiply(v, o); }),
        Change([](const At& a, const Array& v, const SetOptions& o) { return a.divide(v, o); }),
        Change([](const At& a, const Array& v, const SetOptions& o) { return a.min(v, o); }),
        max}) {
    const Array at = array({0, 7}), value = array({-4., -4.});
    CHECK(equals(f(x.at(at), value, {.mode = "clip"}), f(x.at(at), value, {})) ==
          (f == max));  // -4 is not larger than the elements
    // The program keeps a promise about the indices.
    const auto program = [&](bool unique, bool sorted) {
      return to_string(make_jaxpr([&](Array y, Array i) {
        return f(y.at(i), value, {.unique_indices = unique, .indices_are_sorted = sorted});
      })(x, at));
    };
    CHECK(program(true, false).find("unique_indices=True") != std::string::npos);
    CHECK(program(false, false).find("unique_indices=False") != std::string::npos);
    CHECK(program(false, true).find("indices_are_sorted=True") != std::string::npos);
    CHECK(program(false, false).find("indices_are_sorted=False") != std::string::npos);
  }
  CHECK(floats(take(x, far, 0, {.mode = "clip"})) == Floats{3, 1, 1});
  CHECK(floats(take(x, far, 0, {.mode = "wrap"})) == Floats{1, 1, 3});
  CHECK(floats(take(x, far, 0, {.fill_value = Array(-7.f)})) == Floats{-7, -7, 3});
  CHECK(floats(take_along_axis(x, far, 0, {.mode = "clip"})) == Floats{3, 1, 3});
  CHECK(floats(take_along_axis(x, far, 0, {.fill_value = Array(-7.f)})) == Floats{-7, -7, 3});
  CHECK(nonzero(array({0., 5.}), {.size = 3, .fill_value = -1})[0].to_vector<int>() ==
        std::vector<int>{1, -1, -1});
  CHECK(flatnonzero(array({0., 5.}), {.size = 2, .fill_value = 8}).to_vector<int>() ==
        std::vector<int>{1, 8});
  CHECK(argwhere(array({0., 5.}), {.size = 2, .fill_value = 8}).shape() == Shape{2, 1});
  for (const auto f : {segment_sum, segment_prod, segment_max, segment_min})
    CHECK(f(x, array({0, 0, 1}), {.num_segments = 4}).shape() == Shape{4});
  CHECK(to_string(make_jaxpr([&](Array i) {
          return segment_sum(x, i, {.num_segments = 4, .unique_indices = true});
        })(array({0, 1, 2})))
            .find("unique_indices=True") != std::string::npos);
}

TEST_CASE("sorting and searching", "[options]") {
  const Array x = array({2., 1., 2., 3.});
  CHECK(floats(sort(x, -1, {.descending = true})) == Floats{3, 2, 2, 1});
  CHECK(argsort(x, -1, {.descending = true}).to_vector<int>() == std::vector<int>{3, 0, 2, 1});
  const Array edges = array({1., 2., 2., 3.});
  CHECK(searchsorted(edges, 2., {.side = "left"}).item<int>() == 1);
  CHECK(searchsorted(edges, 2., {.side = "right"}).item<int>() == 3);
  CHECK(floats(unique(x, {.size = 4})) == Floats{1, 2, 3, 1});
  CHECK(floats(unique(x, {.size = 4, .fill_value = Array(9.f)})) == Floats{1, 2, 3, 9});
}

TEST_CASE("lax: gather and scatter", "[options]") {
  const Array x = array({1., 2., 3.}), at = array({{1}, {9}});
  const lax::GatherDimensionNumbers g{{}, {0}, {0}};
  CHECK(std::isnan(floats(lax::gather(x, at, g, {1}))[1]));  // as in JAX
  CHECK(floats(lax::gather(x, at, g, {1}, {.mode = "clip"})) == Floats{2, 3});
  CHECK(floats(lax::gather(x, at, g, {1}, {.fill_value = Array(-7.f)})) == Floats{2, -7});
  CHECK(floats(lax::gather(x, at, g, {1}, {.mode = "fill", .fill_value = Array(-7.f)})) ==
        Floats{2, -7});
  const lax::ScatterDimensionNumbers s{{}, {0}, {0}};
  const Array u = array({10., 20.});
  CHECK(floats(lax::scatter_add(x, at, u, s)) == Floats{1, 12, 3});
  CHECK(floats(lax::scatter_add(x, at, u, s, {.mode = "clip"})) == Floats{1, 12, 23});
  const auto unique = [&](auto f) {
    return to_string(make_jaxpr(f)(at)).find("unique_indices=True") != std::string::npos;
  };
  CHECK(unique([&](Array i) { return lax::gather(x, i, g, {1}, {.unique_indices = true}); }));
  CHECK(unique([&](Array i) { return lax::scatter(x, i, u, s, {.unique_indices = true}); }));
}

namespace {
// Returns true if a program has this attribute on its only gather, scatter or sort, and keeps it
// when written as StableHLO and parsed.
template <class F>
bool says(const std::string& what, F f, const Array& x, const Array& i) {
  const std::string text = jit(f).lower(x, i).stablehlo();
  const auto has = [&](const std::string& s, const char* value) {
    return s.find(what + value) != std::string::npos;
  };
  const bool said = has(to_string(make_jaxpr(f)(x, i)), "=True");
  CHECK(said == has(text, " = true"));
  CHECK(said == has(to_string(parse_stablehlo(text)), "=True"));
  return said;
}
}  // namespace

TEST_CASE("promises of indices go into texts for other compilers", "[options]") {
  const Array x = arange(6.).reshape({3, 2}), i = array({0, 2}), u = ones({2, 2}), s = ones({2});
  const lax::GatherDimensionNumbers g{{1}, {0}, {0}};
  const lax::ScatterDimensionNumbers d{{1}, {0}, {0}};
  for (const bool yes : {false, true}) {
    const auto sorted = [&](auto f) { return says("indices_are_sorted", f, x, i) == yes; };
    CHECK(sorted([&](Array y, Array k) { return take(y, k, 0, {"clip", {}, false, yes}); }));
    CHECK(sorted([&](Array y, Array k) {
      return y.at(k).get({.mode = "clip", .indices_are_sorted = yes});
    }));
    CHECK(sorted([&](Array y, Array k) { return y.at(k).set(1., {.indices_are_sorted = yes}); }));
    CHECK(sorted([&](Array y, Array k) {
      return y.at({k, slice(1, 2)}).add(1., {.indices_are_sorted = yes});
    }));
    CHECK(sorted([&](Array y, Array k) {
      return segment_sum(y[slice(2)], k, {.num_segments = 3, .indices_are_sorted = yes});
    }));
    CHECK(sorted([&](Array y, Array k) {
      return lax::gather(y, k[{ellipsis, newaxis}], g, {1, 2},
                         {.mode = "clip", .indices_are_sorted = yes});
    }));
    CHECK(sorted([&](Array y, Array k) {
      return lax::scatter_mul(y, k[{ellipsis, newaxis}], u, d, {.indices_are_sorted = yes});
    }));
    CHECK(sorted([&](Array y, Array k) {
      return lax::scatter_apply(
          y, k[{ellipsis, newaxis}], [](Array e) { return e * e; }, d,
          {.update_shape = {2, 2}, .unique_indices = true, .indices_are_sorted = yes});
    }));
    // Indices of columns that all lanes share are still sorted under a map. If each lane has its
    // own indices, they are not.
    CHECK(sorted([&](Array y, Array k) {
      return vmap([k, yes](Array c) { return c.at(k).set(1., {.indices_are_sorted = yes}); }, 1)(y);
    }));
    CHECK_FALSE(says(
        "indices_are_sorted",
        [&](Array y, Array k) {
          return vmap([yes](Array c, Array l) {
            return c.at(l).set(1., {.indices_are_sorted = yes});
          })(y, minimum(stack({k, k, k}), 1));
        },
        x, i));
    // Indices with a reversed slice are not sorted either.
    CHECK_FALSE(says(
        "indices_are_sorted",
        [&](Array y, Array k) {
          return y.at({k, slice(none, none, -1)}).set(1., {.indices_are_sorted = yes});
        },
        x, i));
    CHECK(says(
              "unique_indices",
              [&](Array y, Array k) { return y.at(k).set(1., {.unique_indices = yes}); }, x,
              i) == yes);
  }
}

TEST_CASE("StableHLO text tells that a sort is stable", "[options]") {
  const Array x = array({2., 1., 2.}), i = array({0, 1, 2});
  for (const bool yes : {false, true}) {
    const auto stable = [&](auto f) { return says("is_stable", f, x, i) == yes; };
    CHECK(stable([&](Array y, Array) { return sort(y, -1, {.stable = yes}); }));
    CHECK(stable([&](Array y, Array) { return argsort(y, -1, {.stable = yes}); }));
    CHECK(stable([&](Array y, Array) { return lax::sort(y, -1, {.is_stable = yes}); }));
    CHECK(stable(
        [&](Array y, Array k) { return lax::sort(Arrays{y, k}, -1, 1, {.is_stable = yes})[1]; }));
    CHECK(stable(
        [&](Array y, Array k) { return lax::sort_key_val(y, k, -1, {.is_stable = yes}).second; }));
    CHECK(stable([&](Array y, Array) {
      return vmap([yes](Array r) { return lax::sort(r, -1, {.is_stable = yes}); })(stack({y, -y}));
    }));
    CHECK(floats(lax::sort(x, -1, {.is_stable = yes})) == Floats{1, 2, 2});
  }
}

TEST_CASE("none says that there is no axis, no array", "[options]") {
  const Array x = array({{1., 2.}, {3., 4.}}), i = array({3, 0});
  CHECK(floats(cumsum(x, none)) == Floats{1, 3, 6, 10});
  CHECK(floats(cumprod(x, none)) == Floats{1, 2, 6, 24});
  CHECK(floats(cummax(x, none, {.reverse = true})) == Floats{4, 4, 4, 4});
  CHECK(floats(cumsum(x, 0)) == Floats{1, 2, 4, 6});
  CHECK(floats(take(x, i, none)) == Floats{4, 1});
  CHECK(floats(take(x, array({1}), -1)) == Floats{2, 4});
  CHECK(floats(take_along_axis(x, i, none)) == Floats{4, 1});
  CHECK(floats(put_along_axis(x, i, array({7., 8.}), none)) == Floats{8, 2, 3, 7});
  CHECK(floats(compress(array({true, false, false, true}), x, none)) == Floats{1, 4});
  CHECK(floats(append(x, array({5.}), none)) == Floats{1, 2, 3, 4, 5});
  CHECK(floats(repeat(x, 2, none)) == Floats{1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(floats(repeat(x, std::vector<int64_t>{1, 0, 2, 0}, none)) == Floats{1, 3, 3});
}

TEST_CASE("arguments stand where NumPy has them", "[options]") {
  const Array y = array({1., 2., 4.});
  CHECK(trapezoid(y).item<float>() == 4.5f);
  CHECK(trapezoid(y, none, 2).item<float>() == 9);
  CHECK(trapezoid(y, array({0., 1., 3.})).item<float>() == 7.5f);
  const Array rows = stack({y, y * 2});
  CHECK(floats(trapezoid(rows, array({0., 1., 3.}))) == Floats{7.5, 15});
  CHECK(floats(trapezoid(rows.T(), array({0., 1., 3.}), 1, 0)) == Floats{7.5, 15});
  CHECK(floats(trapezoid(rows, rows)) == Floats{7.5, 30});
  check_error<ShapeError>([&] { trapezoid(y, 0.5); }, "trapezoid(y, none, dx)");

  const Array x = array({1, 3, 1});
  CHECK(bincount(x).to_vector<int>() == std::vector<int>{0, 2, 0, 1});
  CHECK(floats(bincount(x, y)) == Floats{0, 5, 0, 2});
  CHECK(bincount(x, none, 6).size() == 6);
  CHECK(bincount(x, none, 2).size() == 4);
  CHECK(bincount(x, none, 0, {.length = 3}).to_vector<int>() == std::vector<int>{0, 2, 0});
  CHECK(floats(jit([](Array a, Array w) { return bincount(a, w, 0, {.length = 2}); })(x, y)) ==
        Floats{0, 5});
  check_error<ShapeError>([&] { bincount(x, 5); }, "bincount(x, none, 0, {.length = n})");
  check_error<ShapeError>([&] { bincount(x, none, -1); }, "must not be negative, got -1");
  check_error<ConcretizationError>([&] { jit([](Array a) { return bincount(a); })(x); },
                                   "{.length = n}");
}

TEST_CASE("nn: masks, scales, axes", "[options]") {
  const Array x = array({1., 2., 4.}), mask = array({true, true, false});
  CHECK(floats(nn::softmax(x, -1, {.where = mask}))[2] == 0);
  CHECK_FALSE(equals(nn::log_softmax(x, -1, {.where = mask}), nn::log_softmax(x)));
  CHECK_FALSE(equals(nn::standardize(x, -1, {.epsilon = 1.}), nn::standardize(x)));
  CHECK_FALSE(equals(nn::standardize(x, -1, {.where = mask}), nn::standardize(x)));
  const Array plain = nn::layer_norm(x);
  CHECK(equals(nn::layer_norm(x, -1, {.scale = array({2., 2., 2.})}), plain * 2.));
  CHECK(equals(nn::layer_norm(x, -1, {.bias = array({1., 1., 1.})}), plain + 1.));
  CHECK_FALSE(equals(nn::layer_norm(x, -1, {.epsilon = 1.}), plain));
  CHECK(nn::one_hot(array({1}), 3, {.dtype = I32}).dtype() == I32);
  CHECK(nn::one_hot(array({1, 2}), 3, {.axis = 0}).shape() == Shape{3, 2});
  const Array block = ones({1, 2, 4});
  CHECK(nn::scaled_matmul(block, block, block, block, {.preferred_element_type = BF16}).dtype() ==
        BF16);
  const Array q = reshape(sin(arange(12.)), {1, 3, 1, 4}),
              k = reshape(cos(arange(12.)), {1, 3, 1, 4});
  const Array out = nn::dot_product_attention(q, k, q);
  const Array upper = array({{true, false, false}, {true, true, false}, {true, true, true}});
  CHECK_FALSE(
      equals(nn::dot_product_attention(q, k, q, {.bias = arange(9.).reshape({1, 1, 3, 3})}), out));
  const Array causal = nn::dot_product_attention(q, k, q, {.is_causal = true});
  CHECK_FALSE(equals(causal, out));
  CHECK(allclose(nn::dot_product_attention(q, k, q, {.mask = upper.reshape({1, 1, 3, 3})}), causal)
            .item<bool>());
  CHECK_FALSE(equals(nn::dot_product_attention(q, k, q, {.scale = 2.}), out));
}

TEST_CASE("random: dtypes, bounds, shapes", "[options]") {
  const Array key = random::key(3);
  CHECK(random::bits(key, {3}, {.dtype = U8}).dtype() == U8);
  CHECK(random::uniform(key, {3}, {.dtype = F64}).dtype() == F64);
  const Array far = random::uniform(key, {50}, {.lo = 5., .hi = 6.});
  CHECK((far.min() >= 5.).item<bool>());
  CHECK((far.max() < 6.).item<bool>());
  CHECK(random::randint(key, {3}, 0, 9, {.dtype = U8}).dtype() == U8);
  CHECK(random::normal(key, {3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::exponential(key, {3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::laplace(key, {3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::logistic(key, {3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::cauchy(key, {3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::gumbel(key, {3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::truncated_normal(key, -1., 1., Shape{3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::pareto(key, 2., Shape{3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::rayleigh(key, 2., Shape{3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::weibull_min(key, 2., 2., {3}, {.dtype = F64}).dtype() == F64);
  CHECK(random::lognormal(key, 1., Shape{3}, {.dtype = F64}).dtype() == F64);
  const Array logits = zeros({2, 3});
  CHECK(random::categorical(key, logits, {.axis = 0}).shape() == Shape{3});
  CHECK(random::categorical(key, logits, {.shape = Shape{5, 2}}).shape() == Shape{5, 2});
  const Array rows = arange(20.).reshape({4, 5});
  CHECK(equals(sort(random::permutation(key, rows, {.axis = 1})[0]), rows[0]));
  CHECK_FALSE(equals(random::permutation(key, rows, {.axis = 1})[0], rows[0]));
  const Array mixed = random::permutation(key, rows, {.axis = 1, .independent = true});
  CHECK_FALSE(equals(mixed[0] + 5., mixed[1]));
  CHECK(equals(sort(random::choice(key, 6, {6}, {.replace = false})), arange(6)));
  CHECK(equals(random::choice(key, 3, {5}, {.p = array({0., 1., 0.})}), ones({5}, I32)));
  CHECK(random::choice(key, rows, {2}, {.axis = 1}).shape() == Shape{4, 2});
}
