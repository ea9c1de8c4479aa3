// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/control_grad_test.cpp: derivatives of loops and branches, alone and mapped.
#include <cmath>
#include <functional>

#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {
const std::vector<double> points{-1.2, .3, .9, 2.1, -.1};
Array some() { return array(points); }
Array real(double x) { return array(std::vector<double>{x})[0]; }
double value(const Array& x) { return x.item<double>(); }

// Compares gradients of sum_l f(x_l, w) with respect to x and w, and the second derivative along w,
// with those of each lane alone. They run compiled, eagerly, by the reference rules, and with a
// second map over other x. (The parameter is a std::function, since each type would add a minute of
// compile time.)
using Shared = std::function<Array(Array, Array)>;
void check_shared(const char* what, const Shared& f) {
  INFO(what);
  const Array x = some(), w = real(.7);
  std::vector<double> each;
  double sum = 0, second = 0;
  const auto slope = grad<1>(f);
  for (double at : points) {
    const ReferenceMode reference;
    const auto [dx, dw] = grad<0, 1>(f)(real(at), w);
    each.push_back(value(dx));
    sum += value(dw);
    second += value(std::get<1>(jvp(slope, std::tuple{real(at), w}, std::tuple{real(0), real(1)})));
  }
  const auto loss = [&](Array x, Array w) { return vmap(f, {0, none})(x, w).sum(); };
  const auto both = grad<0, 1>(loss);
  const auto check = [&](const char* how, const auto& g) {
    INFO(how);
    const auto [gx, gw] = g;
    const auto gxs = gx.template to_vector<double>();
    for (size_t l = 0; l < points.size(); ++l) CHECK(gxs[l] == Approx(each[l]));
    CHECK(value(gw) == Approx(sum));
  };
  check("compiled", jit(both)(x, w));
  check("eager", both(x, w));
  {
    const ReferenceMode reference;
    check("by reference", both(x, w));
  }
  const auto rows = [&](Array w) {
    return vmap(vmap(f, {0, none}), {1, none})(stack({x, x * 0. + 1.5}, 1), w).sum();
  };
  const auto alone = [&](Array w) { return f(real(1.5), w) * double(points.size()); };
  const double two = sum + value(grad(alone)(w));
  CHECK(value(jit(grad(rows))(w)) == Approx(two));
  CHECK(value(grad(rows)(w)) == Approx(two));
  const auto along = [&](Array w) { return loss(x, w); };
  CHECK(value(jit(hessian(along))(w)) == Approx(second));
  CHECK(value(jit(grad(grad(along)))(w)) == Approx(second));
}
}  // namespace

