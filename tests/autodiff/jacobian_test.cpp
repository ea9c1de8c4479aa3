// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/autodiff/jacobian_test.cpp: Jacobians and Hessians, their types and shapes.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Params {
  Array w, b;
};
// Returns [x0² x1, 5 x0, x0 + x1].
Array three(const Arg& v) {
  const Array x = v.value()[0], y = v.value()[1];
  return concatenate({(x * x * y).reshape({1}), (x * 5).reshape({1}), (x + y).reshape({1})}, 0);
}
const Floats expected{12, 4, 5, 0, 1, 1};
}  // namespace

TEST_CASE("forward, reverse and the cheaper mode agree", "[jacobian]") {
  const Array x = array({2., 3.});
  for (const Array& j : {jacfwd(three)(x), jacrev(three)(x), jacobian(three)(x),
                         jit(jacfwd(three))(x), jit(jacrev(three))(x)}) {
    CHECK(j.shape() == Shape{3, 2});
    CHECK(floats(j) == expected);
  }
  for (int64_t chunk : {1, 2, 3}) {
    CHECK(floats(jacfwd(three, {.chunk_size = chunk})(x)) == expected);
    CHECK(floats(jacrev(three, {.chunk_size = chunk})(x)) == expected);
    CHECK(floats(jit(jacrev(three, {.chunk_size = chunk}))(x)) == expected);
  }
}

TEST_CASE("a Jacobian has the shape of result and argument", "[jacobian]") {
  const auto f = [](Array x) { return x.T(); };
  CHECK(jacfwd(f)(ones({2, 3})).shape() == Shape{3, 2, 2, 3});
  CHECK(jacrev(f)(ones({2, 3})).shape() == Shape{3, 2, 2, 3});
  CHECK(jacfwd<1>([](Array x, Array y) { return x * y; })(2., array({1., 2.})).shape() ==
        Shape{2, 2});
  CHECK(jacfwd([](Array x) { return x; })(zeros({0})).shape() == Shape{0, 0});
}

TEST_CASE("Arrays of the result are replaced by the type of the argument", "[jacobian]") {
  const Params p{array({1., 2.}), array({3., 4.})};
  const Params j = jacrev([](Params p) { return p.w * p.b; })(p);
  CHECK(floats(j.w) == Floats{3, 0, 0, 4});
  CHECK(floats(j.b) == Floats{1, 0, 0, 2});
  const auto [a, b] = jacfwd([](Params p) { return std::pair{p.w, p.b * 2}; })(p);
  CHECK(floats(a.w) == Floats{1, 0, 0, 1});
  CHECK(floats(a.b) == Floats{0, 0, 0, 0});
  CHECK(floats(b.b) == Floats{2, 0, 0, 2});
  const std::vector<std::vector<Array>> v =
      jacfwd([](std::vector<Array> x) { return x; })({1., 2.});
  CHECK(v[0][0].item<float>() == 1);
  CHECK(v[0][1].item<float>() == 0);
}

TEST_CASE("Hessians", "[jacobian]") {
  const auto f = [](Array x) { return (x * x * x).sum(); };
  CHECK(floats(hessian(f)(array({1., 2.}))) == Floats{6, 0, 0, 12});
  const auto g = [](Params p) { return (p.w * p.w * p.b).sum(); };
  const tree::Blocks h = hessian(g)(Params{array({1., 2.}), array({3., 4.})});
  CHECK(floats(h("w", "w")) == Floats{6, 0, 0, 8});
  CHECK(floats(h("w", "b")) == Floats{2, 0, 0, 4});
  CHECK(floats(h("b", "b")) == Floats{0, 0, 0, 0});
  CHECK(vmap(hessian(f))(ones({3, 2})).shape() == Shape{3, 2, 2});
  CHECK(floats(hvp(f)(array({1., 2.}), array({1., 10.}))) == Floats{6, 120});
  const Params v = hvp(g)(Params{array({1.}), array({3.})}, Params{array({1.}), array({0.})});
  CHECK(floats(v.w) == Floats{6});
  CHECK(floats(v.b) == Floats{2});
}

TEST_CASE("Jacobians of rows", "[jacobian]") {
  const auto f = [](Array x) { return concatenate({x * x, x}, 1); };
  const Array j = batch_jacobian(f)(array({{1., 2.}, {3., 4.}, {5., 6.}}));
  CHECK(j.shape() == Shape{3, 4, 2});
  CHECK(floats(j[1]) == Floats{6, 0, 0, 8, 1, 0, 0, 1});
}

// Each function would be cheaper in the mode that it does not support.
TEST_CASE("jacobian uses the mode that a function supports", "[jacobian]") {
  const Array x = array({2., 3.}), y = array({2., 3., 5.});
  const auto with_rule =
      custom_vjp([](Array v) { return sin(v); }, [](Array v) { return std::pair{sin(v), v}; },
                 [](Array v, Array ct) { return ct * cos(v); });
  const auto late =
      custom_vjp([](Array v) { return sin(v); },
                 [](std::array<tree::Mask, 1>, Array v) { return std::pair{sin(v), v}; },
                 [](Array v, Array ct, tree::Mask) { return ct * cos(v); }, symbolic_zeros);
  const auto in_scan = [&](Array v) {
    return scan([&](Array c, Array) { return std::pair{with_rule(c), c}; }, v, zeros({2})).second;
  };
  CHECK(array_equal(jacobian(with_rule)(x), jacrev(with_rule)(x)));
  CHECK(array_equal(jacobian(late)(x), jacrev(with_rule)(x)));
  CHECK(array_equal(jacobian(vmap(late))(x), jacrev(with_rule)(x)));
  CHECK(array_equal(jit(jacobian(in_scan))(x), jacrev(in_scan)(x)));

  const auto loop = [](Array v) {
    return while_loop([](Array c) { return c < 50; }, [](Array c) { return c * c; }, v.sum());
  };
  CHECK(array_equal(jacobian(loop)(y), jacfwd(loop)(y)));
  CHECK(array_equal(jit(jacobian(vmap(loop)))(ones({2, 3})), jacfwd(vmap(loop))(ones({2, 3}))));
  // Only the rule of a function with a custom rule matters, and a loop over integers does not
  // restrict the mode.
  const auto rule_runs_it =
      custom_vjp([&](Array v) { return loop(v); }, [&](Array v) { return std::pair{loop(v), v}; },
                 [](Array v, Array ct) { return ct * v; });
  CHECK(floats(jacobian(rule_runs_it)(y)) == floats(y));
  // If a function supports neither mode, the error says so.
  check_error<DifferentiationError>(
      [&] { jacobian([&](Array v) { return loop(with_rule(v) + 5.); })(y); }, "while_loop");
}
