// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/solve/odeint_test.cpp: compares solutions of differential equations with JAX's.
// It tests their derivatives by the adjoint method and through the steps.
#include "functions/solve/problems.h"

using namespace weft;
using namespace weft::test;

namespace {

Array f64(std::initializer_list<double> v) {
  return array(std::vector<double>(v), {static_cast<int64_t>(v.size())});
}
Array times(double lo, double hi, int64_t n) { return linspace(lo, hi, n, {.dtype = F64}); }

Array predators(Array y, Array, Array p) {
  return stack({p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]});
}
struct Motion {
  Array v, x;
};
Motion oscillator(Motion y, Array, Array mu) { return {mu * (1. - square(y.x)) * y.v - y.x, y.v}; }
Array driven(Array y, Array t, Array k) { return -k * (y - cos(t)); }
Array rotor(Array y, Array t, Array w) {
  return lax::complex(0. * w, w) * y * lax::complex(exp(-t), 0. * t);
}

struct Decay {
  Array k;
  std::vector<Array> more;
  int n;
};

const Array p4 = f64({1.5, 1., 1., 3.}), y2 = f64({1., 1.});

Array weighed(const Arrays& ys) {
  Array r = zeros({}, F64);
  for (const Array& y : ys) {
    const Array z = y * cos(arange(y.size()).astype(F64)).reshape(y.shape().sizes());
    r = r + sum(is_complex(z.dtype()) ? square(real(z)) + square(imag(z)) : square(z));
  }
  return r;
}

template <class F, class Y>
void check_solution(const std::string& name, F f, const Y& y0, const Array& t, const Array& p) {
  struct {
    const char* name;
    OdeintOptions o;
    double tolerance;
  } const kinds[] = {{"loose", {.rtol = 1e-5, .atol = 1e-5}, 1e-9},
                     {"tight", {.rtol = 1e-11, .atol = 1e-11}, 1e-9},
                     {"short", {.rtol = 1e-5, .atol = 1e-5, .hmax = 0.01}, 1e-9}};
  for (const auto& kind : kinds) {
    for (const char* gradient : {"adjoint", "checkpoint"}) {
      OdeintOptions o = kind.o;
      o.gradient = gradient;
      const Arrays ys = tree::leaves(
          jit([=](Y y0, Array t, Array p) { return odeint(f, y0, t, p, o); })(y0, t, p));
      for (size_t k = 0; k < ys.size(); ++k)
        check_golden(name + "." + kind.name + "." + std::to_string(k), ys[k], kind.tolerance);
    }
  }
  for (const char* gradient : {"adjoint", "checkpoint"}) {
    INFO(gradient);
    OdeintOptions o{.rtol = 1e-11, .atol = 1e-11};
    o.gradient = gradient;
    const auto loss = [=](Y y0, Array t, Array p) {
      return weighed(tree::leaves(odeint(f, y0, t, p, o)));
    };
    const Arrays slopes = tree::leaves(jit(grad<0, 1, 2>(loss))(y0, t, p));
    for (size_t k = 0; k < slopes.size(); ++k)
      check_golden(name + ".slope." + std::to_string(k), slopes[k], 1e-6);
  }
}

}  // namespace

TEST_CASE("solutions and their gradients are JAX's", "[odeint]") {
  check_solution("predators", predators, y2, times(0., 5., 6), p4);
  check_solution("oscillator", oscillator, Motion{ones({}, F64), Array(0.5).astype(F64)},
                 f64({0., .1, .15, 2., 6.}), Array(2.).astype(F64));
  check_solution("driven", driven, f64({0., 1., -1.}), times(1., 2., 5), f64({1., 10., 40.}));
  check_solution("rotor", rotor, lax::complex(f64({1., 0.}), f64({0.5, -1.})), f64({0., 1., 3.}),
                 f64({2., 5.}));
}

TEST_CASE("lanes take steps of their own", "[odeint]") {
  const Array t = times(0., 2., 3);
  const OdeintOptions o{.rtol = 1e-8, .atol = 1e-8};
  const auto one = [=](Array k, Array y0) { return odeint(driven, y0, t, k, o); };
  const Array ks = f64({0.5, 5., 200.}), ys = f64({0., 1., -2.});
  const auto loss = [=](Array k, Array y0) { return sum(square(one(k, y0))); };
  const Array all = jit(vmap(one))(ks, ys);
  const auto [by_k, by_y] = jit(vmap(grad<0, 1>(loss)))(ks, ys);
  for (int64_t i : {0, 1, 2}) {
    CHECK(close(all[i], one(ks[i], ys[i]), 1e-12));
    const auto [k, y] = grad<0, 1>(loss)(ks[i], ys[i]);
    CHECK(close(by_k[i], k, 1e-9));
    CHECK(close(by_y[i], y, 1e-9));
  }
  // An argument that all lanes share gets the sum of their gradients.
  const auto shared = [=](Array k) { return sum(vmap(loss, {none, 0})(k, ys)); };
  CHECK(close(grad(shared)(ks[1]), sum(vmap(grad(loss), {none, 0})(ks[1], ys)), 1e-9));
}

