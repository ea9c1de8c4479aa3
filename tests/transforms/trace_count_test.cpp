// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/trace_count_test.cpp: counts the programs that transforms record for nested
// loops and branches. Each level adds a constant number, instead of a multiple of the level before.
#include <fmt/format.h>

#include <functional>
#include <thread>

#include "support/check.h"
#include "tracer/record_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

using One = std::function<Array(Array)>;
using Nest = std::function<Array(One, Array)>;  // a loop or a branch around f, applied to x
using Transform = std::function<Array(One, Array)>;

const std::vector<std::pair<const char*, Nest>>& nests() {
  static const auto* all = new std::vector<std::pair<const char*, Nest>>{
      {"scan",
       [](One f, Array x) {
         const auto step = [f](Array c, Array row) { return std::pair{f(c) * row, c}; };
         const auto [carry, rows] = scan(step, x, array({.5, 1.5, 2.}));
         return carry + rows.sum();
       }},
      // The derivative of this carry begins in the second step, so that each fixed point takes two
      // iterations.
      {"late",
       [](One f, Array x) {
         const auto step = [f, x](std::pair<Array, Array> c, Array row) {
           return std::pair{std::pair{f(c.second) * row, c.first + x}, none};
         };
         return scan(step, std::pair{array(0.), array(1.)}, array({.5, 1.5, 2.})).first.first;
       }},
      {"fori",
       [](One f, Array x) {
         return fori_loop(0, 3, [f](Array i, Array c) { return f(c) + i; }, x);
       }},
      {"while",
       [](One f, Array x) {
         return while_loop([](Array c) { return c < 1.; }, [f](Array c) { return f(c) + c + 1.; },
                           x, {.max_trips = 4});
       }},
      {"long while",
       [](One f, Array x) {
         return while_loop([](Array c) { return c < 1.; }, [f](Array c) { return f(c) + c + 1.; },
                           x, {.max_trips = 100});
       }},
      {"cond", [](One f, Array x) { return cond(x > .5, f, [](Array x) { return x * x; }, x); }},
      {"call", [](One f, Array x) { return jit(f)(x) * x; }},
  };
  return *all;
}
const std::vector<std::pair<const char*, Transform>>& transforms() {
  static const auto* all = new std::vector<std::pair<const char*, Transform>>{
      {"f", [](One f, Array x) { return f(x[0]); }},
      {"jvp", [](One f, Array x) { return jvp(f, std::tuple{x[0]}, std::tuple{x[1]}).second; }},
      {"grad", [](One f, Array x) { return grad(f)(x[0]); }},
      {"grad(grad)", [](One f, Array x) { return grad(grad(f))(x[0]); }},
      {"vmap", [](One f, Array x) { return vmap(f)(x); }},
      {"vmap(vmap)", [](One f, Array x) { return vmap(vmap(f))(stack({x, x})); }},
      {"vmap(grad)", [](One f, Array x) { return vmap(grad(f))(x); }},
      {"grad(vmap)",
       [](One f, Array x) { return grad([f](Array x) { return vmap(f)(x).sum(); })(x); }},
      {"vmap(grad(grad))", [](One f, Array x) { return vmap(grad(grad(f)))(x); }},
  };
  return *all;
}

// Returns f with nests around it, the outermost first.
One nested(One f, const std::vector<Nest>& around) {
  for (size_t d = around.size(); d-- > 0;)
    f = [f, outer = around[d]](Array x) { return outer(f, x); };
  return f;
}
int64_t recorded(const Transform& t, const One& f) {
  clear_caches();
  const int64_t before = programs_recorded();
  make_jaxpr([&](Array x) { return t(f, x); })(array({.3, .9, -.4}));
  return programs_recorded() - before;
}
std::vector<int64_t> by_depth(const Transform& t, const std::vector<Nest>& around) {
  const One inner = [](Array x) { return sin(x) * x; };
  std::vector<int64_t> r;
  for (size_t depth = 1; depth <= around.size(); ++depth)
    r.push_back(recorded(
        t, nested(inner, {around.begin(), around.begin() + static_cast<std::ptrdiff_t>(depth)})));
  return r;
}

}  // namespace

TEST_CASE("traces grow with the depth of nests, not by a factor", "[control][traces]") {
  for (const auto& [kind, nest] : nests())
    for (const auto& [name, transform] : transforms()) {
      INFO(kind << " under " << name);
      const std::vector<int64_t> n = by_depth(transform, std::vector<Nest>(6, nest));
      INFO(fmt::format("{}", fmt::join(n, " ")));
      for (size_t d = 4; d < n.size(); ++d) CHECK(n[d] - n[d - 1] <= n[3] - n[2]);
    }
}

