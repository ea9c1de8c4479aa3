// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/sorting_test.cpp: mapped branches whose lanes are sorted by the sides that they take.
#include <random>
#include <regex>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

Array cdf(Array x) { return 0.5f + 0.5f * lax::erf(x * 0.70710678f); }

// The price of an option of kind 0 to 7.
Array price(Array kind, Array spot, Array vol, Array years) {
  const float rate = .02f;
  const auto d1 = [=](Array s) {
    return (log(s) + (rate + 0.5f * vol * vol) * years) / (vol * sqrt(years));
  };
  const auto d2 = [=](Array s) { return d1(s) - vol * sqrt(years); };
  const auto call = [=](Array s) { return s * cdf(d1(s)) - exp(-rate * years) * cdf(d2(s)); };
  const auto put = [=](Array s) { return exp(-rate * years) * cdf(-d2(s)) - s * cdf(-d1(s)); };
  const auto digital = [=](Array s) { return exp(-rate * years) * cdf(d2(s)); };
  const auto asset = [=](Array s) { return s * cdf(d1(s)); };
  const auto powered = [=](Array s) { return call(power(s, vol + 1.5f)) * exp(-vol * years); };
  const auto barrier = [=](Array s) {
    return asset(s) - power(.8f / s, 2 * rate / square(vol) + 1) * asset(.64f / s);
  };
  const auto tree = [=](Array s) {
    const Array up = exp(vol * sqrt(years / 8.f)), rest = exp(-rate * years / 8.f);
    const Array p = (exp(rate * years / 8.f) - 1.f / up) / (up - 1.f / up);
    const Array ends = maximum(s * power(up, 2.f * arange(9).astype(s.dtype()) - 8.f) - 1.f, 0);
    const auto back = [=](Array, Array v) { return rest * (p * roll(v, -1) + (1.f - p) * v); };
    return fori_loop(0, 8, back, ends)[0];
  };
  const auto implied = [=](Array s) {
    const auto wrong = [=](Array v) { return abs(s * v - 0.3f) > 1e-3f; };
    return while_loop(wrong, [=](Array v) { return v - 0.5f * (s * v - 0.3f); }, s);
  };
  return switch_(kind, std::tuple{call, put, digital, asset, powered, barrier, tree, implied},
                 spot);
}

struct Lanes {
  std::vector<int32_t> kind;
  std::vector<float> spot, vol, years;
  Arrays arrays(DType t) const {
    return {array(kind), array(spot).astype(t), array(vol).astype(t), array(years).astype(t)};
  }
};
Lanes random_lanes(size_t n, const std::function<int32_t(std::mt19937&)>& kind) {
  std::mt19937 g(3);
  const auto from = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(g);
  };
  Lanes x;
  for (size_t l = 0; l < n; ++l) {
    x.kind.push_back(kind(g));
    x.spot.push_back(from(.5f, 1.5f));
    x.vol.push_back(from(.1f, .5f));
    x.years.push_back(from(.1f, 2.f));
  }
  return x;
}

// Returns the schedules of kernels(), without those that sort.
std::string in_order(const std::string& kernels) {
  const std::regex schedule("schedule [0-9a-f]{16}\n(mode [^]*?)band 1\n"), sort("sort[^\n]*\n");
  std::string all;
  for (std::sregex_iterator i(kernels.begin(), kernels.end(), schedule), end; i != end; ++i)
    all += std::regex_replace(i->str(), sort, "");
  return all;
}

}  // namespace

TEST_CASE("lanes of eight kinds in random order", "[jit][sorting]") {
  const auto f = jit(vmap(price));
  for (const DType t : {F32, F64})
    for (const size_t n : {5000, 4096, 12345}) {
      CAPTURE(n, t);
      const Lanes lanes = random_lanes(n, [](auto& g) { return static_cast<int32_t>(g() % 8); });
      const Arrays x = lanes.arrays(t);
      const auto lowered = f.lower(x[0], x[1], x[2], x[3]);
      const std::string kernels = lowered.kernels();
      CHECK(holds(kernels, "\nsort_points "));
      const auto unsorted = lowered.compile({.schedules = in_order(kernels)});
      const Array y = f(x[0], x[1], x[2], x[3]);
      CHECK(isfinite(y).all().item<bool>());
      CHECK(array_equal(y, unsorted(x[0], x[1], x[2], x[3])).item<bool>());
    }
}