TEST_CASE("derivatives of values that func captures, and trees of arguments", "[odeint]") {
  const Array t = times(0., 1., 4);
  const OdeintOptions o{.rtol = 1e-10, .atol = 1e-10};
  for (const char* gradient : {"adjoint", "checkpoint"}) {
    OdeintOptions with = o;
    with.gradient = gradient;
    const auto captured = [=](Array k) {
      return sum(odeint([k](Array y, Array s) { return -k * y * cos(s); }, ones({}, F64), t, with));
    };
    const auto passed = [=](Array k) {
      const auto f = [](Array y, Array s, Decay a, Array half) {
        return -a.k * y * a.more[0] * half / static_cast<double>(a.n) * cos(s);
      };
      return sum(odeint(f, ones({}, F64), t, Decay{k, {Array(4.).astype(F64)}, 2}, 0.5, with));
    };
    const Array k = Array(1.25).astype(F64);
    const Array exact = sum(exp(-k * sin(t)));
    CHECK(close(captured(k), exact, 1e-8));
    CHECK(close(passed(k), exact, 1e-8));
    const Array slope = sum(-sin(t) * exp(-k * sin(t)));
    CHECK(close(grad(captured)(k), slope, 1e-7));
    CHECK(close(jit(grad(passed))(k), slope, 1e-7));
  }
}

TEST_CASE("derivatives of derivatives of solutions", "[odeint]") {
  const Array t = times(0., 1., 3), k = Array(0.7).astype(F64);
  const auto solved = [t](OdeintOptions o) {
    o.rtol = o.atol = 1e-10;
    return [=](Array k) {
      return odeint([](Array y, Array, Array k) { return k * y; }, ones({}, F64), t, k, o)[2];
    };
  };
  const Array want = exp(k);  // exp equals all its derivatives, too
  const auto through = solved({.gradient = "checkpoint"}), adjoint = solved({}),
             limited = solved({.mxstep = 64});
  CHECK(close(grad(grad(through))(k), want, 1e-7));
  CHECK(close(jvp(through, std::tuple{k}, std::tuple{ones_like(k)}).second, want, 1e-7));
  CHECK(
      close(jvp([&](Array k) { return grad(adjoint)(k); }, std::tuple{k}, std::tuple{ones_like(k)})
                .second,
            want, 1e-6));
  CHECK(close(grad(grad(limited))(k), want, 1e-6));
  CHECK(close(jvp(adjoint, std::tuple{k}, std::tuple{ones_like(k)}).second, want, 1e-7));
}

TEST_CASE("the adjoint has an adjoint", "[odeint]") {
  const Array t = times(0., 1., 3), k = Array(0.7).astype(F64), want = exp(k);
  const auto f = [t](Array k) {
    return odeint([](Array y, Array, Array k) { return k * y; }, ones({}, F64), t, k,
                  {.rtol = 1e-10, .atol = 1e-10})[2];
  };
  CHECK(close(grad(grad(f))(k), want, 1e-6));
  CHECK(close(jit(grad(grad(f)))(k), want, 1e-6));
  CHECK(close(grad(grad(grad(f)))(k), want, 1e-5));
  CHECK(close(vmap(grad(grad(f)))(stack({k, k})), stack({want, want}), 1e-6));
  CHECK(close(grad([&](Array v) { return sum(vmap(grad(f))(v)); })(stack({k, k})),
              stack({want, want}), 1e-6));
  CHECK(close(jacfwd(grad(grad(f)))(k), want, 1e-5));
}

