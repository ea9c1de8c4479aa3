// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/complex_test.cpp: compares elementary functions of complex numbers with golden values,
// which include branch cuts, ends of the range and cancellation. Nest values must give the same
// bits.
#include <catch2/catch.hpp>
#include <complex>
#include <map>
#include <sstream>
#include <string>

#include "core/scalar/math.h"
#include "nest_eval.h"
#include "support/golden.h"
#include "ulps.h"

namespace weft::math_test {
using namespace num;
namespace {

// Calls f(name, function) for each function of complex numbers.
template <class F>
void each_function(F f) {
#define ONE(name) f(#name, [](auto z) { return math::name(z); })
  ONE(asin);
  ONE(acos);
  ONE(atan);
  ONE(asinh);
  ONE(acosh);
  ONE(atanh);
  ONE(exp);
  ONE(expm1);
  ONE(log);
  ONE(log1p);
  ONE(sqrt);
  ONE(square);
  ONE(sin);
  ONE(cos);
  ONE(tan);
  ONE(sinh);
  ONE(cosh);
  ONE(tanh);
#undef ONE
}

struct Case {
  double re, im;
  long double want_re, want_im;
};
// Returns the cases by function and dtype.
std::map<std::string, std::vector<Case>> cases() {
  std::map<std::string, std::vector<Case>> r;
  std::istringstream lines(testing::golden("complex.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, dtype, x, y, u, v;
    words >> name >> dtype >> x >> y >> u >> v;
    r[name + " " + dtype].push_back(
        {std::strtod(x.c_str(), nullptr), std::strtod(y.c_str(), nullptr),
         std::strtold(u.c_str(), nullptr), std::strtold(v.c_str(), nullptr)});
  }
  return r;
}

template <class T, class F>
void check_golden(const std::string& name, const std::vector<Case>& list, F f) {
  REQUIRE(list.size() >= 40);
  // The real part of e^z - 1 is a difference, which may cancel.
  const double limit = name == "expm1" ? 8 : 4;
  for (const Case& c : list) {
    const Cx<T> got = f(Cx<T>(static_cast<T>(c.re), static_cast<T>(c.im)));
    INFO(name << " of " << c.re << " " << c.im << ": " << got.re << " " << got.im);
    CHECK(ulps(got.re, c.want_re) <= limit);
    CHECK(ulps(got.im, c.want_im) <= limit);
  }
}

const double inf = std::numeric_limits<double>::infinity();

template <class T, class F>
void check_bits(const std::string& name, F f) {
  using num::detail::from_bits;
  using num::detail::to_bits;
  const auto same = [](T a, T b) { return (a != a && b != b) || to_bits(a) == to_bits(b); };
  const test::Emitted<T, T> re([f](auto x, decltype(x) y) { return f(Cx(x, y)).re; }),
      im([f](auto x, decltype(x) y) { return f(Cx(x, y)).im; });
  using L = std::numeric_limits<T>;
  const T list[] = {T(0),   T(-0.0),  L::infinity(), -L::infinity(),  L::quiet_NaN(), L::max(),
                    T(1),   T(-1),    L::min(),      L::denorm_min(), T(0.3),         T(-0.7),
                    T(2.5), T(-30.5), T(89.5),       T(-720),         T(1e-20),       T(-1e30)};
  int wrong = 0;
  for (T x : list)
    for (T y : list) {
      const Cx<T> want = f(Cx<T>(x, y));
      wrong += !same(from_bits<T>(re.bits(x, y)), want.re);
      wrong += !same(from_bits<T>(im.bits(x, y)), want.im);
    }
  INFO(name);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("complex functions are right at every kind of number") {
  const auto all = cases();
  each_function([&](const std::string& name, auto f) {
    check_golden<float>(name, all.at(name + " f32"), f);
    check_golden<double>(name, all.at(name + " f64"), f);
  });
}

TEST_CASE("complex functions of nest values give the bits of numbers") {
  each_function([](const std::string& name, auto f) {
    check_bits<float>(name, f);
    check_bits<double>(name, f);
  });
}

TEST_CASE("an infinite angle has no exponential, and e^-inf beside NaN is 0") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (double angle : {inf, none}) {
    for (double x : {-2.0, 0.0, 3.0, inf}) {
      const auto e = math::exp(Cx<double>(x, angle));
      CHECK((std::isnan(e.re) && std::isnan(e.im)));
    }
    const auto e = math::exp(Cx<double>(-inf, angle));
    if (std::isnan(angle))
      CHECK((e.re == 0 && e.im == 0));
    else
      CHECK((std::isnan(e.re) && std::isnan(e.im)));  // as in StableHLO's tests; C has 0
    for (double x : {-100.0, -3.0, 5.0, 20.0}) {
      const auto t = math::tanh(Cx<float>(static_cast<float>(x), static_cast<float>(angle)));
      CHECK((std::isnan(t.re) && std::isnan(t.im)));
    }
    const auto t = math::tanh(Cx<double>(-inf, angle));
    CHECK((t.re == -1 && t.im == 0));
  }
}

// The C library's functions follow annex G of the C standard. If the angle of a sine is infinite,
// both parts are NaN here, as in XLA. One of C's parts is 0 or infinite there.
TEST_CASE("complex functions at zeros, infinities and NaNs are those of C") {
  using C = std::complex<double>;
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double list[] = {0., -0., 2., -3., 1e300, inf, -inf, none};
  const auto same = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 1e-12 * std::abs(b);
  };
  const auto compare = [&](const char* name, double x, double y, Cx<double> got, C want) {
    INFO(name << " of " << x << " " << y << ": " << got.re << " " << got.im << ", not " << want);
    CHECK(((same(got.re, want.real()) && same(got.im, want.imag())) ||
           (std::isnan(got.re) && std::isnan(got.im) &&
            (std::isnan(want.real()) || std::isnan(want.imag())))));
  };
  for (double x : list)
    for (double y : list) {
      const Cx<double> z(x, y);
      const C c(x, y);
#define SAME(name) compare(#name, x, y, math::name(z), std::name(c))
      if (!(x == -inf && std::isinf(y))) SAME(exp);
      SAME(log);
      SAME(sqrt);
      SAME(sin);
      SAME(cos);
      SAME(tan);
      SAME(sinh);
      SAME(cosh);
      SAME(tanh);
      SAME(asin);
      SAME(acos);
      SAME(atan);
      SAME(asinh);
      SAME(acosh);
      SAME(atanh);
#undef SAME
    }
}

TEST_CASE("zeros of complex functions have the signs of C's") {
  using C = std::complex<double>;
  const double angles[] = {0., -0., 1., -1., 2., -2., 4., -4.};
  for (double x : {0., -0., 2., -3.25, inf, -inf})
    for (double y : angles) {
      const auto compare = [&](const char* name, Cx<double> z, Cx<double> got, C want) {
        INFO(name << " of " << z.re << " " << z.im << ": " << got.re << " " << got.im << ", not "
                  << want);
        CHECK((got.re != 0 || std::signbit(got.re) == std::signbit(want.real())));
        CHECK((got.im != 0 || std::signbit(got.im) == std::signbit(want.imag())));
      };
#define SAME(name, a, b) compare(#name, {a, b}, math::name(Cx<double>(a, b)), std::name(C(a, b)))
      SAME(exp, x, y);
      SAME(sinh, x, y);
      SAME(cosh, x, y);
      SAME(tanh, x, y);
      SAME(sin, y, x);
      SAME(cos, y, x);
      SAME(tan, y, x);
#undef SAME
    }
}

TEST_CASE("complex powers of two keep their length at large angles") {
  for (double y : {1e8, 1e10, 1e14, 1e20, 1e160, 1e300}) {
    const auto w = math::exp2(Cx<double>(0.3, y));
    CHECK(std::hypot(w.re, w.im) == Approx(std::exp2(0.3)));
  }
  // The expected values are cos and sin of y ln 2, computed by mpmath.
  const auto w = math::exp2(Cx<double>(0, 1e14));
  CHECK(w.re == Approx(-0.87730422261562202));
  CHECK(w.im == Approx(-0.47993468407773898));
  const auto f = math::exp2(Cx<float>(0, 1e10F));
  CHECK(f.re == Approx(0.083205953992435864));
  CHECK(f.im == Approx(-0.99653237238948171));
}

TEST_CASE("real powers of infinite complex numbers are infinite") {
  for (double im : {0., -0.}) {
    const auto w = math::pow(Cx<double>(inf, im), Cx<double>(0.5));
    CHECK((w.re == inf && w.im == 0));
    const auto f = math::pow(Cx<float>(INFINITY, static_cast<float>(im)), Cx<float>(0.5F));
    CHECK((f.re == INFINITY && f.im == 0));
  }
}

TEST_CASE("complex quotients of zeros, infinities and NaNs are those of C") {
  using C = std::complex<double>;
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double list[] = {0., -0., 2., -3., 1e300, inf, -inf, none};
  const auto same = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || a == b ||
           std::abs(a - b) <= 1e-15 * std::max(1., std::abs(b));
  };
  for (double a : list)
    for (double b : list)
      for (double c : list)
        for (double d : list) {
          const Cx<double> got = Cx<double>(a, b) / Cx<double>(c, d);
          const C want = C(a, b) / C(c, d);
          INFO(C(a, b) << " / " << C(c, d) << " is " << got.re << " " << got.im << ", not "
                       << want);
          CHECK((same(got.re, want.real()) && same(got.im, want.imag())));
        }
  // The small part of the divisor is lost in rounding beside the large one.
  const Cx<float> q = Cx<float>(INFINITY, -INFINITY) / Cx<float>(-1e-15F, -2e31F);
  CHECK((q.re == INFINITY && q.im == INFINITY));
}

// GCC's runtime makes NaN of a part that is 0 times the infinite scale of the other.
TEST_CASE("a complex quotient that overflows in one part keeps the other") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto check = [](Cx<double> a, Cx<double> b, double re, double im) {
    const Cx<double> q = a / b;
    INFO(a.re << " " << a.im << " / " << b.re << " " << b.im << " is " << q.re << " " << q.im);
    CHECK((q.re == re || q.re / re == Approx(1)));
    CHECK((q.im == im || q.im / im == Approx(1)));
  };
  check({0, 1e300}, {-1e-300, 0}, 0, -inf);
  check({1, 1e300}, {-1e-300, 0}, -1e300, -inf);
  check({0, 1e300}, {0, 1e-300}, inf, 0);
  check({1e-300, 1e-300}, {0, 1e-300}, 1, -1);
  check({-inf, none}, {1e-300, 1e300}, -inf, inf);
  check({none, inf}, {1e300, 1e-300}, inf, inf);
}

TEST_CASE("complex atan2 is the real one on the real axis") {
  for (double y : {-3.0, -0.5, 0.25, 2.0})
    for (double x : {-2.0, -0.75, 0.5, 4.0})
      CHECK(math::atan2(Cx<double>(y), Cx<double>(x)).re == Approx(std::atan2(y, x)));
  // The expected value is -i log((x + iy) / sqrt(x^2 + y^2)), computed by the C++ library.
  const auto w = math::atan2(Cx<double>(1, 2), Cx<double>(3, 1));
  CHECK(w.re == Approx(0.5535743588970452));
  CHECK(w.im == Approx(0.4023594781085251));
}

}  // namespace weft::math_test
