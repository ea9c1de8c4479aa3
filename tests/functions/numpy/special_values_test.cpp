// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/numpy/special_values_test.cpp: compares NumPy's functions with JAX at zeros, ties
// and infinities, for narrow floats, and for bools together with numbers.
#include <cmath>
#include <complex>
#include <limits>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Checks equality, including the signs of zeros. NaN equals NaN.
void check_same(const Array& got, const std::vector<double>& want) {
  const auto v = got.to_vector<double>();
  REQUIRE(v.size() == want.size());
  for (size_t i = 0; i < v.size(); ++i) {
    INFO("element " << i << ": " << v[i] << ", not " << want[i]);
    const bool same = std::isnan(want[i])
                          ? std::isnan(v[i])
                          : v[i] == want[i] && std::signbit(v[i]) == std::signbit(want[i]);
    CHECK(same);
  }
}
void check_near(const Array& got, const std::vector<double>& want) {
  const auto v = got.to_vector<double>();
  REQUIRE(v.size() == want.size());
  for (size_t i = 0; i < v.size(); ++i) {
    INFO("element " << i << ": " << v[i] << ", not " << want[i]);
    const bool near =
        std::isnan(want[i]) ? std::isnan(v[i]) : v[i] == want[i] || std::abs(v[i] - want[i]) < 1e-6;
    CHECK(near);
  }
}
bool all_nan(const Array& x) { return isnan(x).all().item<bool>() && x.size() > 0; }
}  // namespace

TEST_CASE("the slope of modf's part is 1 at whole numbers too", "[functions][edges]") {
  const auto f = [](Array x) { return sum(modf(x).first); };
  const Array x = array({-1., -2., -0., 2., -1.5});
  check_same(grad(f)(x), {1, 1, 1, 1, 1});
  check_same(jit(grad(f))(x), {1, 1, 1, 1, 1});
  const Array y = array({-1., -0., 0., 2., -1.5, inf, -inf, not_a_number});
  for (const auto& [part, whole] : {modf(y), jit([](Array v) { return modf(v); })(y)}) {
    check_same(part, {-0., -0., 0., 0., -0.5, 0., -0., not_a_number});
    check_same(whole, {-1, -0., 0, 2, -1, inf, -inf, not_a_number});
  }
}

TEST_CASE("second derivatives of cumlogsumexp at ties", "[functions][edges]") {
  const auto last = [](Array x) { return lax::cumlogsumexp(x, 0)[-1]; };
  check_near(hessian(last)(array({1., 1.})), {0.25, -0.25, -0.25, 0.25});
  check_near(hessian(last)(array({1., -inf, 1.})), {0.25, 0, -0.25, 0, 0, 0, -0.25, 0, 0.25});
  check_near(hessian(last)(array({1., -30., 1.})), {0.25, 0, -0.25, 0, 0, 0, -0.25, 0, 0.25});
  const auto first = [](Array x) { return lax::cumlogsumexp(x, 0, true)[0]; };
  check_near(hessian(first)(array({1., 1., -inf})), {0.25, -0.25, 0, -0.25, 0.25, 0, 0, 0, 0});
  check_near(lax::cumlogsumexp(array({-inf, 0., inf, 1.}), 0), {-inf, 0, inf, inf});
  check_near(hessian([](Array x) { return logaddexp(x[0], x[1]); })(array({1., 1.})),
             {0.25, -0.25, -0.25, 0.25});
}

TEST_CASE("quantiles of the narrow floats find their places", "[functions][edges]") {
  const Array many = flip(arange(257.)).astype(BF16);
  CHECK(median(many).item<double>() == 128);
  CHECK(median(many).dtype() == BF16);
  CHECK(nanmedian(concatenate({many, full({3}, not_a_number, BF16)})).item<double>() == 128);
  check_same(percentile(many, array({10., 50., 90.})), {25.625, 128, 230});
  check_same(nanpercentile(many, array({10., 50., 90.})), {25.625, 128, 230});
  CHECK(quantile(many, 0.5, none, {.method = "inverted_cdf"}).item<double>() == 128);
  CHECK(quantile(ones({70001}, F16), 0.5).item<double>() == 1);
  CHECK(median(full({2}, 60000, F16)).item<double>() == 60000);
  CHECK(median(concatenate({zeros({20000}, BF16), ones({20001}, BF16)})).item<double>() == 1);
  CHECK(quantile(array({1, 2, 4, 9, 3}, F16), 0.3).dtype() == F16);
}

TEST_CASE("places of quantiles are the same under jit", "[functions][edges]") {
  const Array x = array({3., -1., 2., 3., -100., 100.});
  for (const auto& [q, want] :
       {std::pair{0.1, -100.}, {0.3, -1.}, {0.5, 2.}, {0.7, 3.}, {0.9, 3.}}) {
    INFO(q);
    const auto f = [q = q](Array v) { return quantile(v, q, none, {.method = "nearest"}); };
    CHECK(f(x).item<double>() == want);
    CHECK(jit(f)(x).item<double>() == want);
    const auto g = [&](Array p) { return nanquantile(x, p, none, {.method = "nearest"}); };
    CHECK(jit(g)(full({}, q)).item<double>() == want);
  }
  // The slope with respect to q is the distance of the neighboring elements times the number of
  // intervals.
  CHECK(grad([&](Array q) { return quantile(x, q); })(full({}, 0.5)).item<double>() == 5);
}

