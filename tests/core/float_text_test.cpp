// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/float_text_test.cpp: scalars as text, compared with NumPy and Python. Parsing the text
// returns the same bits.
#include "core/text/float_text.h"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>
#include <vector>

#include "tests/support/golden.h"

using namespace weft;

namespace {

uint64_t splitmix(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

int mantissa_bits(DType d) { return d == F16 ? 10 : d == BF16 ? 7 : d == F32 ? 23 : 52; }

// Returns the i-th value of a rule, as make_scalar_text.py defines it.
uint64_t bits(const std::string& rule, DType d, uint64_t i, uint64_t& state) {
  int width = itemsize(d) * 8, m = mantissa_bits(d);
  if (rule == "all") return i;
  if (rule == "random") return splitmix(state) >> (64 - width);
  if (rule == "powers") return i == 0 ? 0 : ((i / 3) << m) + i % 3 - 1;
  uint64_t z = splitmix(state), bias = (uint64_t{1} << (width - m - 2)) - 1;
  return (bias + z % 24 - 6) << m | z >> (64 - m);
}

std::string spell(const std::string& style, const void* p, DType d) {
  return style == "numpy" ? numpy_scalar_text(p, d) : literal_text(p, d);
}

template <class T>
std::string shortest(T x) {
  return scalar_text(&x, dtype_of_v<T>);
}

// Parses text as a T. The test fails if the text is not a T.
template <class T>
T parsed(const std::string& text) {
  T x{};
  INFO(text);
  REQUIRE(parse_scalar(text, dtype_of_v<T>, &x));
  return x;
}

template <class T>
bool refused(const std::string& text) {
  T x{}, zero{};
  return !parse_scalar(text, dtype_of_v<T>, &x) &&
         std::memcmp(static_cast<const void*>(&x), static_cast<const void*>(&zero), sizeof x) == 0;
}

constexpr uint64_t no_nan = 0;

// Returns the same bits for all values that are equal after a trip through text: NaNs lose sign and
// payload.
uint64_t canonical(uint64_t b, DType part) {
  uint64_t sign = uint64_t{1} << (itemsize(part) * 8 - 1),
           infinity = sign - (uint64_t{1} << mantissa_bits(part));
  return (b & ~sign) > infinity ? infinity + 1 : b;
}

std::vector<uint64_t> canonical_parts(const void* p, DType d) {
  DType part = real_part(d);
  std::vector<uint64_t> out;
  for (int i = 0; i < itemsize(d); i += itemsize(part)) {
    uint64_t b = no_nan;
    std::memcpy(&b, static_cast<const char*>(p) + i, static_cast<size_t>(itemsize(part)));
    out.push_back(is_floating(part) ? canonical(b, part) : b);
  }
  return out;
}

}  // namespace

TEST_CASE("scalars are spelt as NumPy and Python spell them", "[core][text]") {
  std::istringstream in(weft::testing::golden("scalar_text.txt"));
  std::string line;
  int lines = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    ++lines;
    INFO(line);
    std::istringstream fields(line);
    std::string style, dtype, rule, want;
    fields >> style >> dtype >> rule;
    DType d;
    REQUIRE(parse_dtype(dtype, &d));
    if (is_complex(d)) {
      fields >> want;
      std::array<unsigned char, 16> bytes{};
      for (size_t i = 0; i + 1 < rule.size(); i += 2)
        bytes[i / 2] = static_cast<unsigned char>(std::stoi(rule.substr(i, 2), nullptr, 16));
      CHECK(spell(style, bytes.data(), d) == want);
      continue;
    }
    uint64_t count, hash = 0xCBF29CE484222325, state = 1;
    fields >> count >> want;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t b = bits(rule, d, i, state);
      for (char c : spell(style, &b, d) + "\n")
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    CHECK(hash == std::stoull(want, nullptr, 16));
  }
  CHECK(lines == 67);
}

TEST_CASE("spellings of scalars", "[core][text]") {
  CHECK(shortest(1.f) == "1.0");
  CHECK(shortest(0.1f) == "0.1");
  CHECK(shortest(1e-5) == "1e-05");
  CHECK(shortest(1e16f) == "1e+16");
  CHECK(shortest(16777216000.f) == "16777216000.0");
  CHECK(shortest(-0.0) == "-0.0");
  CHECK(shortest(NAN) == "nan");
  CHECK(shortest(-INFINITY) == "-inf");
  CHECK(shortest(bfloat16_t(0.1f)) == "0.1");
  CHECK(shortest(bfloat16_t(3e38f)) == "3e+38");
  CHECK(shortest(float16_t(65504.f)) == "65500.0");
  CHECK(shortest(int8_t{-128}) == "-128");
  CHECK(shortest(true) == "True");
  CHECK(shortest(complex64_t{1, 2}) == "(1+2j)");
  CHECK(shortest(complex64_t{0, 0.1f}) == "0.1j");
  std::array<uint32_t, 2> key{0, 42};
  CHECK(scalar_text(key.data(), Key) == "key(0, 42)");
  float tenth = 0.1f;
  CHECK(literal_text(&tenth, F32) == "0.10000000149011612");
}

