// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/effects/print_test.cpp: the text, number and order of the prints of debug_print under each
// transform and in each loop.
#include <fmt/format.h>

#include <thread>

#include "effects/printed.h"

using namespace weft;
using namespace weft::test;

namespace {

// Checks that f prints the same text eagerly, compiled, and mapped inside a compiled function or
// around one.
template <class F>
void check_printed(F f, const Array& x, const std::string& want) {
  CHECK(printed([&] { f(x); }) == want);
  const auto jitted = jit(f);
  CHECK(printed([&] { jitted(x); }) == want);
  CHECK(printed([&] { jitted(x); }) == want);  // tracing alone does not print
}
template <class F>
void check_mapped(F f, const Array& x, const std::string& want) {
  check_printed([=](Array v) { return vmap(f)(v); }, x, want);
  CHECK(printed([&] { vmap(jit(f))(x); }) == want);
  for (int64_t chunk : {1, 2}) {
    INFO("chunks of " << chunk);
    CHECK(printed([&] { vmap(f, 0, 0, {.chunk_size = chunk})(x); }) == want);
    const auto chunked = jit([=](Array v) { return vmap(f, 0, 0, {.chunk_size = chunk})(v); });
    CHECK(printed([&] { chunked(x); }) == want);
  }
}

}  // namespace

TEST_CASE("debug_print prints values", "[effects]") {
  const Array x = array({1., 2., 3.});
  CHECK(printed([] { debug_print("here"); }) == "here|");
  CHECK(printed([&] { debug_print("x = {}", x); }) == "x = [1. 2. 3.]|");
  CHECK(printed([&] { debug_print("{!r}", x); }) == "array([1., 2., 3.], dtype=float32)|");
  CHECK(printed([&] { debug_print("{1} {0}", x[0], x[2]); }) == "3.0 1.0|");
  CHECK(printed([&] { debug_print("{{{:6.2f}|{:>4d}}}", x[1], 7); }) == "{  2.00|   7}|");
  CHECK(printed([&] { debug_print("{} {} {}", true, 3, 0.1); }) == "True 3 0.1|");
  CHECK(printed([&] { debug_print("{}", array({{1, 2}, {3, 4}})); }) == "[[1 2]| [3 4]]|");
  CHECK(printed([&] { debug_print("{}", full({}, 1.5, F16)); }) == "1.5|");
}

TEST_CASE("debug_print prints trees as to_string does", "[effects]") {
  struct Params {
    Array w;
    std::vector<Array> layers;
    int n;
  };
  const Params p{array({1., 2.}), {Array(3), array({true})}, 7};
  const auto both = std::pair(Array(1.5f), p);
  const std::string want = "a " + to_string(p) + " b 0.5 " + to_string(both) + " {c}|";
  const auto say = [](const Params& q, Array x, const std::pair<Array, Params>& r) {
    debug_print("a {} b {} {!r} {{c}}", q, x, r);
    return x;
  };
  CHECK(printed([&] { say(p, 0.5, both); }) == want);
  CHECK(printed([&] { jit(say)(p, 0.5, both); }) == want);
  CHECK(printed([&] { debug_print("{1} {0} {1}", 2, p); }) ==
        to_string(p) + " 2 " + to_string(p) + "|");
  const auto lanes = vmap([](std::pair<Array, Array> v) {
    debug_print("{}", v);
    return v.first;
  });
  CHECK(printed([&] { lanes({array({1, 2}), array({3., 4.})}); }) ==
        to_string(std::pair(Array(1).astype(I32), Array(3.).astype(F32))) + "|" +
            to_string(std::pair(Array(2).astype(I32), Array(4.).astype(F32))) + "|");
  check_error<FormatError>([&] { debug_print("{:.3f}", p); }, "value 0 is a tree");
  check_error<FormatError>([&] { debug_print("{} {}", p); }, "2 fields and 1 value");
  check_error<CheckError>([&] { check(false, "with {}", p); }, "with " + to_string(p));
}

TEST_CASE("debug_print prints at each run", "[effects]") {
  const auto f = [](Array x) {
    debug_print("in {}", x);
    const Array y = x * 2.;
    debug_print("in {}", x);  // equal to the first print
    debug_print("out {}", y);
    return y;
  };
  check_printed(f, Array(2.f), "in 2.0|in 2.0|out 4.0|");
  const auto unused = [](Array x) {
    debug_print("{}", sin(x) * 0.);  // its result is not used
    return x;
  };
  check_printed(unused, zeros({}), "0.0|");
  const auto nested = jit([&](Array x) { return jit(f)(jit(f)(x)); });
  CHECK(printed([&] { nested(Array(1.f)); }) == "in 1.0|in 1.0|out 2.0|in 2.0|in 2.0|out 4.0|");
}