TEST_CASE("floats divided by zero and rounded down", "[functions][edges]") {
  const Array x = array({1., -1., 0., not_a_number, inf, -inf});
  for (const Array& got : {floor_divide(x, 0.), divmod(x, 0.).first,
                           jit([](Array v) { return floor_divide(v, 0.); })(x)})
    check_same(got, {inf, -inf, not_a_number, not_a_number, inf, -inf});
  check_same(floor_divide(x, -0.), {-inf, inf, not_a_number, not_a_number, -inf, inf});
  check_same(floor_divide(array({1., 1.}), array({0., -0.})), {inf, -inf});
  check_same(floor_divide(array({7., -7.}, BF16), 0.), {inf, -inf});
  CHECK(all_nan(divmod(x, 0.).second));
  CHECK(all_nan(divmod(x, -0.).second));
  check_same(floor_divide(array({1., 7., -7., inf, 5.}), array({inf, -2., 2., 2., -inf})),
             {0, -4, -4, not_a_number, -1});
}

TEST_CASE("a bool takes the dtype of the other number", "[functions][edges]") {
  using Binary = Array (*)(const Arg&, const Arg&);
  for (const Binary f : {Binary(floor_divide), Binary(remainder), Binary(fmod), Binary(pow),
                         Binary(left_shift), Binary(right_shift)}) {
    const Array yes = array({true, true});
    for (const DType d : {I8, U8, I16, U32, U64}) {
      INFO(to_string(Type(d, {2})));
      CHECK(f(ones({2}, d), yes).dtype() == d);
      CHECK(f(yes, ones({2}, d)).dtype() == d);
      CHECK(f(ones({2}, d), true).dtype() == d);
    }
    CHECK(f(yes, yes).dtype() == I32);
  }
  CHECK(divmod(ones({2}, U64), array({true, true})).first.dtype() == U64);
  CHECK(floor_divide(ones({2}, F16), array({true, true})).dtype() == F16);
  check_same(floor_divide(array({200}, U8), array({true})), {200});
  check_same(fmod(array({true}), array({-3}, I8)), {1});
  check_same(left_shift(array({true}), array({3}, I8)), {8});
  check_same(right_shift(array({200}, U8), array({true})), {100});
}

TEST_CASE("powers of the complex zero", "[functions][edges]") {
  using C = std::complex<double>;
  for (const DType d : {C64, C128}) {
    const Array z = zeros({1}, d);
    for (const C e :
         {C(-1), C(0, 1), C(1, 1), C(-1, 1), C(-0.5), C(not_a_number), C(0, not_a_number)}) {
      INFO(e);
      const Array y = full({1}, e, d);
      for (const Array& got : {lax::pow(z, y), pow(z, y), jit(lax::pow)(z, y),
                               jit([&](Array v) { return lax::pow(v, y); })(z)}) {
        CHECK(all_nan(real(got)));
        CHECK(all_nan(imag(got)));
      }
    }
    for (const C e : {C(0), C(2), C(1.5), C(inf)}) {
      INFO(e);
      const Array y = full({1}, e, d);
      for (const Array& got : {lax::pow(z, y), jit(lax::pow)(z, y)})
        CHECK(got[0].item<C>() == C(e == C(0) ? 1 : 0));
    }
    CHECK(all_nan(real(pow(z, -1.))));
    CHECK(pow(z, 0.)[0].item<C>() == C(1));
    check_same(real(lax::pow(zeros({3}, d), array({-1, 0, 2}))), {not_a_number, 1, 0});
  }
}

TEST_CASE("logarithms of the complex zero to bases 2 and 10", "[functions][edges]") {
  for (const DType d : {C64, C128})
    for (const Array& x : {log2(zeros({1}, d)), log10(zeros({1}, d))}) {
      CHECK(x.dtype() == d);
      check_same(real(x), {-inf});
      check_same(imag(x), {0});
    }
  const Array z = array({std::complex<double>(1, 2)});
  check_near(imag(log2(z)), {1.59727796});
  check_near(real(log10(z)), {0.349485});
}

