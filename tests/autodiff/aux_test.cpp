// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/autodiff/aux_test.cpp: auxiliary results and several arguments in all derivative
// transforms.
#include "support/check.h"
#include "tracer/record_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

struct Params {
  Array w, b;
};
struct Info {
  Array norm;
  int steps = 0;
};
// Returns {x² y, {‖x‖², 3}}.
const auto f = [](Array x, Array y) { return std::pair{x * x * y, Info{(x * x).sum(), 3}}; };
const auto plain = [](Array x, Array y) { return x * x * y; };
const auto loss = [](Array x, Array y) {
  return std::tuple{(x * x * x * y).sum(), std::vector<Array>{x, y}};
};
Array x2() { return array({1., 2.}); }
Array y2() { return array({3., 4.}); }

template <class A, class B>
constexpr bool same = std::same_as<std::remove_cvref_t<A>, B>;

}  // namespace

TEST_CASE("types of derivatives with aux", "[aux]") {
  using Args = std::tuple<Array, Array>;
  const Args at{x2(), y2()};
  static_assert(same<decltype(jvp_with_aux(f, at, at)), std::tuple<Array, Array, Info>>);
  static_assert(same<decltype(std::get<0>(vjp_with_aux(f, x2(), y2()))), Array>);
  static_assert(same<decltype(std::get<1>(vjp_with_aux(f, x2(), y2()))(x2())), Args>);
  static_assert(same<decltype(std::get<2>(vjp_with_aux(f, x2(), y2()))), Info>);
  static_assert(same<decltype(std::get<1>(linearize_with_aux(f, x2(), y2()))(x2(), x2())), Array>);
  static_assert(same<decltype(jacfwd_with_aux(f)(x2(), y2())), std::pair<Array, Info>>);
  static_assert(same<decltype(jacrev_with_aux<0, 1>(f)(x2(), y2())), std::pair<Args, Info>>);
  static_assert(
      same<decltype(hessian_with_aux(loss)(x2(), y2())), std::pair<Array, std::vector<Array>>>);
  static_assert(
      same<decltype(grad_and_value([](Array x) { return x; })(x2())), std::pair<Array, Array>>);
  static_assert(same<decltype(grad_and_value_with_aux<1>(loss)(x2(), y2())),
                     std::pair<Array, std::tuple<Array, std::vector<Array>>>>);
  static_assert(same<decltype(jacfwd<0, 1>(plain)(x2(), y2())), Args>);
  static_assert(same<decltype(hessian<0, 1>(plain)(x2(), y2())), std::tuple<Args, Args>>);
  static_assert(same<decltype(jacrev<1, 0>([](Params p, Array x) { return p.w * x; })(
                         Params{x2(), x2()}, x2())),
                     std::tuple<Array, Params>>);
  static_assert(
      same<decltype(batch_jacobian([](Params p) { return p.w * p.b; })(Params{})), Params>);
}

TEST_CASE("aux is returned unchanged", "[aux]") {
  const auto [out, tangent, info] =
      jvp_with_aux(f, std::tuple{x2(), y2()}, std::tuple{ones({2}), zeros({2})});
  CHECK(floats(out) == Floats{3, 16});
  CHECK(floats(tangent) == Floats{6, 16});
  CHECK(info.norm.item<float>() == 5);
  CHECK(info.steps == 3);
  const auto [value, pull, seen] = vjp_with_aux(f, x2(), y2());
  CHECK(floats(value) == Floats{3, 16});
  CHECK(seen.norm.item<float>() == 5);
  CHECK(seen.steps == 3);
  const auto [dx, dy] = pull(array({1., 10.}));
  CHECK(floats(dx) == Floats{6, 160});
  CHECK(floats(dy) == Floats{1, 40});
  check_error<DifferentiationError>([&, pull = pull] { pull(zeros({3})); },
                                    "got f32[3] for ct, but expected f32[2]");
  const auto [at, push, noted] = linearize_with_aux(f, x2(), y2());
  CHECK(floats(at) == Floats{3, 16});
  CHECK(noted.norm.item<float>() == 5);
  CHECK(floats(push(ones({2}), ones({2}))) == Floats{7, 20});
}

TEST_CASE("Jacobians with aux", "[aux][jacobian]") {
  const Floats by_x{6, 0, 0, 16}, by_y{1, 0, 0, 4};
  for (int64_t chunk : {0, 1}) {
    const auto [jf, a] = jacfwd_with_aux(f, {.chunk_size = chunk})(x2(), y2());
    CHECK(floats(jf) == by_x);
    CHECK(a.norm.item<float>() == 5);
    const auto [jr, b] = jacrev_with_aux<0, 1>(f, {.chunk_size = chunk})(x2(), y2());
    CHECK(floats(std::get<0>(jr)) == by_x);
    CHECK(floats(std::get<1>(jr)) == by_y);
    CHECK(b.steps == 3);
    const auto [jc, c] = jit(jacobian_with_aux<1>(f, {.chunk_size = chunk}))(x2(), y2());
    CHECK(floats(jc) == by_y);
    CHECK(c.norm.item<float>() == 5);
    const auto [jitted, d] = jit(jacfwd_with_aux(f, {.chunk_size = chunk}))(x2(), y2());
    CHECK(floats(jitted) == by_x);
    CHECK(d.norm.item<float>() == 5);
  }
  const auto [h, aux] = hessian_with_aux(loss)(x2(), y2());
  CHECK(floats(h) == Floats{18, 0, 0, 48});
  CHECK(floats(aux[0]) == Floats{1, 2});
  const auto [mapped, norms] = vmap(jacrev_with_aux(f))(ones({3, 2}), ones({3, 2}));
  CHECK(mapped.shape() == Shape{3, 2, 2});
  CHECK(norms.norm.shape() == Shape{3});
}

