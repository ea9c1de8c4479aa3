// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/math_test.cpp: compares elementary functions with the C library in the next precision,
// and checks their special values. Nest values must give the same bits. The goldens of JAX's random
// numbers are checked here too.
#include "core/scalar/math.h"

#include <catch2/catch.hpp>
#include <complex>
#include <random>
#include <tuple>

#include "nest_eval.h"
#include "ulps.h"

namespace weft::math_test {
using namespace num;
using num::detail::from_bits;
using num::detail::to_bits;
namespace {

#ifdef __OPTIMIZE__
constexpr uint32_t float_stride = 997;
constexpr int double_samples = 100000;
#else
constexpr uint32_t float_stride = 99991;
constexpr int double_samples = 2000;
#endif

const double inf = std::numeric_limits<double>::infinity();
const double quiet = std::numeric_limits<double>::quiet_NaN();

struct Worst {
  double error = 0, at = 0;
  void add(double e, double x) {
    if (e > error) *this = {e, x};
  }
};
// Returns the worst error over every stride-th of all floats.
template <class F, class G>
Worst worst_float(F f, G reference, uint32_t stride = float_stride) {
  Worst w;
  for (uint64_t b = 0; b < (uint64_t{1} << 32); b += stride) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(b));
    w.add(ulps(f(x), reference(x)), x);
  }
  return w;
}
// Half of the samples are spread equally over [lo, hi], and half have random bits.
template <class F, class G>
Worst worst_double(F f, G reference, double lo, double hi, int samples = double_samples) {
  Worst w;
  std::mt19937_64 random(1);
  for (int i = 0; i < samples; ++i) {
    const double x = i % 2 ? std::bit_cast<double>(random())
                           : lo + (hi - lo) * (static_cast<double>(random() >> 11) * 0x1p-53);
    w.add(ulps(f(x), reference(static_cast<long double>(x))), x);
  }
  return w;
}
// True if long double is wider than double, so that it can be the reference for double. Otherwise
// those tests prove nothing and are left out.
constexpr bool has_wide = std::numeric_limits<long double>::digits >= 64;

template <class F, class G32, class G64>
void check(const char* name, F f, G32 single, G64 wide, double lo, double hi, double limit = 2) {
  const Worst s = worst_float([&](float x) { return f(x); },
                              [&](double x) { return static_cast<long double>(single(x)); });
  INFO(name << " float: " << s.error << " ULP at " << s.at);
  CHECK(s.error <= limit);
  if (!has_wide) return;
  const Worst d = worst_double([&](double x) { return f(x); }, wide, lo, hi);
  INFO(name << " double: " << d.error << " ULP at " << d.at);
  CHECK(d.error <= limit);
}
#define CHECK_AGAINST_LIBRARY(name, lo, hi)                                               \
  check(                                                                                  \
      #name, [](auto x) { return math::name(x); }, [](double x) { return std::name(x); }, \
      [](long double x) { return std::name(x); }, lo, hi)

template <class T>
T edge(int i) {
  using L = std::numeric_limits<T>;
  const T list[] = {T(0),           T(-0.0),         L::infinity(),    -L::infinity(),
                    L::quiet_NaN(), L::max(),        L::lowest(),      L::min(),
                    -L::min(),      L::denorm_min(), -L::denorm_min(), T(1),
                    T(-1),          T(0.3),          T(-0.7),          T(2),
                    T(-2.5),        T(11),           T(-30),           T(88.9),
                    T(-95),         T(700.5),        T(-745),          T(1e6),
                    T(-3e9),        T(1e30)};
  return list[i];
}
constexpr int edges = 26;

