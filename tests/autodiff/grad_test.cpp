// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/autodiff/grad_test.cpp: gradients, directional derivatives, pullbacks, linear maps.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Params {
  Array w, b;
  int n = 3;
  std::string name = "p";
};
const auto loss = [](const Params& p, const Array& x) { return (p.w * x * x + p.b).sum(); };
}  // namespace

TEST_CASE("gradients have the type of the argument", "[grad]") {
  const Array x = array({1., 2.});
  CHECK(floats(grad([](Array v) { return (v * v).sum(); })(x)) == Floats{2, 4});
  CHECK(grad([](auto v) { return v * v * v; })(2.).item<float>() == 12);
  CHECK(grad([](Array v) { return v * v; })(3.).dtype() == F32);
  const Params g = grad(loss)({array({1., 1.}), array({0., 0.})}, x);
  CHECK(floats(g.w) == Floats{1, 4});
  CHECK(floats(g.b) == Floats{1, 1});
  CHECK(g.n == 3);
  CHECK(g.name == "p");
  const auto [gx, gp] = grad<1, 0>(loss)({array({1., 1.}), array({0., 0.})}, x);
  CHECK(floats(gx) == Floats{2, 4});
  CHECK(floats(gp.w) == Floats{1, 4});
  CHECK(floats(grad<-1>(loss)({array({1., 1.}), array({0., 0.})}, x)) == Floats{2, 4});
  CHECK(floats(grad([](std::vector<Array> v) { return v[0] * v[1]; })({2., 5.})[0]) == Floats{5});
}

TEST_CASE("values and auxiliary results come along", "[grad]") {
  const auto [v, g] = value_and_grad([](Array x) { return x * x; })(3.);
  CHECK(v.item<float>() == 9);
  CHECK(g.item<float>() == 6);
  const auto f = [](Array x, int k) { return std::pair{x * x * k, std::tuple{x + 1, k}}; };
  const auto [ga, aux] = grad_with_aux(f)(3., 2);
  CHECK(ga.item<float>() == 12);
  CHECK(std::get<0>(aux).item<float>() == 4);
  const auto [va, gb] = value_and_grad_with_aux(f)(3., 2);
  CHECK(va.first.item<float>() == 18);
  CHECK(gb.item<float>() == 12);
}

TEST_CASE("the gradient of an argument without anything in it is one like it", "[grad]") {
  using Maybe = std::optional<Array>;
  const auto f = [](Maybe a, Array x) { return a ? *a * x : x * x; };
  CHECK(grad(f)(2., 3.)->item<float>() == 3);
  CHECK_FALSE(grad(f)(std::nullopt, 3.).has_value());
  CHECK_FALSE(jit(grad(f))(none, 3.).has_value());
  CHECK(grad<1>(f)(none, 3.).item<float>() == 6);
  const auto both = grad<0, 1>(f)(none, 3.);
  CHECK_FALSE(std::get<0>(both).has_value());
  CHECK(std::get<1>(both).item<float>() == 6);
  const auto [value, slope] = value_and_grad(f)(none, 3.);
  CHECK(value.item<float>() == 9);
  CHECK_FALSE(slope.has_value());
  CHECK(grad([](std::vector<Array> v, Array x) { return v.empty() ? x : v[0]; })({}, 3.).empty());
  check_error<DifferentiationError>([] { grad([](int n, Array x) { return x * n; })(2, 3.); },
                                    "the argument to differentiate with respect to holds no Array");
}

TEST_CASE("derivatives nest", "[grad]") {
  const auto cube = [](Array x) { return x * x * x; };
  CHECK(grad(grad(cube))(2.).item<float>() == 12);
  CHECK(grad(grad(grad(cube)))(2.).item<float>() == 6);
  CHECK(floats(vmap(grad(cube))(array({1., 2.}))) == Floats{3, 12});
  CHECK(jit(grad(cube))(2.).item<float>() == 12);
  CHECK(grad(jit(cube))(2.).item<float>() == 12);
  // Perturbations of nested derivatives are not confused.
  const auto outer = [](Array x) { return x * grad([&](Array y) { return x * y; })(x); };
  CHECK(grad(outer)(3.).item<float>() == 6);
}

TEST_CASE("C++ control flow works on values under grad", "[grad]") {
  const auto f = [](Array x) {
    Array y = x;
    while (y < 10) y = y * x;
    return y;
  };
  CHECK(grad(f)(3.).item<float>() == 27);  // x³
}

TEST_CASE("jvp takes tuples of primals and tangents", "[grad]") {
  const auto f = [](Array x, Array y) { return x * y; };
  const auto [out, t] = jvp(f, std::tuple{Array(3.), Array(5.)}, std::tuple{Array(1.), 0.});
  CHECK(out.item<float>() == 15);
  CHECK(t.item<float>() == 5);
  const Params p{array({1., 1.}), array({0., 0.})};
  const auto [o2, t2] = jvp(loss, std::tuple{p, array({1., 2.})}, std::tuple{p, array({0., 0.})});
  CHECK(t2.item<float>() == 5);
  const auto [o3, t3] = jvp([](Array x) { return std::pair{x * 2, Params{x, x}}; },
                            std::tuple{array({1.})}, std::tuple{array({4.})});
  CHECK(floats(t3.first) == Floats{8});
  CHECK(floats(t3.second.w) == Floats{4});
  const auto [o4, t4] =
      jvp([](Array x) { return x * 0 + 1; }, std::tuple{Array(1.)}, std::tuple{Array(1.)});
  CHECK(t4.item<float>() == 0);
}