TEST_CASE("branches and loops with operands that lanes share", "[control][grad]") {
  const auto product = [](Array x, Array w) { return w * x; };
  const auto branch = [&](auto test, auto yes) {
    return [=](Array x, Array w) { return cond(test(x), yes, product, x, w); };
  };
  const auto positive = [](Array x) { return x > 0.; };
  const auto negative = [](Array x) { return x < 0.; };
  check_shared("a residual without lanes, lane 0 elsewhere",
               branch(positive, [](Array x, Array w) { return sin(w) * x; }));
  check_shared("a residual without lanes, lane 0 there",
               branch(negative, [](Array x, Array w) { return sin(w) * x; }));
  check_shared("square root of a negative product",
               branch(positive, [](Array x, Array w) { return sqrt(w * x); }));
  check_shared("square root of a negative product with a number that all lanes share",
               branch(positive, [](Array x, Array w) { return sqrt(sin(w) * x); }));
  check_shared("quotient by zero", branch(positive, [](Array x, Array w) {
                 return sin(w) / where(x > 0., x, x * 0.);
               }));
  check_shared("an operand that is infinite elsewhere", [&](Array x, Array w) {
    const Array y = log(x);  // NaN for lanes that take the other branch
    return cond(
        x > 0., [](Array y, Array w) { return w * y * y; }, [](Array, Array w) { return w * w; }, y,
        w);
  });
  check_shared("a sort and an update on the way", branch(positive, [](Array x, Array w) {
                 const Array v = stack({sqrt(x), x * .5, w});
                 const Array at = (x > 1.).astype(I32);
                 return (cumsum(sort(v)).at(at).multiply(w) * sin(w)).sum();
               }));
  check_shared("a number of the lane index", [](Array x, Array w) {
    return cond(
        x > 0., [](Array x, Array w) { return sin(w) / x + w * sqrt(x); },
        [](Array x, Array w) { return w * log(-x); }, x, w);
  });
  check_shared("a loop inside the branch", branch(positive, [](Array x, Array w) {
                 return fori_loop(
                     0, 3, [=](Array, Array c) { return c * sqrt(x) * sin(w); }, x * w);
               }));
  check_shared("square root of a negative number",
               branch(positive, [](Array x, Array w) { return w * sqrt(x); }));
  check_shared("nothing of the lane", [](Array x, Array w) {
    return cond(
        x > 0., [](Array, Array w) { return w * w; }, [](Array, Array w) { return sin(w) * 2.; }, x,
        w);
  });
  const auto loop = [](auto body) {
    return [=](Array x, Array w) {
      return while_loop([](Array c) { return c < 3.; }, [=](Array c) { return body(c, w); }, x,
                        {.max_trips = 8});
    };
  };
  check_shared("steps", loop([](Array c, Array w) { return c + sin(w); }));
  check_shared("products", loop([](Array c, Array w) { return c * sin(w) + 1.; }));
  check_shared("square root beyond the end",
               loop([](Array c, Array w) { return c + w * sqrt(3. - c) + .5; }));
}

TEST_CASE("recomputed functions and reverse rules in lanes that do not run", "[control][grad]") {
  const auto root = [](Array x, Array w) { return log(x) * w + w * sqrt(x - .1) / (x - 1.); };
  const auto rule = custom_vjp(
      root, [=](Array x, Array w) { return std::pair{root(x, w), std::pair{x, w}}; },
      [=](std::pair<Array, Array> r, Array ct) { return vjp(root, r.first, r.second).second(ct); });
  const auto branch = [](auto f) {
    return [=](Array x, Array w) {
      return cond(
          x > .2, [=](Array x, Array w) { return f(x, w) * sin(w); },
          [](Array x, Array w) { return x * w; }, x, w);
    };
  };
  check_shared("in a branch", branch(checkpoint(root)));
  check_shared("that keeps results of products",
               branch(checkpoint(root, {.policy = checkpoint_policies::dots_saveable})));
  check_shared("by a rule", branch(rule));
  check_shared("a branch without them", branch(root));
  check_shared("in a loop inside the branch", branch([&](Array x, Array w) {
                 return fori_loop(
                     0, 3, [&](Array, Array c) { return c + checkpoint(root)(x, w); }, x);
               }));
  check_shared("in the branch of a branch", branch([&](Array x, Array w) {
                 return cond(
                     x < 1., [&](Array x, Array w) { return checkpoint(root)(x, w); },
                     [&](Array x, Array w) { return rule(x - .4, w); }, x, w);
               }));
  const auto step = [](Array c, Array w) { return c + .5 + w * log(3.2 - c) / (c - 1.); };
  for (const int64_t bound : {8, 100}) {
    const auto loop = [bound](auto f) {
      return [=](Array x, Array w) {
        return while_loop([](Array c) { return c < 3.; }, [=](Array c) { return f(c, w); }, x,
                          {.max_trips = bound});
      };
    };
    check_shared("steps of a loop", loop(checkpoint(step)));
    check_shared("steps without them", loop(step));
  }
  // This rule is called when the program is differentiated, so that no analysis sees it. The
  // cotangents in it are those of active lanes.
  const auto with_zeros = custom_vjp(
      root, [=](auto, Array x, Array w) { return std::pair{root(x, w), std::pair{x, w}}; },
      [=](std::pair<Array, Array> r, Array ct, auto) {
        return vjp(root, r.first, r.second).second(ct);
      },
      symbolic_zeros);
  const auto slope = [](auto f) {
    const auto of_lane = [=](Array x, Array w) {
      return cond(
          x > .2, [=](Array x, Array w) { return f(x, w); }, [](Array x, Array w) { return x * w; },
          x, w);
    };
    const auto loss = [=](Array w) { return vmap(of_lane, {0, none})(some(), w).sum(); };
    return value(jit(grad(loss))(real(.7)));
  };
  CHECK(slope(with_zeros) == Approx(slope(root)));
  const auto of_none = [&](Array w) {
    return vmap(branch(checkpoint(root)), {0, none})(zeros({0}, F64), w).sum();
  };
  CHECK(value(grad(of_none)(real(.7))) == 0);
  CHECK(value(jit(grad(of_none))(real(.7))) == 0);
}

