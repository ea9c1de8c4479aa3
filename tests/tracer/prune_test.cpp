// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tracer/prune_test.cpp: what is left of programs of which not everything is read.
#include "tracer/prune.h"

#include "jit/pipeline.h"
#include "support/check.h"
#include "tracer/record_trace.h"
#include "weft/make_jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

// The program with the outputs that are marked.
std::string pruned(const ClosedJaxpr& c, const std::vector<bool>& outputs) {
  return to_string(prune(open_constants(c.jaxpr), outputs));
}
int equations_of(const std::string& program, const std::string& op) {
  return count(program, " = " + op);
}

}  // namespace

TEST_CASE("a scan computes the rows and carries that are read", "[prune]") {
  // The second carry reads the first one. Nothing reads the third but itself.
  const auto f = [](Array x, Array rows) {
    const auto step = [](const std::tuple<Array, Array, Array>& c, Array row) {
      const auto& [a, b, d] = c;
      return std::pair(std::tuple(sin(a), b + a, cos(d) * row), std::tuple(exp(row), tan(a)));
    };
    const auto [c, ys] = scan(step, std::tuple(x, x, x), rows);
    return std::tuple(std::get<0>(c), std::get<1>(c), std::get<2>(c), std::get<0>(ys),
                      std::get<1>(ys));
  };
  const Array x = arange(3).astype(F32), rows = arange(12).astype(F32).reshape({4, 3});
  const ClosedJaxpr c = make_jaxpr(f)(x, rows);
  const auto holds = [&](std::vector<bool> outputs, const std::vector<std::string>& ops) {
    const std::string text = pruned(c, outputs);
    INFO(text);
    for (const std::string op : {"sin", "add", "cos", "exp", "tan"})
      CHECK(equations_of(text, op) == std::ranges::count(ops, op));
  };
  holds({true, false, false, false, false}, {"sin"});
  holds({false, true, false, false, false}, {"sin", "add"});
  holds({false, false, true, false, false}, {"cos"});
  holds({false, false, false, true, false}, {"exp"});
  holds({false, false, false, false, true}, {"sin", "tan"});
  holds({true, true, true, true, true}, {"sin", "add", "cos", "exp", "tan"});
  const auto second = [&](Array a, Array r) { return std::get<1>(f(a, r)); };
  CHECK(allclose(jit(second)(x, rows), second(x, rows)));
}

TEST_CASE("a while loop keeps the carries that its condition reads", "[prune]") {
  const auto f = [](Array x) {
    const auto go = [](const std::tuple<Array, Array, Array>& c) { return std::get<0>(c) < 5; };
    const auto step = [](const std::tuple<Array, Array, Array>& c) {
      const auto& [i, a, b] = c;
      return std::tuple(i + 1, sin(a), cos(b));
    };
    const auto [i, a, b] = while_loop(go, step, std::tuple(Array(0), x, x));
    return std::tuple(i, a, b);
  };
  const Array x = arange(3).astype(F32);
  const ClosedJaxpr c = make_jaxpr(f)(x);
  const std::string text = pruned(c, {false, true, false});
  INFO(text);
  CHECK(equations_of(text, "sin") == 1);
  CHECK(equations_of(text, "add") == 1);
  CHECK(equations_of(text, "cos") == 0);
  const auto second = [&](Array a) { return std::get<1>(f(a)); };
  CHECK(allclose(jit(second)(x), second(x)));
}

TEST_CASE("branches compute the results that are read", "[prune]") {
  const auto f = [](Array i, Array x) {
    return cond(
        i > 0, [](Array v) { return std::tuple(sin(v), exp(v)); },
        [](Array v) { return std::tuple(cos(v), v); }, x);
  };
  const Array i(1), x = arange(3).astype(F32);
  const std::string text = pruned(make_jaxpr(f)(i, x), {true, false});
  INFO(text);
  CHECK(equations_of(text, "sin") == 1);
  CHECK(equations_of(text, "cos") == 1);
  CHECK(equations_of(text, "exp") == 0);
}

TEST_CASE("a loop that returns a carry as it is does not run for it", "[prune]") {
  const auto f = [](Array n, Array x) {
    const auto step = [](Array, const std::tuple<Array, Array>& c) {
      return std::tuple(std::get<0>(c), std::get<1>(c) + 1.f);
    };
    return std::get<0>(fori_loop(0, n, step, std::tuple(x, x))) + 2.f;
  };
  const Array n(4), x = arange(3).astype(F32);
  const std::string text = pruned(make_jaxpr(f)(n, x), {true});
  INFO(text);
  CHECK(equations_of(text, "while") == 0);
  CHECK(equations_of(text, "add") == 1);
  CHECK(array_equal(jit(f)(n, x), x + 2.f).item<bool>());
}

TEST_CASE("pruned loops still print", "[prune]") {
  const auto f = [](Array x) {
    const auto step = [](Array i, const std::tuple<Array, Array>& c) {
      debug_print("step {}", i);
      return std::tuple(sin(std::get<0>(c)), cos(std::get<1>(c)));
    };
    return std::get<0>(fori_loop(0, 3, step, std::tuple(x, x)));
  };
  const std::string text = pruned(make_jaxpr(f)(Array(1.f)), {true});
  INFO(text);
  CHECK(equations_of(text, "cos") == 0);
  CHECK(count(text, "print") > 0);
}

TEST_CASE("nothing is computed for results without elements", "[prune]") {
  const auto f = [](Array x) { return sin(cumsum(x, 0))[{slice(), slice(0, 0)}]; };
  const Array x = arange(12).astype(F32).reshape({4, 3});
  const std::string text = to_string(compiler::rewritten(make_jaxpr(f)(x).jaxpr));
  INFO(text);
  CHECK(count(text, "sin") == 0);
  CHECK(jit(f)(x).shape() == Shape{4, 0});
  // The sum of no elements is a constant.
  const auto sums = [](Array x) { return x[{slice(), slice(0, 0)}].sum({1}) + 1.f; };
  CHECK(count(to_string(compiler::rewritten(make_jaxpr(sums)(x).jaxpr)), "reduce_sum") == 0);
  CHECK(array_equal(jit(sums)(x), ones({4})).item<bool>());
}
