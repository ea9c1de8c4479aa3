// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/fuse/region_test.cpp: long programs become several kernels of limited length, with the
// same numbers.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/build.h"
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns the number of instructions of each kernel from the report.
std::vector<int> lengths(const std::string& report) {
  static const std::string before = " equations, ";
  std::vector<int> r;
  for (size_t at = report.find(before); at != std::string::npos; at = report.find(before, at + 1))
    r.push_back(std::atoi(report.c_str() + at + before.size()));
  return r;
}
int longest(const std::string& report) {
  const std::vector<int> l = lengths(report);
  REQUIRE(!l.empty());
  return *std::max_element(l.begin(), l.end());
}
// The limit of a region, plus instructions for library calls, which are not compiled.
constexpr int most = 4000;

Array chain(Array x, int n) {
  for (int i = 0; i < n; ++i) x = i % 2 ? sin(x) : x * (.5f + static_cast<float>(i));
  return x;
}

}  // namespace

TEST_CASE("kernels of long chains are short", "[jit][region]") {
  const Array x = array({.1f, .7f, -3.f});
  for (int n : {60, 2000}) {
    CAPTURE(n);
    const auto f = jit([n](Array v) { return chain(v, n); });
    const std::string report = f.lower(x).report();
    CHECK(longest(report) <= most);
    CHECK(lengths(report).size() >= static_cast<size_t>(n) / 60);
    CHECK(floats(f(x)) == floats(chain(x, n)));
  }
  // About thirty equations stay one kernel.
  const auto little = jit([](Array v) { return chain(v, 30); });
  CHECK(lengths(little.lower(x).report()).size() == 1);
}

TEST_CASE("independent results do not share an endless kernel", "[jit][region]") {
  const Array x = array({.1f, .7f, -3.f});
  const auto f = [](Array v) {
    std::vector<Array> r;
    for (int i = 0; i < 60; ++i) r.push_back(sin(cos(v * (1.f + static_cast<float>(i)))));
    return r;
  };
  const auto compiled = jit(f);
  CHECK(longest(compiled.lower(x).report()) <= most);
  const auto got = compiled(x), want = f(x);
  for (size_t i = 0; i < want.size(); ++i) CHECK(floats(got[i]) == floats(want[i]));
}

TEST_CASE("the derivative of a long chain is cut too", "[jit][region]") {
  const Array x = array(.3f);
  const auto g = grad([](Array v) { return chain(v * .01f, 300); });
  const auto compiled = jit(g);
  CHECK(longest(compiled.lower(x).report()) <= most);
  CHECK(floats(compiled(x)) == floats(g(x)));
}

TEST_CASE("values that are read at two places are not recomputed for each read", "[jit][region]") {
  // Each step doubles the number of elements on which one result depends.
  const Array x = array({1, 2, 3, 4, 5, 6, 7}), to = array({2, 0, 5, 6, 1, 3, 4});
  const auto f = [](Array v, Array at) {
    for (int i = 0; i < 40; ++i) v = take(v, at) + v;
    return v;
  };
  const auto compiled = jit(f);
  CHECK(longest(compiled.lower(x, to).report()) <= most);
  CHECK(compiled(x, to).to_vector<int32_t>() == f(x, to).to_vector<int32_t>());
}

TEST_CASE("regions are cut where values are small", "[jit][region]") {
  const Array x = array({.1f, .7f, -3.f}), rows = linspace(1.f, 2.f, 1000).reshape({1000, 1});
  const auto f = jit([](Array v, Array w) { return chain(chain(v, 30) * w, 24); });
  // The program stores the chain of three numbers, not that of three thousand.
  const std::string line = with_red_zones ? "temporaries 128 bytes" : "temporaries 64 bytes";
  CHECK(f.lower(x, rows).report().find(line) != std::string::npos);
}

TEST_CASE("expensive values of a row are computed once", "[jit][region]") {
  const auto f = [](Array x) {
    const Array e = exp(x - x.max(-1, {.keepdims = true}));
    return e / e.sum(-1, {.keepdims = true}) + e.max(-1, {.keepdims = true});
  };
  const auto compiled = jit(f);
  for (const Shape& s : {Shape{9, 100}, Shape{3, 1027}, Shape{2, 4, 64}, Shape{2, 50000}}) {
    const Array x = sin(arange(static_cast<int>(s.elements())).astype(F32)).reshape(s) * 9.f;
    CAPTURE(to_string(s));
    const ReferenceMode on;
    const Floats want = floats(f(x));
    CHECK(floats(compiled(x)) == want);
  }
  // The kernel has one exponential function and keeps its row. If rows are too long, it recomputes
  // the function at each use.
  const auto shifts = [&](const Shape& s) {
    const std::string text = compiled.lower(zeros(s)).kernels();
    size_t n = 0;
    for (size_t at = text.find("shl "); at != std::string::npos; at = text.find("shl ", at + 1))
      ++n;
    return n;
  };
  CHECK(shifts({9, 100}) == 1);
  CHECK(shifts({2, 50000}) > 1);
}

// Two kernels read the last value. There are 2^30 paths from it to the first one.
TEST_CASE("values that are read along many paths are planned once", "[jit][region]") {
  const auto last = [](Array v) {
    for (int i = 0; i < 30; ++i) v = v * (v - .5f);
    return v;
  };
  const auto f = [&](Array x) {
    const Array v = last(x);
    return std::pair{v.sum(), v};
  };
  const Array x = arange(1000).astype(F32) / 1000.f;
  CHECK(floats(jit(f)(x).second) == floats(jit(last)(x)));
}
