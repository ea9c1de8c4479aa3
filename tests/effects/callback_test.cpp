// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/effects/callback_test.cpp: pure_callback, io_callback and custom_call. The tests check the
// values and the number of calls that functions of the user get, and their results and exceptions.
#include <fmt/format.h>

#include "effects/printed.h"

using namespace weft;
using namespace weft::test;

namespace {

const ShapeDtypeStruct scalar{{}, F32};

// Callbacks can read the values of their arguments.
Array doubled(Array x) {
  return pure_callback([](Array v) { return Array(2 * v.item<float>()).astype(F32); }, scalar, x);
}

struct Stop {
  int code;
};

// Records the values with which f was called, in order.
struct Log {
  std::vector<float> values;
  Array operator()(Array x) {
    return io_callback(
        [this](Array v) {
          values.push_back(v.item<float>());
          return v + 1.f;
        },
        scalar, x);
  }
};

void axpy(void* const* out, const void* const* in, const BufferType* types) {
  const auto *a = static_cast<const float*>(in[0]), *x = static_cast<const float*>(in[1]),
             *y = static_cast<const float*>(in[2]);
  for (int64_t i = 0; i < types[3].size; ++i) static_cast<float*>(out[0])[i] = a[0] * x[i] + y[i];
}
Array called(Array a, Array x, Array y) { return custom_call("test.axpy", axpy, x, a, x, y); }

}  // namespace

TEST_CASE("pure_callback gives what the function returns", "[effects]") {
  CHECK(doubled(3.).item<float>() == 6);
  CHECK(jit(doubled)(3.).item<float>() == 6);
  const Array x = array({1., 2., 3.});
  CHECK(floats(vmap(doubled)(x)) == Floats{2, 4, 6});
  CHECK(floats(jit(vmap(doubled))(x)) == Floats{2, 4, 6});
  CHECK(floats(vmap(jit(doubled))(x)) == Floats{2, 4, 6});
  CHECK(floats(vmap(doubled, 0, 0, {.chunk_size = 2})(x)) == Floats{2, 4, 6});
  CHECK(floats(vmap(vmap(doubled, 0), 1)(array({{1., 2.}, {3., 4.}}))) == Floats{2, 6, 4, 8});
  // Arguments and results may be trees, and arguments may be other types than Array.
  using Pair = std::pair<Array, std::vector<Array>>;
  const auto sums = [](Pair p, int times) {
    return std::tuple{p.first * times, p.second[0].astype(F64)};
  };
  const auto f = [&](Array a, Array b) {
    return pure_callback(sums, std::tuple{ShapeDtypeStruct{{}, F32}, ShapeDtypeStruct{{2}, F64}},
                         Pair{a, {b}}, 3);
  };
  const auto [s, v] = jit(vmap(f, {0, none}))(array({1., 2.}), array({4., 5.}));
  CHECK(floats(s) == Floats{3, 6});
  CHECK(v.shape() == Shape{2, 2});
  CHECK(v.dtype() == F64);
  CHECK(floats(v) == Floats{4, 5, 4, 5});
}

TEST_CASE("pure_callback in loops and branches, for the lanes that run", "[effects]") {
  int calls = 0;
  const auto counted = [&](Array x) {
    return pure_callback(
        [&calls](Array v) {
          ++calls;
          return v * 2.f;
        },
        scalar, x);
  };
  const auto grown =
      jit(vmap([&](Array x) { return while_loop([](Array v) { return v < 10.; }, counted, x); }));
  CHECK(floats(grown(array({6., 20., 1.}))) == Floats{12, 20, 16});
  CHECK(calls == 5);
  calls = 0;
  const auto chosen =
      jit(vmap([&](Array x) { return cond(x > 2., counted, [](Array v) { return v; }, x); }));
  CHECK(floats(chosen(array({1., 3., 2., 4.}))) == Floats{1, 6, 2, 8});
  CHECK(calls == 2);
  calls = 0;
  const auto scanned = jit([&](Array x) {
    return scan([&](Array c, Array v) { return std::pair(counted(c) + v, c); }, Array(0.f), x)
        .first;
  });
  CHECK(scanned(array({1., 2., 3.})).item<float>() == 11);
  CHECK(calls == 3);
  // A call is dropped if its result is not used, and two equal calls are merged.
  static int all = 0;
  const auto stateless = [](Array x) {
    return pure_callback(
        [](Array v) {
          ++all;
          return v * 2.f;
        },
        scalar, x);
  };
  jit([&](Array x) {
    stateless(x);
    const Array y = sin(x);
    return stateless(y) + stateless(y);
  })(1.);
  CHECK(all == 1);
}

