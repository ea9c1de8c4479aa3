// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/bands_test.cpp: programs that run in blocks of lanes give the results of all lanes at
// once, and keep what they pass from step to step small.
#include <functional>
#include <string>
#include <utility>

#include "core/loops/axis_classes.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "weft/device/threads.h"
#include "weft/make_jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

using Fn = std::function<Array(Array, Array)>;

// Attention of one lane over its rows: two products with a softmax between them.
Array attention(const Array& x, const Array& w) {
  const Array q = dot(x, w), scores = dot(q, x.T()) / 8.f;
  return dot(nn::softmax(scores), x);
}
// Compares all lanes with some of them, which are too few for blocks.
void check_lanes(const Fn& f, const Array& x, const Array& w) {
  const auto mapped = jit(vmap(f, {0, none}));
  const std::string text = mapped.lower(x, w).report();
  INFO(text);
  CHECK(count(text, "blocks of ") > 0);
  const Array all = mapped(x, w);
  for (const int64_t first : {int64_t{0}, x.shape()[0] / 2, x.shape()[0] - 40}) {
    const Array few = mapped(x[slice(first, first + 40)], w);
    CHECK(allclose(all[slice(first, first + 40)], few, 1e-5, 1e-6).item<bool>());
  }
}

Array rows_of(int64_t lanes) { return random::normal(random::key(1), {lanes, 32, 16}); }
Array weights() { return random::normal(random::key(2), {16, 16}); }

}  // namespace

TEST_CASE("products and softmax of many lanes run in blocks", "[jit]") {
  check_lanes(attention, rows_of(2048), weights());
}

TEST_CASE("the last block ends with the last lane", "[jit]") {
  for (const int64_t lanes : {2047, 2049, 2100}) check_lanes(attention, rows_of(lanes), weights());
}

TEST_CASE("the bits of blocks do not depend on the number of threads", "[jit]") {
  const auto f = jit(vmap(attention, {0, none}));
  const Array x = rows_of(2048), w = weights();
  set_num_threads(1);
  const auto one = f(x, w).to_vector<float>();
  set_num_threads(3);
  const auto three = f(x, w).to_vector<float>();
  set_num_threads(0);
  CHECK(one == three);
}

TEST_CASE("a value that depends on all lanes does not run in blocks", "[jit]") {
  const auto f = [](Array x, Array w) {
    const Array y = vmap(attention, {0, none})(x, w);
    return y - y.mean(0);
  };
  const Array x = rows_of(2048), w = weights();
  const Array got = jit(f)(x, w);
  CHECK(abs(got.mean(0)).max().item<float>() < 1e-4);
}

TEST_CASE("a lane that knows its number does not run in blocks", "[jit]") {
  const auto f = [](Array x, Array w) {
    const Array y = vmap(attention, {0, none})(x, w);
    return y * arange(2048).astype(F32).reshape({2048, 1, 1});
  };
  const Array x = rows_of(2048), w = weights();
  const Array got = jit(f)(x, w), one = attention(x[2000], w) * 2000.f;
  CHECK(allclose(got[2000], one, 1e-4, 1e-2).item<bool>());
}

TEST_CASE("blocks pass less than all lanes would", "[jit]") {
  const auto f = jit(vmap(attention, {0, none}));
  const auto lowered = f.lower(rows_of(4096), weights());
  const std::string text = lowered.report();
  INFO(text);
  CHECK(count(text, "blocks of ") == 1);
  // The scores of all lanes.
  CHECK(lowered.compile().memory().temporaries < 4096 * 32 * 32 * 4);
}

TEST_CASE("axes that a library call makes are not lanes", "[jit]") {
  // Each frequency and each eigenvector depends on all elements of the operand.
  const auto spectra = [](Array x) { return Arrays{fft::fft(x)}; };
  const auto vectors = [](Array x) {
    const auto r = linalg::eigh(x);
    return Arrays{r.first, r.second};
  };
  const auto apart = [](const Jaxpr& j) {
    const AxisClasses an(j);
    std::vector<bool> r;
    for (const Atom a : j->out)
      for (int b = 0; b < j->type(a).ndim(); ++b)
        r.push_back(an.runs_apart(an.top().axis(a.index, b)));
    return r;
  };
  CHECK(apart(make_jaxpr(spectra)(zeros({8, 1024})).jaxpr) == std::vector{true, false});
  CHECK(apart(make_jaxpr(vectors)(zeros({8, 40, 40})).jaxpr) ==
        std::vector{true, false, true, false, false});
}

namespace {
// Takes n steps, which call a library.
Array spectra(const Array& n, const Array& m) {
  using State = std::pair<Array, Array>;
  const auto more = [n](const State& s) { return s.first < n; };
  const auto step = [](const State& s) {
    return State{s.first + 1, s.second * 0.5f + abs(linalg::eigvals(s.second)) / 12.f};
  };
  return while_loop(more, step, State{array(0), m}).second.sum(0);
}
}  // namespace

TEST_CASE("lanes of a costly loop do not wait for each other", "[jit]") {
  const auto f = vmap(spectra);
  for (const int lanes : {64, 67, 200}) {
    const Array m = random::normal(random::key(3), {lanes, 12, 12});
    for (const int n : {1, 2, 9}) {
      const Array trips = arange(lanes) % n;
      Array want;
      {
        const ReferenceMode on;
        want = f(trips, m);
      }
      CHECK(allclose(jit(f)(trips, m), want, 1e-4, 1e-5).item<bool>());
    }
  }
  const Array m = random::normal(random::key(3), {200, 12, 12});
  CHECK(count(jit(f).lower(arange(200), m).report(), "blocks of ") > 0);
  // Steps of a few elementwise operations wait: launches would take longer.
  const auto cheap = [](Array n, Array x) {
    return while_loop([n](Array y) { return y.sum() < n; }, [](Array y) { return y + 1; }, x);
  };
  const Array x = zeros({200, 40});
  CHECK(count(jit(vmap(cheap)).lower(arange(200), x).report(), "blocks of ") == 0);
}

TEST_CASE("lanes of a loop that share a product run together", "[jit]") {
  const auto f = [](Array n, Array x, Array w) {
    using State = std::pair<Array, Array>;
    return while_loop([n](const State& s) { return s.first < n; },
                      [w](const State& s) { return State{s.first + 1, tanh(dot(s.second, w))}; },
                      State{array(0), x})
        .second;
  };
  const Array x = random::normal(random::key(1), {64, 256}),
              w = random::normal(random::key(2), {256, 256});
  const auto mapped = jit(vmap(f, {0, 0, none}));
  CHECK(count(mapped.lower(arange(64), x, w).report(), "blocks of ") == 0);
}