TEST_CASE("lanes on another branch take part in its collectives, also backwards",
          "[control][grad]") {
  const auto f = [](Array x, Array w) {
    return cond(
        x > 0., [](Array x, Array w) { return psum(sqrt(abs(x)) * w, "i") * x; },
        [](Array x, Array w) { return w * x; }, x, w);
  };
  const auto loss = [&](Array w) {
    return vmap(f, {0, none}, 0, {.axis_name = "i"})(some(), w).sum();
  };
  double roots = 0, want = 0;
  for (double x : points) roots += std::sqrt(std::abs(x));
  for (double x : points) want += x > 0 ? x * roots : x;
  CHECK(value(grad(loss)(real(.7))) == Approx(want));
  CHECK(value(jit(grad(loss))(real(.7))) == Approx(want));
  const ReferenceMode reference;
  CHECK(value(grad(loss)(real(.7))) == Approx(want));
}

TEST_CASE("a branch not taken leaves every gradient finite", "[control][grad]") {
  const auto f = [](Array x) {
    return cond(x > 0., [](Array v) { return sqrt(v); }, [](Array v) { return v * v; }, x);
  };
  const Array x = array(std::vector<double>{4., -1., 0., 9.});
  const std::vector<double> want{.25, -2., 0., 1. / 6};
  for (const Array& g :
       {vmap(grad(f))(x), grad([&](Array x) { return vmap(f)(x).sum(); })(x), jit(vmap(grad(f)))(x),
        jit(grad([&](Array x) { return vmap(f)(x).sum(); }))(x)})
    for (size_t i = 0; i < 4; ++i) CHECK(g.to_vector<double>()[i] == Approx(want[i]));
}

TEST_CASE("forward mode through every loop", "[control][grad]") {
  const auto square = [](Array x) {
    return while_loop([](Array c) { return c < 100.; }, [](Array c) { return c * c; }, x);
  };
  const auto [y, dy] = jvp(square, std::tuple{real(3.)}, std::tuple{real(1.)});
  CHECK(value(y) == 6561);  // x^8
  CHECK(value(dy) == Approx(8 * std::pow(3., 7)));
  const auto sums = [](Array x) {
    return scan([&](Array c, Array t) { return std::pair{c * x + t, c}; }, real(0.),
                array(std::vector<double>{1., 2., 3.}))
        .first;
  };
  CHECK(value(jvp(sums, std::tuple{real(2.)}, std::tuple{real(1.)}).second) ==
        Approx(2 * 2. + 2));  // x² + 2x + 3
  const auto pick = [](Array x) {
    return cond(x > 0., [](Array v) { return v * v; }, [](Array v) { return -v; }, x);
  };
  const auto d = vmap([&](Array x) {
    return jvp(pick, std::tuple{x}, std::tuple{real(1.)}).second;
  })(array(std::vector<double>{3., -3.}));
  CHECK(d.to_vector<double>() == std::vector<double>{6, -1});
}