TEST_CASE("io_callback is called as the program says", "[effects]") {
  Log log;
  const auto f = [&](Array x) {
    log(x);
    log(x);
    return log(x + 1.) * 0.;
  };
  const auto g = jit(f);
  g(1.);
  CHECK(log.values == Floats{1, 1, 2});
  log.values.clear();
  jit(vmap(f))(array({1., 5.}));  // each step calls it for all lanes
  CHECK(log.values == Floats{1, 5, 1, 5, 2, 6});
  log.values.clear();
  jit([&](Array x) { return fori_loop(0, 3, [&](Array, Array c) { return log(c); }, x); })(1.);
  CHECK(log.values == Floats{1, 2, 3});
  log.values.clear();
  grad([&](Array x) {
    log(stop_gradient(x));
    return x * x;
  })(3.);
  CHECK(log.values == Floats{3});
  int n = 0;
  jit([&](Array x) {
    io_callback([&n] { ++n; }, none);
    return x;
  })(1.);
  CHECK(n == 1);
}

TEST_CASE("io_callback keeps its order when loop invariants are hoisted", "[effects]") {
  Log log;
  const auto f = [&](Array x) {
    return scan(
               [&](Array c, Array u) {
                 log(stop_gradient(u));
                 return std::pair(c * sin(x) * u, none);
               },
               ones({}), array({1., 2., 3.}))
        .first;
  };
  grad(f)(0.5);
  CHECK(log.values == Floats{1, 2, 3});
  log.values.clear();
  jit(grad(f))(0.5);
  CHECK(log.values == Floats{1, 2, 3});
}

TEST_CASE("the exception of a callback ends the call as it is", "[effects]") {
  const auto stops = [](Array x) {
    return pure_callback(
        [](Array v) -> Array {
          if (v.item<float>() > 1) throw Stop{7};
          return v;
        },
        scalar, x);
  };
  const auto code = [](auto&& f) {
    try {
      f();
    } catch (const Stop& s) {
      return s.code;
    }
    return 0;
  };
  const Array x = array({1., 2., 3.});
  CHECK(code([&] { stops(2.); }) == 7);
  CHECK(code([&] { jit(stops)(2.); }) == 7);
  CHECK(code([&] { vmap(stops)(x); }) == 7);
  CHECK(code([&] { jit(vmap(stops))(x); }) == 7);
  CHECK(code([&] {
          jit([&](Array v) {
            return scan([&](Array c, Array e) { return std::pair(c, stops(e)); }, Array(0.f), v)
                .second;
          })(x);
        }) == 7);
  CHECK(code([&] {
          jit(vmap([&](Array v) {
            return while_loop([](Array c) { return c < 5.; },
                              [&](Array c) { return stops(c) + 1.; }, v);
          }))(x);
        }) == 7);
  CHECK(jit(stops)(1.).item<float>() == 1);  // the failed call does not affect this one
}

TEST_CASE("a callback may call Weft", "[effects]") {
  const auto inner = jit([](Array x) { return sin(x) * 2.; });
  const auto f = jit(vmap([&](Array x) {
    return pure_callback([&](Array v) { return vmap(grad(inner))(v).sum(); }, scalar, x);
  }));
  const Array x = zeros({2, 3});
  CHECK(floats(f(x)) == Floats{6, 6});
  // The ordered prints are only those of its own calls.
  const auto prints = jit([&](Array x) {
    debug_print("before");
    const Array y = pure_callback(
        [](Array v) {
          debug_print("inside {}", v);
          return v;
        },
        scalar, x);
    debug_print("after {}", y);
    return y;
  });
  CHECK(printed([&] { prints(1.); }) == "inside 1.0|before|after 1.0|");
}

TEST_CASE("requirements on callbacks", "[effects]") {
  const auto returns = [](Array result) {
    return [=](Array x) { return pure_callback([=](Array) { return result; }, scalar, x); };
  };
  for (const bool compiled : {false, true}) {
    const auto run = [&](const auto& f) { compiled ? jit(f)(1.) : f(Array(1.f)); };
    check_error<ShapeError>([&] { run(returns(ones({2}))); },
                            "pure_callback: the function returned f32[2] for result 0, f32[] was "
                            "promised (at callback_test.cpp:");
    check_error<DTypeError>([&] { run(returns(ones({}, I32))); },
                            "pure_callback: the function returned i32[] for result 0");
    check_error<ShapeError>(
        [&] {
          run([](Array x) {
            return pure_callback([](Array v) { return std::vector<Array>{v, v}; },
                                 std::vector<Array>{x}, x)[0];
          });
        },
        "pure_callback: the function returned another tree than result_types has");
  }
  const std::string ask = "has no derivative that Weft could know. Give one with custom_jvp";
  check_error<DifferentiationError>([&] { grad(doubled)(1.); },
                                    "pure_callback: the function " + ask);
  check_error<DifferentiationError>([&] { jit(grad(doubled))(1.); }, ask);
  const auto ruled = custom_jvp(doubled, [](std::tuple<Array> x, std::tuple<Array> dx) {
    return std::pair(doubled(std::get<0>(x)), std::get<0>(dx) * 2.);
  });
  CHECK(grad(ruled)(1.).item<float>() == 2);
  CHECK(floats(vmap(grad(ruled))(ones({2}))) == Floats{2, 2});
  // The derivative of this loop runs the body again.
  Log log;
  const auto again = [&](Array x) {
    return while_loop([](Array v) { return v < 3.; },
                      [&](Array v) {
                        log(stop_gradient(v));
                        return v * 2.;
                      },
                      x, {.max_trips = 8});
  };
  check_error<DifferentiationError>([&] { grad(again)(1.); },
                                    "the derivative runs the body again, and an io_callback in it");
}