TEST_CASE("Hessians of a system by two adjoints, one, and through the steps", "[odeint]") {
  const Array t = times(0., 1.5, 4), at = array({0.5, 1.2, 0.8}, F64);
  const auto loss = [t](std::string_view gradient) {
    return [=](Array v) {
      // The equation is y' = (b, -k sin a), started at (v0, 0). The derivatives are with respect to
      // k, a time and y0.
      const auto pendulum = [](Array y, Array s, Array k) {
        return stack({y[1], -k * sin(y[0]) + 0.1 * s});
      };
      const Array y = odeint(pendulum, stack({v[0], zeros_like(v[0])}), t * v[2], v[1],
                             {.rtol = 1e-9, .atol = 1e-9, .gradient = gradient});
      return sum(square(y[Slice(1, none)]));
    };
  };
  const Array want = hessian(loss("checkpoint"))(at);
  CHECK(close(jacfwd(grad(loss("adjoint")))(at), want, 1e-5));
  CHECK(close(jacrev(grad(loss("adjoint")))(at), want, 1e-5));
  CHECK(close(jit(jacrev(grad(loss("adjoint"))))(at), want, 1e-5));
}

TEST_CASE("solutions whose steps have no error have forward derivatives", "[odeint]") {
  const auto by_start = [](auto field, std::string_view gradient) {
    return [=](Array y) { return odeint(field, y, f64({1., 2.}), {.gradient = gradient})[1]; };
  };
  const Array one = ones({}, F64);
  for (std::string_view gradient : {"adjoint", "checkpoint"}) {
    const auto line = by_start([](Array y, Array t) { return y / t; }, gradient);
    const auto shifted = by_start([](Array y, Array t) { return y / (t + 1.); }, gradient);
    CHECK(close(jacfwd(line)(one), Array(2.).astype(F64), 1e-6));
    CHECK(close(jacfwd(shifted)(one), Array(1.5).astype(F64), 1e-6));
    CHECK(close(jit(jacfwd(line))(one), Array(2.).astype(F64), 1e-6));
    CHECK(close(vmap(jacfwd(line))(stack({one, 2. * one})), f64({2., 2.}), 1e-6));
    const auto squared = [&](Array y) { return square(line(y)); };
    CHECK(close(hessian(squared)(one), Array(8.).astype(F64), 1e-5));
  }
}

TEST_CASE("an infinite time is not reached", "[odeint]") {
  const auto decay = [](Array y, Array) { return -y; };
  const Array y = odeint(decay, ones({}, F64), f64({0., std::numeric_limits<double>::infinity()}));
  CHECK(std::isnan(y[1].item<double>()));
}

TEST_CASE("limits of steps, and times that do not increase", "[odeint]") {
  const OdeintOptions loose{.rtol = 1e-5, .atol = 1e-5};
  OdeintOptions cut = loose;
  cut.mxstep = 4;
  check_golden("predators.cut", odeint(predators, y2, times(0., 5., 3), p4, cut));
  // y' = y^2 has no solution beyond 1.
  const auto blown =
      odeint([](Array y, Array) { return square(y); }, ones({}, F64), f64({0., 0.5, 2.}), loose);
  CHECK(close(blown[1], Array(2.).astype(F64), 1e-3));
  CHECK(std::isnan(blown[2].item<double>()));
  OdeintOptions bounded = loose;
  bounded.gradient = "checkpoint";
  bounded.hmax = 1e-4;
  const auto still = [](Array y, Array) { return 0. * y; };
  CHECK(std::isnan(odeint(still, ones({}, F64), f64({0., 10.}), bounded)[1].item<double>()));
  CHECK(odeint(still, ones({}, F64), f64({3.}), loose).shape() == Shape{1});
  CHECK(std::isnan(odeint(still, ones({}, F64), f64({3., 3.}), loose)[1].item<double>()));
  CHECK(odeint(still, 1., array({0., 1.})).dtype() == F32);
}

TEST_CASE("integration up to the edge of a domain", "[odeint]") {
  const auto number = [](double v) { return f64({v})[0]; };
  // The slope is NaN after t = 1, where the last step would end.
  const auto f = [](Array y, Array t) { return -sqrt(1. - t) + 0. * y; };
  const Array ys = odeint(f, number(1.), f64({0., 1.}));
  CHECK(ys[1].item<double>() == Approx(1. / 3).epsilon(1e-6));
  const Array rows = odeint(f, number(1.), f64({0., 0.5, 1., 2.}));
  CHECK(rows[1].item<double>() == Approx(1 - (1 - std::pow(0.5, 1.5)) * 2 / 3).epsilon(1e-6));
  CHECK(rows[2].item<double>() == Approx(1. / 3).epsilon(1e-6));
  CHECK(std::isnan(rows[3].item<double>()));
  // log y exists only for y > 0. The solution stays inside that domain at 0.9 and leaves it at 1,
  // where the solver stops immediately.
  const auto falls = [](Array y, Array) { return -1. + 0. * log(y); };
  const Array fallen = odeint(falls, number(1.), f64({0., 0.9, 1.5}));
  CHECK(fallen[1].item<double>() == Approx(0.1).epsilon(1e-6));
  CHECK(std::isnan(fallen[2].item<double>()));
  // Lanes end independently of each other.
  const auto lane = [&](Array e) { return odeint(f, number(1.), stack({0. * e, e}))[1]; };
  const Array lanes = vmap(lane)(f64({0.5, 1., 1.5}));
  CHECK(lanes[1].item<double>() == Approx(1. / 3).epsilon(1e-6));
  CHECK(std::isnan(lanes[2].item<double>()));
}

