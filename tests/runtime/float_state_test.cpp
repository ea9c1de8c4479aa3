// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/float_state_test.cpp: results do not depend on the caller's floating-point state,
// and a call leaves that state unchanged.
#include <cfenv>

#include "support/check.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace weft {

TEST_CASE("the caller's rounding does not reach programs", "[float_state]") {
  const auto square = jit([](Array x) { return x * x; });
  for (int64_t n : {4, 1000, 300000}) {
    const Array third = full({n}, 1. / 3.), want = square(third), eager = third * third;
    const Array wide = jit([](Array x) { return x / 7.; })(third);
    REQUIRE(std::fesetround(FE_UPWARD) == 0);
    const Array got = square(third), again = third * third;
    // The program is compiled while the state is changed.
    const Array wider = jit([n](Array x) { return x / 7. + static_cast<double>(n) * 0.; })(third);
    const int rounding = std::fegetround();
    std::fesetround(FE_TONEAREST);
    CHECK(rounding == FE_UPWARD);
    CHECK(array_equal(got, want));
    CHECK(array_equal(again, eager));
    CHECK(array_equal(wider, wide));
  }
}

TEST_CASE("programs leave the flags as they were", "[float_state]") {
  std::feclearexcept(FE_ALL_EXCEPT);
  const Array x = jit([](Array v) { return 1. / v; })(zeros({1000}));
  CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
  CHECK(x.to_vector<float>()[0] > 1e38f);
}

#if defined(__x86_64__)
TEST_CASE("the caller's flushing of subnormals does not reach programs", "[float_state]") {
  const auto half = jit([](Array x) { return x * 0.5; });
  const unsigned flush = 0x8040;  // FTZ and DAZ
  for (int64_t n : {4, 1000, 300000}) {
    const Array x = full({n}, 1e-38) * 0.5;
    const Array want = half(x);
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | flush);
    const Array got = half(x), eager = x * 0.5;
    const bool kept = (_mm_getcsr() & flush) == flush;
    _mm_setcsr(before);
    CHECK(kept);
    CHECK(want.to_vector<float>().back() > 0);
    CHECK(array_equal(got, want));
    CHECK(array_equal(eager, want));
  }
}
#endif

}  // namespace weft
