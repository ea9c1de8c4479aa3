// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/special/special_limits_test.cpp: derivatives where a formula has 0 / 0, 0 times
// infinity or a difference of infinities, and the function has a derivative. Examples are corners
// of losses, equal singular values, infinite elements, and complex numbers at 0.
#include <cmath>
#include <limits>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

namespace sp = weft::special;
namespace st = weft::scipy::stats;
constexpr double inf = std::numeric_limits<double>::infinity();

Array number(double v) { return array({v}, F64)[0]; }
double value(const Array& x) { return x.item<double>(); }
void check_list(const Array& got, const std::vector<double>& want, double tolerance = 1e-6) {
  const std::vector<double> g = ravel(got).to_vector<double>();
  REQUIRE(g.size() == want.size());
  for (size_t i = 0; i < g.size(); ++i) {
    INFO("element " << i << " is " << g[i] << ", wanted " << want[i]);
    CHECK((g[i] == want[i] || std::abs(g[i] - want[i]) <= tolerance * (1 + std::abs(want[i]))));
  }
}

}  // namespace

TEST_CASE("the sign of a complex number has a derivative", "[special_points]") {
  // On the circle z = e^(i t) the sign is z, whose real part is cos t.
  const auto circle = [](Array t) { return lax::complex(cos(t), sin(t)); };
  const auto of_sign = [&](Array t) { return real(sign(circle(t))); };
  const auto of_determinant = [&](Array t) {
    return real(linalg::slogdet(circle(t).reshape({1, 1})).first);
  };
  for (double t : {0.5, -2., 3.}) {
    CHECK(value(grad(of_sign)(number(t))) == Approx(-std::sin(t)));
    CHECK(value(grad(grad(of_sign))(number(t))) == Approx(-std::cos(t)));
    CHECK(value(jit(grad(of_determinant))(number(t))) == Approx(-std::sin(t)));
    CHECK(value(grad(grad(of_determinant))(number(t))) == Approx(-std::cos(t)));
  }
  // Along a ray the sign does not change, and the derivative at 0 is 0 too.
  const auto ray = [](Array r) { return real(sign(lax::complex(r, 2. * r))); };
  CHECK(value(grad(ray)(number(3.))) == Approx(0).margin(1e-15));
  CHECK(value(grad(ray)(number(0.))) == 0);
  CHECK(value(grad([](Array x) { return sign(x); })(number(0.))) == 0);
}

TEST_CASE("the square of a complex number's size is smooth at 0", "[special_points]") {
  const auto check = [](auto f) {
    const auto of_both = [f](Array v) { return f(lax::complex(v[0], v[1])); };
    for (const auto& at : {array({0., 0.}, F64), array({3., -4.}, F64)}) {
      check_list(grad(of_both)(at), {2 * value(at[0]), 2 * value(at[1])}, 1e-12);
      check_list(hessian(of_both)(at), {2, 0, 0, 2}, 1e-12);
      check_list(jit(hessian(of_both))(at), {2, 0, 0, 2}, 1e-12);
      check_list(jacrev(grad(of_both))(at), {2, 0, 0, 2}, 1e-12);
    }
    check_list(vmap(hessian(of_both))(zeros({2, 2}, F64)), {2, 0, 0, 2, 2, 0, 0, 2});
  };
  check([](Array z) { return square(abs(z)); });
  check([](Array z) { return abs(z) * abs(z); });
  check([](Array z) {
    const Array size = abs(z);
    return size * size;
  });
  check([](Array z) { return pow(abs(z), 2); });
  const auto both = [](Array x) { return square(abs(lax::complex(x, x))); };
  CHECK(value(grad(grad(both))(number(0.))) == Approx(4));
  // The square of another value must not be taken for the square of this one.
  const auto apart = [](Array x) { return abs(lax::complex(x, x)) * abs(lax::complex(x, 0. * x)); };
  CHECK(value(grad(apart)(number(2.))) == Approx(4 * std::sqrt(2.)));
}

