// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/jit_test.cpp: retracing, donation, threads and limits.
#include <atomic>
#include <limits>
#include <thread>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Config {
  Array w;
  int steps = 2;
};
}  // namespace

TEST_CASE("one trace for each kind of arguments", "[jit]") {
  int traces = 0;
  const auto f = jit([&](Array x, Array s) {
    ++traces;
    return x * s;
  });
  const Array x = array({1., 2.});
  CHECK(floats(f(x, 0.5)) == Floats{0.5, 1});
  CHECK(floats(f(x * 2, 0.6)) == Floats{1.2f, 2.4f});
  CHECK(traces == 1);
  f(x, array(std::vector<float>{2.f})[0]);  // not weakly typed
  CHECK(traces == 2);
  f(zeros({3}), 0.5);
  f(zeros({2}, F64), 0.5);
  CHECK(traces == 4);
  const std::vector copies(2, f);
  copies[1](x, 0.7);
  CHECK(traces == 4);
}

TEST_CASE("static values, sizes and keys are part of the kind", "[jit]") {
  int traces = 0;
  const auto f = jit([&](const Config& c, const std::string& mode, std::vector<Array> xs) {
    ++traces;
    Array y = c.w;
    for (int i = 0; i < c.steps; ++i) y = y * 2;
    if (mode == "neg") y = -y;
    for (const Array& x : xs) y = y + x;
    return y;
  });
  CHECK(f({1., 2}, "pos", {}).item<float>() == 4);
  CHECK(f({1., 3}, "pos", {}).item<float>() == 8);
  CHECK(f({1., 3}, "neg", {}).item<float>() == -8);
  CHECK(f({1., 3}, "neg", {1., 2.}).item<float>() == -5);
  CHECK(traces == 4);
  CHECK(f({2., 3}, "neg", {1., 2.}).item<float>() == -13);
  CHECK(traces == 4);
}

TEST_CASE("callables without state share their programs", "[jit]") {
  static int traces = 0;
  traces = 0;
  const auto make = [] {
    return jit(vmap([](Array x) {
      ++traces;
      return x + 1;
    }));
  };
  make()(zeros({2}));
  make()(zeros({2}));
  CHECK(traces == 1);
  const auto other_axes = [](int axis) {
    return jit(vmap(
        [](Array x) {
          ++traces;
          return x + 2;
        },
        axis));
  };
  other_axes(0)(zeros({2, 2}));
  other_axes(1)(zeros({2, 2}));
  other_axes(0)(zeros({2, 2}));
  CHECK(traces == 3);
}

TEST_CASE("captured arrays are constants, captured tracers operands", "[jit]") {
  Array w = array({1., 2.});
  const auto f = jit([&](Array x) { return x * w; });
  CHECK(floats(f(2.)) == Floats{2, 4});
  w = array({5., 5.});
  CHECK(floats(f(2.)) == Floats{2, 4});  // the value is read during the trace
  const auto outer = [](Array x) { return jit([&](Array y) { return x * y; })(3.); };
  CHECK(grad(outer)(2.).item<float>() == 3);
  CHECK(floats(vmap(outer)(array({1., 2.}))) == Floats{3, 6});
  CHECK(jit(outer)(2.).item<float>() == 6);
}

TEST_CASE("an output that is an input shares its memory", "[jit]") {
  const Array x = ones({100});
  const auto [a, b, c] = jit([](Array x) { return std::tuple{x, x * 2, 3.}; })(x);
  CHECK(a.data<float>().data() == x.data<float>().data());
  CHECK(floats(b) == Floats(100, 2));
  CHECK(c.weak_type());
}

TEST_CASE("donated arguments are used up", "[jit]") {
  const auto step =
      jit([](Config c, Array x) { return c.w + x; }, {.donate_argnums = {0}, .name = "step"});
  Config c{ones({100})};
  const Array kept = ones({100});
  step(c, kept);
  CHECK(kept.to_vector<float>()[0] == 1);
  check_error<DeviceError>([&] { c.w.to_vector<float>(); },
                           "has been deleted: its memory was donated to 'step'");
  check_error<DeviceError>([&] { step(c, kept); }, "step");
  check_error<DeviceError>([&] { jit([](Array x) { return x; }, {.donate_argnums = {1}})(1.); },
                           "names argument 1, but the function takes 1");
  // Donation is ignored inside a trace.
  const Array x = ones({100});
  CHECK(vmap([&](Array y) { return step({y}, 1.); })(x).shape() == Shape{100});
  CHECK(x.to_vector<float>()[0] == 1);
}