// Checks that the template gives the same bits for nest values and for numbers. Any NaN equals any
// other.
template <class T, class F>
void check_same_bits(const char* name, F f) {
  const auto same = [](uint64_t bits, T want) {
    const T got = from_bits<T>(bits);
    return (got != got && want != want) || to_bits(got) == to_bits(want);
  };
  int wrong = 0;
  std::mt19937_64 random(3);
  if constexpr (std::is_invocable_v<F, T>) {
    const test::Emitted<T> e(f);
    const auto one = [&](T x) { wrong += !same(e.bits(x), f(x)); };
    for (int i = 0; i < edges; ++i) one(edge<T>(i));
    for (int i = 0; i < 200; ++i)
      one(std::bit_cast<T>(static_cast<num::detail::Bits<T>>(random())));
    for (int i = 0; i < 200; ++i)
      one(static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-49 - 8));
  } else {
    const test::Emitted<T, T> e(f);
    const auto one = [&](T x, T y) { wrong += !same(e.bits(x, y), f(x, y)); };
    for (int i = 0; i < edges; ++i)
      for (int j = 0; j < edges; ++j) one(edge<T>(i), edge<T>(j));
  }
  INFO(name << (sizeof(T) == 4 ? " float" : " double"));
  CHECK(wrong == 0);
}
#define SAME_BITS(name)                                                  \
  check_same_bits<float>(#name, [](auto x)                               \
                           requires(sizeof(scalar_t<decltype(x)>) == 4)  \
                         { return math::name(x); });                     \
  check_same_bits<double>(#name, [](auto x)                              \
                            requires(sizeof(scalar_t<decltype(x)>) == 8) \
                          { return math::name(x); })
