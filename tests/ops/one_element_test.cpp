// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/one_element_test.cpp: sorts, folds and factorizations of one element vanish, and so do
// pads without elements. They give what the interpreter gives.
#include <functional>
#include <limits>

#include "support/check.h"
#include "tracer/eval_trace.h"
#include "weft/lax.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/linalg/cholesky.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/qr.h"
#include "weft/lax/linalg/triangular_solve.h"
#include "weft/lax/reduce.h"

using namespace weft;
using namespace weft::test;

namespace {

using Fn = std::function<Arrays(const Array&)>;

// The values that a rule may treat differently from others.
Array numbers(const Shape& shape) {
  const float inf = std::numeric_limits<float>::infinity();
  return reshape(array({4.f, -2.f, 0.f, -0.f, inf, std::numeric_limits<float>::quiet_NaN()}),
                 shape);
}

// Compares numbers with their signs, so that 0 and -0 differ.
void check_equal(const Array& got, const Array& want) {
  CHECK(got.shape() == want.shape());
  CHECK(got.dtype() == want.dtype());
  CHECK(array_equal(got, want, true).item<bool>());
  if (is_inexact(got.dtype())) CHECK(array_equal(signbit(got), signbit(want)).item<bool>());
}

// Checks that no compiled equation has a name of this list, and that the results are those of the
// interpreter.
void check_gone(const Fn& f, const Array& x, const std::vector<std::string>& names,
                bool nan_signs = true) {
  const std::string text = jit(f).lower(x).optimized();
  INFO(text);
  for (const std::string& name : names) CHECK(!holds(text, "= " + name));
  const Arrays got = jit(f)(x);
  const ReferenceMode reference;
  const Arrays want = f(x);
  REQUIRE(got.size() == want.size());
  for (size_t k = 0; k < got.size(); ++k) {
    const auto plain = [&](const Array& a) {
      return nan_signs || !is_inexact(a.dtype()) ? a : where(isnan(a), 1.f, a);
    };
    check_equal(plain(got[k]), plain(want[k]));
  }
}

}  // namespace

TEST_CASE("sorts of one element vanish", "[jit][simplify]") {
  const Array x = numbers({6, 1});
  check_gone([](const Array& a) { return Arrays{lax::sort(a, 1)}; }, x, {"sort"});
  check_gone([](const Array& a) { return lax::sort(Arrays{a, -a}, 1, 2); }, x, {"sort"});
  check_gone([](const Array& a) { return Arrays{argsort(a, 1)}; }, x, {"sort"});
  check_gone(
      [](const Array& a) {
        const auto [best, at] = lax::top_k(a, 1, 1);
        return Arrays{best, at};
      },
      x, {"top_k"});
  check_gone(
      [](const Array& a) {
        const auto [best, at] = lax::top_k(a, 0, 0);
        return Arrays{best, at};
      },
      x, {"top_k"});
  check_gone([](const Array& a) { return Arrays{lax::sort(a)}; }, zeros({3, 0}), {"sort"});
}

TEST_CASE("folds of one term vanish", "[jit][simplify]") {
  const Array x = numbers({2, 1, 3});
  check_gone(
      [](const Array& a) {
        return Arrays{lax::reduce_prod(a, {1}), lax::reduce_max(a, {1}), lax::reduce_min(a, {1}),
                      lax::argmax(a, 1), lax::argmin(a, 1)};
      },
      x, {"reduce_prod", "reduce_max", "reduce_min", "argmax", "argmin"}, false);
  check_gone(
      [](const Array& a) {
        return Arrays{lax::cumsum(a, 1), lax::cumprod(a, 1, true), lax::cummax(a, 1),
                      lax::cummin(a, 1)};
      },
      x, {"cumsum", "cumprod", "cummax", "cummin"}, false);
  check_gone([](const Array& a) { return Arrays{lax::reduce_sum(a, {1})}; }, ones({2, 1, 3}, I32),
             {"reduce_sum"});
  for (const DType d : {I32, BF16, F16, F64, Bool})
    check_gone([](const Array& a) { return Arrays{lax::reduce_max(a, {0, 1})}; },
               ones({1, 1, 3}, d), {"reduce_max"});
}

