// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/compare.cpp: scores each element: a score of at most 1 passes, and the largest score
// is the worst.
#include "tools/weft/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/text/print_array.h"
#include "tracer/concrete.h"

namespace weft::tools {
namespace {

constexpr double wrong = std::numeric_limits<double>::infinity();

template <class T>
concept Complex = std::same_as<T, complex64_t> || std::same_as<T, complex128_t>;
template <class T>
concept Exact = std::integral<T>;

template <class T>
double epsilon() {
  if constexpr (std::same_as<T, float16_t>) return 0x1p-10;
  if constexpr (std::same_as<T, bfloat16_t>) return 0x1p-7;
  if constexpr (std::same_as<T, float>) return 0x1p-23;
  return 0x1p-52;
}

// The number of values of T between two values.
template <class T>
uint64_t ulps(T a, T e) {
  using I = std::conditional_t<sizeof(T) == 2, int16_t,
                               std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  const double x = static_cast<double>(a), y = static_cast<double>(e);
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  if (!std::isfinite(x) || !std::isfinite(y)) return ~uint64_t{0};
  const auto place = [](T v) {
    const auto bits = static_cast<int64_t>(std::bit_cast<I>(v));
    constexpr auto lowest = static_cast<int64_t>(std::numeric_limits<I>::min());
    return static_cast<uint64_t>(bits >= 0 ? bits : lowest - bits);
  };
  // Modulo 2^64, since the distance may exceed int64_t.
  return std::min(place(a) - place(e), place(e) - place(a));
}
template <Exact T>
uint64_t ulps(T, T) {
  return 0;
}
template <Complex T>
uint64_t ulps(T a, T e) {
  return std::max(ulps(a.re, e.re), ulps(a.im, e.im));
}

double ratio(double distance, double allowed) {
  return distance == 0 ? 0 : allowed > 0 ? distance / allowed : wrong;
}

template <class T>
double score(T a, T e, const Rule& rule, double scale) {
  if (rule.kind == Rule::Kind::ulp)
    return ratio(static_cast<double>(ulps(a, e)), static_cast<double>(rule.max_ulp));
  const double x = static_cast<double>(a), y = static_cast<double>(e);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : wrong;
  if (rule.kind == Rule::Kind::bits)
    return a == e && std::signbit(x) == std::signbit(y) ? 0 : wrong;
  if (rule.kind == Rule::Kind::equal || std::isinf(x) || std::isinf(y)) return x == y ? 0 : wrong;
  const double off = std::abs(x - y);
  switch (rule.kind) {
    case Rule::Kind::tolerance:
      return ratio(off, rule.atol + rule.rtol * std::abs(y) + rule.scaled * scale);
    case Rule::Kind::almost: return ratio(off, rule.atol);
    default: return ratio(off, 4 * epsilon<T>() * (std::abs(y) + scale));
  }
}
template <Exact T>
double score(T a, T e, const Rule&, double) {
  return a == e ? 0 : wrong;
}
template <Complex T>
double score(T a, T e, const Rule& rule, double scale) {
  const double parts = std::max(score(a.re, e.re, rule, scale), score(a.im, e.im, rule, scale));
  if (rule.kind != Rule::Kind::tolerance || parts == wrong) return parts;
  const double off = std::hypot(static_cast<double>(a.re) - static_cast<double>(e.re),
                                static_cast<double>(a.im) - static_cast<double>(e.im));
  if (!std::isfinite(off)) return parts;  // equal infinities, or two NaNs
  const double size = std::hypot(static_cast<double>(e.re), static_cast<double>(e.im));
  return ratio(off, rule.atol + rule.rtol * size + rule.scaled * scale);
}

template <class T>
double magnitude(T x) {
  if constexpr (Complex<T>)
    return std::max(magnitude(x.re), magnitude(x.im));
  else
    return std::isfinite(static_cast<double>(x)) ? std::abs(static_cast<double>(x)) : 0;
}

std::string place(const Shape& shape, int64_t k) {
  std::string s;
  for (size_t a = shape.size(); a-- > 0;) {
    const int64_t n = shape.sizes()[a];
    s = fmt::format("{}{}{}", k % n, s.empty() ? "" : ", ", s);
    k /= n;
  }
  return s.empty() ? "the scalar" : "element [" + s + "]";
}

template <class T>
std::string worst(const Array& got, const Array& want, const Rule& rule) {
  const T *a = data_of<T>(got), *e = data_of<T>(want);
  double scale = 0, most = 1;
  for (int64_t k = 0; k < want.size(); ++k) scale = std::max(scale, magnitude(e[k]));
  int64_t at = -1, count = 0;
  uint64_t farthest = 0;
  for (int64_t k = 0; k < want.size(); ++k) {
    const double s = score(a[k], e[k], rule, scale);
    count += s > 1;
    if (rule.min_ulp > 0) farthest = std::max(farthest, ulps(a[k], e[k]));
    if (s > most) {
      most = s;
      at = k;
    }
  }
  if (at < 0 && farthest < rule.min_ulp)
    return fmt::format("no element is {} numbers off, as it should be", rule.min_ulp);
  if (at < 0) return "";
  const auto text = [&](const T* p) { return array_str(p + at, got.dtype(), Shape{}); };
  return fmt::format("{} is {}, expected {}; {} of {} elements are wrong{}", place(got.shape(), at),
                     text(a), text(e), count, want.size(),
                     most < 1e18 ? fmt::format(", this one {:.3g} times too far off", most) : "");
}

}  // namespace

std::string difference(const Array& got, const Array& want, const Rule& rule) {
  if (got.type().strong() != want.type().strong())
    return fmt::format("the type is {}, expected {}", to_string(got.type().strong()),
                       to_string(want.type().strong()));
  return with_dtype(got.dtype(), [&](auto* p) {
    return worst<std::remove_pointer_t<decltype(p)>>(got, want, rule);
  });
}

}  // namespace weft::tools
