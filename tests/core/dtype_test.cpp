// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/dtype_test.cpp: promotion compared with JAX's table, the names of dtypes, and the
// narrow floats bit by bit.
#include "weft/dtype.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <sstream>

#include "tests/support/golden.h"
#include "weft/error.h"

using namespace weft;
using Catch::Matchers::Contains;

namespace {

constexpr DType all_dtypes[] = {Bool, I8,   I16, I32, I64, U8,  U16,  U32,
                                U64,  BF16, F16, F32, F64, C64, C128, Key};

// Returns the values of a 16-bit format from +0 to +infinity, in increasing order, indexed by their
// bits.
template <class H>
std::vector<double> ladder(uint16_t infinity) {
  std::vector<double> v;
  for (uint32_t b = 0; b < infinity; ++b) {
    H h;
    h.bits = static_cast<uint16_t>(b);
    v.push_back(static_cast<double>(static_cast<float>(h)));
  }
  // The last entry is the value that would follow the largest finite one. Rounding to infinity
  // depends on the midpoint between the two.
  v.push_back(2 * v[infinity - 1] - v[infinity - 2]);
  return v;
}

// Rounds to nearest even by a search, which shares no code with the function under test.
uint16_t nearest(const std::vector<double>& ladder, float x) {
  double a = std::fabs(static_cast<double>(x));
  auto hi = std::lower_bound(ladder.begin(), ladder.end(), a);
  auto i = static_cast<size_t>(hi - ladder.begin());
  if (i == ladder.size()) {
    i = ladder.size() - 1;
  } else if (*hi != a) {
    double up = *hi - a, down = a - ladder[i - 1];
    if (down < up || (down == up && (i - 1) % 2 == 0)) --i;
  }
  return static_cast<uint16_t>(i | (std::signbit(x) ? 0x8000 : 0));
}

template <class H>
void check_narrow(uint16_t infinity) {
  auto values = ladder<H>(infinity);
  // Every bit pattern survives widening and narrowing. NaNs stay NaNs and become quiet.
  int wrong = 0;
  for (uint32_t b = 0; b < 0x10000; ++b) {
    H h;
    h.bits = static_cast<uint16_t>(b);
    auto f = static_cast<float>(h);
    bool nan = (b & 0x7fff) > infinity;
    uint16_t quiet = infinity == 0x7f80 ? 0x40 : 0x200;
    wrong += std::isnan(f) != nan || H(f).bits != (nan ? (b | quiet) : b);
  }
  CHECK(wrong == 0);
  // These numbers are around every value and every midpoint, and have random bits.
  auto same = [&](float x) { return H(x).bits == nearest(values, x); };
  int bad = 0;
  for (size_t i = 0; i + 1 < values.size(); ++i)
    for (double v : {values[i], (values[i] + values[i + 1]) / 2})
      for (float s : {1.f, -1.f}) {
        auto f = static_cast<float>(v) * s;
        bad += !same(f);
        bad += !same(std::nextafterf(f, 0.f));
        if (std::isfinite(std::nextafterf(f, s * INFINITY)))
          bad += !same(std::nextafterf(f, s * INFINITY));
      }
  CHECK(bad == 0);
  std::mt19937 random(1);
  for (int i = 0; i < 300000; ++i) {
    auto f = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(f)) bad += !same(f);
  }
  CHECK(bad == 0);
  CHECK(H(INFINITY).bits == infinity);
  CHECK(H(-INFINITY).bits == (infinity | 0x8000));
  // It stays a NaN and does not become infinite.
  CHECK(H(std::bit_cast<float>(0xff800001u)).bits > (infinity | 0x8000));
}

}  // namespace

TEST_CASE("promotion is JAX's, for every pair of types", "[core][dtype]") {
  std::istringstream in(weft::testing::golden("promotion.txt"));
  std::string line;
  int lines = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string a, b, jax, want, colon;
    bool wa, wb, jax_weak, want_weak;
    fields >> a >> wa >> b >> wb >> colon >> jax >> jax_weak >> colon >> want >> want_weak;
    REQUIRE(fields);
    DType da, db;
    REQUIRE((parse_dtype(a, &da) && parse_dtype(b, &db)));
    Promoted p = promote(da, wa, db, wb);
    INFO(line);
    CHECK(short_name(p.dtype) == want);
    CHECK(p.weak == want_weak);
    ++lines;
  }
  CHECK(lines == 29 * 29);
}

TEST_CASE("promotion of C++ scalars and keys", "[core][dtype]") {
  auto is = [](Promoted p, DType d, bool weak) { return p.dtype == d && p.weak == weak; };
  CHECK(is(promote(I32, false, F32, true), F32, true));
  CHECK(is(promote(I64, false, F32, true), F64, true));
  CHECK(is(promote(BF16, false, F32, true), BF16, false));
  CHECK(is(promote(U8, false, I32, true), U8, false));
  CHECK(is(promote(Bool, true, Bool, true), Bool, false));
  CHECK(is(promote(Bool, true, I32, true), I32, true));
  CHECK(is(promote(Key, false, Key, false), Key, false));
  CHECK_THROWS_MATCHES(promote(Key, false, F32, false), DTypeError,
                       Catch::Matchers::Predicate<DTypeError>([](const DTypeError& e) {
                         return Contains("key").match(e.what()) && Contains("f32").match(e.what());
                       }));
  for (DType d : all_dtypes)
    if (d != Key) CHECK_THROWS_AS(promote(d, true, Key, false), DTypeError);
}

TEST_CASE("properties of element types", "[core][dtype]") {
  for (DType d : all_dtypes) {
    DType back;
    REQUIRE(parse_dtype(short_name(d), &back));
    CHECK(back == d);
    CHECK(itemsize(d) == with_dtype(d, [](auto* p) { return static_cast<int>(sizeof(*p)); }));
    if (d != Key)
      CHECK(with_dtype(d, [](auto* p) { return dtype_of_v<std::remove_pointer_t<decltype(p)>>; }) ==
            d);
  }
  DType out;
  CHECK(parse_dtype("key<fry>", &out));
  CHECK_FALSE(parse_dtype("float32", &out));
  CHECK_FALSE(parse_dtype("", &out));
  CHECK(std::string(numpy_name(BF16)) == "bfloat16");
  CHECK(real_part(C64) == F32);
  CHECK(real_part(C128) == F64);
  CHECK(real_part(I8) == I8);
  CHECK(to_inexact(Bool) == F32);
  CHECK(to_inexact(U32) == F32);
  CHECK(to_inexact(I64) == F64);
  CHECK(to_inexact(BF16) == BF16);
  CHECK(to_inexact(C64) == C64);
  CHECK_THROWS_AS(to_inexact(Key), DTypeError);
}

TEST_CASE("float16 conversions", "[core][dtype]") {
  check_narrow<float16_t>(0x7c00);
  CHECK(float16_t(65519.996f).bits == 0x7bff);
  CHECK(float16_t(65520.f).bits == 0x7c00);
  CHECK(float16_t(0x1p-25f).bits == 0);
  CHECK(float16_t(0x1.000002p-25f).bits == 1);
  CHECK(float16_t(-0.f).bits == 0x8000);
}

TEST_CASE("bfloat16 conversions", "[core][dtype]") { check_narrow<bfloat16_t>(0x7f80); }
