// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/symbolic_zeros_test.cpp: custom rules that get masks of the tangents and
// cotangents that are zero. The tests check the masks and their use, and the results under other
// transforms.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using Two = std::tuple<Array, Array>;
using Masks = std::array<tree::Mask, 2>;
using Seen = std::vector<std::vector<bool>>;

std::vector<bool> bits(const Masks& m) { return {m[0].any(), m[1].any()}; }

// Computes x y. Its rule records its mask.
auto product_by_jvp(Seen* seen) {
  return custom_jvp([](Array x, Array y) { return x * y; },
                    [seen](Two p, Two t, Masks perturbed) {
                      seen->push_back(bits(perturbed));
                      const auto [x, y] = p;
                      const auto [dx, dy] = t;
                      Array out;
                      if (perturbed[0].any()) out = dx * y;
                      if (perturbed[1].any()) out = perturbed[0].any() ? out + x * dy : x * dy;
                      return std::pair{x * y, out};
                    },
                    symbolic_zeros);
}
// The same in reverse mode.
auto product_by_vjp(Seen* seen) {
  return custom_vjp([](Array x, Array y) { return x * y; },
                    [seen](Masks perturbed, Array x, Array y) {
                      seen->push_back(bits(perturbed));
                      return std::pair{x * y, std::tuple{perturbed[1].any() ? x : Array(0.),
                                                         perturbed[0].any() ? y : Array(0.)}};
                    },
                    [](Two r, Array ct, tree::Mask) {
                      return std::tuple{ct * std::get<1>(r), ct * std::get<0>(r)};
                    },
                    symbolic_zeros);
}

const Array& points() {
  static const auto* x = new Array(array({1., -2., 3.}));
  return *x;
}
const Array& factors() {
  static const auto* y = new Array(array({5., 6., 7.}));
  return *y;
}

// Checks the gradients of sum(f(x, y)) for f = x y, alone, mapped, compiled, in a loop.
template <class F>
void check_product(F f) {
  const auto total = [f](Array x, Array y) { return f(x, y).sum(); };
  const Array &x = points(), &y = factors();
  const auto check = [&](auto g) {
    CHECK(floats(grad(g)(x, y)) == floats(y));
    CHECK(floats(grad<1>(g)(x, y)) == floats(x));
    const auto [dx, dy] = grad<0, 1>(g)(x, y);
    CHECK(floats(dx) == floats(y));
    CHECK(floats(dy) == floats(x));
    CHECK(floats(jit(grad(g))(x, y)) == floats(y));
    CHECK(floats(jit(grad<1>(g))(x, y)) == floats(x));
    CHECK(floats(vmap(grad(g), {0, none})(stack({x, y}), y)) == Floats{5, 6, 7, 5, 6, 7});
    CHECK(floats(vmap(grad<1>(g), {0, none})(stack({x, y}), y)) == Floats{1, -2, 3, 5, 6, 7});
  };
  check(total);
  check([f](Array x, Array y) { return jit(f)(x, y).sum(); });
  check([f](Array x, Array y) { return vmap(f)(x, y).sum(); });
  check([f](Array x, Array y) { return jit(vmap(f))(x, y).sum(); });
  check([f](Array x, Array y) { return vmap(f, 0, 0, {.chunk_size = 2})(x, y).sum(); });
  check([f](Array x, Array y) { return vmap(vmap(f, {none, 0}), {0, none})(x, y).trace(); });
  check([f](Array x, Array y) {
    const auto step = [f](Array c, Two row) {
      return std::pair{c + f(std::get<0>(row), std::get<1>(row)), none};
    };
    return scan(step, 0., Two{x, y}).first;
  });
  // Some lanes take the branch, whose mask must end a loop in the rule.
  check([f](Array x, Array y) {
    const auto chosen = [f](Array x, Array y, Array p) {
      return cond(p > 0, f, [](Array x, Array y) { return x * y; }, x, y);
    };
    return vmap(chosen)(x, y, array({1, 0, 1})).sum();
  });
}

}  // namespace

