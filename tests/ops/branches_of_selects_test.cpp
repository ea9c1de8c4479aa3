// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/branches_of_selects_test.cpp: loops that select between costly values, as JAX writes a
// cond that it has mapped.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr int64_t lanes = 32, size = 24, steps = 12;

struct Search {
  Array position, length, trips;
};

// A step of a search, for all lanes: those in which it has not ended move.
Search stepped(const Search& s, Array matrices) {
  const Array goes_on = s.length > .05f;
  const Array moved = sin(einsum("lij,lj->li", matrices, s.position)) * expand_dims(s.length, 1);
  const Array length = s.length * (moved * moved).sum(1) / (1.f + (moved * moved).sum(1));
  return {where(expand_dims(goes_on, 1), moved, s.position), where(goes_on, length, s.length),
          s.trips + where(goes_on, 1, 0)};
}
Search of_lane(const Search& s, int64_t lane) {
  return {s.position[lane], s.length[lane], s.trips[lane]};
}

}  // namespace

TEST_CASE("costly selects in loops are branches", "[jit][loops]") {
  const Array matrices = random::normal(random::key(1), {lanes, size, size}) * .4f;
  const Search first{random::normal(random::key(2), {lanes, size}), linspace(.04f, 1.f, lanes),
                     zeros({lanes}, I32)};
  const auto counted = [](Array m, Search s) {
    return fori_loop(0, steps, [&](Array, Search c) { return stepped(c, m); }, s);
  };
  const auto compiled = jit(counted).lower(matrices, first);
  INFO(compiled.optimized());
  CHECK(count(compiled.optimized(), "cond[") == 1);
  const Search got = jit(counted)(matrices, first);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Search s = of_lane(first, lane);
    while (s.length.item<float>() > .05f && s.trips.item<int>() < steps) {
      const Search row{expand_dims(s.position, 0), expand_dims(s.length, 0),
                       expand_dims(s.trips, 0)};
      s = of_lane(stepped(row, matrices[slice(lane, lane + 1)]), 0);
    }
    CHECK(got.trips[lane].item<int>() == s.trips.item<int>());
    CHECK(allclose(got.position[lane], s.position, 1e-4, 1e-4).item<bool>());
    CHECK(allclose(got.length[lane], s.length, 1e-4, 1e-4).item<bool>());
  }
}

TEST_CASE("selects in loops stay if a branch is no gain", "[jit][loops]") {
  const auto conds = [](auto step, Array x) {
    const auto loop = [&](Array c) {
      return fori_loop(0, steps, [&](Array, Array y) { return step(y); }, c);
    };
    return count(jit(loop).lower(x).optimized(), "cond[");
  };
  const Array x = random::normal(random::key(3), {lanes, size});
  const Array shared = random::normal(random::key(4), {size, size});
  const Array own = random::normal(random::key(5), {lanes, size, size});
  const auto goes_on = [](Array y) { return expand_dims(y.sum(1) > 0.f, 1); };
  const auto product = [&](Array y) { return einsum("lij,lj->li", own, y); };
  CHECK(conds([&](Array y) { return where(goes_on(y), product(y), y); }, x) == 1);
  // Few operations for each lane.
  CHECK(conds([&](Array y) { return where(goes_on(y), sin(y), y); }, x) == 0);
  // A product with one matrix for all lanes.
  CHECK(conds([&](Array y) { return where(goes_on(y), matmul(y, shared), y); }, x) == 0);
  // The value is read by others, too.
  CHECK(conds(
            [&](Array y) {
              const Array p = product(y);
              return where(goes_on(y), p, y) + p * .1f;
            },
            x) == 0);
  // A mask of each element.
  CHECK(conds([&](Array y) { return where(y > 0.f, product(y), y); }, x) == 0);
  // Lanes read one another.
  CHECK(conds([&](Array y) { return where(goes_on(y), product(flip(y, 0)), y); }, x) == 0);
  // Another value of the loop combines the lanes.
  const auto summed = [&](Array, std::pair<Array, Array> c) {
    const Array y = where(goes_on(c.first), product(c.first), c.first);
    return std::pair{y, c.second + y.sum()};
  };
  const auto loop = [&](Array y) { return fori_loop(0, steps, summed, std::pair{y, zeros({})}); };
  CHECK(count(jit(loop).lower(x).optimized(), "cond[") == 0);
  // The two sides are values of one equation.
  CHECK(conds(
            [&](Array y) {
              const Array p = product(y);
              return where(goes_on(y), p * 2.f, -p);
            },
            x) == 0);
}
