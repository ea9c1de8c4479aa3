// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/float_text.cpp: shortest and rounded decimal digits, scalars as text and back.
#include "core/text/float_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/ir.h"

namespace weft {
namespace {

// Splits "-1.25e+02", the format of std::to_chars, into its parts.
Decimal from_scientific(std::string_view s) {
  Decimal r;
  if (s.front() == '-') {
    r.negative = true;
    s.remove_prefix(1);
  }
  size_t e = s.find('e');
  std::string_view exponent = s.substr(e + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), r.exponent);
  for (char c : s.substr(0, e))
    if (c != '.') r.digits += c;
  r.digits.erase(std::max<size_t>(r.digits.find_last_not_of('0') + 1, 1));
  return r;
}

template <class T>
Decimal shortest_of(T x) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific).ptr;
  return from_scientific({buffer, static_cast<size_t>(end - buffer)});
}

double value_of(const Decimal& d) {
  std::string s =
      fmt::format("{}{}.{}e{}", d.negative ? "-" : "", d.digits[0], d.digits.substr(1), d.exponent);
  double v = 0;
  std::from_chars(s.data(), s.data() + s.size(), v);
  return v;
}

// The next decimal away from zero with n digits after the first. d has at most that many.
Decimal next_decimal(Decimal d, int n) {
  d.digits.resize(static_cast<size_t>(n) + 1, '0');
  size_t i = d.digits.size();
  while (i > 0 && d.digits[i - 1] == '9') d.digits[--i] = '0';
  if (i > 0) {
    ++d.digits[i - 1];
  } else {
    d.digits[0] = '1';
    ++d.exponent;
  }
  d.digits.erase(d.digits.find_last_not_of('0') + 1);
  return d;
}

// Shortest digits for the 16-bit types, which std::to_chars does not support. x > 0. A decimal of n
// digits identifies x if it is between the midpoints to x's neighbours. The midpoints themselves
// count only if x's last bit is even. All the numbers compared have far fewer bits than a double.
template <class H>
Decimal shortest_narrow(double x) {
  H h(static_cast<float>(x)), below = h, above = h;
  --below.bits;
  ++above.bits;
  double lo = (static_cast<double>(static_cast<float>(below)) + x) / 2;
  double step = x - static_cast<double>(static_cast<float>(below));
  // Above the largest finite value, the spacing continues as if there were another value. Above a
  // power of two, it doubles.
  double up = static_cast<double>(static_cast<float>(above));
  double hi = std::isinf(up) ? x + step / 2 : (x + up) / 2;
  bool even = (h.bits & 1) == 0;
  auto inside = [&](double v) { return even ? lo <= v && v <= hi : lo < v && v < hi; };
  for (int n = 0;; ++n) {
    Decimal near = rounded_decimal(x, n);
    if (inside(value_of(near))) return near;
    // At a power of two, the interval extends further up than down.
    if (value_of(near) < x)
      if (Decimal next = next_decimal(near, n); inside(value_of(next))) return next;
  }
}

// Returns true if a float of type d is printed without an exponent.
bool plain(double x, DType d, const Decimal& r, FloatStyle style) {
  if (x == 0) return true;
  if (style == FloatStyle::Python || d == BF16) return -4 <= r.exponent && r.exponent < 16;
  double limit = d == F16 ? 1e3 : d == F32 ? 1e6 : 1e16;
  return std::fabs(x) >= 1e-4 && std::fabs(x) < limit;
}

// The text of one part of a complex number: without the ".0" of whole numbers.
std::string part_text(double x, DType d, FloatStyle style) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  Decimal r = shortest_decimal(x, d);
  std::string sign = r.negative ? "-" : "";
  auto count = static_cast<int>(r.digits.size());
  if (!plain(x, d, r, style)) {
    std::string fraction = count > 1 ? "." + r.digits.substr(1) : "";
    return fmt::format("{}{}{}e{}{:02}", sign, r.digits[0], fraction, r.exponent < 0 ? '-' : '+',
                       std::abs(r.exponent));
  }
  if (r.exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-r.exponent - 1), '0') + r.digits;
  if (count <= r.exponent + 1)
    return sign + r.digits + std::string(static_cast<size_t>(r.exponent + 1 - count), '0');
  auto whole = static_cast<size_t>(r.exponent) + 1;
  return sign + r.digits.substr(0, whole) + "." + r.digits.substr(whole);
}

std::string complex_text(double re, double im, DType part, FloatStyle style) {
  std::string i = part_text(im, part, style) + "j";
  if (re == 0 && !std::signbit(re)) return i;
  return "(" + part_text(re, part, style) + (i[0] == '-' ? "" : "+") + i + ")";
}

template <class T>
T load(const void* p) {
  T x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

double load_float(const void* p, DType d) {
  switch (d) {
    case BF16: return static_cast<double>(static_cast<float>(load<bfloat16_t>(p)));
    case F16: return static_cast<double>(static_cast<float>(load<float16_t>(p)));
    case F32: return static_cast<double>(load<float>(p));
    default: return load<double>(p);
  }
}

// widen: print the digits of the value as float64 instead of those of its own type.
std::string text(const void* p, DType d, FloatStyle style, bool widen) {
  if (d == Bool) return load<uint8_t>(p) ? "True" : "False";
  if (is_key(d)) {
    auto words = load<std::array<uint32_t, 2>>(p);
    return fmt::format("key({}, {})", words[0], words[1]);
  }
  if (is_floating(d)) return float_text(load_float(p, d), widen ? F64 : d, style);
  if (is_complex(d)) {
    DType part = real_part(d);
    const void* imag = static_cast<const char*>(p) + itemsize(part);
    return complex_text(load_float(p, part), load_float(imag, part), widen ? F64 : part, style);
  }
  return with_dtype(d, [&](auto* type) -> std::string {
    using T = std::remove_pointer_t<decltype(type)>;
    if constexpr (std::is_integral_v<T>) return fmt::format("{:d}", load<T>(p));
    return "";
  });
}

}  // namespace

Decimal rounded_decimal(double x, int n) {
  // Room for n digits and the other characters. A double has at most 767 digits.
  std::vector<char> buffer(static_cast<size_t>(n) + 32);
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x,
                           std::chars_format::scientific, n)
                 .ptr;
  return from_scientific({buffer.data(), static_cast<size_t>(end - buffer.data())});
}

Decimal shortest_decimal(double x, DType d) {
  if (d == F32) return shortest_of(static_cast<float>(x));
  if (d == F64 || x == 0) return shortest_of(x);
  double a = std::fabs(x);
  Decimal r = d == F16 ? shortest_narrow<float16_t>(a) : shortest_narrow<bfloat16_t>(a);
  r.negative = std::signbit(x);
  return r;
}

std::string float_text(double x, DType d, FloatStyle style) {
  std::string s = part_text(x, d, style);
  if (std::isfinite(x) && s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

std::string scalar_text(const void* value, DType d) {
  return text(value, d, FloatStyle::Python, false);
}
std::string numpy_scalar_text(const void* value, DType d) {
  return text(value, d, FloatStyle::NumPy, false);
}
std::string literal_text(const void* value, DType d) {
  return text(value, d, FloatStyle::Python, true);
}

}  // namespace weft