TEST_CASE("every scalar survives its text", "[core][text]") {
  constexpr DType all[] = {Bool, I8,   I16, I32, I64, U8,  U16,  U32,
                           U64,  BF16, F16, F32, F64, C64, C128, Key};
  std::mt19937_64 random(7);
  for (DType d : all) {
    int wrong = 0;
    for (uint64_t i = 0; i < 70000; ++i) {
      std::array<uint64_t, 2> value{random(), random()}, back{};
      if (itemsize(d) <= 2) value[0] = d == Bool ? i & 1 : i & 0xffff;
      for (auto text : {scalar_text, numpy_scalar_text, literal_text}) {
        bool read = parse_scalar(text(value.data(), d), d, back.data());
        if (read && canonical_parts(value.data(), d) == canonical_parts(back.data(), d)) continue;
        if (++wrong <= 3) FAIL_CHECK(short_name(d) << ": " << text(value.data(), d));
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("numbers are rounded once when read", "[core][text]") {
  // These numbers are just above, at and just below midpoints. They have more digits than a double
  // or float can hold.
  std::string zeros(60, '0');
  CHECK(parsed<float16_t>("1.00048828125").bits == 0x3c00);
  CHECK(parsed<float16_t>("1.00048828125" + zeros + "1").bits == 0x3c01);
  CHECK(parsed<float16_t>("1.00146484375").bits == 0x3c02);
  CHECK(parsed<float16_t>("1.00146484374" + std::string(60, '9')).bits == 0x3c01);
  CHECK(parsed<float16_t>("-1.00048828125" + zeros + "1").bits == 0xbc01);
  CHECK(parsed<bfloat16_t>("1.00390625").bits == 0x3f80);
  CHECK(parsed<bfloat16_t>("1.00390625000000000000000000001").bits == 0x3f81);
  // Half of the smallest positive value.
  CHECK(parsed<float16_t>("2.98023223876953125e-08").bits == 0);
  CHECK(parsed<float16_t>("2.980232238769531251e-08").bits == 1);
  CHECK(parsed<float16_t>("65519.99999999999999999999").bits == 0x7bff);
  CHECK(refused<float16_t>("65520"));
  CHECK(parsed<float16_t>("1e-400").bits == 0);
  CHECK(parsed<float>("1.00000005960464477540") ==
        1.00000012f);  // above a midpoint; rounding to a double first would give 1.0
  CHECK(parsed<float>("1.00000005960464477539062500") == 1.f);
  CHECK(parsed<double>("5e-324") == 5e-324);
  CHECK(parsed<double>("2.4703282292062327e-324") == 0);
  CHECK(parsed<float>("1e-46") == 0);
  CHECK(std::signbit(parsed<float>("-0")));
}

TEST_CASE("texts that are not numbers are refused", "[core][text]") {
  for (const char* text : {"", " 1", "1 ", "abc", "1e", "1e+", ".", "-", "+-1", "1..2", "0x10",
                           "1_000", "infinite", "nan0", "1,5", "(1)", "1f", "--1"}) {
    CHECK(refused<float>(text));
    CHECK(refused<double>(text));
    CHECK(refused<bfloat16_t>(text));
    CHECK(refused<complex64_t>(text));
    CHECK(refused<int32_t>(text));
  }
  for (const char* text : {"1e999", "-1e999", "1e99999999999999999999", "1e39"}) {
    CHECK(refused<float>(text));
    CHECK(refused<bfloat16_t>(text));
  }
  CHECK(refused<double>("1.8e308"));
  for (const char* text : {"128", "-129", "1.0", "True", "99999999999999999999999"})
    CHECK(refused<int8_t>(text));
  CHECK(refused<uint64_t>("-1"));
  CHECK(refused<uint64_t>("18446744073709551616"));
  for (const char* text : {"true", "1", "", "TrueX"}) CHECK(refused<bool>(text));
  for (const char* text :
       {"(1+2j", "1+2", "1j2", "j", "1+j", "(1+2j)j", "(1 + 2j)", "12j3j", "(1e999+0j)"})
    CHECK(refused<complex128_t>(text));
  uint64_t key;
  for (const char* text : {"key()", "key(1)", "key(1, )", "key(1,2)", "key(-1, 2)",
                           "key(4294967296, 0)", "key(1, 2", "(1, 2)"})
    CHECK_FALSE(parse_scalar(text, Key, &key));
}

TEST_CASE("other spellings of numbers are read", "[core][text]") {
  CHECK(parsed<float>("3") == 3.f);
  CHECK(parsed<float>("+.5E1") == 5.f);
  CHECK(parsed<double>("1.") == 1.);
  CHECK(std::isnan(parsed<double>("-nan")));
  CHECK(parsed<complex64_t>("1.5") == complex64_t{1.5f, 0});
  CHECK(parsed<complex64_t>("2j") == complex64_t{0, 2});
  CHECK(parsed<complex128_t>("1e-05-2.5j") == complex128_t{1e-5, -2.5});
  CHECK(parsed<bool>("True"));
}
