// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/branches_test.cpp: branches that no lane takes do not run, forwards or backwards, and
// all derivatives stay finite. The tests also count the kernels of a loop's gradient.
#include <fmt/format.h>

#include <cmath>

#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {
using Doubles = std::vector<double>;
// The loop ends for values that are not positive. Here all lanes are positive, so that running it
// would never end. It also has a reverse-mode derivative.
Array trap(Array z) {
  return while_loop([](Array q) { return q > 0.f; }, [](Array q) { return q * 1.f; }, z,
                    {.max_trips = int64_t{1} << 60});
}
Array twice(Array v) { return v * 2.f; }
Array guarded(Array x) { return cond(x > 100.f, trap, twice, x); }
Array chosen(Array x) {
  return switch_(where(x > 100.f, 2, where(x < 0.f, 0, 1)), {trap, twice, trap}, abs(x));
}
// The branch is in a loop.
Array inside(Array x) {
  return fori_loop(0, 2, [](Array, Array c) { return cond(c > 0.f, guarded, twice, c); }, x);
}
template <class F>
void check_all(const Floats& want, F f, const Array& x) {
  CHECK(floats(f(x)) == want);
  CHECK(floats(jit(f)(x)) == want);
  const ReferenceMode reference;
  CHECK(floats(f(x)) == want);
}
}  // namespace

TEST_CASE("a loop that never ends in a branch not taken is not run", "[control][branches]") {
  const Array x = array({1., 2., 3.});
  check_all({2}, guarded, Array(1.f));
  check_all({2}, chosen, Array(1.f));
  check_all({4}, inside, Array(1.f));
  check_all({2, 4, 6}, vmap(guarded), x);
  check_all({2, 4, 6}, vmap(chosen), x);
  check_all({4, 8, 12}, vmap(inside), x);
  check_all({2, 4, 6}, vmap(vmap(chosen)), x.reshape({1, 3}));
}

TEST_CASE("derivatives of a branch that no lane takes are not run", "[control][branches][grad]") {
  const Array x = array({1., 2., 3.});
  const auto slope = [](auto f) {
    return [f](Array x) { return jvp(f, std::tuple{x}, std::tuple{ones_like(x)}).second; };
  };
  check_all({2}, slope(guarded), Array(1.f));
  check_all({2, 2, 2}, vmap(slope(guarded)), x);
  check_all({2, 2, 2}, slope(vmap(guarded)), x);
  check_all({2, 2, 2}, vmap(slope(chosen)), x);
  check_all({4, 4, 4}, vmap(slope(inside)), x);
}

namespace {
Array root_or_square(Array x) {
  return cond(x > 0., [](Array v) { return sqrt(v); }, [](Array v) { return v * v; }, x);
}
Array one_of_three(Array x) {
  return switch_(where(x > 0., 0, 1),
                 {[](Array v) { return sqrt(v); }, [](Array v) { return v * v; },
                  [](Array v) { return log(v) / v; }},
                 x);
}
Array in_a_loop(Array x) {
  return scan([](Array c, Array t) { return std::pair{c + t * root_or_square(c), c}; }, x,
              array(Doubles{.3, .2}))
      .first;
}
// Returns the difference quotient of f at each of the points, which approximates the derivative.
template <class F>
Doubles slopes(F f, const Doubles& at) {
  Doubles r;
  const double h = 1e-6;
  const auto value = [&](double x) { return f(array(Doubles{x})[0]).template item<double>(); };
  for (double x : at) r.push_back((value(x + h) - value(x - h)) / (2 * h));
  return r;
}
template <class F>
void check_gradients(const char* what, F f) {
  const Doubles at{4., -1., -.3, 9.};
  const Array x = array(at);
  const Doubles want = slopes(f, at);
  const auto sum = [f](Array x) { return vmap(f)(x).sum(); };
  const auto jit_sum = [f](Array x) { return jit(vmap(f))(x).sum(); };
  const auto jit_lane = [f](Array x) { return vmap(jit(f))(x).sum(); };
  const auto forward = [f](Array x) {
    return jvp(f, std::tuple{x}, std::tuple{ones_like(x)}).second;
  };
  const auto pulled = [f](Array x) { return std::get<0>(vjp(vmap(f), x).second(ones_like(x))); };
  const std::pair<const char*, Array> orders[] = {
      {"vmap grad", vmap(grad(f))(x)},
      {"jit vmap grad", jit(vmap(grad(f)))(x)},
      {"vmap jit grad", vmap(jit(grad(f)))(x)},
      {"vmap grad jit", vmap(grad(jit(f)))(x)},
      {"grad vmap", grad(sum)(x)},
      {"jit grad vmap", jit(grad(sum))(x)},
      {"grad jit vmap", grad(jit_sum)(x)},
      {"grad vmap jit", grad(jit_lane)(x)},
      {"vmap jvp", vmap(forward)(x)},
      {"jit vmap jvp", jit(vmap(forward))(x)},
      {"vjp vmap", pulled(x)},
      {"jit vjp vmap", jit(pulled)(x)},
      {"jacrev vmap", jacrev(vmap(f))(x).sum(0)},
      {"jacfwd vmap", jacfwd(vmap(f))(x).sum(0)},
      {"jit jacrev vmap", jit(jacrev(vmap(f)))(x).sum(0)},
      {"vmap of two maps", vmap(vmap(grad(f)))(x.reshape({2, 2})).ravel()},
      {"grad of two maps",
       grad([f](Array x) { return vmap(vmap(f))(x).sum(); })(x.reshape({2, 2})).ravel()}};
  for (const auto& [order, g] : orders) {
    INFO(what << ", " << order);
    const Doubles got = g.template to_vector<double>();
    for (size_t i = 0; i < at.size(); ++i) CHECK(got[i] == Approx(want[i]).epsilon(1e-6));
  }
  for (size_t i = 0; i < at.size(); ++i) {
    const Array one = array(Doubles{at[i]})[0];
    INFO(what << " at " << at[i]);
    CHECK(grad(f)(one).template item<double>() == Approx(want[i]).epsilon(1e-6));
    CHECK(jit(grad(f))(one).template item<double>() == Approx(want[i]).epsilon(1e-6));
    CHECK(std::isfinite(grad(grad(f))(one).template item<double>()));
  }
  for (const Array& second : {vmap(grad(grad(f)))(x), jit(vmap(grad(grad(f))))(x),
                              grad([&](Array x) { return vmap(grad(f))(x).sum(); })(x)})
    for (double d : second.template to_vector<double>()) CHECK(std::isfinite(d));
}
}  // namespace

