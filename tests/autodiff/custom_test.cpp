// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/autodiff/custom_test.cpp: functions with custom derivative rules that capture arrays. They
// are used under other transforms and inside loops and branches.
#include <functional>

#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

using One = std::function<Array(Array)>;
struct Way {
  const char* name;
  std::function<One(One)> around;  // turns a function of 3-vectors into another one
};

// Returns ways to call f that do not change its result.
const std::vector<Way>& ways() {
  static const auto* all = new std::vector<Way>{
      {"alone", [](One f) { return f; }},
      {"jit", [](One f) { return One(jit(f)); }},
      {"vmap",
       [](One f) { return One([f](Array x) { return vmap(f, {0}, 0)(stack({x * 0., x}))[1]; }); }},
      {"two maps",
       [](One f) {
         return One([f](Array x) {
           return vmap(vmap(f, {1}, 1))(
               stack({stack({x, x * 2.}, 1), stack({x, x}, 1)}))[0][{slice(), 0}];
         });
       }},
      {"chunks",
       [](One f) {
         return One([f](Array x) {
           return vmap(f, 0, 0, {.chunk_size = 2})(stack({x, x, x, x * 2., x * 3.}))[2];
         });
       }},
      {"scan",
       [](One f) {
         return One([f](Array x) {
           return scan([f](Array c, Array row) { return std::pair{c + f(row), c}; }, x * 0.,
                       expand_dims(x, 0))
               .first;
         });
       }},
      {"a bounded loop",
       [](One f) {
         return One([f](Array x) {
           using Two = std::tuple<Array, Array>;
           return std::get<1>(
               while_loop([](Two s) { return std::get<0>(s) < 1; },
                          [f](Two s) { return Two{std::get<0>(s) + 1, f(std::get<1>(s))}; },
                          Two{0, x}, {.max_trips = 3}));
         });
       }},
      {"a branch per lane",
       [](One f) {
         return One([f](Array x) {
           const auto chosen = [f](Array x, Array p) {
             return cond(p > 0, f, [](Array x) { return x; }, x);
           };
           return vmap(chosen)(stack({x, x}), array({0, 1}))[1];
         });
       }},
  };
  return *all;
}

// Checks f and its derivative at `x`, under each way nested in each other way.
void check_everywhere(One f, const Array& x, const Floats& value, const Floats& slope) {
  for (const Way& outer : ways())
    for (const Way& inner : ways()) {
      INFO(outer.name << " around " << inner.name);
      const One g = outer.around(inner.around(f));
      CHECK(floats(g(x)) == value);
      CHECK(floats(vjp(g, x).first) == value);
      const auto total = [g](Array x) { return g(x).sum(); };
      CHECK(floats(grad(total)(x)) == slope);
      CHECK(floats(jit(grad(total))(x)) == slope);
      CHECK(floats(outer.around([=](Array x) { return grad(total)(x); })(x)) == slope);
    }
}

}  // namespace

TEST_CASE("rules that capture arrays", "[custom]") {
  const Array c = array({2., 3., 4.}), d = array({10., 20., 30.}), x = array({1., -1., 2.});
  const auto by_jvp = custom_jvp([c](Array x) { return x * c; },
                                 [c, d](std::tuple<Array> x, std::tuple<Array> dx) {
                                   return std::pair{std::get<0>(x) * c, std::get<0>(dx) * d};
                                 });
  check_everywhere(by_jvp, x, {2, -3, 8}, {10, 20, 30});
  const auto by_vjp = custom_vjp([c](Array x) { return x * c; },
                                 [c](Array x) { return std::pair{x * c, sign(x) * c}; },
                                 [d](Array s, Array ct) { return std::tuple{ct * d + s * 0.}; });
  check_everywhere(by_vjp, x, {2, -3, 8}, {10, 20, 30});
  CHECK(floats(jvp(by_jvp, std::tuple{x}, std::tuple{d}).second) == Floats{100, 400, 900});
  // Only the bwd rule captures a value; the function and fwd capture nothing.
  const auto some = custom_vjp([](Array x, Array y) { return x + y; },
                               [](Array x, Array y) { return std::pair{x + y, none}; },
                               [d](none_t, Array ct) { return std::tuple{ct * d, ct}; });
  CHECK(floats(grad([&](Array x) { return some(x, x).sum(); })(x)) == Floats{11, 21, 31});
}