TEST_CASE("reverse mode in closed form", "[control][grad]") {
  const auto power = [](Array x) {
    return fori_loop(0, 5, [&](Array, Array y) { return y * x; }, real(1.));
  };
  CHECK(value(grad(power)(real(1.5))) == Approx(5 * std::pow(1.5, 4)));
  CHECK(value(hessian(power)(real(1.5))) == Approx(20 * std::pow(1.5, 3)));
  CHECK(value(jit(grad(power))(real(1.5))) == Approx(5 * std::pow(1.5, 4)));
  CHECK(value(grad(jit(power))(real(1.5))) == Approx(5 * std::pow(1.5, 4)));
  const auto root = [](Array a) {  // Newton's method, with as many steps as needed
    return while_loop([&](Array x) { return abs(x * x - a) > 1e-12; },
                      [&](Array x) { return .5 * (x + a / x); }, real(1.), {.max_trips = 30});
  };
  CHECK(value(grad(root)(real(2.))) == Approx(.5 / std::sqrt(2.)).epsilon(1e-6));
  const auto roots =
      jit(vmap(grad(root)))(array(std::vector<double>{1., 2., 9., 1e4})).to_vector<double>();
  const double of[] = {1., 2., 9., 1e4};
  for (size_t i = 1; i < 4; ++i) CHECK(roots[i] == Approx(.5 / std::sqrt(of[i])).epsilon(1e-4));
  const auto last = [](Array x) {  // the Hessian through a scan with rows
    return scan([&](Array c, Array t) { return std::pair{sin(c) * x[0] + t * x[1], none}; }, x[0],
                array(std::vector<double>{.1, .2, .3}))
        .first;
  };
  const Array at = array(std::vector<double>{.4, 1.1});
  const auto h = jit(hessian(last))(at).to_vector<double>();
  const double e = 1e-5;
  for (int64_t k = 0; k < 2; ++k) {
    std::vector<double> up{.4, 1.1}, down = up;
    up[static_cast<size_t>(k)] += e;
    down[static_cast<size_t>(k)] -= e;
    const auto gu = grad(last)(array(up)).to_vector<double>(),
               gd = grad(last)(array(down)).to_vector<double>();
    for (size_t r = 0; r < 2; ++r)
      CHECK(h[r * 2 + static_cast<size_t>(k)] == Approx((gu[r] - gd[r]) / (2 * e)).epsilon(1e-5));
  }
  const auto rows = [](Array x) {
    return scan([](Array c, Array t) { return std::pair{c * t, c}; }, real(1.), x).first;
  };
  CHECK(jit(vmap(grad(rows)))(array(std::vector<double>{1., 2., 3., 4.}, Shape{2, 2}))
            .to_vector<double>() == std::vector<double>{2, 1, 4, 3});
}

TEST_CASE("ops that cannot be differentiated give the reason", "[control][grad][errors]") {
  const auto f = [](Array x) {
    return while_loop([](Array c) { return c < 10.; }, [](Array c) { return c * 2.; }, x);
  };
  check_error<DifferentiationError>([&] { grad(f)(1.); }, "max_trips");
  check_error<DifferentiationError>([&] { jit(grad(f))(1.); }, "max_trips");
  check_error<DifferentiationError>(
      [&] {
        jit(grad([](Array x, Array n) {
          return fori_loop(0, n, [&](Array, Array y) { return y * x; }, Array(1.));
        }))(1., 3);
      },
      "static start/stop");
}

TEST_CASE("a loop stopped by max_trips has the derivative of what it did", "[control][grad]") {
  const auto f = [](Array x) {
    return while_loop([](Array c) { return c < 100.; }, [](Array c) { return c * 2.; }, x,
                      {.max_trips = 3});
  };
  CHECK(value(f(real(1.))) == 8);
  CHECK(value(grad(f)(real(1.))) == 8);
  CHECK(jit(vmap(grad(f)))(array(std::vector<double>{1., 30., 70., 200.})).to_vector<double>() ==
        std::vector<double>{8, 4, 2, 1});
}