TEST_CASE("lanes that rarely take a costly side", "[jit][sorting]") {
  const auto costly = [](Array x) {
    for (int i = 0; i < 12; ++i) x = sin(x) + cos(x * x);
    return x;
  };
  const auto f = jit(vmap([&](Array k, Array x) {
    return cond(k == 0, [&](Array v) { return costly(v); }, [](Array v) { return 2.f * v; }, x);
  }));
  for (const unsigned every : {1U, 2U, 30U, 1000U, 1000000U}) {
    const Lanes lanes =
        random_lanes(20000, [&](auto& g) { return static_cast<int32_t>(g() % every); });
    const Array k = array(lanes.kind), x = array(lanes.spot);
    const auto lowered = f.lower(k, x);
    const std::string kernels = lowered.kernels();
    CHECK(holds(kernels, "\nsort_points "));
    const auto unsorted = lowered.compile({.schedules = in_order(kernels)});
    CHECK(array_equal(f(k, x), unsorted(k, x)).item<bool>());
  }
}

TEST_CASE("sorted lanes read repeated elements", "[jit][sorting]") {
  const auto costly = [](Array x) {
    for (int i = 0; i < 12; ++i) x = sin(x) + cos(x * x);
    return x;
  };
  const auto lane = [&](Array k, Array x, Array y) {
    return cond(k == 0, [&](Array v) { return costly(v); }, [](Array v) { return 2.f * v; }, x) + y;
  };
  const int64_t n = 20000;
  // A lane reads at a quotient of its index, and at a remainder.
  const auto f = jit([&](Array k, Array few, Array eight) {
    return vmap(lane)(k, repeat(few, 4), tile(eight, {n / 8}));
  });
  const Lanes lanes = random_lanes(n, [](auto& g) { return static_cast<int32_t>(g() % 3); });
  const Array k = array(lanes.kind), few = random::uniform(random::key(1), {n / 4}),
              eight = random::uniform(random::key(2), {8});
  const auto lowered = f.lower(k, few, eight);
  const std::string kernels = lowered.kernels();
  CHECK(holds(kernels, "\nsort_points "));
  const auto unsorted = lowered.compile({.schedules = in_order(kernels)});
  CHECK(array_equal(f(k, few, eight), unsorted(k, few, eight)).item<bool>());
}

TEST_CASE("sorted lanes read and write whole rows", "[jit][sorting]") {
  const auto lane = [](Array k, Array x) {
    const auto costly = [](Array v) {
      Array y = v.astype(F32);
      for (int i = 0; i < 12; ++i) y = sin(y) + cos(y * y);
      return (y.sum() * 8.f).astype(v.dtype());
    };
    const Array y = cond(k == 0, costly, [](Array v) { return v.sum(); }, x);
    return std::pair{y, x + y};
  };
  for (const DType t : {F32, F64, I32})
    for (const int64_t n : {3, 8, 16, 19, 32}) {
      CAPTURE(t, n);
      const Lanes lanes = random_lanes(5000, [](auto& g) { return static_cast<int32_t>(g() % 9); });
      const Array k = array(lanes.kind),
                  x = random::uniform(random::key(4), {5000, n}, {.lo = -9, .hi = 9}).astype(t);
      const auto lowered = jit(vmap(lane)).lower(k, x);
      const std::string kernels = lowered.kernels();
      CHECK(holds(kernels, "\nsort_points "));
      const auto unsorted = lowered.compile({.schedules = in_order(kernels)});
      const auto [sum, row] = lowered.compile()(k, x);
      const auto [same_sum, same_row] = unsorted(k, x);
      CHECK(array_equal(sum, same_sum).item<bool>());
      CHECK(array_equal(row, same_row).item<bool>());
    }
}