TEST_CASE("debug_print prints lane by lane", "[effects]") {
  const auto two = [](Array x) {
    debug_print("a {}", x);
    debug_print("b {}", x + 1.);
    return x;
  };
  check_mapped(two, arange(3.), "a 0.0|b 1.0|a 1.0|b 2.0|a 2.0|b 3.0|");
  const auto unmapped = [](Array x) {
    debug_print("lane");
    return x;
  };
  check_mapped(unmapped, arange(3.), "lane|lane|lane|");
  const auto matrix = [&](Array x) {
    debug_print("row {}", x);
    return vmap(two)(x);
  };
  check_mapped(matrix, arange(4.).reshape({2, 2}),
               "row [0. 1.]|a 0.0|b 1.0|a 1.0|b 2.0|row [2. 3.]|a 2.0|b 3.0|a 3.0|b 4.0|");
  // The lanes of the inner map are along axis 0.
  const auto columns = [&](Array x) { return vmap(vmap(two, 0), 1)(x); };
  CHECK(printed([&] { jit(columns)(arange(4.).reshape({2, 2})); }) ==
        "a 0.0|b 1.0|a 2.0|b 3.0|a 1.0|b 2.0|a 3.0|b 4.0|");
}

TEST_CASE("debug_print: maps one after another", "[effects]") {
  const auto f = [](Array x) {
    const auto say = [](const char* who) {
      return [who](Array v) {
        debug_print(std::string(who) + " {}", v);
        return v * 2.;
      };
    };
    const Array y = vmap(say("first"))(x);
    debug_print("between {}", y);
    return vmap(say("second"))(y);
  };
  check_printed(f, array({1., 2.}), "first 1.0|first 2.0|between [2. 4.]|second 2.0|second 4.0|");
  check_mapped(f, array({{1., 2.}, {3., 4.}}),
               "first 1.0|first 2.0|between [2. 4.]|second 2.0|second 4.0|"
               "first 3.0|first 4.0|between [6. 8.]|second 6.0|second 8.0|");
}

TEST_CASE("debug_print in a scan", "[effects]") {
  const auto f = [](Array x) {
    const auto step = [](Array c, Array v) {
      debug_print("{} {}", c, v);
      return std::pair(c + v, c);
    };
    const auto [carry, ys] = scan(step, Array(0.f), x);
    debug_print("sum {}", carry);
    return ys;
  };
  check_printed(f, array({1., 2.}), "0.0 1.0|1.0 2.0|sum 3.0|");
  check_mapped(f, array({{1., 2.}, {3., 4.}}), "0.0 1.0|1.0 2.0|sum 3.0|0.0 3.0|3.0 4.0|sum 7.0|");
  // Each step of the loop runs a map.
  const auto mapped = [](Array x) {
    const auto step = [](Array c, Array v) {
      vmap([](Array e) {
        debug_print("{}", e);
        return e;
      })(v);
      return std::pair(c, v);
    };
    return scan(step, Array(0.f), x).second;
  };
  check_printed(mapped, array({{1., 2.}, {3., 4.}}), "1.0|2.0|3.0|4.0|");
}

TEST_CASE("bodies that run only for their effects are unrolled once", "[effects]") {
  for (const int64_t unroll : {1, 2, 3, 0}) {
    const auto f = [=](Array x) {
      scan(
          [](std::tuple<> none_at_all, Array row) {
            debug_print("{}", row);
            return std::pair{none_at_all, std::tuple<>()};
          },
          std::tuple<>(), x, {.unroll = unroll});
      return x;
    };
    const Array x = array({1, 2, 3});
    CHECK(printed([&] { f(x); }) == "1|2|3|");
    CHECK(printed([&] { jit(f)(x); }) == "1|2|3|");
    CHECK(printed([&] { jit(vmap(f))(array({{1, 2}, {3, 4}})); }) == "1|2|3|4|");
  }
}