TEST_CASE("forward rules are told which tangents are zero", "[custom][zeros]") {
  Seen seen;
  const auto f = product_by_jvp(&seen);
  CHECK(floats(f(points(), factors())) == Floats{5, -12, 21});
  CHECK(seen.empty());  // no derivative is taken
  const Array one = ones({3});
  CHECK(floats(jvp([&](Array x) { return f(x, factors()); }, std::tuple{points()}, std::tuple{one})
                   .second) == Floats{5, 6, 7});
  CHECK(seen == Seen{{true, false}});
  seen.clear();
  CHECK(floats(grad<1>([&](Array x, Array y) { return f(x, y).sum(); })(points(), factors())) ==
        Floats{1, -2, 3});
  CHECK(seen == Seen{{false, true}});
  seen.clear();
  CHECK(floats(jvp(f, std::tuple{points(), factors()}, std::tuple{one, one}).second) ==
        Floats{6, 4, 10});
  CHECK(seen == Seen{{true, true}});
  seen.clear();
  grad([&](Array x) { return jit(vmap(f, {0, none}))(x, stop_gradient(x)).sum(); })(points());
  CHECK(seen == Seen{{true, false}});
  seen.clear();
  // A scan may call the rule more than once.
  const auto step = [f](Array c, Two row) {
    return std::pair{c + f(std::get<0>(row), std::get<1>(row)), none};
  };
  grad([&](Array x) { return scan(step, 0., Two{x, factors()}).first; })(points());
  for (const auto& s : seen) CHECK(s == std::vector<bool>{true, false});
  CHECK(!seen.empty());
}

TEST_CASE("tangents that a rule leaves out are not computed", "[custom][zeros]") {
  Seen seen;
  const auto text = [&](auto f) {
    return to_string(make_jaxpr(grad([f](Array x) { return f(x, factors()).sum(); }))(points()));
  };
  const auto costly = [](auto... option) {
    return custom_jvp([](Array x, Array y) { return x * y; },
                      [](auto p, auto t, auto... perturbed) {
                        const auto [x, y] = p;
                        Array out = std::get<0>(t) * y;
                        if ((perturbed[1].any() && ...))
                          out = out + lax::erf_inv(x) * std::get<1>(t);
                        return std::pair{x * y, out};
                      },
                      option...);
  };
  CHECK(!holds(text(costly(symbolic_zeros)), "erf_inv"));
  // Without the option the zeros are materialized, and their factors are computed.
  CHECK(holds(text(costly()), "erf_inv"));
}

TEST_CASE("a rule with symbolic zeros is an object in the program", "[custom][zeros]") {
  Seen seen;
  const auto check = [](auto f) {
    const std::string text = to_string(make_jaxpr(f)(points(), factors()));
    CHECK(holds(text, "custom_jvp_call["));
    CHECK(holds(text, "rule=<callback>"));
    check_error<ParseError>([&] { (void)parse_jaxpr(text); },
                            "a callback cannot be read back from text");
  };
  check(product_by_jvp(&seen));
  check(product_by_vjp(&seen));
  CHECK(seen.empty());
}

TEST_CASE("forward rules with symbolic zeros under other transforms", "[custom][zeros]") {
  Seen seen;
  check_product(product_by_jvp(&seen));
}

TEST_CASE("reverse rules with symbolic zeros under other transforms", "[custom][zeros]") {
  Seen seen;
  check_product(product_by_vjp(&seen));
}

TEST_CASE("fwd gets the mask of tangents, bwd the mask of cotangents", "[custom][zeros]") {
  Seen seen, given;
  using Params = std::pair<Array, std::vector<Array>>;
  const auto f = custom_vjp(
      [](Params p, Array x) { return Two{p.first * x, p.second[0] * p.second[1]}; },
      [&](Masks perturbed, Params p, Array x) {
        seen.push_back({perturbed[0][0], perturbed[0][1], perturbed[0][2], perturbed[1][0]});
        return std::pair{Two{p.first * x, p.second[0] * p.second[1]}, std::pair{p, x}};
      },
      [&](std::pair<Params, Array> r, Two ct, tree::Mask on) {
        given.push_back({on[0], on[1]});
        const auto& [p, x] = r;
        const auto [a, b] = ct;
        // Empty Arrays are zeros, too.
        const Array none_of_it;
        return std::tuple{
            Params{on[0] ? a * x : none_of_it,
                   {on[1] ? b * p.second[1] : none_of_it, on[1] ? b * p.second[0] : none_of_it}},
            on[0] ? a * p.first : none_of_it};
      },
      symbolic_zeros);
  const Params p{Array(2.), {Array(3.), Array(5.)}};
  const auto first = grad([&](Params p) { return std::get<0>(f(p, 7.)); })(p);
  CHECK(first.first.item<float>() == 7);
  CHECK(first.second[0].item<float>() == 0);
  CHECK(seen == Seen{{true, true, true, false}});
  CHECK(given == Seen{{true, false}});
  seen.clear(), given.clear();
  const auto second = grad(
      [&](Array q) { return std::get<1>(f(Params{p.first, {q, p.second[1]}}, 7.)); })(Array(3.));
  CHECK(second.item<float>() == 5);
  CHECK(seen == Seen{{false, true, false, false}});
  CHECK(given == Seen{{false, true}});
  seen.clear(), given.clear();
  grad([&](Array x) { return std::get<0>(jit(f)(p, x)); })(Array(7.));
  CHECK(seen == Seen{{false, false, false, true}});
  CHECK(given == Seen{{true, false}});
  // This uses both results, mapped and compiled.
  const auto both = [&](Params p, Array x) {
    const auto [a, b] = f(p, x);
    return a * b;
  };
  const auto d = jit(vmap(grad<0, 1>(both), {none, 0}))(p, array({7., 11.}));
  CHECK(floats(std::get<0>(d).first) == Floats{105, 165});
  CHECK(floats(std::get<0>(d).second[1]) == Floats{42, 66});
  CHECK(floats(std::get<1>(d)) == Floats{30, 30});
}

