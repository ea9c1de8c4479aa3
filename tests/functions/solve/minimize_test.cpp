// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/solve/minimize_test.cpp: compares all results of minimize with JAX's, step by
// step.
#include "functions/solve/problems.h"

using namespace weft;
using namespace weft::test;

namespace {

Array rosenbrock(Array v) {
  const Array a = v[slice(0, -1)], b = v[slice(1, none)];
  return sum(100. * square(b - square(a)) + square(1. - a));
}
Array himmelblau(Array v) {
  return square(square(v[0]) + v[1] - 11.) + square(v[0] + square(v[1]) - 7.);
}
Array matyas(Array v) { return 0.26 * (square(v[0]) + square(v[1])) - 0.48 * v[0] * v[1]; }
Array eggholder(Array v) {
  return -(v[1] + 47.) * sin(sqrt(abs(v[0] / 2. + v[1] + 47.))) -
         v[0] * sin(sqrt(abs(v[0] - (v[1] + 47.))));
}

template <class F>
void check_minimum(const std::string& name, F f, const std::vector<double>& start) {
  INFO(name);
  const Array x0 = array(start, {static_cast<int64_t>(start.size())});
  const auto value = [&](const std::string& field) { return solver_line(name + field).values[0]; };
  const bool solved = value(".success") != 0;
  check_golden(name + ".step3", minimize(f, x0, {.maxiter = 3}).x, 1e-9);
  // In some cases JAX's line search gives up, because it takes a reversed interval for one that is
  // too narrow.
  const auto limit = static_cast<int64_t>(value(".nit"));
  const OptimizeResults r = solved ? jit([f](Array x) { return minimize(f, x); })(x0)
                                   : minimize(f, x0, {.maxiter = limit});
  check_golden(name + ".x", r.x, 1e-6);
  check_golden(name + ".fun", r.fun, 1e-6);
  check_golden(name + ".nit", r.nit);
  check_golden(name + ".hess_inv", r.hess_inv, 1e-4);
  if (solved) {
    for (const auto& [field, got] : {std::pair<const char*, Array>{".success", r.success},
                                     {".status", r.status},
                                     {".nfev", r.nfev},
                                     {".njev", r.njev}})
      check_golden(name + field, got);
    CHECK(max(abs(r.jac)).template item<double>() < 1e-5);
  } else {
    const OptimizeResults end = minimize(f, x0);
    CHECK(end.success.template item<bool>());
    CHECK(max(abs(end.jac)).template item<double>() < 1e-5);
  }
}

Array f64(std::initializer_list<double> v) {
  return array(std::vector<double>(v), {static_cast<int64_t>(v.size())});
}

}  // namespace

TEST_CASE("minimize takes JAX's steps", "[minimize]") {
  check_minimum("rosenbrock", rosenbrock, {-1.2, 1.});
  check_minimum("rosenbrock5", rosenbrock, {0.5, -1., 2., 0., 1.5});
  check_minimum("himmelblau", himmelblau, {1., 1.});
  check_minimum("matyas", matyas, {2., -3.});
  check_minimum("eggholder", eggholder, {100., 100.});
}

TEST_CASE("minima are mapped, differentiated and limited", "[minimize]") {
  const auto from = [](Array x0) { return minimize(rosenbrock, x0); };
  const Array starts = stack({f64({1., 1.}), f64({-1.2, 1.}), f64({0., 2.})}, 0);
  const OptimizeResults all = jit(vmap(from))(starts);
  CHECK(all.success.all().item<bool>());
  CHECK(close(all.x, ones({3, 2}, F64), 1e-4));
  CHECK(close(from(starts[1]).x, ones({2}, F64), 1e-5));
  // Lanes stop independently of each other. The first one starts at the minimum.
  CHECK(all.nit[0].item<int>() == 0);
  CHECK(all.nit[1].item<int>() == from(starts[1]).nit.item<int>());

  // This is the derivative of the minimum of sum((x - a)^4 + x^2) with respect to a.
  const auto fun = [](Array x, Array a) { return sum(pow(x - a, 4) + square(x)); };
  const auto solved = [fun](Array a) {
    return minimize(fun, 0. * a, std::tuple{a}, {.gtol = 1e-10});
  };
  const Array a = f64({1., -2., 0.5});
  const Array x = solved(a).x, bend = 12. * square(x - a);
  CHECK(close(jit(jacrev([solved](Array b) { return solved(b).x; }))(a), diag(bend / (bend + 2.)),
              1e-6));
  CHECK(close(grad([solved](Array b) { return solved(b).fun; })(a), -4. * pow(x - a, 3), 1e-6));
  const Array several = stack({a, 2. * a}, 0);
  CHECK(close(vmap(jacfwd([solved](Array b) { return solved(b).x; }))(several)[0],
              diag(bend / (bend + 2.)), 1e-6));

  // Options take effect.
  const Array x0 = f64({-1.2, 1.});
  const int steps = minimize(rosenbrock, x0).nit.item<int>();
  CHECK(minimize(rosenbrock, x0, {.gtol = 1e-1}).nit.item<int>() < steps);
  CHECK(minimize(rosenbrock, x0, {.tol = 1e-1}).nit.item<int>() < steps);
  CHECK(minimize(rosenbrock, x0, {.gtol = 1e3, .norm = 1}).nit.item<int>() == 0);
  CHECK(minimize(rosenbrock, x0, {.gtol = 225., .norm = 1}).nit.item<int>() > 0);
  CHECK(minimize(rosenbrock, x0, {.gtol = 225.}).nit.item<int>() == 0);
  const OptimizeResults cut = minimize(rosenbrock, x0, {.maxiter = 2});
  CHECK(!cut.success.item<bool>());
  CHECK(cut.status.item<int>() == 1);
  CHECK(cut.nit.item<int>() == 2);
  const OptimizeResults short_search = minimize(rosenbrock, x0, {.line_search_maxiter = 0});
  CHECK(!short_search.success.item<bool>());
  CHECK(short_search.status.item<int>() == 5);
  const OptimizeResults narrow = minimize(rosenbrock, array({-1.2, 1.}));
  CHECK(narrow.x.dtype() == F32);
  CHECK(close(narrow.x, ones({2}), 1e-2));
}

TEST_CASE("minimize refuses invalid problems", "[minimize]") {
  const Array x0 = f64({1., 2.});
  check_error<ShapeError>([&] { (void)minimize([](Array x) { return x * x; }, x0); },
                          "minimize: fun must return a real scalar, got f64[2]");
  check_error<ShapeError>([&] { (void)minimize([](Array x) { return x * x; }, x0); },
                          "minimize_test.cpp");
  check_error<ShapeError>([&] { (void)minimize(rosenbrock, ones({2, 2}, F64)); },
                          "minimize: x0 must be a vector, got f64[2,2]");
  check_error<DTypeError>([&] { (void)minimize(rosenbrock, arange(3)); },
                          "minimize: x0 must hold floating-point numbers, got i32[3]");
  check_error<Error>([&] { (void)minimize(rosenbrock, x0, {.method = "CG"}); },
                     ".method must be \"BFGS\", got \"CG\"");
}
