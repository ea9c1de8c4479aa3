// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/contract_test.cpp: sums of products round once, exactly where the program says so. The
// bits do not depend on the number of lanes, on maps or on the borders between kernels.
#include <cmath>
#include <random>

#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns how many multiply-adds and multiplications are left in f.
template <class F, class... X>
std::pair<int, int> left(F f, const X&... x) {
  const std::string program = jit(f).lower(x...).optimized();
  return {count(program, "= fma "), count(program, "= mul ")};
}
using Found = std::pair<int, int>;

// Returns numbers whose products and sums round.
template <class T>
std::vector<T> random_floats(size_t n, unsigned seed) {
  std::mt19937_64 g(seed);
  std::uniform_real_distribution<T> u(T(-2), T(2));
  std::vector<T> x;
  for (size_t i = 0; i < n; ++i) x.push_back(u(g));
  return x;
}

template <class T, class F, class G>
void same_bits(F program, G plain) {
  for (size_t n : {1, 15, 16, 17, 509}) {
    const std::vector<T> x = random_floats<T>(n, 1), y = random_floats<T>(n, 2),
                         z = random_floats<T>(n, 3);
    std::vector<T> want;
    for (size_t i = 0; i < n; ++i) want.push_back(plain(x[i], y[i], z[i]));
    const Array a = array(x), b = array(y), c = array(z);
    CHECK(jit(program)(a, b, c).template to_vector<T>() == want);
    CHECK(jit(vmap(program))(a, b, c).template to_vector<T>() == want);
    // The sums are in the lanes of a loop.
    const auto looped = [&](Array p, Array q, Array r) {
      return fori_loop(0, 2, [&](Array, Array) { return program(p, q, r); }, r);
    };
    CHECK(jit(vmap(looped))(a, b, c).template to_vector<T>() == want);
  }
}

template <class T>
void forms() {
  same_bits<T>([](Array x, Array y, Array z) { return x * y + z; },
               [](T x, T y, T z) { return std::fma(x, y, z); });
  same_bits<T>([](Array x, Array y, Array z) { return z + x * y; },
               [](T x, T y, T z) { return std::fma(x, y, z); });
  same_bits<T>([](Array x, Array y, Array z) { return x * y - z; },
               [](T x, T y, T z) { return std::fma(x, y, -z); });
  same_bits<T>([](Array x, Array y, Array z) { return z - x * y; },
               [](T x, T y, T z) { return std::fma(-x, y, z); });
  same_bits<T>([](Array x, Array y, Array z) { return x * y + y * z; },
               [](T x, T y, T z) { return std::fma(x, y, static_cast<T>(y * z)); });
  same_bits<T>([](Array x, Array y, Array z) { return square(x) + y * z; },
               [](T x, T y, T z) { return std::fma(x, x, static_cast<T>(y * z)); });
  same_bits<T>([](Array x, Array y, Array z) { return (x * y) * T(3) + z; },
               [](T x, T y, T z) { return std::fma(static_cast<T>(x * y), T(3), z); });
}

}  // namespace

TEST_CASE("a sum of a product rounds once", "[jit][contract]") {
  forms<float>();
  forms<double>();
}

TEST_CASE("every sum of floats contracts its product", "[jit][contract]") {
  const Array x = array(random_floats<float>(8, 1)), y = array(random_floats<float>(8, 2));
  using Two = std::pair<Array, Array>;
  CHECK(left([](Array a, Array b) { return a * b + b; }, x, y) == Found(1, 0));
  CHECK(left([](Array a, Array b) { return a * a + b * b; }, x, y) == Found(1, 1));
  // Two sums read the product, or the caller does.
  CHECK(left([](Array a, Array b) { return Two(a * b + a, a * b + b); }, x, y) == Found(2, 0));
  CHECK(left([](Array a, Array b) { return Two(a * b + a, a * b); }, x, y) == Found(1, 1));
  // Sums of a product with itself are not contracted: the difference is 0, and the double is exact.
  const auto zero = [](Array a, Array b) {
    const Array p = a * b;
    return Two(p - p, p + p);
  };
  CHECK(left(zero, x, y) == Found(0, 1));
  CHECK(jit(zero)(x, y).first.sum().item<float>() == 0);
  // Other dtypes are not contracted.
  for (DType d : {I32, BF16, F16, C64})
    CHECK(left([](Array a, Array b) { return a * b + b; }, x.astype(d), y.astype(d)) ==
          Found(0, 1));
  // The sums are inside loops and branches.
  CHECK(left([](Array a,
                Array b) { return fori_loop(0, 3, [&](Array, Array s) { return s * a + b; }, b); },
             x, y) == Found(1, 0));
}

TEST_CASE("a product is found after recomputed values of a checkpoint", "[jit][contract]") {
  const auto f = [](Array x) {
    return checkpoint([](Array v) { return sin(v + 1.) * (v - 2.); })(x * x);
  };
  for (const Array& x : {Array(0.5f), Array(3.f)}) CHECK(allclose(jit(grad(f))(x), grad(f)(x)));
  const Array x = array({0.5, 3.});
  CHECK(allclose(jit(vmap(grad(f)))(x), vmap(grad(f))(x)));
}