TEST_CASE("debug_print in a while loop, for the lanes that run", "[effects]") {
  const auto f = [](Array x) {
    return while_loop([](Array v) { return v < 3.; },
                      [](Array v) {
                        debug_print("{}", v);
                        return v + 1.;
                      },
                      x);
  };
  check_printed(f, Array(1.f), "1.0|2.0|");
  check_mapped(f, array({2., 5., 0.}), "2.0|0.0|1.0|2.0|");
  check_mapped([&](Array x) { return vmap(f)(x); }, array({{2., 5.}, {1., 2.}}),
               "2.0|1.0|2.0|2.0|");
  // The condition does not run again for a lane that has finished.
  const auto asked = [](Array x) {
    return while_loop(
        [](Array v) {
          debug_print("test {}", v);
          return v < 3.;
        },
        [](Array v) { return v + 1.; }, x);
  };
  check_printed(asked, Array(1.f), "test 1.0|test 2.0|test 3.0|");
  check_mapped(asked, array({2., 5., 1.}),
               "test 2.0|test 3.0|test 5.0|test 1.0|test 2.0|test 3.0|");
  const auto inner = [](Array x) {  // a loop in a loop
    return fori_loop(
        0, x,
        [](Array i, Array c) {
          return while_loop([](Array v) { return v < 2; },
                            [i](Array v) {
                              debug_print("{} {}", i, v);
                              return v + 1;
                            },
                            c * 0 + i);
        },
        Array(0));
  };
  check_mapped(inner, array({2, 0, 1}), "0 0|0 1|1 1|0 0|0 1|");
}

TEST_CASE("debug_print in branches, for the lanes that take them", "[effects]") {
  const auto f = [](Array x) {
    return cond(
        x > 1.,
        [](Array v) {
          debug_print("more {}", v);
          return v;
        },
        [](Array v) {
          debug_print("less {}", v);
          debug_print("less");
          return -v;
        },
        x);
  };
  check_printed(f, Array(2.f), "more 2.0|");
  check_printed(f, Array(0.f), "less 0.0|less|");
  check_mapped(f, array({0., 2., 1.}), "less 0.0|less|more 2.0|less 1.0|less|");
  check_mapped(f, array({2., 3.}), "more 2.0|more 3.0|");
  // All lanes have the same predicate.
  const auto shared = [&](Array x) {
    return vmap([&](Array v) {
      return cond(
          x[0] > 0.,
          [](Array e) {
            debug_print("{}", e);
            return e;
          },
          [](Array e) { return e; }, v);
    })(x);
  };
  check_printed(shared, array({1., 2.}), "1.0|2.0|");
  check_printed(shared, array({-1., 2.}), "");
  check_mapped(shared, array({{1., 2.}, {-1., 3.}}), "1.0|2.0|");
  const auto switched = [](Array i) {
    const auto say = [](const char* what) {
      return [what](Array v) {
        debug_print(what);
        return v;
      };
    };
    return switch_(i, std::tuple{say("zero"), say("one"), say("two")}, i);
  };
  check_mapped(switched, array({2, 0, 1, 2}), "two|zero|one|two|");
}

TEST_CASE("debug_print prints once in a derivative", "[effects]") {
  const auto f = [](Array x) {
    debug_print("x {}", x);
    const Array y = sin(x);
    debug_print("y {}", y * 0.);
    return y * x;
  };
  const std::string want = "x 0.5|y 0.0|";
  check_printed([&](Array x) { return grad(f)(x); }, Array(0.5f), want);
  check_printed([&](Array x) { return jvp(f, std::tuple(x), std::tuple(x)).second; }, Array(0.5f),
                want);
  check_printed([&](Array x) { return linearize(f, x).second(x); }, Array(0.5f), want);
  check_printed([&](Array x) { return grad(grad(f))(x); }, Array(0.5f), want);
  check_printed([&](Array x) { return grad(jit(f))(x); }, Array(0.5f), want);
  check_mapped([&](Array x) { return grad(f)(x); }, array({0.5, 0.25}), want + "x 0.25|y 0.0|");
  check_printed([&](Array x) { return jacrev([&](Array v) { return vmap(f)(v); })(x); },
                array({0.5, 0.25}), want + "x 0.25|y 0.0|");
}