#define SAME_BITS_2(name)                                                                \
  check_same_bits<float>(#name, [](auto x, decltype(x) y) { return math::name(x, y); }); \
  check_same_bits<double>(#name, [](auto x, decltype(x) y) { return math::name(x, y); })

}  // namespace

TEST_CASE("exponentials are within 2 ULP") {
  CHECK_AGAINST_LIBRARY(exp, -746, 710);
  CHECK_AGAINST_LIBRARY(exp2, -1075, 1024);
  CHECK_AGAINST_LIBRARY(expm1, -40, 40);
  const auto logistic = [](auto x) {
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  };
  check(
      "logistic", [](auto x) { return math::logistic(x); },
      [&](double x) { return logistic(static_cast<long double>(x)); }, logistic, -745, 40);
}
TEST_CASE("logarithms are within 2 ULP") {
  CHECK_AGAINST_LIBRARY(log, 0, 4);
  CHECK_AGAINST_LIBRARY(log2, 0, 4);
  CHECK_AGAINST_LIBRARY(log10, 0, 4);
  CHECK_AGAINST_LIBRARY(log1p, -1, 4);
}
TEST_CASE("roots are within 2 ULP") {
  CHECK_AGAINST_LIBRARY(cbrt, -10, 10);
  check(
      "rsqrt", [](auto x) { return math::rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); },
      [](long double x) { return 1 / std::sqrt(x); }, 0, 10);
}
TEST_CASE("sine, cosine and tangent of any float are within 2 ULP") {
  // The C library's long double functions reduce arguments exactly only where they do not use x87
  // instructions. Double is therefore compared where cancellation is mild, and at hard points in
  // the next test.
  CHECK_AGAINST_LIBRARY(sin, -1e4, 1e4);
  CHECK_AGAINST_LIBRARY(cos, -1e4, 1e4);
  CHECK_AGAINST_LIBRARY(tan, -1e4, 1e4);
}
TEST_CASE("sine and cosine near multiples of pi/2 are within 2 ULP") {
  Worst w;
  for (int k = 1; k < 400000; ++k) {
    const float x = static_cast<float>(k * 1.5707963267948966);
    w.add(std::max(ulps(math::sin(x), std::sin(static_cast<double>(x))),
                   ulps(math::cos(x), std::cos(static_cast<double>(x)))),
          x);
    w.add(ulps(math::tan(x), std::tan(static_cast<double>(x))), x);
  }
  INFO(w.error << " at " << w.at);
  CHECK(w.error <= 2);
  // These are the double and the float nearest to multiples of pi/2, and large powers of two. The
  // expected values are from mpmath.
  CHECK(math::cos(std::ldexp(6381956970095103.0, 797)) ==
        Approx(-4.6871659242546276e-19).epsilon(1e-15));
  CHECK(math::cos(std::ldexp(16367173.0f, 72)) == Approx(-0x1.bbdd52p-30).epsilon(1e-7));
  CHECK(ulps(math::sin(0x1p1023), 0x1.205248cbdb760p-1L) <= 1);
  CHECK(ulps(math::cos(0x1p1023), -0x1.a719f26c232bfp-1L) <= 1);
  CHECK(ulps(math::tan(0x3p1000), -0x1.0a5289011693ap-1L) <= 1);
}
TEST_CASE("inverse trigonometric functions are within 2 ULP") {
  CHECK_AGAINST_LIBRARY(asin, -1, 1);
  CHECK_AGAINST_LIBRARY(acos, -1, 1);
  CHECK_AGAINST_LIBRARY(atan, -4, 4);
  std::mt19937_64 random(5);
  Worst w;
  const auto number = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  for (int i = 0; i < 2 * double_samples; ++i) {
    const double y = number(), x = number();
    w.add(ulps(math::atan2(y, x),
               std::atan2(static_cast<long double>(y), static_cast<long double>(x))),
          y);
    const float v = std::bit_cast<float>(static_cast<uint32_t>(random())),
                u = std::bit_cast<float>(static_cast<uint32_t>(random()));
    w.add(ulps(math::atan2(v, u),
               std::atan2(static_cast<long double>(v), static_cast<long double>(u))),
          v);
  }
  CHECK(w.error <= 2);
  for (int i = 0; i < edges; ++i)
    for (int j = 0; j < edges; ++j) {
      const double y = edge<double>(i), x = edge<double>(j);
      CHECK(ulps(math::atan2(y, x),
                 std::atan2(static_cast<long double>(y), static_cast<long double>(x))) <= 2);
    }
}
TEST_CASE("hyperbolic functions are within 2 ULP") {
  CHECK_AGAINST_LIBRARY(sinh, -3, 3);
  CHECK_AGAINST_LIBRARY(cosh, -711, 711);
  CHECK_AGAINST_LIBRARY(tanh, -3, 3);
}
TEST_CASE("inverse hyperbolic functions are within 2 ULP") {
  CHECK_AGAINST_LIBRARY(asinh, -3, 3);
  CHECK_AGAINST_LIBRARY(acosh, 1, 5);
  CHECK_AGAINST_LIBRARY(atanh, -1, 1);
}
TEST_CASE("error functions are within 2 ULP") {
  CHECK_AGAINST_LIBRARY(erf, -4, 4);
  CHECK_AGAINST_LIBRARY(erfc, -3, 27);
}
TEST_CASE("log-gamma is within 4 ULP where it is positive") {
  const Worst s =
      worst_float([](float x) { return math::lgamma(std::fabs(x)); },
                  [](double x) { return std::lgamma(static_cast<long double>(std::fabs(x))); },
                  10 * float_stride);
  CHECK(s.error <= 1);
  if (!has_wide) return;
  for (const auto& [lo, hi] :
       {std::pair(0.0, 3.0), std::pair(3.0, 10.0), std::pair(10.0, 1000.0)}) {
    const Worst d = worst_double([](double x) { return math::lgamma(std::fabs(x)); },
                                 [](long double x) { return std::lgamma(std::fabs(x)); }, lo, hi,
                                 double_samples / 4);
    INFO(d.error << " at " << d.at);
    CHECK(d.error <= 2);
  }
  for (double x : {-0.5, -1.5, -2.25, -10.75, -1e-5, -1e-300})
    CHECK(math::lgamma(x) ==
          Approx(static_cast<double>(std::lgamma(static_cast<long double>(x)))).epsilon(1e-14));
}
TEST_CASE("digamma has its recurrence, reflection and known values") {
  const double euler = 0.57721566490153286061;
  CHECK(math::digamma(1.0) == Approx(-euler).epsilon(1e-15));
  CHECK(math::digamma(0.5) == Approx(-euler - 2 * std::log(2.0)).epsilon(1e-15));
  CHECK(math::digamma(0.25) == Approx(-euler - M_PI / 2 - 3 * std::log(2.0)).epsilon(1e-15));
  CHECK(math::digamma(-0.5) == Approx(2 - euler - 2 * std::log(2.0)).epsilon(1e-14));
  CHECK(math::digamma(10.0) == Approx(2.2517525890667211).epsilon(1e-15));
  CHECK(math::digamma(1e10) == Approx(23.025850929890456).epsilon(1e-15));
  CHECK(std::fabs(math::digamma(1.4616321449683623)) < 1e-15);
  for (double x = 0.05; x < 30; x += 0.0371)
    CHECK(math::digamma(x + 1) - math::digamma(x) == Approx(1 / x).epsilon(1e-12));
  CHECK(std::isnan(math::digamma(-3.0)));
  CHECK(std::isnan(math::digamma(0.0f)));
  CHECK(math::digamma(inf) == inf);
  CHECK(math::digamma(1.0f) == -0.57721566f);
}
TEST_CASE("the inverse of erf") {
  for (double x = -0.999; x < 1; x += 0.00137) {
    CHECK(std::erf(math::erf_inv(x)) == Approx(x).epsilon(1e-14));
    const float f = static_cast<float>(x);
    CHECK(std::erf(static_cast<double>(math::erf_inv(f))) ==
          Approx(static_cast<double>(f)).epsilon(1e-6));
  }
  // The expected values were computed with 60 digits. Near 1, XLA's formula is off by millions of
  // ULP.
  for (const auto& [x, y] : {std::pair(0x1.fffffffffffffp-1, 0x1.7744f8f74e94ap+2),
                             {0x1.fffffffffep-1, 0x1.4347bf36fbae8p+2},
                             {0x1.fffffep-1, 0x1.ea8f95ae0aca8p+1},
                             {0x1.ffc9b744fba1ap-1, 0x1.3f94888195f52p+1},
                             {0x1.ff7ced916872bp-1, 0x1.29d311405cdb4p+1},
                             {0.5, 0x1.e861fbb24c00ap-2},
                             {0x1p-30, 0x1.c5bf891b4ef6bp-31}}) {
    CHECK(ulps(math::erf_inv(x), y) <= 2);
    CHECK(math::xla_erf_inv(x) == Approx(y).epsilon(0.04));
    const float f = static_cast<float>(x);
    if (f == x) CHECK(ulps(math::erf_inv(f), y) <= 2);
  }
  CHECK(math::erf_inv(1.0f) == inf);
  CHECK(math::erf_inv(-1.0) == -inf);
  CHECK(std::isnan(math::erf_inv(1.5f)));
  CHECK(std::signbit(math::erf_inv(-0.0)));
}

