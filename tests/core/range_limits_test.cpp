// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/range_limits_test.cpp: functions with finite results neither overflow nor underflow in
// intermediate values. The arguments and results are near the ends of the range. The expected
// values were computed with 400 digits.
#include <cmath>

#include "core/scalar/math.h"
#include "tests/support/catch.h"

namespace weft {
namespace {

// Returns the error in units of the last place of `truth`.
double ulps(double got, double truth) {
  const int e = truth == 0 ? -1022 : std::max(std::ilogb(truth), -1022);
  return std::ldexp(std::fabs(got - truth), 52 - std::max(e, -900)) *
         std::ldexp(1., std::max(e, -900) - e);
}
struct Value {
  double x, y;
};
struct Power {
  double x, y, power;
};
struct ComplexValue {
  double re, im, y_re, y_im;
};
struct ComplexPower {
  double a_re, a_im, b_re, b_im, y_re, y_im;
};
using C = num::Cx<double>;

void check(const char* what, C got, double re, double im, double bound) {
  INFO(what << " gives " << got.re << ' ' << got.im << " for " << re << ' ' << im);
  CHECK(ulps(got.re, re) <= bound);
  CHECK(ulps(got.im, im) <= bound);
}

}  // namespace

TEST_CASE("powers are right near the ends of the range") {
  for (const Power& v : std::initializer_list<Power>{
           {0x1p+1, 0x1.ffffdf3b645a2p+9, 0x1.ffa52de61c1b3p+1023},
           {0x1.fffffffffffffp+1023, 0x1.fff2e48e8a71ep-1, 0x1.dceb39d9e4e63p+1023},
           {0x1p-1022, -0x1.fae147ae147aep-1, 0x1.b795e38df3c2ep+1011},
           {0x1.56e1fc2f8f359p-997, 0x1.11eb851eb851fp+0, 0x0.00000000000cap-1022},
           {0x1.000001ad7f29bp+0, 0x1.a13b86p+32, 0x1.d941ae6e762d4p+1009},
           {0x1.fffffca501acbp-1, 0x1.b9130ap+32, 0x0.0000000000055p-1022},
           {0x0.0000000000001p-1022, 0x1p-1, 0x1p-537},
           {0x0.0000000000001p-1022, -0x1.ccccccccccccdp-1, 0x1.8406003b2aecdp+966}}) {
    INFO(v.x << " ^ " << v.y << " gives " << math::pow(v.x, v.y) << " for " << v.power);
    CHECK(ulps(math::pow(v.x, v.y), v.power) <= 2);
  }
  // The product b log a is rounded, so that its exponential loses the more digits, the larger the
  // product is.
  for (const ComplexPower& v : std::initializer_list<ComplexPower>{
           {0x1.4e718d7d7625ap+664, 0x1.4e718d7d7625ap+664, 0x1.8p+0, 0x0p+0,
            0x1.ec0bfcf57c142p+995, 0x1.28f9fdfbc52eep+997},
           {0x1.87e92154ef7acp-665, 0x1.87e92154ef7acp-665, 0x1.8p+0, 0x1p-2,
            0x1.551d406ed008fp-997, -0x1.48e7c618235b1p-997},
           {0x1.7e43c8800759cp+996, -0x1.7e43c8800759cp+996, -0x1p+0, 0x1p-1,
            0x1.0177056c784f7p-997, 0x1.f4918e6bc9fddp-998},
           {0x1p-1, 0x1p-1, -0x1.f4p+9, 0x1.8p+1, 0x1.893c858da7bccp+495, -0x1.4ebf5cbf36e61p+496},
           {0x1.1ccf385ebc8ap+1023, 0x1.1ccf385ebc8ap+1023, 0x1p-1, 0x1p-1, -0x1.2e83e51693f5bp+511,
            -0x1.90cbd5b90776bp+508}})
    check("pow", math::pow(C(v.a_re, v.a_im), C(v.b_re, v.b_im)), v.y_re, v.y_im, 3000);
}

TEST_CASE("real functions are right near the ends of the range") {
  const auto all = [](double (*f)(double), std::initializer_list<Value> values) {
    for (const Value& v : values) {
      INFO(v.x << " gives " << f(v.x) << " for " << v.y);
      CHECK(ulps(f(v.x), v.y) <= 2);
    }
  };
  all([](double x) { return math::tanh(x); }, {{0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-997},
                                               {0x1.4p+4, 0x1p+0},
                                               {0x1.9p+9, 0x1p+0},
                                               {0x1.e42d130773b76p+1023, 0x1p+0}});
  all([](double x) { return math::rsqrt(x); }, {{0x0.0000000000001p-1022, 0x1p+537},
                                                {0x1.fffffffffffffp+1023, 0x1p-512},
                                                {0x1p-1022, 0x1p+511},
                                                {0x0.012688b70e62bp-1022, 0x1.dd55745cbb7fap+514}});
  all([](double x) { return math::logistic(x); },
      {{-0x1.748p+9, 0x0.0000000000001p-1022},
       {-0x1.724p+9, 0x0.0000000000033p-1022},
       {-0x1.628p+9, 0x0.8bfe55de02338p-1022},
       {-0x1.62p+9, 0x1.7c8ab2288c9abp-1022},
       {0x1.5ep+9, 0x1p+0},
       {0x1.1ccf385ebc8ap+1023, 0x1p+0},
       {-0x1.2p+5, 0x1.0b6c3afdde062p-52},
       {-0x1.7433333333333p+9, 0x0.0000000000001p-1022}});
}

TEST_CASE("complex functions are right near the ends of the range") {
  const auto all = [](const char* name, C (*f)(C), std::initializer_list<ComplexValue> values) {
    for (const ComplexValue& v : values) check(name, f(C(v.re, v.im)), v.y_re, v.y_im, 8);
  };
  all("tanh", [](C z) { return math::tanh(z); },
      {{0x1.628p+9, 0x1p+0, 0x1p+0, 0x0p+0},
       {-0x1.9p+9, 0x1p+1, -0x1p+0, -0x0p+0},
       {0x1.2cp+8, 0x1p-1, 0x1p+0, 0x1.18e8cbf75288dp-865},
       {0x1.48p+4, 0x1p+0, 0x1p+0, 0x1.a3712683318f5p-59},
       {0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-997,
        0x1.56e1fc2f8f359p-997}});
  all("rsqrt", [](C z) { return math::rsqrt(z); },
      {{0x1.1ccf385ebc8ap+1023, 0x1.ab36d48e1acfp+1023, 0x1.c2c7d63c673bdp-513,
        -0x1.e2803ca170ec2p-514},
       {0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.8dc42193d5c03p+536,
        -0x1.49852f983efddp+535},
       {-0x1.1ccf385ebc8ap+1023, 0x0.730d67819e8d2p-1022, 0x0p+0, -0x1.573d68f903ea2p-512},
       {0x0.730d67819e8d2p-1022, -0x0.730d67819e8d2p-1022, 0x1.28aae3cb6cf49p+511,
        0x1.eb88ed58f48ep+509}});
  all("logistic", [](C z) { return math::logistic(z); },
      {{-0x1.628p+9, 0x1p+0, 0x0.4ba3890725117p-1022, 0x0.75cceb5db798cp-1022},
       {-0x1.72p+9, 0x1p+0, 0x0.000000000002ep-1022, 0x0.0000000000047p-1022},
       {0x1.748p+9, 0x1p+1, 0x1p+0, 0x0.0000000000001p-1022},
       {0x1.63p+9, 0x1.8p+1, 0x1p+0, 0x0.07448d73cf8adp-1022},
       {-0x1.ep+4, 0x1p-2, 0x1.985421af28211p-44, 0x1.a10dbdc1098fep-46}});
  all("sqrt", [](C z) { return math::sqrt(z); },
      {{0x1.e42d130773b76p+1023, 0x1.e42d130773b76p+1023, 0x1.1183929d374p+512,
        0x1.c52c3a0219e91p+510}});
  all("log", [](C z) { return math::log(z); },
      {{0x1.e42d130773b76p+1023, 0x1.e42d130773b76p+1023, 0x1.63096583c4edp+9,
        0x1.921fb54442d18p-1},
       {0x0.00000000007e8p-1022, 0x0.00000000007e8p-1022, -0x1.703d8681905e5p+9,
        0x1.921fb54442d18p-1}});
}

}  // namespace weft