TEST_CASE("a callback without state is compiled once", "[effects]") {
  const auto program = [] { return to_string(make_jaxpr(doubled)(ones({})).jaxpr); };
  CHECK(program() == program());
  CHECK(holds(program(), "pure_callback[callback=<callback> result_avals=(f32[],)] a"));
}

TEST_CASE("custom_call calls compiled functions", "[effects]") {
  const Array a = array({2., 3.}), x = array({1., 2., 3.}), y = ones({3});
  CHECK(floats(called(a[0], x, y)) == Floats{3, 5, 7});
  CHECK(floats(jit(called)(a[0], x, y)) == Floats{3, 5, 7});
  CHECK(floats(jit(vmap(called, {0, none, none}))(a, x, y)) == Floats{3, 5, 7, 4, 7, 10});
  CHECK(floats(vmap(vmap(called, {none, 0, 0}), {0, none, none})(a, x, y)) ==
        Floats{3, 5, 7, 4, 7, 10});
  check_error<DifferentiationError>(
      [&] { grad([&](Array v) { return called(a[0], v, y).sum(); })(x); },
      "custom_call: 'test.axpy' has no derivative");
  check_error<CompileError>(
      [&] {
        custom_call("test.axpy", [](void* const*, const void* const*, const BufferType*) {}, x, x);
      },
      "custom_call: 'test.axpy' is the name of another function already");
  // The function gets the types of operands and results.
  const auto shapes = [](void* const* out, const void* const* in, const BufferType* t) {
    auto* r = static_cast<int64_t*>(out[0]);
    r[0] = static_cast<int64_t>(t[0].dtype == F64);
    r[1] = t[0].ndim;
    r[2] = t[0].dims[1];
    r[3] = t[1].size;
    *static_cast<bool*>(out[1]) = static_cast<const bool*>(in[1])[0];
  };
  const auto [r, b] = custom_call("test.shapes", shapes,
                                  std::pair{ShapeDtypeStruct{{4}, I64}, ShapeDtypeStruct{{}, Bool}},
                                  zeros({2, 3}, F64), ones({5}, Bool));
  CHECK(floats(r) == Floats{1, 2, 3, 5});
  CHECK(b.item<bool>());
}

TEST_CASE("programs with effects as text", "[effects]") {
  const auto text = [](const auto& f, const auto&... x) {
    return to_string(make_jaxpr(f)(x...).jaxpr);
  };
  const Array x = ones({3});
  const std::string printing = text(
      [](Array v) {
        debug_print("v = {}", v);
        return v;
      },
      x);
  CHECK(printing == "{ lambda ; a:f32[3]. let debug_print[fmt='v = {}'] a in (a,) }");
  const std::string custom = text(called, Array(1.f), x, x);
  CHECK(holds(custom, "custom_call[name=test.axpy result_avals=(f32[3],)] a b c"));
  for (const std::string& t : {printing, custom}) CHECK(to_string(parse_jaxpr(t).jaxpr) == t);
  CHECK(printed([&] { eval_jaxpr(parse_jaxpr(printing), {x}); }) == "v = [1. 1. 1.]|");
  check_error<ParseError>([&] { parse_jaxpr(text(doubled, Array(1.f))); },
                          "a callback cannot be read back from text");
  check_error<ParseError>(
      [] {
        parse_jaxpr(
            "{ lambda ; a:f32[]. let b:f32[] = pure_callback[result_avals=(f32[],)] a "
            "in (b,) }");
      },
      "pure_callback: it has no function");
  check_error<ParseError>([] { parse_jaxpr("{ lambda ; . let custom_call[name=nobody] in () }"); },
                          "custom_call: no function is called 'nobody' in this process");
}