TEST_CASE("an outer transform differentiates aux", "[aux]") {
  const auto outer = [](Array x) {
    const auto [out, pull, norm] =
        vjp_with_aux([](Array v) { return std::pair{v * v, (v * v * v).sum()}; }, x);
    return norm + std::get<0>(pull(ones({2}))).sum();
  };
  CHECK(floats(grad(outer)(x2())) == Floats{5, 14});  // 3 x² + 2
  const auto forward = [](Array x) {
    const auto [j, cubes] =
        jacfwd_with_aux([](Array v) { return std::pair{v * v, (v * v * v).sum()}; })(x);
    return cubes + j.sum();
  };
  CHECK(floats(grad(forward)(x2())) == Floats{5, 14});
}

TEST_CASE("the function runs once for its derivative and aux", "[aux]") {
  int runs = 0;
  const auto counted = [&](Array x) { return ++runs, std::pair{x * x, x.sum()}; };
  jacfwd_with_aux(counted)(x2());
  CHECK(runs == 1);
  jacrev_with_aux(counted)(x2());
  CHECK(runs == 2);
  vjp_with_aux(counted, x2());
  CHECK(runs == 3);
}

TEST_CASE("the gradient first, then the value", "[grad]") {
  const auto [g, v] = grad_and_value([](Array x) { return (x * x).sum(); })(x2());
  CHECK(floats(g) == Floats{2, 4});
  CHECK(v.item<float>() == 5);
  const auto [d, rest] = grad_and_value_with_aux<1>(loss)(x2(), y2());
  CHECK(floats(d) == Floats{1, 8});
  CHECK(std::get<0>(rest).item<float>() == 35);
  CHECK(floats(std::get<1>(rest)[1]) == Floats{3, 4});
  check_error<DifferentiationError>([&] { grad_and_value([](Array x) { return x; })(x2()); },
                                    "grad_and_value: Gradient only defined for scalar-output");
}

TEST_CASE("Jacobians by several arguments", "[jacobian]") {
  const Floats by_x{6, 0, 0, 16}, by_y{1, 0, 0, 4};
  const auto [fx, fy] = jacfwd<0, 1>(plain)(x2(), y2());
  CHECK(floats(fx) == by_x);
  CHECK(floats(fy) == by_y);
  const auto [ry, rx] = jacrev<-1, 0>(plain)(x2(), y2());
  CHECK(floats(rx) == by_x);
  CHECK(floats(ry) == by_y);
  const auto [by_x_twice, by_y_twice] = hessian<0, 1>(plain)(x2(), y2());
  const auto [hxx, hxy] = by_x_twice;
  const auto [hyx, hyy] = by_y_twice;
  CHECK(hxx.shape() == Shape{2, 2, 2});
  CHECK(floats(hxx) == Floats{6, 0, 0, 0, 0, 0, 0, 8});
  CHECK(floats(hxy) == Floats{2, 0, 0, 0, 0, 0, 0, 4});
  CHECK(floats(hyx) == floats(hxy));
  CHECK(floats(hyy) == Floats(8, 0));
  // Structs among the arguments keep their type. If argument and result are both structs, the
  // result is a struct of blocks.
  const auto line = [](Params p, Array x) { return p.w * x + p.b; };
  const auto [by_params, by_input] = jacrev<0, 1>(line)(Params{x2(), y2()}, x2());
  CHECK(floats(by_params.w) == Floats{1, 0, 0, 2});
  CHECK(floats(by_params.b) == Floats{1, 0, 0, 1});
  CHECK(floats(by_input) == Floats{1, 0, 0, 2});
  const tree::Blocks blocks = jacrev<1, 0>(
      [](Params p, Array x) { return Params{p.w * x, p.b + x}; })(Params{x2(), y2()}, x2());
  CHECK(floats(blocks("w", "[0]")) == Floats{1, 0, 0, 2});
  CHECK(floats(blocks("w", "[1].w")) == Floats{1, 0, 0, 2});
  CHECK(floats(blocks("w", "[1].b")) == Floats(4, 0));
}

