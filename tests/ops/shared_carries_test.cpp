// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/shared_carries_test.cpp: scans that compute values of all lanes beside values of each
// lane.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using Belief = std::pair<Array, Array>;  // mean, covariance

// A filter whose covariances do not depend on the measurements.
std::pair<Belief, Array> filtered(Array zs, bool reverse) {
  const Array motion = eye(3) + .1f * eye(3, none, 1), seen = eye(3)[slice(0, 2)];
  const auto step = [&](Belief b, Array z) {
    const Array mean = matmul(motion, b.first);
    const Array cov = matmul(matmul(motion, b.second), motion.T()) + .1f * eye(3);
    const Array innovation = matmul(matmul(seen, cov), seen.T()) + eye(2);
    const Array gain = linalg::solve(innovation, matmul(seen, cov)).T();
    const Array next = mean + matmul(gain, z - matmul(seen, mean));
    return std::pair{Belief{next, cov - matmul(gain, matmul(seen, cov))}, next};
  };
  return scan(step, Belief{zeros({3}), eye(3)}, zs, {.reverse = reverse});
}
// Returns the number of scans over the measurements.
int loops(const std::string& text) { return count(text, "length=20\n"); }

}  // namespace

TEST_CASE("carries of all lanes have a loop of their own", "[jit][loops]") {
  for (bool reverse : {false, true}) {
    const auto all = vmap([=](Array zs) { return filtered(zs, reverse); });
    const Array zs = random::normal(random::key(1), {3000, 20, 2});
    const std::string text = jit(all).lower(zs).optimized();
    INFO(text);
    CHECK(loops(text) == 2);
    CHECK(!holds(jit(all).lower(zs).report(), "lockstep"));
    // A few lanes cost less than a further loop.
    CHECK(loops(jit(all).lower(zs[slice(0, 4)]).optimized()) == 1);
    const auto [last, means] = jit(all)(zs);
    for (int64_t lane : {0, 2999}) {
      const auto [one, path] = jit([=](Array z) { return filtered(z, reverse); })(zs[lane]);
      CHECK(allclose(means[lane], path, 1e-4, 1e-4).item<bool>());
      CHECK(allclose(last.first[lane], one.first, 1e-4, 1e-4).item<bool>());
      CHECK(allclose(last.second[lane], one.second, 1e-4, 1e-4).item<bool>());
    }
  }
}

TEST_CASE("cheap carries stay in their loop", "[jit][loops]") {
  // A counter and a key.
  const auto noisy = vmap([](Array x) {
    const auto step = [](std::pair<Array, Array> s, Array i) {
      const Array c = s.second * .5f + 1.f;
      return std::pair{std::pair{s.first * c + i, c}, s.first.sum()};
    };
    return scan(step, std::pair{x, ones({})}, arange(20.)).second;
  });
  const Array x = random::normal(random::key(2), {3000, 3});
  CHECK(loops(jit(noisy).lower(x).optimized()) == 1);
}