TEST_CASE("options are obeyed or refused", "[jit]") {
  const auto f = [](Array x) { return sqrt(x) + 1; };
  CHECK(jit(f, {.device = "cpu"})(4.).item<float>() == 3);
  check_error<DeviceError>([&] { jit(f, {.device = "tpu:9"}); }, "there is no device 'tpu:9'");
  check_error<CompileError>([&] { jit(f, {.time_limit = -1}); },
                            "time_limit must be a number of seconds");
  CHECK(jit(f, {.check_nans = true})(4.).item<float>() == 3);
  check_error<CheckError>([&] { jit(f, {.name = "root", .check_nans = true})(-4.); },
                          "nan) encountered in jit 'root'");
  check_error<CheckError>([&] { jit(f, {.check_nans = true})(-4.); }, "made by 'sqrt' on f32[]");
  CHECK(jit([](Array x, Array) { return x; }, {.keep_unused = true})(4., 5.).item<float>() == 4);
}

TEST_CASE("a function that calls itself raises", "[jit]") {
  Function<Array(Array)> self;
  const auto f = jit([&](Array x) { return self(x) + 1; }, {.name = "loop"});
  self = f;
  check_error<CompileError>([&] { f(1.); }, "jit 'loop'");
  check_error<CompileError>([&] { f(1.); }, "calls itself with the same types of arguments");
  self = {};
}

TEST_CASE("an exception leaves no state behind", "[jit]") {
  bool fail = true;
  int traces = 0;
  const auto f = jit([&](Array x) {
    ++traces;
    if (fail) throw std::runtime_error("user");
    return x + 1;
  });
  CHECK_THROWS_WITH(f(1.), "user");
  fail = false;
  CHECK(f(1.).item<float>() == 2);
  CHECK(traces == 2);
  CHECK((Array(1.) + 1).item<float>() == 2);
}

TEST_CASE("threads that miss together trace once", "[jit]") {
  std::atomic<int> traces = 0;
  const auto f = jit([&](Array x) {
    ++traces;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return x + 1;
  });
  std::vector<std::thread> all;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) all.emplace_back([&] { right += f(1.).item<float>() == 2; });
  for (std::thread& t : all) t.join();
  CHECK(right == 4);
  CHECK(traces == 1);
}

TEST_CASE("two functions that trace each other on two threads do not wait for ever", "[jit]") {
  Function<Array(Array)> f, g;
  std::atomic<int> inside = 0;
  const auto meet = [&] {
    ++inside;
    for (int i = 0; i < 1000 && inside < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  thread_local int depth = 0;
  const auto body = [&](Array x, Function<Array(Array)>& other) {
    if (depth > 0) return x + 1;
    ++depth;
    meet();
    const Array y = other(x);
    --depth;
    return y;
  };
  f = jit([&](Array x) { return body(x, g); });
  g = jit([&](Array x) { return body(x, f); });
  std::atomic<int> right = 0;
  std::thread a([&] { right += f(1.).item<float>() == 2; });
  std::thread b([&] { right += g(1.).item<float>() == 2; });
  a.join();
  b.join();
  CHECK(right == 2);
}

TEST_CASE("the size of a named axis is part of the kind", "[jit]") {
  int traces = 0;
  const auto f = jit([&](Array x) {
    ++traces;
    return x + 1;
  });
  const auto mapped = [&](int64_t n) { vmap(f, 0, 0, {.axis_name = "i"})(zeros({n})); };
  mapped(2);
  mapped(2);
  CHECK(traces == 1);
  mapped(3);
  CHECK(traces == 2);
}

TEST_CASE("make_jaxpr shows the program", "[jit]") {
  const ClosedJaxpr c = make_jaxpr([](Array x, int n) { return x * x + n; })(zeros({3}), 2);
  CHECK(to_string(c).find("mul a a") != std::string::npos);
  CHECK(c.in_types() == Types{Type(F32, {3})});
  CHECK(floats(eval_jaxpr(c, {array({1., 2., 3.})})[0]) == Floats{3, 6, 11});
  check_error<ShapeError>([&] { eval_jaxpr(c, {zeros({4})}); },
                          "argument 0 must be f32[3], got f32[4]");
}
