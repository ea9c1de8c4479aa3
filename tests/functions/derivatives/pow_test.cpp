// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/derivatives/pow_test.cpp: derivatives of powers of every order at 0, where terms
// of polynomials are evaluated.
#include <cmath>
#include <complex>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using Function1 = std::function<Array(Array)>;
// Returns f(x) and its first derivatives, in reverse mode.
Floats derivatives(Function1 f, double x, int orders) {
  Floats r;
  for (int k = 0; k <= orders; ++k) {
    r.push_back(f(array(x)).item<float>());
    f = [f](Array v) { return grad(f)(v); };
  }
  return r;
}

}  // namespace

TEST_CASE("sums of powers are polynomials at 0", "[pow]") {
  const Floats want = {1, 1, 2, 6, 24, 0, 0};
  CHECK(derivatives([](Array x) { return sum(pow(x, arange(5))); }, 0, 6) == want);
  CHECK(derivatives([](Array x) { return sum(pow(x, arange(5.))); }, 0, 6) == want);
  CHECK(derivatives([](Array x) { return sum(power(x, arange(5))); }, 0, 6) == want);
  CHECK(derivatives([](Array x) { return sum(float_power(x, arange(5))); }, 0, 6) == want);
  CHECK(derivatives([](Array x) { return sum(vander(x.reshape({1}), 5)); }, 0, 6) == want);
  CHECK(derivatives([](Array x) { return polyval(ones({5}), x); }, 0, 6) == want);
  CHECK(grad([](Array x) { return sum(pow(x, arange(3))); })(0.).item<float>() == 1);
  for (const DType d : {I8, I16, I32, I64, U8, U16, U32, U64})
    CHECK(derivatives([d](Array x) { return sum(pow(x, arange(5).astype(d))); }, 0, 6) == want);
  CHECK(floats(jit(vmap(grad([](Array x) { return sum(pow(x, arange(3))); })))(
            array({0., 1., -2.}))) == Floats{1, 3, -3});
  CHECK(jacfwd([](Array x) { return sum(pow(x, arange(3.))); })(array(0.)).item<float>() == 1);
}

TEST_CASE("derivatives behind the last of a power are 0", "[pow]") {
  const Floats want = {0, 0, 0, 0, 24, 0, 0};
  CHECK(derivatives([](Array x) { return pow(x, 4); }, 0, 6) == want);
  CHECK(derivatives([](Array x) { return pow(x, 4.); }, 0, 6) == want);
  CHECK(derivatives([](Array x) { return pow(x, array(4.)); }, 0, 6) == want);
  const auto traced = jit([](Array x, Array y) { return pow(x, y); });
  CHECK(derivatives([&](Array x) { return traced(x, array(4.)); }, 0, 6) == want);
  CHECK(derivatives([](Array x) { return pow(x, 0.); }, 0, 3) == Floats{1, 0, 0, 0});
  CHECK(derivatives([](Array x) { return pow(x, -2.); }, 2, 2) == Floats{0.25, -0.25, 0.375});
  CHECK(derivatives([](Array x) { return pow(x, 3.); }, -2, 4) == Floats{-8, 12, -12, 6, 0});
}

TEST_CASE("derivatives of powers of 0, and of 0 to a power", "[pow]") {
  const auto f = [](Array a) { return pow(array(0.), a); };
  for (double a : {0.5, 1., 2., 3.}) CHECK(derivatives(f, a, 3) == Floats{0, 0, 0, 0});
  CHECK(derivatives(f, 0, 3) == Floats{1, 0, 0, 0});
  const float inf = INFINITY;
  CHECK(derivatives(f, -1, 3) == Floats{inf, -inf, inf, -inf});
}

TEST_CASE("derivatives by the base and the exponent commute", "[pow]") {
  const auto f = [](Array v) { return pow(v[0], v[1]); };
  const auto at = [&](double x, double y) {
    return hessian(f)(array({x, y}, F64)).to_vector<float>();
  };
  const float l = std::log(2.F);
  // This includes y = 0, where the derivative with respect to the base is 0. Its derivative with
  // respect to the exponent is not 0.
  CHECK(at(2, 0)[1] == 0.5F);
  CHECK(at(2, 0)[2] == 0.5F);
  CHECK(at(2, 0)[3] == l * l);
  CHECK(at(0, 0) == Floats{0, 0, 0, 0});
  CHECK(at(0, 2) == Floats{2, 0, 0, 0});
  CHECK(at(0, 3) == Floats{0, 0, 0, 0});
}

TEST_CASE("powers of the complex 0", "[pow]") {
  const Array zero = array(std::complex<float>(0, 0));
  const auto slope = [&](const Array& y) {
    return grad([&](Array x) { return real(sum(pow(x, y))); })(zero).item<std::complex<float>>();
  };
  CHECK(slope(arange(3)) == std::complex<float>(1, 0));
  CHECK(slope(array(std::complex<float>(0, 0))) == std::complex<float>(0, 0));
  CHECK(slope(array(std::complex<float>(1, 0))) == std::complex<float>(1, 0));
  CHECK(slope(array(std::complex<float>(2, 0))) == std::complex<float>(0, 0));
}

TEST_CASE("an integer exponent leaves the base its dtype", "[pow]") {
  CHECK(pow(ones({}, F16), arange(3)).dtype() == F16);
  CHECK(pow(ones({3}, F32), ones({}, I64)).dtype() == F32);
  CHECK(pow(2., arange(3)).dtype() == F32);
  CHECK(pow(ones({2, 1}, F64), arange(3)).shape() == Shape{2, 3});
  CHECK(floats(pow(array({2., 3.}), array(3))) == Floats{8, 27});
}
