// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/batching/lane_number_test.cpp: axis_index gives a lane the same number wherever it is
// called. The calls are in the bodies of loops, in branches, in calls and in functions with custom
// rules. The maps run whole or in chunks, over mapped and unmapped values.
#include <functional>

#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

using One = std::function<Array(Array)>;
struct Way {
  const char* name;
  std::function<Array(One, Array)> call;
};

// Returns ways to call f that do not change its result.
const std::vector<Way>& ways() {
  static const auto* all = new std::vector<Way>{
      {"alone", [](One f, Array x) { return f(x); }},
      {"jit", [](One f, Array x) { return jit(f)(x); }},
      {"scan",
       [](One f, Array x) {
         return scan([f](Array c, Array row) { return std::pair{c + f(row), c}; }, x * 0.,
                     expand_dims(x, 0))
             .first;
       }},
      {"while",
       [](One f, Array x) {
         return while_loop([](auto s) { return s.first < 1; },
                           [f](auto s) { return std::pair{s.first + 1, f(s.second)}; },
                           std::pair{Array(0), x})
             .second;
       }},
      {"the condition of a while",
       [](One f, Array x) {
         // Counts up in steps of 1/4 while the counter is below the value, then adds the difference
         // that remains.
         const Array q = while_loop([f, x](Array c) { return c < f(x); },
                                    [](Array c) { return c + .25; }, x * 0.);
         return q + (f(x) - q);
       }},
      {"cond", [](One f, Array x) { return cond(x > -1., f, [](Array x) { return x; }, x); }},
      {"custom_jvp",
       [](One f, Array x) {
         return custom_jvp(f, [f](std::tuple<Array> x, std::tuple<Array> dx) {
           return std::pair{f(std::get<0>(x)), std::get<0>(dx)};
         })(x);
       }},
      {"the forward part of custom_vjp",
       [](One f, Array x) {
         return vjp(custom_vjp([](Array x) { return x * 0.; },
                               [f](Array x) { return std::pair{f(x), none}; },
                               [](none_t, Array ct) { return std::tuple{ct}; }),
                    x)
             .first;
       }},
      {"the backward part of custom_vjp",
       [](One f, Array x) {
         return grad(custom_vjp([](Array x) { return x * 0.; },
                                [](Array x) { return std::pair{x * 0., x}; },
                                [f](Array x, Array ct) { return std::tuple{f(x) * ct}; }))(x);
       }},
      {"lane after lane", [](One f, Array x) { return sequential_vmap(f)(x); }},
  };
  return *all;
}

// Checks that f mapped over 5 lanes, in chunks or not, gives `want` under each way nested in each
// other way.
void check_everywhere(One f, VmapOptions o, const Floats& want) {
  const Array x = zeros({5});
  for (const Way& outer : ways())
    for (const Way& inner : ways()) {
      const One in = [&](Array x) { return inner.call(f, x); };
      const One mapped = [&](Array x) { return outer.call(in, x); };
      const One unmapped = [&](Array x) { return x + outer.call(in, Array(0.)); };
      for (const int64_t chunk : {0, 1, 2, 5}) {
        INFO(outer.name << " around " << inner.name << ", chunks of " << chunk);
        o.chunk_size = chunk;
        CHECK(floats(vmap(mapped, 0, 0, o)(x)) == want);
        CHECK(floats(vmap(unmapped, 0, 0, o)(x)) == want);
        if (chunk != 2) continue;
        CHECK(floats(jit(vmap(mapped, 0, 0, o))(x)) == want);
      }
    }
}

}  // namespace

TEST_CASE("axis_index inside bodies", "[vmap][collective]") {
  VmapOptions o;
  o.axis_name = "i";
  check_everywhere([](Array x) { return x + axis_index("i"); }, o, {0, 1, 2, 3, 4});
}

TEST_CASE("numbers that differ between lanes inside bodies", "[vmap][random]") {
  VmapOptions o;
  o.randomness = "different";
  const auto draw = [k = random::key(3)](Array x) { return x + random::uniform(k, {}); };
  const Floats want = floats(vmap(draw, 0, 0, o)(zeros({5})));
  CHECK(want[0] != want[1]);
  check_everywhere(draw, o, want);
}