TEST_CASE("a branch whose lanes are sorted is a kernel of its own", "[jit][sorting]") {
  const auto costly = [](Array x) {
    for (int i = 0; i < 12; ++i) x = sin(x) + cos(x * x);
    return x;
  };
  const auto rare = [&](Array k, Array x) {
    return cond(k < .1f, [&](Array v) { return costly(v); }, [](Array v) { return 2.f * v; }, x);
  };
  const auto cheap = [](Array k, Array x) {
    return cond(k < .1f, [](Array v) { return v * v; }, [](Array v) { return 2.f * v; }, x);
  };
  const auto loop = [](Array x) {
    return fori_loop(0, 40, [](Array, Array v) { return v * .9f + .01f; }, x);
  };
  const auto ended = [](Array x) {
    return while_loop([](Array v) { return v > .05f; }, [](Array v) { return v * .7f; }, x);
  };
  const auto sorted = [](auto f, int64_t lanes) {
    const Array k = random::uniform(random::key(1), {lanes}),
                x = random::uniform(random::key(2), {lanes, 8});
    const auto lowered = jit(vmap(f)).lower(k, x);
    const std::string kernels = lowered.kernels();
    const auto unsorted = lowered.compile({.schedules = in_order(kernels)});
    const Array equal = array_equal(lowered.compile()(k, x), unsorted(k, x));
    CHECK(equal.item<bool>());
    return std::pair{count(lowered.report(), "kernel (loop in the lane)"),
                     count(kernels, "\nsort_points ")};
  };
  const auto chain = [&](auto first, auto last) {
    return [=](Array k, Array x) { return last(first(k, x), x[1]); };
  };
  const auto of_loop = [&](Array k, Array) { return loop(k); };
  const auto of_ended = [&](Array k, Array) { return ended(k); };
  const auto of_sum = [](Array, Array x) { return square(x).sum() - 1.5f; };
  const auto of_rare = [&](Array k, Array x) { return rare(k, x[0]); };
  const auto of_cheap = [&](Array k, Array x) { return cheap(k, x[0]); };
  using Kernels = std::pair<int, int>;
  CHECK(sorted(chain(of_rare, rare), 600) == Kernels{2, 2});
  CHECK(sorted(chain(of_cheap, rare), 600) == Kernels{2, 1});
  CHECK(sorted(chain(of_loop, rare), 600) == Kernels{2, 1});
  CHECK(sorted(chain(of_ended, rare), 600) == Kernels{2, 1});
  CHECK(sorted(chain(of_sum, rare), 600) == Kernels{1, 1});  // the sum is a kernel without a loop
  // A loop that does not decide which side a lane takes may run beside the branch, or behind it.
  CHECK(sorted([&](Array k, Array x) { return rare(k, loop(x[0])); }, 600) == Kernels{1, 1});
  CHECK(sorted([&](Array k, Array x) { return loop(rare(k, x[0])); }, 600) == Kernels{1, 1});
  // Few lanes and cheap sides are not sorted.
  CHECK(sorted(chain(of_rare, rare), 100) == Kernels{1, 0});
  CHECK(sorted(chain(of_rare, cheap), 600) == Kernels{1, 1});
}

TEST_CASE("cheap sides and few lanes keep their order", "[jit][sorting]") {
  const auto f = jit(vmap([](Array k, Array x) {
    return cond(k == 0, [](Array v) { return v * v + 1.f; }, [](Array v) { return 2.f * v; }, x);
  }));
  CHECK_FALSE(holds(f.lower(zeros({20000}, I32), zeros({20000})).kernels(), "\nsort_points "));
  const Array few = zeros({100});
  CHECK_FALSE(
      holds(jit(vmap(price)).lower(zeros({100}, I32), few, few, few).kernels(), "\nsort_points "));
}

namespace {

// A function of a row with four sums, which depend on one another.
Array sums(Array x, float by) {
  for (int k = 0; k < 4; ++k) x = x * tanh(sum(sin(x * by))) + x;
  return x;
}
Array one_of_eight(Array kind, Array x) {
  std::vector<std::function<Array(Array)>> f;
  for (int b = 0; b < 8; ++b)
    f.push_back([b](Array v) { return sums(v, static_cast<float>(b + 1)); });
  return switch_(kind, f, x);
}
// Compares some lanes with the same function of one lane, and returns the report.
std::string report_of_rows(int64_t lanes, int64_t elements) {
  const Array x = random::normal(random::key(1), {lanes, elements}),
              kind = random::randint(random::key(2), {lanes}, 0, 8);
  const auto f = jit(vmap(one_of_eight));
  const Array got = f(kind, x);
  for (const int64_t l : {int64_t{0}, lanes / 2, lanes - 1})
    CHECK(allclose(got[l], one_of_eight(kind[l], x[l]), 1e-4, 1e-4).item<bool>());
  return f.lower(kind, x).report();
}

}  // namespace

TEST_CASE("lanes with sums are sorted by the branch that they take", "[jit]") {
  const std::string text = report_of_rows(1000, 32);
  INFO(text);
  CHECK(count(text, "sort_points") == 1);
}

TEST_CASE("lanes with long rows run their own branch", "[jit]") {
  for (const int64_t n : {127, 128, 1000}) {
    const std::string text = report_of_rows(300, n);
    INFO(text);
    CHECK(count(text, "mode inner") == (n >= 128));
  }
}
