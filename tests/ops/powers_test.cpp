// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/powers_test.cpp: powers whose value is known without computing them.
#include <functional>
#include <limits>

#include "support/check.h"
#include "tracer/eval_trace.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"

using namespace weft;
using namespace weft::test;

namespace {

// Numbers that a rule may treat differently from others.
Array numbers(DType d) {
  const double inf = std::numeric_limits<double>::infinity();
  return array({4., -2.5, 0., -0., inf, -inf, 1e-40, std::numeric_limits<double>::quiet_NaN()})
      .astype(d);
}

// Returns the powers that the compiled program computes, and checks that it gives what the
// interpreter gives.
int64_t powers(const std::function<Array(const Array&)>& f, const Array& x) {
  const Array got = jit(f)(x);
  const ReferenceMode reference;
  const Array want = f(x);
  CHECK(got.type() == want.type());
  CHECK(array_equal(got, want, true).item<bool>());
  CHECK(array_equal(signbit(got), signbit(want)).item<bool>());
  return count(jit(f).lower(x).optimized(), "= pow");
}

}  // namespace

TEST_CASE("powers of 1, and with the exponents 0 and 1, are not computed", "[jit][simplify]") {
  for (const DType d : {F32, F64, BF16, F16}) {
    const Array x = numbers(d);
    const auto like = [&](double v, const Array& a) { return full_like(a, v); };
    CHECK(powers([&](const Array& a) { return lax::pow(like(1, a), a); }, x) == 0);
    CHECK(powers([&](const Array& a) { return lax::pow(a, like(0, a)); }, x) == 0);
    CHECK(powers([&](const Array& a) { return lax::pow(a, like(-0.0, a)); }, x) == 0);
    CHECK(powers([&](const Array& a) { return lax::pow(a, like(1, a)); }, x) == 0);
    CHECK(powers([&](const Array& a) { return lax::pow(a, full({8}, 0, I32)); }, x) == 0);
    CHECK(powers([&](const Array& a) { return lax::pow(a, full({8}, 1, I32)); }, x) == 0);
    // The result has the shape of the other operand.
    CHECK(powers([&](const Array& a) { return lax::pow(like(1, a[0]), a); }, x) == 0);
    CHECK(powers([&](const Array& a) { return lax::pow(a[0], full({3}, 1, d)); }, x) == 1);
    CHECK(powers([&](const Array& a) { return lax::pow(a, like(2, a)); }, abs(x)) == 1);
    CHECK(powers([&](const Array& a) { return lax::pow(like(-1, a), a); }, abs(x)) == 1);
  }
}