TEST_CASE("pullbacks give a cotangent an argument, as often as asked", "[grad]") {
  const auto f = [](Array x, Array y) { return std::pair{x * y, x + y}; };
  const auto [out, pull] = vjp(f, Array(3.f), Array(5.f));
  const auto [cx, cy] = pull({Array(1.f), Array(0.f)});
  CHECK(cx.item<float>() == 5);
  CHECK(cy.item<float>() == 3);
  CHECK(std::get<0>(pull({1., 10.})).item<float>() == 15);
  const auto columns = vmap([&, &back = pull](Array a) { return back({a, 0.}); })(array({1., 2.}));
  CHECK(floats(std::get<0>(columns)) == Floats{5, 10});
}

TEST_CASE("linearize and linear_transpose", "[grad]") {
  const auto [out, lin] = linearize([](Array x) { return x * x; }, array({1., 2.}));
  CHECK(floats(lin(array({1., 1.}))) == Floats{2, 4});
  CHECK(floats(lin(array({10., 0.}))) == Floats{20, 0});
  const auto back = linear_transpose([](Array x) { return std::pair{x * 2, x.sum()}; }, zeros({2}));
  CHECK(floats(std::get<0>(back({array({1., 2.}), Array(10.f)}))) == Floats{12, 14});
  // This holds for an update that multiplies, and through step functions, whose derivative is zero.
  const Array x = array({5., 6., 7.}), ones = array({1., 1., 1.});
  const auto product = [x](Array l) {
    return x.at(array({0})).multiply(l[1], {.unique_indices = true});
  };
  CHECK(floats(std::get<0>(linear_transpose(product, x)(ones))) == Floats{0, 5, 0});
  const auto steps = [](Array l) { return l.astype(I32).astype(F32) + l * 2.; };
  CHECK(floats(std::get<0>(linear_transpose(steps, x)(ones))) == Floats{2, 2, 2});
}

TEST_CASE("stop_gradient is the identity with no derivative", "[grad]") {
  CHECK(grad([](Array x) { return x * stop_gradient(x); })(3.).item<float>() == 3);
  const Params p = stop_gradient(Params{1.f, 2.f});
  CHECK(p.b.item<float>() == 2);
  CHECK(stop_gradient(array({1, 2})).dtype() == I32);
}

TEST_CASE("custom_jvp puts a rule in place of the derivative", "[grad][custom]") {
  const auto f =
      custom_jvp([](Array x) { return x * x; },
                 [](std::tuple<Array> x, std::tuple<Array> dx) {
                   return std::pair{std::get<0>(x) * std::get<0>(x), 100 * std::get<0>(dx)};
                 });
  CHECK(f(3.).item<float>() == 9);
  CHECK(grad(f)(3.).item<float>() == 100);
  CHECK(floats(vmap(grad(f))(array({1., 2.}))) == Floats{100, 100});
  CHECK(grad([&](Array x) { return vmap(f)(x).sum(); })(array({1., 2.})).shape() == Shape{2});
  CHECK(jit(grad(f))(3.).item<float>() == 100);
}

TEST_CASE("custom_vjp puts a rule in place of reverse mode", "[grad][custom]") {
  const auto f = custom_vjp([](Array x, Params p) { return x * p.w; },
                            [](Array x, Params p) { return std::pair{x * p.w, std::tuple{x, p}}; },
                            [](std::tuple<Array, Params> res, Array ct) {
                              Params d = std::get<1>(res);
                              d.w = ct * 7;
                              d.b = ct * 0;
                              return std::tuple{ct * 100, d};
                            });
  CHECK(f(3., {2., 0.}).item<float>() == 6);
  CHECK(grad(f)(3., {2., 0.}).item<float>() == 100);
  CHECK(grad<1>(f)(3., {2., 0.}).w.item<float>() == 7);
  const auto zero = custom_vjp([](Array x, Array y) { return x * y; },
                               [](Array x, Array y) { return std::pair{x * y, y}; },
                               [](Array y, Array ct) { return std::tuple{ct * y, none}; });
  CHECK(grad<1>(zero)(3., 2.).item<float>() == 0);
  CHECK(grad(zero)(3., 2.).item<float>() == 2);
  // An argument that all lanes share gets the sum of the lanes' gradients.
  CHECK(grad<1>([&](Array x, Array w) { return vmap(f, {0, {none, none}})(x, {w, 0.}).sum(); })(
            array({1., 2., 3.}), 2.)
            .item<float>() == 21);
}