TEST_CASE("traces of different nests in each other", "[control][traces]") {
  std::vector<Nest> around;
  for (size_t d = 0; d < 21; ++d) around.push_back(nests()[d % nests().size()].second);
  for (const auto& [name, transform] : transforms()) {
    INFO(name);
    const std::vector<int64_t> n = by_depth(transform, around);
    INFO(fmt::format("{}", fmt::join(n, " ")));
    // A round through all of them adds as many as the round before, except for a few more patterns.
    CHECK(n[20] - n[13] <= (n[13] - n[6]) * 5 / 4);
  }
}

TEST_CASE("a program is transformed once, until the caches are cleared", "[traces]") {
  const One f = nested([](Array x) { return sin(x); }, {nests()[0].second, nests()[3].second});
  const Transform twice = [](One f, Array x) { return vmap(grad(f))(x); };
  const int64_t first = recorded(twice, f), before = programs_recorded();
  make_jaxpr([&](Array x) { return twice(f, x); })(array({.3, .9, -.4}));
  CHECK(programs_recorded() - before < first);
  CHECK(recorded(twice, f) == first);
}

TEST_CASE("a kept transform is that of the same map", "[control][traces]") {
  // The same body is used under axes of other sizes, masks and chunks.
  const auto f = [](Array x) {
    return fori_loop(0, 2, [](Array, Array c) { return c + psum(c, "i"); }, x);
  };
  const auto over = [&](Array x, VmapOptions o = {}) {
    o.axis_name = "i";
    return floats(vmap(f, 0, 0, o)(x));
  };
  CHECK(over(array({1., 2.})) == Floats{13, 14});
  CHECK(over(array({1., 2., 3.})) == Floats{31, 32, 33});
  CHECK(over(array({1., 2.})) == Floats{13, 14});
  // The body is mapped over another axis of another size, while "i" is around it.
  const auto inner = [](Array x) {
    const auto body = [](Array, Array c) {
      return c * 2. + array({1., 1.}).sum() * 0. + psum(array(1.), "i");
    };
    return vmap([&](Array y) { return fori_loop(0, 1, body, y); })(stack({x, x}));
  };
  for (int64_t n : {2, 3, 5}) {
    const Array x = array(std::vector<float>(static_cast<size_t>(n), 1.f));
    for (float y : floats(vmap(inner, 0, 0, {.axis_name = "i"})(x)))
      CHECK(y == 2 + static_cast<float>(n));
  }
  // The lanes of one map draw the same numbers, and those of the next map draw others.
  const auto draw = [k = random::key(3)](Array x) {
    return fori_loop(0, 1, [k](Array, Array c) { return c + random::uniform(k, {}); }, x);
  };
  for (const char* how : {"same", "different", "same"}) {
    const Floats y = floats(vmap(draw, 0, 0, {.randomness = how})(array({0., 0.})));
    CHECK((y[0] == y[1]) == (how == std::string("same")));
  }
  // A branch masks the loop in one use and not in the other.
  const auto down = [](Array x) {
    return while_loop([](Array v) { return v > 0.; }, [](Array v) { return v - 1.; }, x);
  };
  const auto branch = [&](Array x) { return cond(x > 1., down, [](Array x) { return x; }, x); };
  CHECK(floats(vmap(down)(array({2., .5, 3.}))) == Floats{0, -.5, 0});
  CHECK(floats(vmap(branch)(array({2., .5, 3.}))) == Floats{0, .5, 0});
  CHECK(floats(vmap(down)(array({2., .5, 3.}))) == Floats{0, -.5, 0});
}

TEST_CASE("a rule that transforms while its program is transformed", "[control][traces]") {
  // The rule runs while a cached transform is computed. This must not hold a lock.
  const auto g = custom_vmap(
      [](Array x) { return x * x; },
      [](int64_t, tree::Mask, Array x) {
        clear_caches();
        return std::pair{vmap(grad([](Array y) {
                           return fori_loop(0, 3, [y](Array, Array c) { return c * y; }, y);
                         }))(x),
                         true};
      });
  const auto f = [&](Array x) { return fori_loop(0, 1, [&](Array, Array c) { return g(c); }, x); };
  CHECK(floats(vmap(f)(array({1., 2.}))) == Floats{4, 32});
}

TEST_CASE("transforms on several threads share what is kept", "[traces][threads]") {
  const One f = nested([](Array x) { return sin(x) * x; },
                       {nests()[0].second, nests()[5].second, nests()[3].second});
  const Array x = array({.3, .9, -.4});
  const Floats want = floats(vmap(grad(f))(x));
  std::vector<Floats> got(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < got.size(); ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k) {
        if (t == 0 && k % 5 == 0) clear_caches();
        got[t] = floats(vmap(grad(f))(x));
      }
    });
  for (std::thread& t : threads) t.join();
  for (const Floats& g : got) CHECK(g == want);
}