TEST_CASE("powers are within 2 ULP") {
  std::mt19937_64 random(9);
  Worst single, wide;
  const auto number = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int i = 0; i < 3 * double_samples; ++i) {
    const double x = std::ldexp(number(), static_cast<int>(random() % 40) - 20),
                 y = (number() - 0.5) * std::ldexp(1, static_cast<int>(random() % 13));
    wide.add(
        ulps(math::pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))),
        x);
    const float u = std::bit_cast<float>(static_cast<uint32_t>(random())),
                v = i % 2 ? static_cast<float>(y)
                          : static_cast<float>(static_cast<int>(random() % 99) - 49);
    single.add(
        ulps(math::pow(u, v), std::pow(static_cast<long double>(u), static_cast<long double>(v))),
        u);
  }
  INFO(single.at << ' ' << wide.at);
  CHECK(single.error <= 1);
  if (has_wide) CHECK(wide.error <= 2);
}
TEST_CASE("powers have C99's special cases") {
  const double list[] = {0,   -0.0, 1,   -1,   2,     -2,    0.5,    -0.5,   3,      -3,
                         1.5, -1.5, inf, -inf, quiet, 1e300, -1e300, 5e-324, -5e-324};
  for (double x : list)
    for (double y : list) {
      INFO(x << " ^ " << y);
      CHECK(ulps(math::pow(x, y),
                 std::pow(static_cast<long double>(x), static_cast<long double>(y))) <= 2);
      const float u = static_cast<float>(x), v = static_cast<float>(y);
      CHECK(ulps(math::pow(u, v),
                 std::pow(static_cast<long double>(u), static_cast<long double>(v))) <= 1);
    }
  CHECK(math::integer_pow(quiet, 0) == 1);
  CHECK(math::integer_pow(3.0f, 5) == 243);
  CHECK(math::integer_pow(2.0, -3) == 0.125);
  CHECK(math::integer_pow(0.5, std::numeric_limits<int>::min()) == inf);
  CHECK(math::integer_pow<int32_t>(3, 40) == 0x291fe821);
  CHECK(math::integer_pow<int8_t>(-2, 7) == -128);
}

