// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/effects/sink_test.cpp: lax::dce_sink keeps the computation of its operands, by itself and
// in maps, loops, branches and derivatives.
#include "effects/printed.h"

using namespace weft;
using namespace weft::test;

namespace {

// Counts how often a value is computed by a call of a function that may be dropped.
struct Counted {
  int calls = 0;
  Array operator()(Array x) {
    return pure_callback(
        [this](Array v) {
          ++calls;
          return v;
        },
        x, x);
  }
};

}  // namespace

TEST_CASE("a sink keeps its operands from being removed", "[effects][sink]") {
  Counted dropped, kept;
  const auto f = jit([&](Array x) {
    (void)dropped(x);
    lax::dce_sink(std::pair(kept(x), x));
    return x + 1;
  });
  CHECK(f(1.).item<float>() == 2);
  CHECK(dropped.calls == 0);
  CHECK(kept.calls == 1);
  CHECK(f.lower(1.).jaxpr().find("dce_sink") != std::string::npos);
}

TEST_CASE("a sink under every transform", "[effects][sink]") {
  Counted kept;
  const auto f = [&](Array x) {
    lax::dce_sink(kept(stop_gradient(x)));
    return x * x;
  };
  CHECK(array_equal(vmap(f)(array({1., 2.})), array({1., 4.})));
  CHECK(kept.calls == 2);
  CHECK(array_equal(jit(vmap(grad(f)))(array({1., 2., 3.})), array({2., 4., 6.})));
  CHECK(kept.calls == 5);
  CHECK(jit([&](Array x) { return fori_loop(0, 3, [&](Array, Array c) { return f(c); }, x); })(2.)
            .item<float>() == 256);
  CHECK(kept.calls == 8);
  const auto branch = [&](Array x) { return cond(x > 0, f, [](Array v) { return v; }, x); };
  CHECK(array_equal(jit(branch)(-2.), array(-2., F32)));
  CHECK(kept.calls == 8);
}

TEST_CASE("StableHLO of a map has no sinks", "[effects][sink]") {
  const auto f = [](Array x) {
    lax::dce_sink(x);
    return x + 1;
  };
  const std::string text = jit(vmap(f)).lower(ones({3})).stablehlo();
  CHECK(text.find("stablehlo.add") != std::string::npos);
  CHECK(text.find("custom_call") == std::string::npos);
}