TEST_CASE("reverse rules of what does not depend on the arguments", "[custom]") {
  const Array c = array({2., 3., 4.}), x = array({1., -1., 2.});
  const auto h =
      custom_vjp([](Array x) { return x * 2.; }, [](Array x) { return std::pair{x * 2., x}; },
                 [](Array, Array ct) { return std::tuple{ct * 2.}; });
  // The tangent of a constant is an array of zeros.
  const auto constant =
      custom_jvp([c](Array) { return c; },
                 [c](std::tuple<Array>, std::tuple<Array>) { return std::pair{c, zeros({3})}; });
  check_everywhere([&](Array x) { return h(constant(x)) + x; }, x, {5, 5, 10}, {1, 1, 1});
  // A loop materializes the zero tangent of a carry.
  check_everywhere(
      [&](Array x) {
        return h(scan([c](Array, Array) { return std::pair{c, c}; }, x, zeros({2})).first) + x;
      },
      x, {5, 5, 10}, {1, 1, 1});
  const auto still = [&](Array x) { return jvp(h, std::tuple{x}, std::tuple{zeros({3})}).second; };
  check_everywhere([&](Array x) { return still(x) + x; }, x, {1, -1, 2}, {1, 1, 1});
  // Taking its forward derivative is an error, also within reverse mode.
  const std::string why = "can't apply forward-mode autodiff (jvp) to a custom_vjp function.";
  const auto forward = [&](Array x) { return jvp(h, std::tuple{c}, std::tuple{c}).second + x; };
  const auto both = [&](Array x) { return jvp(h, std::tuple{x}, std::tuple{x}).second; };
  check_error<DifferentiationError>([&] { forward(x); }, why);
  check_error<DifferentiationError>([&] { jit(forward)(x); }, why);
  check_error<DifferentiationError>([&] { grad([&](Array x) { return forward(x).sum(); })(x); },
                                    why);
  check_error<DifferentiationError>([&] { grad([&](Array x) { return both(x).sum(); })(x); }, why);
  check_error<DifferentiationError>([&] { jvp(both, std::tuple{x}, std::tuple{x}); }, why);
}

TEST_CASE("a batching rule that captures arrays", "[custom][vmap]") {
  const Array c = array({2., 3., 4.}), x = array({1., -1., 2.});
  const auto f = custom_vmap(
      [c](Array x) { return x * c; },
      [c](int64_t, tree::Mask mapped, Array x) { return std::pair{x * c, mapped.all()}; });
  check_everywhere(f, x, {2, -3, 8}, {2, 3, 4});
  check_everywhere(sequential_vmap([c](Array x) { return x * c; }), x, {2, -3, 8}, {2, 3, 4});
}

TEST_CASE("rules that capture traced values", "[custom]") {
  const Array x = array({1., 2., 3.});
  const auto ruled = [](Array c) {
    return custom_vjp([](Array x) { return x; }, [](Array x) { return std::pair{x, none}; },
                      [c](none_t, Array ct) { return std::tuple{ct * c}; });
  };
  check_error<LeakedTracerError>([&] { jit([&](Array c) { return ruled(c)(x); })(x); },
                                 "custom_vjp: bwd captures a traced value f32[3]");
  check_error<LeakedTracerError>([&] { vmap([&](Array c) { return ruled(c)(x); })(x); },
                                 "of the vmap around it. Pass it as an argument");
  check_error<LeakedTracerError>(
      [&] {
        grad([&](Array c) {
          return custom_jvp([](Array x) { return x; },
                            [c](std::tuple<Array> x, std::tuple<Array> dx) {
                              return std::pair{std::get<0>(x), std::get<0>(dx) * c};
                            })(x)
              .sum();
        })(x);
      },
      "custom_jvp: the rule captures a traced value f32[3]");
  // The function may capture c, but taking a derivative with respect to c is an error.
  const auto captures = [&](Array c) {
    return custom_jvp([c](Array x) { return x * c; },
                      [](std::tuple<Array> x, std::tuple<Array> dx) {
                        return std::pair{std::get<0>(x), std::get<0>(dx)};
                      })(x)
        .sum();
  };
  CHECK(floats(vmap(captures)(x)) == Floats{6, 12, 18});
  check_error<DifferentiationError>([&] { grad(captures)(x[0]); },
                                    "a value that the function captured is differentiated");
}