TEST_CASE("loop invariants are computed before the loop and not kept for each step",
          "[control][grad]") {
  const auto f = [](Array w) {
    return fori_loop(0, 100, [=](Array, Array c) { return c * sin(w); }, w).sum();
  };
  const Array w = array(std::vector<float>(512, .7f));
  const std::string text = to_string(make_jaxpr(grad(f))(w));
  CHECK(text.find("= sin ") < text.find("= scan["));
  const std::vector<float> got = jit(grad(f))(w).to_vector<float>();
  CHECK(
      got[5] ==
      Approx(std::pow(std::sin(.7), 99) * (std::sin(.7) + 100 * .7 * std::cos(.7))).epsilon(1e-4));
}

TEST_CASE("long bounded loops are differentiated in blocks", "[control][grad]") {
  const auto loop = [](int64_t bound) {
    return [bound](Array x, Array w) {
      return while_loop([](Array c) { return c < 3.; },
                        [=](Array c) { return c + .1 * exp(-c) + sin(w) * .2; }, x,
                        {.max_trips = bound});
    };
  };
  check_shared("blocks", loop(1000));
  check_shared("a block that is not full", loop(67));
  check_shared("inside a branch", [&](Array x, Array w) {
    return cond(
        x > 0., [&](Array x, Array w) { return loop(500)(x, w) * sqrt(x); },
        [](Array x, Array w) { return w * log(-x); }, x, w);
  });
  const Array x = some(), w = real(.7);
  const auto slopes = [&](int64_t bound) {
    return jit(vmap(grad<0, 1>(loop(bound)), {0, none}))(x, w);
  };
  const auto [dx, dw] = slopes(64);  // one residual per trip
  for (const int64_t bound : {65, 100, 4096}) {
    const auto [bx, bw] = slopes(bound);
    for (size_t l = 0; l < points.size(); ++l) {
      CHECK(bx.to_vector<double>()[l] == Approx(dx.to_vector<double>()[l]));
      CHECK(bw.to_vector<double>()[l] == Approx(dw.to_vector<double>()[l]));
    }
  }
  // The bound ends the loop early, and the gradient is that of the shorter loop.
  const auto cut = [](Array x) {
    return while_loop([](Array c) { return c < 1e9; }, [](Array c) { return c * 1.01; }, x,
                      {.max_trips = 100});
  };
  CHECK(value(grad(cut)(real(1))) == Approx(std::pow(1.01, 100)));
  CHECK(value(jit(vmap(grad(cut)))(some())[0]) == Approx(std::pow(1.01, 100)));
  // These bounds include ones that i32 cannot represent.
  for (const int64_t bound : {(int64_t{1} << 31) - 1, int64_t{1} << 31, int64_t{1} << 33}) {
    INFO(bound);
    const auto doubled = [bound](Array x) {
      return while_loop([](Array c) { return c < 100.; }, [](Array c) { return c * 2.; }, x,
                        {.max_trips = bound});
    };
    CHECK(value(grad(doubled)(real(1))) == 128);
    CHECK(jit(vmap(grad(doubled)))(array(std::vector<double>{1., 30., 70., 200.}))
              .to_vector<double>() == std::vector<double>{128, 4, 2, 1});
  }
}

TEST_CASE("the memory of a long bounded loop grows with the square root of its bound",
          "[control][grad]") {
  const auto bytes = [](int64_t bound) {
    const auto f = [bound](Array x) {
      return while_loop([](Array c) { return c < 3.; }, [](Array c) { return c + sin(c) * .1; }, x,
                        {.max_trips = bound});
    };
    const auto m = jit(vmap(grad(f))).lower(ones({1000})).compile().memory();
    return m.temporaries;
  };
  // The residuals of a thousand trips fit into the memory of a lane.
  CHECK(bytes(1'000) == 0);
  CHECK(bytes(100'000) < 4 * bytes(10'000));
  CHECK(bytes(10'000) < int64_t{10'000} * 1000 * 4 / 20);
}