TEST_CASE("the adjoint runs back to the edge of a domain", "[odeint]") {
  const auto number = [](double v) { return f64({v})[0]; };
  const auto r = [](Array y, Array t, Array p) { return p * sqrt(t) + 0. * y; };
  const auto end = [&](Array p) { return odeint(r, number(1.), f64({0., .8}), p)[1]; };
  const double want = 2. / 3 * std::pow(.8, 1.5);  // 0.477028
  CHECK(grad(end)(number(.7)).item<double>() == Approx(want).epsilon(1e-6));
  CHECK(jit(grad(end))(number(.7)).item<double>() == Approx(want).epsilon(1e-6));
  const auto by_y = [&](Array y) { return odeint(r, y, f64({0., .8}), number(.7))[1]; };
  CHECK(grad(by_y)(number(1.)).item<double>() == Approx(1));
  const auto by_t = [&](Array t) { return odeint(r, number(1.), t, number(.7))[1]; };
  const Array times = grad(by_t)(f64({0., .8}));
  CHECK(times[0].item<double>() == Approx(0).margin(1e-5));
  CHECK(times[1].item<double>() == Approx(.7 * std::sqrt(.8)));
}

TEST_CASE("odeint refuses invalid equations", "[odeint]") {
  const auto f = [](Array y, Array) { return -y; };
  const Array t = times(0., 1., 2);
  check_error<ShapeError>(
      [&] { (void)odeint([](Array y, Array) { return sum(y); }, y2, t); },
      "odeint: func must return what is like y0: expected f64[2] for y0, got f64[]");
  check_error<ShapeError>([&] { (void)odeint([](Array y, Array) { return sum(y); }, y2, t); },
                          "odeint_test.cpp");
  check_error<ShapeError>([&] { (void)odeint(f, y2, ones({2, 2}, F64)); },
                          "odeint: t must be a vector of one time or more, got f64[2,2]");
  check_error<ShapeError>([&] { (void)odeint(f, y2, zeros({0}, F64)); }, "got f64[0]");
  check_error<DTypeError>([&] { (void)odeint(f, y2, arange(3)); },
                          "odeint: t must be an array of floats, got i32[3]");
  check_error<DTypeError>([&] { (void)odeint(f, arange(2), t); },
                          "odeint: y0 must be floating-point or complex, got i32[2]");
  check_error<Error>([&] { (void)odeint(f, y2, t, {.gradient = "magic"}); },
                     ".gradient must be \"adjoint\" or \"checkpoint\", got \"magic\"");
  check_error<Error>([&] { (void)odeint(f, y2, t, {.mxstep = -1}); },
                     ".mxstep must not be negative");
}

TEST_CASE("steps that left the domain do not affect derivatives through the steps", "[odeint]") {
  const OdeintOptions through{.gradient = "checkpoint"};
  // After t = 1 the slope and its derivatives with respect to y and p are NaN, so steps that end
  // there are not taken.
  const auto f = [](Array y, Array t, Array p) { return -p * sqrt(1. - t) * (1. + 0. * y); };
  const auto end = [&](Array x) { return odeint(f, x[0], f64({0., 1.}), x[1], through)[1]; };
  const Array at = f64({1., 2.}), want = f64({1., -2. / 3});
  CHECK(end(at).item<double>() == Approx(-1. / 3).epsilon(1e-6));
  CHECK(close(grad(end)(at), want, 1e-6));
  CHECK(close(jit(grad(end))(at), want, 1e-6));
  CHECK(close(jacfwd(end)(at), want, 1e-6));
  CHECK(close(vmap(grad(end))(stack({at, 2. * at}))[0], want, 1e-6));
  CHECK(close(hessian(end)(at), zeros({2, 2}, F64), 1e-6));
}