TEST_CASE("factorizations of one number vanish", "[jit][simplify]") {
  const Array x = numbers({6, 1, 1});
  check_gone([](const Array& a) { return Arrays{lax::cholesky(a, false)}; }, x,
             {"cholesky", "while", "scan"}, false);
  check_gone(
      [](const Array& a) {
        const auto [lu, pivots, permutation] = lax::lu(a);
        return Arrays{lu, pivots, permutation};
      },
      x, {"lu", "while", "scan"});
  check_gone(
      [](const Array& a) {
        return Arrays{lax::triangular_solve(ones_like(a) * 3.f, a, {.left_side = true}),
                      lax::triangular_solve(a, ones_like(a), {.left_side = false, .lower = true}),
                      lax::triangular_solve(a, a, {.left_side = true, .unit_diagonal = true})};
      },
      x, {"triangular_solve", "while", "scan"}, false);
  const Array finite = array({4.f, -2.f, 0.f}).reshape({3, 1, 1});
  check_gone(
      [](const Array& a) {
        const auto [q, r] = lax::qr(a);
        const auto [packed, taus] = lax::geqrf(a);
        return Arrays{q, r, packed, taus};
      },
      finite, {"qr", "geqrf", "householder_product", "while", "scan"});
  // Negative and complex numbers.
  const Array z = lax::complex(array({4.f, -2.f}), array({0.f, 0.f})).reshape({2, 1, 1});
  const Array l = jit([](Array a) { return lax::cholesky(a, false); })(z);
  CHECK(floats(real(l))[0] == 2);
  CHECK(floats(imag(l))[0] == 0);
  CHECK(std::isnan(floats(real(l))[1]));
}

TEST_CASE("a sort of length 1 does not keep a loop in lockstep", "[jit][simplify]") {
  const auto f = [](Array x) {
    return scan([](Array c) { return std::pair{lax::sort(c) * .5f + 1.f, none}; }, x, none,
                {.length = 5})
        .first;
  };
  CHECK(!holds(jit(f).lower(ones({1})).optimized(), "= sort"));
  CHECK(floats(jit(f)(ones({1}))) == Floats{1.96875f});
}

TEST_CASE("a scan of one step that calls native code is the step", "[jit][simplify]") {
  const auto f = [](Array x, Array rows) {
    return scan(
        [](Array c, Array row) {
          const Array sum = lax::sort(c + row);
          return std::pair{sum, -sum};
        },
        x, rows);
  };
  const Array x = array({3.f, 1.f, 2.f}), rows = array({{1.f, 2.f, -4.f}});
  CHECK(!holds(jit(f).lower(x, rows).optimized(), "= scan"));
  const auto [last, all] = jit(f)(x, rows);
  CHECK(floats(last) == Floats{-2, 3, 4});
  CHECK(all.shape() == Shape{1, 3});
  CHECK(floats(all) == Floats{2, -3, -4});
}

TEST_CASE("pads without elements of their operand are broadcasts", "[jit][simplify]") {
  const auto padded = [](const Array& x, const std::vector<lax::PadAxis>& axes) {
    return [=](const Array& value) { return Arrays{lax::pad(x, value, axes)}; };
  };
  const Array three = full({}, 3.f), x = ones({2, 2});
  check_gone(padded(zeros({0, 2}), {{2, 1, 0}, {0, 0, 0}}), three, {"pad"});
  // All of the operand is cropped: at its begin, at its end, and but for what is between elements.
  check_gone(padded(x, {{-2, 3, 0}, {0, 0, 0}}), full({}, -0.f), {"pad"});
  check_gone(padded(x, {{0, 1, 0}, {1, -3, 0}}), three, {"pad"});
  check_gone(padded(x, {{-1, -1, 1}, {0, 0, 0}}), three, {"pad"});
  CHECK(holds(jit(padded(x, {{-1, 3, 0}, {0, 0, 0}})).lower(three).optimized(), "= pad"));
}