TEST_CASE("complex numbers in functions that order or round", "[functions][edges]") {
  using Complex = std::complex<float>;
  const Array z = array(std::vector<Complex>{{1, 2}, {-.5, 1.5}, {0, 0}, {-3, 0}, {0, 2.5}});
  // The expected values are from JAX (0.10.2).
  const auto check = [](const Array& got, const std::vector<Complex>& want) {
    REQUIRE(got.dtype() == C64);
    const auto values = got.to_vector<Complex>();
    for (size_t i = 0; i < want.size(); ++i)
      CHECK(std::abs(values[i] - want[i]) <= 3e-6f * (1 + std::abs(want[i])));
  };
  check(sinc(z), {{-34.090343f, -17.045168f}, {3.5436406f, 10.630922f}, 1, 0, 163.99139f});
  check(rint(z), {{1, 2}, {0, 2}, 0, -3, {0, 2}});
  check(nn::relu(z), {{1, 2}, 0, 0, 0, {0, 2.5}});
  check(nn::relu6(z), {{1, 2}, 0, 0, 0, {0, 2.5}});
  check(nn::leaky_relu(z), {{1, 2}, {-.005f, .015f}, 0, -.03f, {0, 2.5}});
  check(nn::elu(z), {{1, 2}, {-.95709574f, .6050113f}, 0, -.95021296f, {0, 2.5}});
  check(nn::celu(z), {{1, 2}, {-.95709574f, .6050113f}, 0, -.95021296f, {0, 2.5}});
  check(nn::selu(z),
        {{1.050701f, 2.101402f}, {-1.6826694f, 1.06367f}, 0, -1.6705688f, {0, 2.6267526f}});
  check(nn::hard_tanh(z), {1, {-.5, 1.5}, 0, -1, {0, 2.5}});
  check(nn::hard_sigmoid(z),
        {{.6666667f, .33333334f}, {.4166667f, .25f}, .5f, 0, {.5f, .4166667f}});
  check(grad([](Array x) { return real(sinc(x)).sum(); })(z),
        {{-39.913223f, 96.871635f}, {27.722815f, -6.8785095f}, 0, .33333334f, {0, -449.59784f}});
  check(grad([](Array x) { return real(nn::relu(x)).sum(); })(z), {1, 0, 0, 0, 1});
  CHECK(rint(array({1, 2})).dtype() == F32);
  // Complex numbers are ordered by the real part, then by the imaginary part.
  const Array a = array(std::vector<Complex>{{1, 2}, {1, 2}, {2, 0}, {1, 3}}),
              b = array(std::vector<Complex>{{1, 2}, {1, 3}, {1, 9}, {1, 2}});
  CHECK(less(a, b).to_vector<bool>() == std::vector<bool>{false, true, false, false});
  CHECK(less_equal(a, b).to_vector<bool>() == std::vector<bool>{true, true, false, false});
  CHECK(greater(a, b).to_vector<bool>() == std::vector<bool>{false, false, true, true});
  CHECK(greater_equal(a, b).to_vector<bool>() == std::vector<bool>{true, false, true, true});
}

TEST_CASE("the angle of -0 is that of the negative numbers", "[functions][edges]") {
  const Array x = array({-0., 0., -1., 2., not_a_number, inf, -inf});
  check_near(angle(x, true), {180, 0, 180, 0, not_a_number, 0, 180});
  check_near(angle(array({-1, 0, 1}), true), {180, 0, 0});
}

TEST_CASE("argwhere of scalars", "[functions][edges]") {
  CHECK(argwhere(array(3)).shape() == Shape{1, 0});
  CHECK(argwhere(array(0)).shape() == Shape{0, 0});
  CHECK(argwhere(array(3), {.size = 2}).shape() == Shape{2, 0});
}

TEST_CASE("extrema share no derivative between .initial and what is masked", "[functions][edges]") {
  const auto most = [](Array x) {
    return max(x, none, {.where = array({true, false}), .initial = 1.});
  };
  check_same(grad(most)(array({1., 5.})), {0.5, 0});
  const auto least = [](Array x) {
    return min(x, none, {.where = array({true, false}), .initial = 1.});
  };
  check_same(grad(least)(array({1., -5.})), {0.5, 0});
  const Array x = array({{1, 5, 1}, {2, 7, 2}}),
              mask = array({{true, false, true}, {false, false, false}});
  check_same(max(x, 1, {.where = mask, .initial = -3}), {1, -3});
  check_same(min(x, 1, {.where = mask, .initial = 4}), {1, 4});
  check_same(max(x > 4, 1, {.where = mask, .initial = false}), {0, 0});
  check_same(min(x > 0, 1, {.where = !mask, .initial = true}), {1, 1});
  check_same(max(x.astype(U64), 1, {.where = mask, .initial = 0}), {1, 0});
}

TEST_CASE("a complex number is true unless it is zero", "[edges]") {
  const Array z = array({{0., 2.}, {0., 0.}, {1., 0.}}),
              x = lax::complex(z[{slice(), 0}], z[{slice(), 1}]);
  const std::vector<bool> expected = {true, false, true};
  CHECK(x.astype(Bool).to_vector<bool>() == expected);
  CHECK(jit([](Array v) { return v.astype(Bool); })(x).to_vector<bool>() == expected);
  CHECK(x.to_vector<bool>() == expected);
  CHECK(bool(x[0]));
  CHECK(array({0.5, 0., 256.}).to_vector<bool>() == expected);
  CHECK(array({256, 0, -1}).to_vector<bool>() == expected);
  // lax converts the real part, as JAX's lax does.
  CHECK(lax::convert_element_type(x, Bool).to_vector<bool>() ==
        std::vector<bool>{false, false, true});
}
