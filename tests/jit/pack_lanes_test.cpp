// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/pack_lanes_test.cpp: branches that call a library run for the lanes that take them, and
// give the results of the reference.
#include <functional>
#include <string>

#include "jit/pipeline.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
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