TEST_CASE("derivatives of Bessel functions and others at 0", "[special_points]") {
  const auto second = [](auto f, double x) { return value(grad(grad(f))(number(x))); };
  CHECK(second([](Array x) { return sp::i0(x); }, 0) == Approx(0.5));
  CHECK(second([](Array x) { return weft::i0(x); }, 0) == Approx(0.5));
  CHECK(second([](Array x) { return sp::i1(x); }, 0) == 0);
  const auto third = grad(grad(grad([](Array x) { return sp::i1(x); })));
  CHECK(value(third(number(0.))) == Approx(3. / 8));
  CHECK(second([](Array x) { return sp::spence(x); }, 1) == Approx(0.5));
  const auto of_kappa = [](Array k) { return st::vonmises::logpdf(1., k); };
  CHECK(value(grad(of_kappa)(number(0.))) == Approx(std::cos(1.)));
  const double l = std::log(3.);
  const auto of_lambda = [](Array v) { return sp::boxcox(3., v); };
  CHECK(value(grad(of_lambda)(number(0.))) == Approx(l * l / 2));
  CHECK(second(of_lambda, 0) == Approx(l * l * l / 3));
}

TEST_CASE("labels that are 0 leave no NaN", "[special_points]") {
  const Array hard = array({1., 0., 0.}), p = array({.7, .3, 0.});
  const auto entropy = [&](Array q) { return -sum(sp::xlogy(hard, q)); };
  check_list(grad(entropy)(p), {-1 / .7, 0, 0});
  check_list(jit(grad(entropy))(p), {-1 / .7, 0, 0});
  check_list(jacfwd(entropy)(p), {-1 / .7, 0, 0});
  check_list(vmap(grad(entropy))(stack({p, p}, 0)), {-1 / .7, 0, 0, -1 / .7, 0, 0});
  const auto binary = [&](Array q) { return -sum(sp::xlogy(hard, q) + sp::xlog1py(1 - hard, -q)); };
  const Array sure = array({1., 0., .5});
  check_list(grad(binary)(sure), {-1, 1, 2});
  check_list(jacfwd(binary)(sure), {-1, 1, 2});
  const auto divergence = [&](Array q) { return sum(sp::kl_div(hard, q)); };
  check_list(grad(divergence)(p), {1 - 1 / .7, 1, 1});
  check_list(grad([&](Array q) { return sum(sp::rel_entr(hard, q)); })(p), {-1 / .7, 0, 0});
  // The derivative with respect to a label that is 0 is the logarithm. The mixed derivative exists,
  // too.
  const auto mixed =
      grad([](Array x) { return grad([&](Array y) { return sp::xlogy(x, y); })(number(3.)); });
  CHECK(value(mixed(number(0.))) == Approx(1. / 3));
}

TEST_CASE("logarithms of normal tails have slopes far out", "[special_points]") {
  for (const DType d : {F32, F64})
    for (double x : {-20., -100., -1000., -1e4, -1e5, -1e10, -1e30}) {
      const Array at = array({x}).astype(d)[0];
      const double u = 1 / (x * x), slope = -x * (1 + u - 2 * u * u);
      INFO(x << " " << short_name(d));
      const auto low = [](Array v) { return st::norm::logcdf(v); };
      const auto high = [](Array v) { return st::norm::logsf(-v); };
      CHECK(value(grad(low)(at)) == Approx(slope).epsilon(1e-4));
      CHECK(value(grad(high)(at)) == Approx(slope).epsilon(1e-4));
      CHECK(value(grad(grad(low))(at)) == Approx(-1 + u).epsilon(1e-3));
      CHECK(value(grad(low)(-at)) == Approx(0).margin(1e-30));
      CHECK(value(grad(grad(low))(-at)) == Approx(0).margin(1e-30));
    }
}