TEST_CASE("nested derivatives of rules with symbolic zeros", "[custom][zeros]") {
  // The rule of x³ is differentiated again.
  const auto cube = custom_jvp([](Array x) { return x * x * x; },
                               [](std::tuple<Array> p, std::tuple<Array> t, tree::Mask on) {
                                 const Array x = std::get<0>(p);
                                 CHECK(on.all());
                                 return std::pair{x * x * x, 3. * x * x * std::get<0>(t)};
                               },
                               symbolic_zeros);
  CHECK(grad(grad(cube))(2.).item<float>() == 12);
  CHECK(jit(grad(grad(jit(cube))))(2.).item<float>() == 12);
  CHECK(floats(vmap(grad(grad(cube)))(array({1., 2.}))) == Floats{6, 12});
  CHECK(floats(grad([&](Array x) { return vmap(grad(cube))(x).sum(); })(array({1., 2.}))) ==
        Floats{6, 12});
  const auto by_vjp = custom_vjp(
      [](Array x) { return x * x * x; },
      [](tree::Mask, Array x) { return std::pair{x * x * x, x}; },
      [](Array x, Array ct, tree::Mask) { return std::tuple{3. * x * x * ct}; }, symbolic_zeros);
  CHECK(grad(grad(by_vjp))(2.).item<float>() == 12);
  CHECK(floats(grad([&](Array x) { return vmap(grad(by_vjp))(x).sum(); })(array({1., 2.}))) ==
        Floats{6, 12});
  check_error<DifferentiationError>(
      [&] { jvp(by_vjp, std::tuple{Array(2.)}, std::tuple{Array(1.)}); },
      "can't apply forward-mode autodiff (jvp) to a custom_vjp");
}

TEST_CASE("rules with symbolic zeros see collectives of the maps around the call",
          "[custom][zeros]") {
  const auto f =
      custom_jvp([](Array x) { return psum(x, "i"); },
                 [](std::tuple<Array> p, std::tuple<Array> t, tree::Mask) {
                   return std::pair{psum(std::get<0>(p), "i"), psum(2. * std::get<0>(t), "i")};
                 },
                 symbolic_zeros);
  const auto lanes = vmap(f, 0, 0, {.axis_name = "i"});
  const Array x = array({1., 2., 3.});
  // The map has ended when the rule is called.
  CHECK(floats(grad([&](Array x) { return jit(lanes)(x)[0]; })(x)) == Floats{2, 2, 2});
  CHECK(floats(jvp(lanes, std::tuple{x}, std::tuple{ones({3})}).second) == Floats{6, 6, 6});
}

TEST_CASE("mistakes in rules with symbolic zeros", "[custom][zeros][errors]") {
  const auto by = [](auto rule) {
    return custom_jvp([](Array x) { return x * x; }, rule, symbolic_zeros);
  };
  using One = std::tuple<Array>;
  check_error<DifferentiationError>(
      [&] {
        grad(by([](One p, One, tree::Mask) { return std::pair{std::get<0>(p), zeros({2})}; }))(2.);
      },
      "Expected f32[] for result's tangent, but got f32[2]");
  // A missing tangent is zero.
  CHECK(grad(by([](One p, One, tree::Mask) { return std::pair{std::get<0>(p), none}; }))(2.)
            .item<float>() == 0);
  const auto back = custom_vjp(
      [](Array x) { return x * x; }, [](tree::Mask, Array x) { return std::pair{x * x, x}; },
      [](Array, Array, tree::Mask) { return std::tuple{zeros({2})}; }, symbolic_zeros);
  check_error<DifferentiationError>([&] { grad(back)(2.); },
                                    "expected f32[] for args[0], got f32[2]");
  // A rule may capture tracers of transforms that are still running around it, but not of ones that
  // have ended.
  const auto scaled = [&](Array k) {
    return by([k](One p, One t, tree::Mask) {
      return std::pair{std::get<0>(p) * std::get<0>(p), k * std::get<0>(t)};
    });
  };
  CHECK(floats(vmap([&](Array k) { return grad(scaled(k))(2.); })(array({1., 3.}))) ==
        Floats{1, 3});
  check_error<LeakedTracerError>([&] { grad([&](Array k) { return scaled(k)(k); })(2.); },
                                 "custom_jvp: the rule captures a traced value f32[]");
}