TEST_CASE("debug_print prints once in the derivative of a loop", "[effects]") {
  const auto by_scan = [](Array x) {
    return scan(
               [](Array c, none_t) {
                 debug_print("{:.1f}", c);
                 return std::pair(sin(c) * c + 1., none);
               },
               x, none, {.length = 3})
        .first;
  };
  check_printed([&](Array x) { return grad(by_scan)(x); }, Array(0.f), "0.0|1.0|1.8|");
  check_mapped([&](Array x) { return grad(by_scan)(x); }, array({0., 1.}),
               "0.0|1.0|1.8|1.0|1.8|2.8|");
  // A short loop stores the residuals of each step. A long one recomputes them in blocks.
  for (int64_t bound : {8, 100}) {
    const auto by_while = [=](Array x) {
      return while_loop([](Array v) { return v < 4.; },
                        [](Array v) {
                          debug_print("{:.2f}", v);
                          return v * 1.5;
                        },
                        x, {.max_trips = bound});
    };
    INFO("at most " << bound);
    check_printed([&](Array x) { return grad(by_while)(x); }, Array(2.f), "2.00|3.00|");
    check_mapped([&](Array x) { return grad(by_while)(x); }, array({3., 9., 2.}),
                 "3.00|2.00|3.00|");
  }
  const auto unbounded = [](Array x) {
    return while_loop([](Array v) { return v < 4.; },
                      [](Array v) {
                        debug_print("{:.2f}", v);
                        return v * 1.5;
                      },
                      x);
  };
  check_printed([&](Array x) { return linearize(unbounded, x).second(x); }, Array(2.f),
                "2.00|3.00|");
  check_printed([&](Array x) { return jvp(unbounded, std::tuple(x), std::tuple(x)).second; },
                Array(2.f), "2.00|3.00|");
  const auto branches = [](Array x) {
    return cond(
        x > 0.,
        [](Array v) {
          debug_print("{:.2f}", v);
          return sin(v);
        },
        [](Array v) { return v * v; }, x);
  };
  check_mapped([&](Array x) { return grad(branches)(x); }, array({1., -1., 2.}), "1.00|2.00|");
}

TEST_CASE("debug_print prints once in a Jacobian", "[effects]") {
  const auto straight = [](Array x) {
    debug_print("{}", x);
    return sin(x) * x.sum();
  };
  const auto nested = [](Array x) {
    return cond(
        x[0] > 0.,
        [](Array v) {
          return scan(
                     [](Array c, Array u) {
                       debug_print("{:.1f}", u);
                       vmap([](Array w) {
                         debug_print("w {:.1f}", w);
                         return w;
                       })(c);
                       return std::pair(c * u, none);
                     },
                     v, v)
              .first;
        },
        [](Array v) { return v; }, x);
  };
  const Array x = array({1., 2.});
  const std::string want = "1.0|w 1.0|w 2.0|2.0|w 1.0|w 2.0|";
  check_printed([&](Array v) { return jacfwd(straight)(v); }, x, "[1. 2.]|");
  check_printed([&](Array v) { return jacrev(straight)(v); }, x, "[1. 2.]|");
  check_printed([&](Array v) { return jacfwd(jacfwd(straight))(v); }, x, "[1. 2.]|");
  check_printed([&](Array v) { return jacfwd(nested)(v); }, x, want);
  check_printed([&](Array v) { return jacrev(nested)(v); }, x, want);
  check_printed([&](Array v) { return jacfwd(jit(nested))(v); }, x, want);
  check_printed([&](Array v) { return hessian([&](Array u) { return nested(u).sum(); })(v); }, x,
                want);
  check_mapped([&](Array v) { return jacfwd(straight)(v); }, array({{1., 2.}, {3., 4.}}),
               "[1. 2.]|[3. 4.]|");
  check_mapped([&](Array v) { return jacfwd(nested)(v); }, array({{1., 2.}, {-3., 4.}, {1., 2.}}),
               want + want);
}

TEST_CASE("functions with rules of their own print once, and where they take part", "[effects]") {
  const auto said = [](Array v) {
    debug_print("{}", v);
    return v * 2;
  };
  const auto by_rule = custom_vmap(said, [said](int64_t n, tree::Mask m, Array v) {
    return std::pair{vmap(said, m.any() ? Axes(0) : Axes(none), 0, {.axis_size = n})(v), true};
  });
  const auto by_jvp = custom_jvp(said, [said](std::tuple<Array> p, std::tuple<Array> t) {
    return std::pair{said(std::get<0>(p)), std::get<0>(t) * 2};
  });
  const auto by_vjp = custom_vjp(
      said, [said](Array v) { return std::pair{said(v), none}; },
      [](none_t, Array ct) { return ct * 2; });
  const auto lane_by_lane = sequential_vmap(said);
  const Array x = array({1., 2.}), fixed = array(5.);
  const auto once = [&](auto f) {
    const auto compiled = jit([=](Array v, Array c) { return v * f(c); });
    check_printed([&](Array v) { return jacfwd([&](Array u) { return compiled(u, fixed); })(v); },
                  x, "5.0|");
    check_mapped(
        [=](Array v) {
          return cond(v > 1., [=](Array u) { return f(u); }, [](Array u) { return u; }, v);
        },
        array({1., 2., 3.}), "2.0|3.0|");
  };
  once(by_rule);
  once(by_jvp);
  once(by_vjp);
  once(lane_by_lane);
}