TEST_CASE("sums of exponentials beside infinite terms", "[special_points]") {
  const auto last = [](Array x) { return lax::cumlogsumexp(x)[2]; };
  check_list(grad(last)(array({-inf, -inf, 0.})), {0, 0, 1});
  check_list(jacfwd(last)(array({-inf, -inf, 0.})), {0, 0, 1});
  check_list(grad(last)(array({0., -inf, -inf})), {1, 0, 0});
  check_list(grad(last)(array({inf, 0., 1.})), {1, 0, 0});
  const auto whole = [](Array x) { return logsumexp(x); };
  check_list(grad(whole)(array({-inf, -inf, 0.})), {0, 0, 1});
  check_list(grad(whole)(array({-inf, -inf, -inf, -inf})), {.25, .25, .25, .25});
  check_list(grad(whole)(array({inf, 0., inf, -inf})), {.5, 0, .5, 0});
  check_list(jit(grad(whole))(array({inf, 0., inf, -inf})), {.5, 0, .5, 0});
  check_list(grad([](Array x) { return sp::logsumexp(x); })(array({-inf, -inf})), {.5, .5});
  check_list(hessian(whole)(array({-inf, 0.})), {0, 0, 0, 0});
  check_list(grad([](Array x) { return nn::log_softmax(x)[2]; })(array({-inf, 0., 0.})),
             {0, -.5, .5});
  check_list(grad([](Array x) { return sum(logaddexp(x, -inf)); })(array({-inf, 0.})), {.5, 1});
}

TEST_CASE("quantiles beside infinite elements", "[special_points]") {
  const Array x = array({inf, 5., 4.});
  const auto at = [](Array v, double q) { return quantile(v, q); };
  CHECK(value(at(x, 1.)) == inf);
  CHECK(value(at(x, 0.5)) == 5);
  CHECK(value(at(x, 0.)) == 4);
  CHECK(value(at(-x, 0.)) == -inf);
  CHECK(value(percentile(x, 100.)) == inf);
  CHECK(value(nanquantile(array({inf, NAN, 4.}), 1.)) == inf);
  CHECK(value(nanpercentile(array({-inf, NAN, 4.}), 0.)) == -inf);
  CHECK(value(at(array({inf, inf, 1.}), 0.75)) == inf);
  CHECK(value(at(x, 0.75)) == inf);
  check_list(grad([&](Array v) { return at(v, 1.); })(x), {1, 0, 0});
  check_list(grad([&](Array v) { return at(v, 0.5); })(x), {0, 1, 0});
  check_list(grad([&](Array q) { return quantile(array({1., 3., 7.}), q); })(array({.25})[0]), {4});
}

TEST_CASE("least squares with equal singular values", "[special_points]") {
  const Array a = array({{1., 0.}, {0., 1.}, {0., 0.}}, F64), b = array({1., 2., 3.}, F64);
  const auto total = [&](Array m) { return sum(std::get<0>(linalg::lstsq(m, b))); };
  check_list(grad(total)(a), {-1, -2, -1, -2, 3, 3}, 1e-12);
  check_list(jit(grad(total))(a), {-1, -2, -1, -2, 3, 3}, 1e-12);
  // The expected values are from the normal equations, also for second order.
  const auto normal = [&](Array m) {
    const Array t = m.T();
    return sum(linalg::solve(matmul(t, m), matmul(t, b)));
  };
  const Array h = hessian(normal)(a), got = hessian(total)(a);
  check_list(got, ravel(h).to_vector<double>(), 1e-9);
  const auto values = [&](Array m) { return sum(square(std::get<3>(linalg::lstsq(m, b)))); };
  check_list(grad(values)(a), {2, 0, 0, 2, 0, 0}, 1e-12);
  const auto by_b = [&](Array v) { return sum(square(std::get<0>(linalg::lstsq(a, v)))); };
  check_list(grad(by_b)(b), {2, 4, 0}, 1e-12);
  // This matrix is wide and has full rank.
  const Array wide = array({{2., 0., 0.}, {0., 2., 0.}}, F64), y = array({1., 3.}, F64);
  const auto of_wide = [&](Array m) { return sum(std::get<0>(linalg::lstsq(m, y))); };
  const auto by_product = [&](Array m) {
    return sum(matmul(m.T(), linalg::solve(matmul(m, m.T()), y)));
  };
  check_list(grad(of_wide)(wide), ravel(grad(by_product)(wide)).to_vector<double>(), 1e-10);
}