TEST_CASE("Jacobians of rows of trees", "[jacobian]") {
  const auto rows = [](Params p) { return std::pair{p.w * p.w * expand_dims(p.b, 1), p.b * p.b}; };
  const Params p{array({{1., 2.}, {3., 4.}, {5., 6.}}), array({1., 10., 100.})};
  for (int64_t chunk : {0, 1, 2}) {
    const auto [first, second] = batch_jacobian(rows, {.chunk_size = chunk})(p);
    CHECK(first.w.shape() == Shape{3, 2, 2});
    CHECK(first.b.shape() == Shape{3, 2});
    CHECK(floats(first.w) == Floats{2, 0, 0, 4, 60, 0, 0, 80, 1000, 0, 0, 1200});
    CHECK(floats(first.b) == Floats{1, 4, 9, 16, 25, 36});
    CHECK(second.b.shape() == Shape{3});
    CHECK(floats(second.b) == Floats{2, 20, 200});
    CHECK(floats(second.w) == Floats(6, 0));
  }
  // This equals the result of one row after another.
  const auto one = vmap(jacrev([](Params q) { return std::pair{q.w * q.w * q.b, q.b * q.b}; }))(p);
  CHECK(floats(one.first.w) == floats(batch_jacobian(rows)(p).first.w));
  const auto [dx, dy] = batch_jacobian<0, 1>(plain)(x2(), y2());
  CHECK(floats(dx) == Floats{6, 16});
  CHECK(floats(dy) == Floats{1, 4});
  check_error<ShapeError>(
      [&] { batch_jacobian<0, 1>([](Array a, Array) { return a; })(zeros({2}), zeros({3})); },
      "batch_jacobian: f must keep the leading axis");
  check_error<DifferentiationError>([&] { batch_jacobian(rows, {.chunk_size = -1})(p); },
                                    "batch_jacobian: chunk_size must not be negative");
  check_error<DifferentiationError>([] { batch_jacobian([](Array x) { return x; })(arange(3)); },
                                    "batch_jacobian requires real- or complex-valued inputs");
}

TEST_CASE("products with the Hessian", "[jacobian]") {
  const auto g = [](Array x, Array y) { return (x * x * x * y).sum(); };
  CHECK(floats(hvp(g)(x2(), y2(), array({1., 10.}))) == Floats{18, 480});
  CHECK(floats(vhp(g)(x2(), y2(), array({1., 10.}))) == Floats{18, 480});
  static_assert(same<decltype(hvp(g)(x2(), y2(), 1.)), Array>);
  const auto h = [](Params p) { return (p.w * p.w * p.b).sum(); };
  const Params p{array({1.}), array({3.})}, v{array({1.}), array({0.})};
  CHECK(floats(vhp(h)(p, v).w) == Floats{6});
  CHECK(floats(vhp(h)(p, v).b) == Floats{2});
  CHECK(floats(vmap(hvp(g), {0, none, 0})(ones({3, 2}), y2(), ones({3, 2}))) ==
        Floats{18, 24, 18, 24, 18, 24});
  CHECK(hvp([](auto x) { return x * x * x; })(2., 1.).item<float>() == 12);
  // Only reverse mode is possible: the function has no forward derivative.
  const auto custom =
      custom_vjp([](Array x) { return x * x * x; }, [](Array x) { return std::pair{x * x * x, x}; },
                 [](Array x, Array ct) { return ct * 3. * x * x; });
  CHECK(vhp(custom)(2., 1.).item<float>() == 12);
  check_error<DifferentiationError>(
      [&] { hvp([](std::vector<Array> s) { return s[0]; })({1.}, {1., 2.}); },
      "hvp: argument 0 and v must have the same tree structure");
  check_error<DifferentiationError>([&] { hvp(g)(x2(), y2(), zeros({3})); },
                                    "equal types, but they differ");
  check_error<DifferentiationError>([&] { vhp(g)(x2(), y2(), zeros({3})); }, "unexpected JAX type");
}

TEST_CASE("a jitted derivative made anew is not traced anew", "[jacobian][jit]") {
  const auto g = [](Array x) { return (x * x * x).sum(); };
  const auto traces = [](auto make) {
    make()(x2());
    const int64_t before = programs_recorded();
    make()(x2());
    return programs_recorded() - before;
  };
  const auto with_vector = [&](auto made) { return [made](Array x) { return made(x, x); }; };
  CHECK(traces([&] { return with_vector(jit(hvp(g))); }) == 0);
  CHECK(traces([&] { return with_vector(jit(vhp(g))); }) == 0);
  CHECK(traces([&] { return jit(jacfwd_with_aux([](Array x) { return std::pair{x, x}; })); }) == 0);
  CHECK(traces([&] { return jit(batch_jacobian([](Array x) { return x * x; })); }) == 0);
  // Options are part of the identity of a transformed function, which jit's cache compares.
  const auto id = [](Array x) { return x * x; };
  CHECK(jit(jacrev(id, {.chunk_size = 1}))(x2()).shape() == Shape{2, 2});
  check_error<DifferentiationError>([&] { jit(jacrev(id, {.holomorphic = true}))(x2()); },
                                    "holomorphic=True");
}