TEST_CASE("a program that is evaluated prints as it does compiled", "[effects]") {
  const auto f = vmap([](Array x) {
    debug_print("a {}", x);
    debug_print("b {}", x);
    return x;
  });
  const Array x = array({1., 2.});
  const auto c = make_jaxpr(f)(x);
  CHECK(printed([&] { eval_jaxpr(c, {x}); }) == "a 1.0|b 1.0|a 2.0|b 2.0|");
}

TEST_CASE("debug_print of a tangent prints only in forward mode", "[effects]") {
  const auto f =
      custom_jvp([](Array x) { return sin(x); },
                 [](std::tuple<Array> x, std::tuple<Array> dx) {
                   debug_print("dx {}", std::get<0>(dx));
                   return std::pair(sin(std::get<0>(x)), cos(std::get<0>(x)) * std::get<0>(dx));
                 });
  check_printed([&](Array x) { return jvp(f, std::tuple(x), std::tuple(x)).second; }, Array(2.f),
                "dx 2.0|");
  check_printed([&](Array x) { return linearize(f, x).second(x); }, Array(2.f), "dx 2.0|");
  check_error<DifferentiationError>([&] { grad(f)(2.); }, "'debug_print' acts on a tangent");
}

TEST_CASE("prints before an exception are written", "[effects]") {
  const auto f = jit([](Array x) {
    debug_print("before {}", x);
    const Array y = io_callback([](Array) -> Array { throw std::runtime_error("stop"); },
                                ShapeDtypeStruct{{}, F32}, x);
    debug_print("after {}", y);
    return y;
  });
  CHECK(printed([&] { CHECK_THROWS_WITH(f(1.), "stop"); }) == "before 1.0|");
}

TEST_CASE("at most 1 MB is printed in a call", "[effects]") {
  const std::string line(1000, '.');
  const auto f = jit([&](Array x) {
    return fori_loop(
        0, 1100,
        [&](Array, Array c) {
          debug_print(line);
          return c;
        },
        x);
  });
  for (int k = 0; k < 2; ++k) {  // each call prints again
    const std::string text = printed([&] { f(1.); });
    CHECK(count(text, line) == (1 << 20) / 1001);
    CHECK(holds(text, "|weft: 53 more lines are not shown: a call prints at most 1048576 bytes|"));
  }
}

TEST_CASE("prints between joined loops keep their order", "[effects]") {
  const auto f = jit([](Array x) {
    const auto grown = [](Array v) {
      return while_loop([](Array c) { return c < 10.; }, [](Array c) { return c * 2.; }, v);
    };
    const Array y = vmap(grown)(x);
    debug_print("one {}", y);
    debug_print("two {}", x);
    const Array z = vmap(grown)(y - 8.);
    debug_print("three {}", z);
    debug_print("four {}", x);
    return z;
  });
  const Array x = array({3., 5.});
  CHECK(printed([&] { f(x); }) == "one [12. 10.]|two [3. 5.]|three [16. 16.]|four [3. 5.]|");
}

TEST_CASE("threads print whole calls", "[effects]") {
  const auto f = jit([](Array x) {
    return vmap([](Array v) {
      debug_print("{:.0f}", v);
      return v;
    })(x);
  });
  const auto of = [](double k) { return array({k, 5., 6.}); };
  CHECK(printed([&] { f(of(0.)); }) == "0|5|6|");
  const std::string text = printed([&] {
    std::vector<std::thread> threads;
    for (int k = 1; k < 5; ++k)
      threads.emplace_back([&, k] {
        for (int n = 0; n < 50; ++n) f(of(k));
      });
    for (std::thread& t : threads) t.join();
  });
  for (int k = 1; k < 5; ++k) CHECK(count(text, fmt::format("{}|5|6|", k)) == 50);
  CHECK(text.size() == 4 * 50 * 6);
}

TEST_CASE("texts with a mistake are refused at the call", "[effects]") {
  const Array x = ones({2});
  check_error<FormatError>(
      [&] { debug_print("{} {}", x); },
      "debug_print: 2 fields and 1 value, in the text \"{} {}\" (at print_test.cpp:");
  check_error<FormatError>(
      [&] {
        jit([](Array v) {
          debug_print("{:.2f}", v);
          return v;
        })(x);
      },
      "'{:.2f}' formats a real number, and value 0 is f32[2]; {} prints any array");
  // The value of a lane is a scalar.
  CHECK(printed([&] {
          vmap([](Array v) {
            debug_print("{:.1f}", v);
            return v;
          })(x);
        }) == "1.0|1.0|");
}
