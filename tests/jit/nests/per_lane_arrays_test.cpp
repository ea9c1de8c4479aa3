// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/per_lane_arrays_test.cpp: kernels with per-lane arrays are as long as their
// program. The number of elements and of reads does not matter. The results are the same.
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "support/check.h"
#include "support/share.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns the number of instructions of all kernels from the report.
int length(const std::string& report) {
  static const std::string before = " equations, ";
  int n = 0;
  for (size_t at = report.find(before); at != std::string::npos; at = report.find(before, at + 1))
    n += std::atoi(report.c_str() + at + before.size());
  INFO(report);
  REQUIRE(n > 0);
  REQUIRE(report.find("loop in the lane") != std::string::npos);
  return n;
}

// The condition of this loop reads all elements, so that none of their axes can be a lane.
template <class F>
auto loop(int trips, F body) {
  return vmap([=](Array x) {
    const auto go = [=](std::tuple<Array, Array> c) {
      return (std::get<0>(c) < trips) & (std::get<1>(c).max() < 1000);
    };
    const auto step = [=](std::tuple<Array, Array> c) {
      return std::tuple<Array, Array>(std::get<0>(c) + 1, body(std::get<1>(c)));
    };
    return std::get<1>(while_loop(go, step, std::tuple<Array, Array>(Array(0), x)));
  });
}

template <class F>
int length_of(F body, const Shape& s) {
  return length(jit(loop(3, body)).lower(zeros(s)).report());
}

// A random body of integers: all orders of integers give the same result.
class Body {
 public:
  Body(unsigned seed, int steps) : seed_(seed), steps_(steps) {}
  using Two = std::tuple<Array, Array>;
  Two operator()(Array i, Two c, const Array& k) const {
    std::mt19937 g(seed_);
    auto [x, y] = c;
    const Shape s = x.shape();
    for (int q = 0; q < steps_; ++q) {
      const int n = static_cast<int>(g() % 5) + 1;
      switch (g() % 12) {
        case 0: x = x * n + y - i; break;
        case 1: y = roll(x, n, -1) + y % 97; break;
        case 2: x = x - x.sum() % 53; break;
        case 3: y = y + cumsum(x, 0) % 31; break;
        case 4: std::swap(x, y); break;
        case 5: x = where(y % 2 == 0, x, k); break;
        case 6: y = y.at(i % 2).set(x[n % 2] % 11); break;
        case 7: x = (x + x.reshape({s[1], s[0]}).T()) % 101; break;
        case 8: y = y + x.max(0) - x.min(-1, {.keepdims = true}); break;
        case 9:
          x = cond(
              x.sum() % 2 == 0, [](Array a, Array b) { return a * b % 17; },
              [](Array a, Array b) { return a - b; }, x, y);
          break;
        case 10: {
          const Array b = (y + 1) % 13;
          x = fori_loop(
              0, n, [b](Array t, Array a) { return (roll(a, 1, 0) * 2 + b + t) % 103; }, x);
          break;
        }
        default: y = flip(y, 0) - x * x % 7; break;
      }
    }
    return Two(x % 10007, y % 10007);
  }

 private:
  unsigned seed_;
  int steps_;
};

Array some(const Shape& s, int seed) {
  return ((arange(static_cast<int>(s.elements())) * 7 + seed) % 23).reshape(s);
}
std::vector<int32_t> numbers(const std::vector<Array>& arrays) {
  std::vector<int32_t> all;
  for (const Array& a : arrays)
    for (int32_t v : a.to_vector<int32_t>()) all.push_back(v);
  return all;
}

}  // namespace

TEST_CASE("the length of a kernel depends on its program, not on its arrays",
          "[jit][element_loops]") {
  const auto body = [](int ops) {
    return [ops](Array x) {
      for (int i = 0; i < ops; ++i) x = i % 2 ? x / (1.f + abs(x)) : exp(x * .5f) - 1.f;
      return x;
    };
  };
  // Thirty equations of 24 numbers, and of twice as many, are loops and not unrolled.
  const int few = length_of(body(30), {8, 4, 6}), more = length_of(body(30), {8, 2, 4, 6});
  CHECK(few < 1500);
  CHECK(std::abs(few - more) < few / 10);
  CHECK(length_of(body(60), {8, 4, 6}) < few * 5 / 2);
  CHECK(length_of(body(60), {8, 32}) < few * 5 / 2);
}

