// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/batching/masked_loops_test.cpp: a loop in a branch makes no trip for lanes that do not take
// the branch, even if it would never end for them. This holds for any nesting between the branch
// and the loop. A loop that the program does not reach does not run either. Everything here has a
// time limit.
#include <functional>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using One = std::function<Array(Array)>;
constexpr double limit = 20;  // seconds; each of these takes a fraction of one

// Counts down to 0. It never ends for negative values and values that are not integers.
Array down(Array x) {
  const Array n = while_loop([](Array v) { return v != 0.; }, [](Array v) { return v - 1.; },
                             x.ndim() ? x.max() : x);
  return x + n;
}
struct Way {
  const char* name;
  std::function<Array(Array)> call;
};
const std::vector<Way>& ways() {
  static const auto* all = new std::vector<Way>{
      {"a loop", down},
      {"a call", [](Array x) { return jit(down)(x); }},
      {"custom_jvp",
       [](Array x) {
         return custom_jvp(down, [](std::tuple<Array> x, std::tuple<Array> dx) {
           return std::pair{down(std::get<0>(x)), std::get<0>(dx)};
         })(x);
       }},
      {"custom_vjp",
       [](Array x) {
         return custom_vjp(
             down, [](Array x) { return std::pair{down(x), x}; },
             [](Array x, Array ct) { return std::tuple{ct * (down(x) - x + 1.)}; })(x);
       }},
      {"custom_vmap",
       [](Array x) {
         return custom_vmap(
             down, [](int64_t, tree::Mask, Array x) { return std::pair{vmap(down)(x), true}; })(x);
       }},
      {"lane after lane", [](Array x) { return sequential_vmap(down)(x); }},
      {"custom_jvp in a call in a scan",
       [](Array x) {
         const auto f = jit([](Array x) { return ways()[2].call(x); });
         return scan([f](Array c, Array row) { return std::pair{c + f(row), none}; }, x * 0.,
                     expand_dims(x, 0))
             .first;
       }},
      {"the condition of a loop",
       [](Array x) {
         return while_loop(
             [](Array v) {
               const Array s = v.ndim() ? v.max() : v;
               return down(s) < s;
             },
             [](Array v) { return v + 1.; }, x);
       }},
  };
  return *all;
}

}  // namespace

TEST_CASE("loops of lanes on another branch", "[control][hang]") {
  const Array x = array({3., -1., 2., -2.5});
  // Too large to run lane by lane: the lanes run in lockstep.
  const Array wide = broadcast_to(expand_dims(x, 1), {4, 3000});
  const Floats want{3, -1, 2, -2.5};
  for (const Way& way : ways()) {
    INFO(way.name);
    const auto f = [&](Array x) {
      return cond((x.ndim() ? x.max() : x) > 0., way.call, [](Array x) { return x; }, x);
    };
    const auto g = [&](Array x) {
      return switch_(where((x.ndim() ? x.max() : x) > 0., 1, 2),
                     {[](Array x) { return x * 2.; }, One(way.call), [](Array x) { return x; }}, x);
    };
    const auto first = [](Array x) { return x[{slice(), 0}]; };
    CHECK(floats(jit(vmap(f), {.time_limit = limit})(x)) == want);
    CHECK(floats(jit(vmap(g), {.time_limit = limit})(x)) == want);
    CHECK(floats(first(jit(vmap(f), {.time_limit = limit})(wide))) == want);
    CHECK(floats(jit(vmap(vmap(f)), {.time_limit = limit})(x.reshape({2, 2})).ravel()) == want);
    CHECK(floats(jit(vmap(vmap(f), 1, 1), {.time_limit = limit})(x.reshape({2, 2})).ravel()) ==
          want);
  }
}

TEST_CASE("loops of no lanes", "[control]") {
  for (const Way& way : ways()) {
    INFO(way.name);
    const auto f = [&](Array x) { return cond(x > 0., way.call, [](Array x) { return x; }, x); };
    CHECK(jit(vmap(f), {.time_limit = limit})(zeros({0})).shape() == Shape{0});
    CHECK(vmap(f)(zeros({0})).shape() == Shape{0});
  }
}

TEST_CASE("derivatives of rules with loops, for lanes on another branch", "[control][hang]") {
  const Array x = array({3., -1., 2., -2.5});
  for (const size_t k : {2, 3}) {
    INFO(ways()[k].name);
    const auto f = [&](Array x) {
      return cond(x > 0., ways()[k].call, [](Array x) { return x * 5.; }, x);
    };
    const auto sum = [&](Array x) { return vmap(f)(x).sum(); };
    CHECK(floats(jit(vmap(grad(f)), {.time_limit = limit})(x)) == Floats{1, 5, 1, 5});
    CHECK(floats(jit(grad(sum), {.time_limit = limit})(x)) == Floats{1, 5, 1, 5});
  }
}

TEST_CASE("a loop that may not end is not run before one that makes no trip", "[control][hang]") {
  const auto endless = [](Array w) {
    return while_loop([](Array v) { return v != 0.; }, [](Array v) { return v - 1.; }, w);
  };
  const Array x(2.f), w(-1.f);  // endless(w) never ends
  const auto check = [&](const char* what, auto f, float want) {
    INFO(what);
    CHECK(f(x, w).template item<float>() == want);
    CHECK(jit(grad(f), {.time_limit = limit})(x, w).template item<float>() == 1);
    const auto mapped = vmap(grad(f), {0, none});
    CHECK(floats(jit(mapped, {.time_limit = limit})(array({2., 3.}), w)) == Floats{1, 1});
    CHECK(
        jit(grad([&](Array x, Array w) { return f(x, w) * f(x, w); }), {.time_limit = limit})(x, w)
            .template item<float>() == 4);
  };
  for (const int64_t bound : {5, 500})
    check(
        "a bounded loop",
        [=](Array x, Array w) {
          using Two = std::tuple<Array, Array>;
          return std::get<0>(while_loop(
              [](Two c) { return std::get<1>(c) > 100.; },
              [=](Two c) { return Two{std::get<0>(c) * endless(w) * 2., std::get<1>(c)}; },
              Two{x, x * 0.}, {.max_trips = bound}));
        },
        2);
  check(
      "a scan without steps",
      [=](Array x, Array w) {
        return scan([=](Array c, Array) { return std::pair{c * endless(w), none}; }, x, zeros({0}))
            .first;
      },
      2);
  check(
      "a branch not taken in a loop",
      [=](Array x, Array w) {
        return scan(
                   [=](Array c, Array t) {
                     return std::pair{cond(
                                          t > 10., [=](Array c) { return c * endless(w); },
                                          [](Array c) { return c; }, c),
                                      none};
                   },
                   x, array({1., 2.}))
            .first;
      },
      2);
  check(
      "loops in a loop without steps",
      [=](Array x, Array w) {
        return scan(
                   [=](Array c, Array) {
                     return std::pair{
                         fori_loop(0, 3, [=](Array, Array c) { return c * endless(w); }, c), none};
                   },
                   x, zeros({0}))
            .first;
      },
      2);
}