TEST_CASE("a condition that the body repeats is the same there", "[jit][contract]") {
  // In the body another sum reads the product. If that one rounded differently, one lane among a
  // million would be active in the condition and inactive in the body.
  const auto active = [](Array x, Array a, Array i) {
    return (abs(x * x * x - a) > a * 1e-4f) & (i < 100);
  };
  const auto roots = [&](Array a) {
    using Carry = std::pair<Array, Array>;
    const auto go = [&](Carry c) { return any(active(c.first, a, c.second)); };
    const auto step = [&](Carry c) {
      const auto& [x, i] = c;
      const Array on = active(x, a, i);
      return Carry(where(on, x - (x * x * x - a) / (3.f * x * x), x), where(on, i + 1, i));
    };
    return while_loop(go, step, Carry(a, zeros(a.shape(), I32))).first;
  };
  const Array a = random::uniform(random::key(3), {1 << 20}, {.lo = 0.1, .hi = 1000.});
  const Array x = jit(roots, {.time_limit = 60.})(a);
  CHECK(all(abs(x * x * x - a) < a * 1.1e-4f).item<bool>());
}

TEST_CASE("sums of unmapped products are contracted as before", "[jit][contract]") {
  const auto f = [](Array a, Array b, Array c) { return a * b + c; };
  const Array x = array(random_floats<float>(3, 1)), y = array(random_floats<float>(3, 2)),
              z = array(random_floats<float>(15, 3)).reshape({5, 3});
  const auto mapped = vmap(f, {none, none, 0});
  CHECK(left(mapped, x, y, z) == Found(1, 0));
  const auto got = jit(mapped)(x, y, z).to_vector<float>();
  std::vector<float> want;
  for (int64_t i = 0; i < 5; ++i)
    for (float v : jit(f)(x, y, z[i]).to_vector<float>()) want.push_back(v);
  CHECK(got == want);
  // Scalars and numbers are contracted, too.
  CHECK(left(vmap([](Array a, Array c) { return a * 3.f + c; }, {none, 0}), x[0], z) ==
        Found(1, 0));
  CHECK(left(vmap([](Array a, Array b, Array c) { return a * b + c; }, {none, none, 0}), x[0], y[0],
             x) == Found(1, 0));
}

TEST_CASE("bits of a contracted program are those of its parts in one kernel or several",
          "[jit][contract]") {
  // The reduction stores its result, so that the sum of the product is in another kernel.
  const Array x = array(random_floats<float>(512, 1)).reshape({8, 64}),
              y = array(random_floats<float>(8, 2));
  const auto f = [](Array a, Array b) { return a.sum(1) * b + b; };
  const auto sums = jit([](Array a) { return a.sum(1); })(x).to_vector<float>();
  const auto b = y.to_vector<float>();
  std::vector<float> want;
  for (size_t i = 0; i < 8; ++i) want.push_back(std::fma(sums[i], b[i], b[i]));
  CHECK(jit(f)(x, y).to_vector<float>() == want);
}

TEST_CASE("products over no axes round once, as sums of products do", "[jit][contract]") {
  const auto outer = [](Array a, Array b) { return tensordot(a, b, 0); };
  for (const auto& [d, tiny] : {std::pair(F32, 1e-30), std::pair(F64, 1e-200)}) {
    const Array x = full({3}, tiny, d);
    for (const Array& y : {jit(outer)(x, -x), outer(x, -x)}) {
      CHECK(all(y == 0).item<bool>());
      CHECK(all(signbit(y)).item<bool>());
    }
    // A product that is exactly 0 does not become -0.
    CHECK(!any(signbit(jit(outer)(-x, zeros({3}, d)))).item<bool>());
  }
}

TEST_CASE("products whose batch axes are before and between rows and columns", "[jit]") {
  // Attention keeps the heads between the positions and the features.
  const auto check = [](const Shape& a, const Shape& b, const lax::DotDims& dims, bool library) {
    const auto f = [=](Array x, Array y) { return lax::dot_general(x, y, dims); };
    const auto values = [](const Shape& s) {
      return sin(arange(static_cast<int>(s.elements())).astype(F32)).reshape(s);
    };
    const Array x = values(a), y = values(b);
    Array want;
    {
      const ReferenceMode on;
      want = f(x, y);
    }
    CHECK(allclose(jit(f)(x, y), want, 1e-5, 1e-5).item<bool>());
    CHECK((count(jit(f).lower(x, y).report(), "dot_general: library") > 0) == library);
  };
  check({3, 20, 2, 33}, {3, 17, 2, 33}, {{3}, {3}, {0, 2}, {0, 2}}, true);
  check({3, 20, 2, 33}, {3, 2, 40, 20}, {{1}, {3}, {0, 2}, {0, 1}}, true);
  check({3, 2, 20, 33}, {3, 33, 2, 20}, {{3}, {1}, {0, 1}, {0, 2}}, true);
  check({20, 3, 2, 33}, {3, 17, 2, 33}, {{3}, {3}, {1, 2}, {0, 2}}, true);
  check({20, 6, 33}, {6, 17, 33}, {{2}, {2}, {1}, {0}}, true);
  // The batch axes are in another order.
  check({3, 20, 2, 33}, {2, 17, 3, 33}, {{3}, {3}, {0, 2}, {2, 0}}, false);
}