TEST_CASE("exact and special values") {
  for (float x : {0.0f, -0.0f}) {
    for (float y : {math::sin(x), math::tan(x), math::asin(x), math::atan(x), math::sinh(x),
                    math::tanh(x), math::asinh(x), math::atanh(x), math::expm1(x), math::log1p(x),
                    math::erf(x), math::cbrt(x)})
      CHECK((y == 0 && std::signbit(y) == std::signbit(x)));
  }
  CHECK(math::exp(0.0f) == 1);
  CHECK(math::exp(-inf) == 0);
  CHECK(math::exp2(10.0f) == 1024);
  CHECK(math::exp2(-149.0f) == std::numeric_limits<float>::denorm_min());
  for (int k = -149; k < 128; ++k) CHECK(math::log2(std::ldexp(1.0f, k)) == k);
  for (int k = 0; k < 11; ++k) CHECK(math::log10(std::pow(10.0, k)) == k);
  CHECK(math::log(0.0f) == -inf);
  CHECK(std::isnan(math::log(-1.0)));
  CHECK(math::log1p(-1.0f) == -inf);
  CHECK(math::tanh(40.0f) == 1);
  CHECK(math::logistic(0.0) == 0.5);
  CHECK(math::logistic(-100.0f) > 0);
  CHECK(math::cosh(0.0) == 1);
  CHECK(std::isnan(math::sin(inf)));
  CHECK(math::rsqrt(0.0f) == inf);
  CHECK(std::isnan(math::acosh(0.5f)));
  CHECK(math::atanh(1.0) == inf);
  CHECK(std::signbit(math::sign(-0.0f)));
  CHECK(math::sign(-5) == -1);
  CHECK(math::sign(5u) == 1);
  CHECK(std::isnan(math::sign(quiet)));
  CHECK(math::logaddexp(-inf, -inf) == -inf);
  CHECK(math::logaddexp(inf, inf) == inf);
  CHECK(math::logaddexp(inf, -inf) == inf);
  CHECK(math::logaddexp(0.0, 0.0) == Approx(std::log(2.0)).epsilon(1e-15));
  CHECK(std::isnan(math::logaddexp(1.0, quiet)));
}
TEST_CASE("nextafter") {
  for (double x : {0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, inf, -inf, 3.0, 0x1p-1022})
    for (double y : {inf, -inf, 0.0, 1.0, x})
      CHECK(to_bits(math::nextafter(x, y)) == to_bits(std::nextafter(x, y)));
  CHECK(std::isnan(math::nextafter(1.0f, static_cast<float>(quiet))));
}
TEST_CASE("monotone functions do not step back where methods change") {
  const auto rises = [](auto f, float around) {
    const float limit = std::numeric_limits<float>::max();
    float x = around;
    for (int i = 0; i < 2000; ++i) x = std::nextafter(x, -limit);
    int steps = 0;
    for (float before = f(x); steps < 4000; ++steps) {
      x = std::nextafter(x, limit);
      const float now = f(x);
      // With an error of at most 2 ULP a result may be one step below the previous one, and no
      // more.
      if (now < std::nextafter(before, -limit)) return false;
      before = now;
    }
    return true;
  };
  CHECK(rises([](float x) { return math::tanh(x); }, 0.55f));
  CHECK(rises([](float x) { return math::erf(x); }, 0.9f));
  CHECK(rises([](float x) { return -math::erfc(x); }, 0.25f));
  CHECK(rises([](float x) { return math::asin(x); }, 0.5408f));
  CHECK(rises([](float x) { return math::atan(x); }, 1.0f));
  CHECK(rises([](float x) { return math::log(x); }, 1.41421356f));
  CHECK(rises([](float x) { return math::log1p(x); }, 0.41421356f));
  CHECK(rises([](float x) { return math::exp(x); }, 0.69314718f));
  CHECK(rises([](float x) { return math::exp(x); }, -87.3365f));
  CHECK(rises([](float x) { return math::sinh(x); }, 0.34657359f));
}

