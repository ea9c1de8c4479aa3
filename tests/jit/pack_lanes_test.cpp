// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/pack_lanes_test.cpp: branches that call a library run for the lanes that take them, and
// give the results of the reference.
#include <functional>
#include <string>

#include "jit/pipeline.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "weft/device/threads.h"
#include "weft/make_jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

using Fn = std::function<Array(Array, Array)>;

// A function that calls a library: its lanes are never one kernel.
Array spectrum(const Array& m) { return abs(linalg::eigvals(m)); }
Array matrices(int64_t lanes) { return random::normal(random::key(3), {lanes, 12, 12}); }

// Returns true if the compiler packs lanes. It then writes their results to the rows of the lanes.
bool packs(const Fn& f, const Array& which, const Array& m) {
  const std::string text = to_string(compiler::rewritten(make_jaxpr(vmap(f))(which, m).jaxpr));
  INFO(text);
  return count(text, "scatter") > 0;
}
// Compares with the reference, which runs one op after another.
void same_as_reference(const Fn& f, const Array& which, const Array& m) {
  Array want;
  {
    const ReferenceMode on;
    want = vmap(f)(which, m);
  }
  CHECK(allclose(jit(vmap(f))(which, m), want, 1e-4, 1e-5).item<bool>());
}

const Fn costly_if_zero = [](Array i, Array m) {
  return cond(i == 0, [](Array x) { return spectrum(x); }, [](Array x) { return x[0]; }, m);
};
const Fn two_costly = [](Array i, Array m) {
  return switch_(i,
                 {[](Array x) { return spectrum(x); }, [](Array x) { return zeros_like(x[1]); },
                  [](Array x) { return spectrum(x.T() + x); }},
                 m);
};
const Fn sorts_if_zero = [](Array i, Array x) {
  return cond(i == 0, [](Array v) { return sort(v); }, [](Array v) { return v; }, x);
};
// Returns the number of lanes in a block of the lanes that take the branch.
int64_t block_of(const Fn& f, const Array& which, const Array& x) {
  const std::string text = jit(vmap(f)).lower(which, x).report(), name = "blocks of ";
  INFO(text);
  const size_t at = text.find(name);
  REQUIRE(at != std::string::npos);
  return std::stoll(text.substr(at + name.size()));
}
// Lane i takes branch i % n.
Array in_turn(int64_t lanes, int n) { return arange(static_cast<int>(lanes)) % n; }

}  // namespace

TEST_CASE("a costly branch runs for the lanes that take it", "[jit]") {
  for (const int64_t lanes : {64, 65, 200}) {
    const Array m = matrices(lanes);
    for (const int n : {1, 2, 37}) {
      same_as_reference(costly_if_zero, in_turn(lanes, n), m);
      same_as_reference(two_costly, in_turn(lanes, n), m);
    }
    same_as_reference(costly_if_zero, in_turn(lanes, 2) + 1, m);  // no lane
  }
  const Array m = matrices(200);
  CHECK(packs(costly_if_zero, in_turn(200, 2), m));
  CHECK(packs(two_costly, in_turn(200, 2), m));
}

TEST_CASE("a branch that sorts runs for the lanes that take it", "[jit]") {
  for (const int64_t lanes : {64, 65, 1000}) {
    const Array x = random::normal(random::key(3), {lanes, 32}), sorted = sort(x);
    const auto f = jit(vmap(sorts_if_zero));
    for (const int n : {1, 2, 37, 1000}) {
      const Array i = in_turn(lanes, n);
      CHECK(array_equal(f(i, x), where((i == 0).reshape({lanes, 1}), sorted, x)).item<bool>());
    }
    CHECK(array_equal(f(ones({lanes}, I32), x), x).item<bool>());  // no lane
  }
  CHECK(packs(sorts_if_zero, in_turn(1000, 2), random::normal(random::key(3), {1000, 32})));
  const Fn largest = [](Array i, Array x) {
    return cond(
        i == 0, [](Array v) { return lax::top_k(v, 4).first; },
        [](Array v) { return reshape(v, {16, 4})[0]; }, x);
  };
  CHECK(packs(largest, in_turn(1000, 2), random::normal(random::key(3), {1000, 64})));
}