namespace {
struct Layer {
  Array w;
  int power = 1;
  std::string name = {};
};
enum class Mode { once, twice };
}  // namespace

TEST_CASE("static residuals reach bwd as fwd returned them", "[custom]") {
  const auto square = [](Array x) { return x * x; };
  const auto slope_of = [&](auto fwd, auto bwd) {
    const auto f = custom_vjp(square, fwd, bwd);
    const float slope = grad(f)(3.).template item<float>();
    CHECK(jit(grad(f))(3.).template item<float>() == slope);
    CHECK(vmap(grad(f))(array({3., 3.}))[1].template item<float>() == slope);
    return slope;
  };
  using Res = std::pair<Array, int>;
  CHECK(slope_of([](Array x) { return std::pair{x * x, 5}; },
                 [](int n, Array ct) { return std::tuple{ct * n}; }) == 5);
  CHECK(slope_of([](Array x) { return std::pair{x * x, Res{x, 5}}; },
                 [](Res r, Array ct) { return ct * r.first * r.second; }) == 15);
  CHECK(slope_of([](Array x) { return std::pair{x * x, std::tuple{x, 0.5, true}}; },
                 [](std::tuple<Array, double, bool> r, Array ct) {
                   auto [x, half, yes] = r;
                   return std::tuple{yes ? ct * x * half : ct};
                 }) == 1.5);
  CHECK(slope_of([](Array x) { return std::pair{x * x, std::pair{std::vector{x}, Mode::twice}}; },
                 [](const auto& r, Array ct) { return r.second == Mode::twice ? ct * 2 : ct; }) ==
        2);
  // The number becomes an Array if the parameter is an Array, and a floating-point number if it is
  // `auto`.
  CHECK(slope_of([](Array x) { return std::pair{x * x, std::pair{x, 5}}; },
                 [](std::pair<Array, Array> r, Array ct) { return ct * r.second; }) == 5);
  CHECK(slope_of([](Array x) { return std::pair{x * x, std::pair{2.5, 3}}; },
                 [](auto r, Array ct) {
                   static_assert(std::same_as<decltype(r), std::pair<Array, int>>);
                   return ct * r.first * r.second;
                 }) == 7.5);
  const auto with_zeros = custom_vjp(
      square, [](tree::Mask, Array x) { return std::pair{x * x, Res{x, 4}}; },
      [](Res r, Array ct, tree::Mask) { return std::tuple{ct * r.second}; }, symbolic_zeros);
  CHECK(grad(with_zeros)(3.).item<float>() == 4);
}

TEST_CASE("cotangents have the static fields of their arguments", "[custom]") {
  const auto with = [](auto change) {
    return custom_vjp([](Layer l) { return l.w * l.power; },
                      [](Layer l) { return std::pair{l.w * l.power, l}; },
                      [=](Layer l, Array ct) {
                        l.w = ct * 10;
                        change(l);
                        return std::tuple{l};
                      });
  };
  const Layer at{2., 3, "first"};
  const Layer d = grad(with([](Layer&) {}))(at);
  CHECK(d.w.item<float>() == 10);
  CHECK(d.power == 3);
  CHECK(d.name == "first");
  check_error<DifferentiationError>([&] { grad(with([](Layer& l) { l.power = 1; }))(at); },
                                    "bwd must return cotangents with the same structure as the "
                                    "arguments: argument 0 is {w: *, power: 3, name: 'first'}");
  check_error<DifferentiationError>([&] { grad(with([](Layer& l) { l.name = ""; }))(at); },
                                    "args[0].name is 'first' on one side");
  // The rule returns no cotangent for a static argument.
  const auto f = custom_vjp([](Array x, int n) { return x * n; },
                            [](Array x, int n) { return std::pair{x * n, n}; },
                            [](int n, Array ct) { return std::tuple{ct * n * 2, 0}; });
  CHECK(grad(f)(3., 4).item<float>() == 8);
}