TEST_CASE("nest values give the bits of numbers") {
  SAME_BITS(exp);
  SAME_BITS(exp2);
  SAME_BITS(expm1);
  SAME_BITS(log);
  SAME_BITS(log2);
  SAME_BITS(log10);
  SAME_BITS(log1p);
  SAME_BITS(rsqrt);
  SAME_BITS(cbrt);
  SAME_BITS(logistic);
  SAME_BITS(sin);
  SAME_BITS(cos);
  SAME_BITS(tan);
  SAME_BITS(asin);
  SAME_BITS(acos);
  SAME_BITS(atan);
  SAME_BITS(sinh);
  SAME_BITS(cosh);
  SAME_BITS(tanh);
  SAME_BITS(asinh);
  SAME_BITS(acosh);
  SAME_BITS(atanh);
  SAME_BITS(erf);
  SAME_BITS(erfc);
  SAME_BITS(erf_inv);
  SAME_BITS(xla_erf_inv);
  SAME_BITS(lgamma);
  SAME_BITS(digamma);
  SAME_BITS(sign);
  SAME_BITS_2(atan2);
  SAME_BITS_2(pow);
  SAME_BITS_2(nextafter);
  SAME_BITS_2(logaddexp);
  check_same_bits<double>("complex", [](auto x, decltype(x) y) {
    const Cx z(x, y);
    const auto w = math::tanh(math::log(z)) + math::sin(z) * math::cos(z) / math::sqrt(z) -
                   math::integer_pow(z, -3);
    return w.re + abs(math::exp(z)) * w.im;
  });
}

TEST_CASE("complex functions agree with the C++ library") {
  using C = std::complex<long double>;
  std::mt19937_64 random(4);
  const auto number = [&] {
    return (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) *
           std::ldexp(1, static_cast<int>(random() % 6));
  };
  double worst = 0;
  const auto compare = [&](Cx<double> a, C b) {
    worst = std::max(worst, static_cast<double>(std::abs(C(a.re, a.im) - b) / std::abs(b)));
  };
  for (int i = 0; i < double_samples / 5; ++i) {
    const double x = number(), y = number();
    const Cx<double> z{x, y};
    const C c(x, y);
    compare(math::exp(z), std::exp(c));
    compare(math::log(z), std::log(c));
    compare(math::sqrt(z), std::sqrt(c));
    compare(math::sin(z), std::sin(c));
    compare(math::cos(z), std::cos(c));
    compare(math::tan(z), std::tan(c));
    compare(math::sinh(z), std::sinh(c));
    compare(math::cosh(z), std::cosh(c));
    compare(math::tanh(z), std::tanh(c));
    compare(math::integer_pow(z, 3), c * c * c);
    compare(math::sign(z), c / std::abs(c));
  }
  CHECK(worst < 2e-15);
  CHECK(math::sqrt(Cx<double>{-4, -0.0}).im == -2);
  CHECK(math::sqrt(Cx<double>{-4, 0.0}).im == 2);
  CHECK(math::log(Cx<float>{-1, -0.0f}).im == -3.14159265f);
  CHECK(math::exp(Cx<double>{-inf, 2}).re == 0);
  CHECK(math::exp(Cx<double>{730, 1.5707963267948966}).re ==
        Approx(6.123233995736766e-17 * std::exp(700.0) * std::exp(30.0)).epsilon(1e-12));
  CHECK(math::pow(Cx<double>{0, 0}, Cx<double>{0, 0}).re == 1);
  CHECK(math::pow(Cx<double>{0, 1}, Cx<double>{2, 0}).re == Approx(-1));
}

TEST_CASE("threefry gives JAX's bits") {
  using Pair = std::array<uint32_t, 2>;
  const auto block = [](uint32_t k1, uint32_t lo) {
    return math::threefry2x32<uint32_t>(0, k1, 0, lo);
  };
  CHECK(block(0, 0) == Pair{0x6b200159, 0x99ba4efe});
  CHECK(block(42, 0) == Pair{1832780943, 270669613});
  CHECK(block(42, 1) == Pair{64467757, 2916123636});
  CHECK(block(42, 7) == Pair{2547012911, 1371500959});
  const auto bits = [](uint32_t i) { return math::random_bits32<uint32_t>(0, 42, 0, i); };
  CHECK(std::array{bits(0), bits(1), bits(2), bits(3)} ==
        std::array{2098992034u, 2919706841u, 2646866425u, 2409546199u});
  CHECK((bits(0) & 0xffff) == 5026);
  CHECK((bits(3) & 0xff) == 215);
  CHECK(math::random_bits64<uint32_t>(0, 42, 0, 0) == (uint64_t{1832780943} << 32 | 270669613));
  const test::Emitted<uint32_t, uint32_t> e([](auto key, auto i) {
    return math::random_bits32(Ir<uint32_t>(0), key, Ir<uint32_t>(0), i);
  });
  CHECK(e.as<uint32_t>(42, 2) == bits(2));
}

}  // namespace weft::math_test