TEST_CASE("arrays of a few numbers stay in registers", "[jit][element_loops]") {
  const auto step = [](Array x) {
    for (int i = 0; i < 30; ++i) x = exp(x * .5f) - roll(x, 1);
    return x;
  };
  CHECK(jit(loop(3, step)).lower(zeros({8, 3})).kernels().find("local_") == std::string::npos);
}

TEST_CASE("values that are read often are written once", "[jit][element_loops]") {
  const auto folds = [](int n) {
    return [n](Array x) {
      for (int i = 0; i < n; ++i) x = exp(x - x.max()) / (1.f + sum(x * x));
      return x;
    };
  };
  const auto shifts = [](int n) {
    return [n](Array x) {
      for (int i = 0; i < n; ++i) x = tanh(x + roll(x, 1)) - roll(x, 3);
      return x;
    };
  };
  for (const Shape& s : {Shape{8, 24}, Shape{8, 40}}) {
    CAPTURE(to_string(s));
    CHECK(length_of(folds(24), s) < 5 * length_of(folds(8), s));
    CHECK(length_of(shifts(24), s) < 5 * length_of(shifts(8), s));
  }
}

TEST_CASE("rows of a scan and of branches are written once", "[jit][element_loops]") {
  const auto f = [](int n) {
    return vmap([n](Array x) {
      const auto step = [n](Array c, Array row) {
        Array y = c + row;
        for (int i = 0; i < n; ++i) y = exp(y * .5f) - roll(y, 1);
        y = cond(
            y.sum() > 0.f, [](Array a) { return exp(a) + a.max(); }, [](Array a) { return -a; }, y);
        return std::pair<Array, Array>(y - tanh(y), exp(y) * .1f);
      };
      return scan(step, zeros({24}), x).second;
    });
  };
  const auto at = [&](int n) { return length(jit(f(n)).lower(zeros({8, 5, 24})).report()); };
  CHECK(at(48) < 3 * at(16));
}

