// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/scatter_test.cpp: scatters whose operand has no place for an update.
#include "support/check.h"
#include "weft/tracer/eval_trace.h"

using namespace weft;

TEST_CASE("Nothing is written to an empty operand, wherever indices are clamped to") {
  const auto scattered = [](auto scatter, const char* mode) {
    return [=](Array x, Array u) { return scatter(x, zeros({9, 1}, I32), u, mode); };
  };
  const auto added = [](Array x, Array i, Array u, const char* mode) {
    return lax::scatter_add(x, i, u, {{1}, {0}, {0}}, {.mode = mode});
  };
  const auto largest = [](Array x, Array i, Array u, const char* mode) {
    return lax::scatter_max(x, i, u, {{1}, {0}, {0}}, {.mode = mode});
  };
  const Array x = zeros({0, 1}), u = ones({9, 1});
  const auto check_empty = [&](auto f) {
    CHECK(jit(f)(x, u).shape() == Shape{0, 1});
    {
      const ReferenceMode on;
      CHECK(f(x, u).shape() == Shape{0, 1});
    }
    const auto [out, pull] = vjp(f, x, u);
    const auto cotangents = pull(out);
    CHECK(bool((std::get<1>(cotangents) == 0.).all()));
    CHECK(jvp(f, std::tuple(x, u), std::tuple(x, u)).second.shape() == Shape{0, 1});
    CHECK(jit(vmap(f))(zeros({3, 0, 1}), ones({3, 9, 1})).shape() == Shape{3, 0, 1});
  };
  for (const char* mode : {"clip", "drop"}) {
    check_empty(scattered(added, mode));
    check_empty(scattered(largest, mode));
  }
}
