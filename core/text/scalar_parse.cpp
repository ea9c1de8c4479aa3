// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/scalar_parse.cpp: the parser of scalars, which rounds each number once.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/ir.h"
#include "core/text/float_text.h"

namespace weft {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number at the start of a text: its text without the sign, and its value as digits.
struct Token {
  bool negative = false;
  bool is_nan = false, is_inf = false;
  std::string_view body;
  std::string digits;    // no leading or trailing zeros; empty for zero
  int64_t exponent = 0;  // of the first digit
};

bool skip(std::string_view& s, std::string_view word) {
  if (!s.starts_with(word)) return false;
  s.remove_prefix(word.size());
  return true;
}

// "e-05"; huge exponents saturate, far outside every type's range.
bool scan_exponent(std::string_view& s, int64_t* out) {
  std::string_view rest = s.substr(1);
  bool negative = false;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  if (rest.empty() || !is_digit(rest[0])) return false;
  int64_t n = 0;
  for (; !rest.empty() && is_digit(rest[0]); rest.remove_prefix(1))
    n = std::min<int64_t>(n * 10 + (rest[0] - '0'), 1000000000);
  *out = negative ? -n : n;
  s = rest;
  return true;
}

// Removes a number from the front of s.
bool scan(std::string_view& s, Token* t) {
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    t->negative = s[0] == '-';
    s.remove_prefix(1);
  }
  if (skip(s, "nan")) return t->is_nan = true;
  if (skip(s, "inf")) return t->is_inf = true;
  std::string_view start = s;
  size_t seen = 0, whole = 0;
  bool point = false;
  for (; !s.empty() && (is_digit(s[0]) || (s[0] == '.' && !point)); s.remove_prefix(1)) {
    if (s[0] == '.') {
      point = true;
      continue;
    }
    ++seen;
    if (!point) ++whole;
    t->digits += s[0];
  }
  if (seen == 0) return false;
  int64_t exponent = 0;
  if (!s.empty() && (s[0] == 'e' || s[0] == 'E') && !scan_exponent(s, &exponent)) return false;
  t->body = start.substr(0, start.size() - s.size());
  size_t zeros = std::min(t->digits.find_first_not_of('0'), t->digits.size());
  t->digits.erase(0, zeros);
  t->digits.erase(t->digits.find_last_not_of('0') + 1);
  t->exponent = exponent + static_cast<int64_t>(whole) - 1 - static_cast<int64_t>(zeros);
  return true;
}

// The nearest T, without the sign. Returns false beyond its range; numbers that are too small
// become zero.
template <class T>
bool magnitude(const Token& t, T* out) {
  if (t.is_nan) return *out = std::numeric_limits<T>::quiet_NaN(), true;
  if (t.is_inf) return *out = std::numeric_limits<T>::infinity(), true;
  *out = 0;
  if (t.digits.empty()) return true;
  auto [end, error] = std::from_chars(t.body.data(), t.body.data() + t.body.size(), *out);
  if (error == std::errc::result_out_of_range) {
    *out = 0;
    return t.exponent < 0;
  }
  return error == std::errc{} && end == t.body.data() + t.body.size() && !std::isinf(*out);
}

// The sign of t - x, exactly; x > 0, t finite.
int compare(const Token& t, double x) {
  Decimal d = rounded_decimal(x, 800);  // more digits than any double has
  if (t.digits.empty()) return -1;
  if (t.exponent != d.exponent) return t.exponent < d.exponent ? -1 : 1;
  return t.digits.compare(d.digits);
}

// For the 16-bit types: converts to double, then to float rounded to odd, then to the type. Inexact
// results get an odd last bit, so that the last rounding detects the side of a midpoint.
template <class H>
bool narrow_magnitude(const Token& t, H* out) {
  double d;
  if (!magnitude(t, &d)) return false;
  if (std::isfinite(d)) {
    if (d > static_cast<double>(std::numeric_limits<float>::max())) return false;
    auto f = static_cast<float>(d);
    double wide = static_cast<double>(f);
    int side = wide != d ? (d < wide ? -1 : 1) : d == 0 ? !t.digits.empty() : compare(t, d);
    auto bits = std::bit_cast<uint32_t>(f);
    if (side < 0) --bits;
    if (side != 0) bits |= 1;
    *out = H(std::bit_cast<float>(bits));
    return std::isfinite(static_cast<float>(*out));
  }
  *out = H(static_cast<float>(d));
  return true;
}

// Writes the number of t to p as a value of d.
bool store_float(const Token& t, DType d, void* p) {
  auto store = [p](auto x) {
    std::memcpy(p, &x, sizeof x);
    return true;
  };
  if (d == F32) {
    float x;
    return magnitude(t, &x) && store(t.negative ? -x : x);
  }
  if (d == F64) {
    double x;
    return magnitude(t, &x) && store(t.negative ? -x : x);
  }
  auto narrow = [&](auto x) {
    if (!narrow_magnitude(t, &x)) return false;
    if (t.negative) x.bits ^= 0x8000;
    return store(x);
  };
  return d == F16 ? narrow(float16_t()) : narrow(bfloat16_t());
}

// "(1+2j)", "1+2j", "2j", "1.5".
bool parse_complex(std::string_view s, DType d, void* value) {
  if (s.starts_with('(') && s.ends_with("j)")) s = s.substr(1, s.size() - 2);
  Token re, im;
  if (!scan(s, &re)) return false;
  if (s == "j") {
    im = re;
    re = Token{};  // zero
  } else if (!s.empty()) {
    if ((s[0] != '+' && s[0] != '-') || !scan(s, &im) || s != "j") return false;
  }
  DType part = real_part(d);
  std::array<std::byte, sizeof(complex128_t)> parts;
  if (!store_float(re, part, parts.data()) || !store_float(im, part, parts.data() + itemsize(part)))
    return false;
  std::memcpy(value, parts.data(), itemsize(d));
  return true;
}

template <class T>
bool parse_integer(std::string_view s, T* out) {
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), *out);
  return error == std::errc{} && end == s.data() + s.size();
}

bool parse_key(std::string_view s, void* value) {
  std::array<uint32_t, 2> words{};
  if (!skip(s, "key(") || s.empty() || s.back() != ')') return false;
  s.remove_suffix(1);
  size_t comma = s.find(", ");
  if (comma == std::string_view::npos || !parse_integer(s.substr(0, comma), &words[0]) ||
      !parse_integer(s.substr(comma + 2), &words[1]))
    return false;
  std::memcpy(value, words.data(), sizeof words);
  return true;
}

}  // namespace

bool parse_scalar(std::string_view text, DType d, void* value) {
  if (d == Bool) {
    if (text != "True" && text != "False") return false;
    uint8_t x = text == "True";
    std::memcpy(value, &x, 1);
    return true;
  }
  if (is_key(d)) return parse_key(text, value);
  if (is_complex(d)) return parse_complex(text, d, value);
  if (is_floating(d)) {
    Token t;
    return scan(text, &t) && text.empty() && store_float(t, d, value);
  }
  return with_dtype(d, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      T x;
      if (!parse_integer(text, &x)) return false;
      std::memcpy(value, &x, sizeof x);
      return true;
    }
    return false;
  });
}

}  // namespace weft