TEST_CASE("other operands of a loop are computed once, for their own lane",
          "[jit][element_loops]") {
  const auto f = vmap([](Array x, Array w) {
    const Array v = exp(w * .5f) - tanh(w) * sin(w);
    const auto go = [](std::tuple<Array, Array> c) {
      return (std::get<0>(c) < 3) & (std::get<1>(c).max() < 1000.f);
    };
    const auto step = [v](std::tuple<Array, Array> c) {
      Array y = std::get<1>(c);
      for (int i = 0; i < 6; ++i) y = (y + v) * .5f - roll(v, 1) / (1.f + abs(y).max());
      return std::tuple<Array, Array>(std::get<0>(c) + 1, y);
    };
    return std::get<1>(while_loop(go, step, std::tuple<Array, Array>(Array(0), x)));
  });
  const Array x = sin(arange(64 * 40).astype(F32)).reshape({64, 40}), w = cos(x * 3.f);
  const auto compiled = jit(f);
  const std::string text = compiled.lower(x, w).kernels();
  const auto count = [&](const std::string& word) {
    int n = 0;
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  // The sine of v, with its cold path, is written once. Arrays hold the numbers of one lane.
  CHECK(count("= if ") == 1);
  CHECK(count("local f32 40") > 0);
  CHECK(count("local f32 ") == count("local f32 40"));
  const Floats got = floats(compiled(x, w));
  const ReferenceMode reference;
  const Floats want = floats(f(x, w));
  for (size_t k = 0; k < want.size(); ++k)
    CHECK(std::abs(got[k] - want[k]) <= 1e-5f * (1.f + std::abs(want[k])));
}

TEST_CASE("rows that several lanes read are not copied to each", "[jit][element_loops]") {
  // Each of 40 numbers is searched in the table of its row, and the table is read at its place.
  const auto search = vmap([](Array table, Array numbers) {
    return vmap([table](Array q) {
      const Array at = fori_loop(
          0, 7,
          [&](Array, Array k) {
            const Array next = k * 2 + 1;
            return where(table[next] < q, next, k);
          },
          Array(0));
      return table[at] - q + table[at + 1];
    })(numbers);
  });
  const Array tables = (arange(64 * 200) % 977).reshape({64, 200}).astype(F32);
  const Array numbers = (arange(64 * 40) % 311).reshape({64, 40}).astype(F32);
  CHECK(jit(search).lower(tables, numbers).kernels().find("local f32 200") == std::string::npos);
  const Array got = jit(search)(tables, numbers);
  const ReferenceMode on;
  CHECK(array_equal(got, search(tables, numbers)).item<bool>());
}

TEST_CASE("random bodies over arrays in the lane", "[jit][element_loops][share]") {
  Share share(4);
  for (const Shape& s : {Shape{2, 3}, Shape{4, 6}, Shape{5, 8}})
    for (unsigned seed = 0; seed < 8; ++seed) {
      if (!share.next()) continue;
      const Body body(seed, seed % 3 ? 12 : 50);
      const auto f = [&](Array x, Array y) {
        return fori_loop(
            0, 3, [&](Array i, Body::Two c) { return body(i, c, y % 5); }, Body::Two(x, y + 1));
      };
      const auto rows = [&](Array x, Array y) {
        const auto step = [&](Body::Two c, Array i) {
          Body::Two next = body(i, c, y);
          return std::pair<Body::Two, Array>(next, std::get<0>(next) * 3 - std::get<1>(c));
        };
        return scan(step, Body::Two(x, y), arange(3)).second;
      };
      CAPTURE(to_string(s), seed);
      const Shape lanes{5, s[0], s[1]};
      const Array x = some(lanes, 1), y = some(lanes, 9);
      const auto run = [&](auto g) {
        const Body::Two r = g(x, y);
        return numbers({std::get<0>(r), std::get<1>(r)});
      };
      const auto got = run(jit(vmap(f)));
      const auto got_rows = numbers({jit(vmap(rows))(x, y)});
      const ReferenceMode reference;
      CHECK(got == run(vmap(f)));
      CHECK(got_rows == numbers({vmap(rows)(x, y)}));
    }
}

TEST_CASE("a carry does not take an array that the loop still reads", "[jit][element_loops]") {
  const auto f = [](Array x) {
    return fori_loop(
        0, 2,
        [](Array, Array c) {
          const Array a = cumsum(c), b = a + 1;
          return fori_loop(0, 3, [b](Array, Array d) { return (roll(d, 1) * 2 + b) % 101; }, a);
        },
        x);
  };
  const Array x = some({5, 40}, 3);
  const auto got = numbers({jit(vmap(f))(x)});
  const ReferenceMode reference;
  CHECK(got == numbers({vmap(f)(x)}));
}

// The condition computes only the real part, outside of the loop. The body must not take that for
// the whole number.
TEST_CASE("a reader of one part of a complex number computes both", "[jit][element_loops]") {
  const auto imaginary = [](const auto& f) {
    return [f](Array k) {
      const Array c = lax::complex(array({0.25, 1.875}, F64), array({1., -.25}, F64));
      const Array b = lax::imag(f(c + k.astype(C128))), d = b.astype(F32), e = sin(d[0]);
      using Two = std::tuple<Array, Array>;
      const auto go = [=](Two) { return e.astype(F64) > -2.; };
      const auto step = [=](Two t) { return Two{broadcast_to(e, {2}), std::get<1>(t)}; };
      return std::get<0>(while_loop(go, step, Two{d, b}, {.max_trips = 1}));
    };
  };
  const auto agree = [&](const char* name, const auto& f) {
    INFO(name);
    const auto g = imaginary(f);
    const Array got = jit(g)(Array(0.f));
    const ReferenceMode reference;
    CHECK(array_equal(got, jit(g)(Array(0.f))));
  };
  agree("atan", [](Array c) { return lax::atan(c); });
  agree("asin", [](Array c) { return lax::asin(c); });
  agree("acosh", [](Array c) { return lax::acosh(c); });
  agree("log", [](Array c) { return log(c); });
  agree("sqrt", [](Array c) { return sqrt(c); });
  agree("tanh", [](Array c) { return tanh(c); });
}
