// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/narrow_scatter_test.cpp: scatters combine updates of narrow floats in F32 in
// their order. The result is rounded once, together with the old value, in each implementation.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

// Combines the updates of each element in F32. Indices beyond the size are dropped.
Array by_hand(const Array& x, const Array& i, const Array& u, bool product) {
  const Floats old = floats(x), updates = floats(u);
  const std::vector<int> at = i.to_vector<int>();
  const size_t width = old.size() / static_cast<size_t>(x.shape()[0]);
  Floats sums(old.size(), product ? 1.F : -0.F), out = old;
  std::vector<bool> any(old.size());
  for (size_t k = 0; k < updates.size(); ++k) {
    const size_t to = static_cast<size_t>(at[k / width]) * width + k % width;
    if (to >= old.size()) continue;
    sums[to] = product ? sums[to] * updates[k] : sums[to] + updates[k];
    any[to] = true;
  }
  for (size_t k = 0; k < out.size(); ++k)
    if (any[k]) out[k] = product ? old[k] * sums[k] : old[k] + sums[k];
  return array(out).astype(x.dtype()).reshape(x.shape().sizes());
}
bool same(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && floats(a) == floats(b);
}

struct Sizes {
  int64_t places, width, updates;
};

}  // namespace

TEST_CASE("scatters of narrow floats are rounded once", "[narrow]") {
  // The sizes cover all implementations: unrolled, with an F32 copy of the array, by the first of
  // few updates, and by slots. The updates are rows or single numbers.
  for (const Sizes& s : {Sizes{5, 1, 6}, Sizes{5, 1, 200}, Sizes{5, 7, 200}, Sizes{40000, 1, 30},
                         Sizes{5000, 9, 30}, Sizes{60000, 1, 300}, Sizes{9000, 9, 300}})
    for (const DType d : {F16, BF16}) {
      INFO(short_name(d) << ": " << s.updates << " updates of " << s.width << " to " << s.places);
      const auto keys = random::split(random::key(static_cast<uint64_t>(s.places + s.updates)), 3);
      std::vector<int64_t> shape = {s.places}, updates = {s.updates};
      if (s.width > 1) shape.push_back(s.width), updates.push_back(s.width);
      const Array x = random::normal(keys[0], shape).astype(d),
                  u = (1. + 0.3 * random::normal(keys[1], updates)).astype(d);
      // Most updates share an index with another one.
      const Array i = random::randint(keys[2], {s.updates}, 0, 5) * (s.places / 4);
      const auto add = [](Array x, Array i, Array u) { return x.at(i).add(u, {.mode = "drop"}); };
      const auto mul = [](Array x, Array i, Array u) {
        return x.at(i).multiply(u, {.mode = "drop"});
      };
      CHECK(same(add(x, i, u), by_hand(x, i, u, false)));
      CHECK(same(jit(add)(x, i, u), by_hand(x, i, u, false)));
      CHECK(same(mul(x, i, u), by_hand(x, i, u, true)));
      CHECK(same(jit(mul)(x, i, u), by_hand(x, i, u, true)));
      // The lanes have their own indices, or share them.
      const Array x2 = stack({x, x + 1.}).astype(d), u2 = stack({u, flip(u, 0)}),
                  i2 = stack({i, flip(i)});
      const auto lane = [&](int64_t k, bool own) {
        return by_hand(x2[k], own ? i2[k] : i, u2[k], false);
      };
      CHECK(same(jit(vmap(add))(x2, i2, u2), stack({lane(0, true), lane(1, true)})));
      CHECK(same(jit(vmap(add, {0, none, 0}))(x2, i, u2), stack({lane(0, false), lane(1, false)})));
      // The carry of this loop is updated in place.
      const auto loop = jit([&](Array x, Array i, Array u) {
        return fori_loop(0, 3, [&](Array, Array c) { return add(c, i, u); }, x);
      });
      Array want = x;
      for (int k = 0; k < 3; ++k) want = by_hand(want, i, u, false);
      CHECK(same(loop(x, i, u), want));
    }
}

TEST_CASE("elements without an update keep their bits", "[narrow]") {
  const Array x = array({-0., 1., -0.}, F16);
  const Array out = x.at(zeros({20}, I32)).add(zeros({20}, F16));
  CHECK(signbit(out).to_vector<bool>() == std::vector<bool>{false, false, true});
}