TEST_CASE("a block of packed lanes is as short as its launches permit", "[jit]") {
  const auto rows = [](int64_t lanes, int64_t n) {
    return random::normal(random::key(3), {lanes, n});
  };
  CHECK(block_of(sorts_if_zero, in_turn(1000, 2), rows(1000, 32)) > 100);
  CHECK(block_of(sorts_if_zero, in_turn(1000, 2), rows(1000, 512)) == 16);  // rows side by side
  CHECK(block_of(sorts_if_zero, in_turn(250, 2), rows(250, 4096)) == 1);
  const Array large = random::normal(random::key(3), {200, 64, 64});
  CHECK(block_of(costly_if_zero, in_turn(200, 2), large) == 1);
  // One product takes less time for all lanes.
  const Array w = random::normal(random::key(4), {512, 512});
  const Fn product = [w](Array i, Array x) {
    return cond(i == 0, [&](Array v) { return matmul(sort(v), w); }, [](Array v) { return v; }, x);
  };
  CHECK(block_of(product, in_turn(1000, 2), rows(1000, 512)) == 125);
}

TEST_CASE("packed lanes give the same bits on any number of threads", "[jit]") {
  const Array m = random::normal(random::key(3), {200, 32, 32}), i = in_turn(200, 3);
  const auto f = jit(vmap(two_costly));
  const Array want = f(i, m);
  for (const int n : {1, 2, 5}) {
    set_num_threads(n);
    CHECK(array_equal(f(i, m), want).item<bool>());
  }
  set_num_threads(0);
}

TEST_CASE("few lanes and cheap branches are not packed", "[jit]") {
  CHECK_FALSE(packs(costly_if_zero, in_turn(32, 2), matrices(32)));
  const Fn cheap = [](Array i, Array m) {
    return cond(i == 0, [](Array x) { return x.sum(0); }, [](Array x) { return x[0]; }, m);
  };
  CHECK_FALSE(packs(cheap, in_turn(200, 2), matrices(200)));
}

TEST_CASE("lanes that know their number are right", "[jit]") {
  const Fn f = [](Array i, Array m) {
    const Array lane = axis_index("lanes").astype(F32);
    return cond(
        i == 0, [&](Array x) { return spectrum(x) * lane; }, [](Array x) { return x[0]; }, m);
  };
  const Array i = in_turn(200, 2), m = matrices(200);
  const auto mapped = vmap(f, {0, 0}, 0, {.axis_name = "lanes"});
  const Array got = jit(mapped)(i, m);
  CHECK(allclose(got[198], spectrum(m[198]) * 198.f, 1e-4, 1e-4).item<bool>());
  CHECK(array_equal(got[199], m[199][0]).item<bool>());
}

TEST_CASE("lanes that depend on one another are not packed", "[jit]") {
  const Fn f = [](Array i, Array m) {
    const auto mean = [](Array x) { return pmean(spectrum(x), "lanes"); };
    return cond(i == 0, mean, [](Array x) { return x[0]; }, m);
  };
  const Array i = zeros({100}, I32), m = matrices(100);
  const auto mapped = jit(vmap(f, {0, 0}, 0, {.axis_name = "lanes"}));
  const Array mean = jit(vmap(spectrum))(m).mean(0);
  CHECK(allclose(mapped(i, m)[7], mean, 1e-4, 1e-5).item<bool>());
  CHECK_THROWS_WITH(mapped.lower(i, m).compile({.implementations = {{"cond", "expanded"}}}),
                    Catch::Contains("'cond' cannot be expanded here"));
}