TEST_CASE("the root of -1 in a branch not taken leaves every derivative finite",
          "[control][branches][grad]") {
  check_gradients("cond", root_or_square);
  check_gradients("switch_", one_of_three);
  check_gradients("cond in scan", in_a_loop);
}

TEST_CASE("the gradient of a scan is one kernel, of a long one two",
          "[control][branches][kernels]") {
  const auto kernels = [](int64_t n, const std::string& report) {
    INFO(report);
    CHECK(report.find("equations interpreted: 0\n") != std::string::npos);
    CHECK(report.find(fmt::format("steps: {}\n", n)) != std::string::npos);
    CHECK(count(report, "kernel (loop in the lane)") == n);
  };
  const auto f = [](Array x, Array w) {
    return scan([&](Array c, Array t) { return std::pair{sin(c * w) + t, none}; }, x,
                array({.1, .2, .3}))
        .first;
  };
  const auto rows = [](Array x, Array xs) {
    return scan([](Array c, Array t) { return std::pair{sin(c * t), c}; }, x, xs).second.sum();
  };
  for (const int64_t n : {1, 17, 509}) {
    INFO(n << " lanes");
    kernels(1, jit(vmap(grad(f))).lower(zeros({n}), zeros({n})).report());
    kernels(1, jit(vmap(grad<0, 1>(f))).lower(zeros({n}), zeros({n})).report());
    kernels(1, jit(vmap(grad(rows), {0, none})).lower(zeros({n}), zeros({20})).report());
    kernels(1, jit(vmap(grad(rows))).lower(zeros({n}), zeros({n, 20})).report());
    kernels(1, jit(vmap(vmap(grad(f)))).lower(zeros({3, n}), zeros({3, n})).report());
    // The residuals that the reverse pass reads are written while the forward pass runs.
    kernels(2, jit(vmap(grad(rows), {0, none})).lower(zeros({n}), zeros({50})).report());
  }
  const Array x = linspace(-1., 2., 17), w = linspace(.2, .9, 17);
  const auto [gx, gw] = jit(vmap(grad<0, 1>(f)))(x, w);
  const ReferenceMode reference;
  for (int64_t l = 0; l < 17; ++l) {
    const auto [dx, dw] = grad<0, 1>(f)(x[l], w[l]);
    CHECK(gx[l].item<float>() == Approx(dx.item<float>()).margin(1e-5));
    CHECK(gw[l].item<float>() == Approx(dw.item<float>()).margin(1e-5));
  }
}

TEST_CASE("cheap branches that return arrays are selected", "[control][branches]") {
  const auto program = [](const auto& f, const Array& p, const Array& x) {
    return jit(f).lower(p, x).optimized();
  };
  const auto holds = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  // A check of errors: the value, or NaNs.
  const auto checked = [](Array p, Array x) {
    return cond(p, [](Array v) { return v; }, [](Array v) { return full_like(v, NAN); }, x);
  };
  const auto f = [&](Array p, Array x) { return checked(p, x) * 2.f; };
  const Array x = arange(600).astype(F32).reshape({3, 200});
  for (bool p : {false, true}) {
    Array want;
    {
      const ReferenceMode reference;
      want = f(Array(p), x);
    }
    CHECK(array_equal(jit(f)(Array(p), x), want, true).item<bool>());
  }
  CHECK_FALSE(holds(program(f, Array(true), x), " cond["));
  // Each lane has its own index.
  const Array ps = array({1, 0, 1}).astype(Bool);
  const auto mapped = vmap(f);
  CHECK_FALSE(holds(program(mapped, ps, x), " cond["));
  {
    const Array got = jit(mapped)(ps, x);
    const ReferenceMode reference;
    CHECK(array_equal(got, mapped(ps, x), true).item<bool>());
  }
  // Branches that compute, in loops, or of values that a lane keeps in registers stay.
  const auto costly = [](Array p, Array v) {
    return cond(p, [](Array a) { return a; }, [](Array a) { return sin(exp(a)); }, v);
  };
  CHECK(holds(program(costly, Array(true), x), " cond["));
  const auto repeated = [&](Array p, Array v) {
    return fori_loop(0, 3, [&](Array, Array c) { return checked(p, c) + 1.f; }, v);
  };
  CHECK(holds(program(repeated, Array(true), x), " cond["));
  CHECK(holds(program(f, Array(true), x[0][Slice(0, 20)]), " cond["));
}
