// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/autodiff/gradient_golden_test.cpp: compares the programs of the gradients of the examples'
// functions, as text, with tests/golden/gradients.txt. Operands that are operations have names, so
// that every compiler evaluates them in the same order.
//
// The programs were compared by eye with what JAX 0.10.2 prints for the same functions. The
// equations are the same, with these exceptions. JAX's add_any is add. The transpose of a squeeze
// is a reshape. The derivatives of relu, where and log_softmax are not calls. The factors of a
// transposed product have the order that needs no transpose. Loops have `lane_axes`, `trip_counts`
// and `max_trips` (docs/ir.md).
#include <sstream>

#include "support/check.h"
#include "support/golden.h"

using namespace weft;
using namespace weft::test;

namespace {

struct Layer {
  Array w, b;
};
struct Mlp {
  Layer hidden, out;
};
struct Noise {
  Array process, sensor;
};
using Dict = std::map<std::string, Array>;
using Tree = std::tuple<Array, std::tuple<Array, Array>>;

// ---- the functions of the examples with these numbers
Array loss(Array w, Array x, Array y) {  // 01
  const Array error = dot(w, x) - y;
  return error * error;
}
Array product(Tree t) {  // 03
  return dot(std::get<0>(t), dot(std::get<0>(std::get<1>(t)), std::get<1>(std::get<1>(t)))).sum();
}
Array affine(Layer l, Array x) { return (dot(x, l.w) + l.b).sum(); }
Array sum_of(Dict d, Array x) { return d["a"] + d["b"] + x; }
Array model(Array weights, Array x) { return nn::relu(dot(x, weights)); }  // 05
Array squares(Array x) { return (x * x).sum(); }
Array running(Array x) { return cumsum(x * x)[4]; }
Array dense(Layer l, Array input, Array label) {  // 06
  const Array product = matmul(expand_dims(input, 0), l.w), prediction = product + l.b;
  return 0.5 * square(expand_dims(label, 0) - prediction).sum();
}
Array tangents(Array x, Array w) { return tanh(dot(w, x)).sum(); }  // 08
Array rosenbrock(Array p) {
  const Array x = p[0], y = p[1], valley = 100. * square(y - x * x), slope = square(1. - x);
  return valley + slope;
}
Array root(Array target) {  // 09
  return while_loop(
      [=](Array x) {
        const Array off = abs(x * x - target), most = 1e-6 * target;
        return off > most;
      },
      [=](Array x) { return 0.5 * (x + target / x); }, target, {.max_trips = 50});
}
Array branch(Array x) {
  return cond(x > 0., [](Array x) { return x * x; }, [](Array x) { return -x; }, x);
}
Array three(Array i, Array x) {
  return switch_(i,
                 {[](Array x) { return x + 100; }, [](Array x) { return x * 10; },
                  [](Array x) { return sin(x); }},
                 x);
}
Array prefix(Array i, Array a) {
  const auto add = [&](Array sum, Array x) { return std::pair{sum + x * i, sum + x * i}; };
  return scan(add, Array(0.), a).second.sum();
}
Array where_positive(Array x) {  // 10
  const Array positive = x > 0., a = x * x, b = sin(x);
  return where(positive, a, b);
}
Array classify(Mlp m, Array x, Array label) {  // 11
  const Array logits = dot(tanh(dot(x, m.hidden.w) + m.hidden.b), m.out.w) + m.out.b;
  return -nn::log_softmax(logits)[label];
}
Array solve(Array k) {  // 12, with steps of constant length
  using S = std::pair<Array, Array>;
  return while_loop([](S s) { return s.first < 1.; },
                    [=](S s) {
                      const Array rate = 0.125 * k, off = s.second - cos(s.first);
                      return S{s.first + 0.125, s.second - rate * off};
                    },
                    S{Array(0.f), Array(0.f)}, {.max_trips = 8})
      .second;
}
Array likelihood(Noise noise, Array series) {  // 13
  const Array move = array({{1., 1.}, {0., 1.}}), back = move.T();
  const Array q = square(noise.process) * array({{0.25, 0.5}, {0.5, 1.}}), r = square(noise.sensor);
  const auto step = [&](Layer b, Array measured) {
    const Array mean = dot(move, b.w), moved = dot(move, b.b), cov = dot(moved, back) + q;
    const Array surprise = measured - mean[0], spread = cov[{0, 0}] + r;
    const Array gain = cov[{slice(), 0}] / spread;
    const Array far = square(surprise) / spread, wide = log(6.2831853 * spread);
    return std::pair{Layer{mean + gain * surprise, cov - outer(gain, cov[0])}, -0.5 * (far + wide)};
  };
  return scan(step, Layer{zeros({2}), eye(2) * 10.}, series).second.sum();
}

std::string gradients() {
  const Array v = ones({2}), five = ones({5});
  std::ostringstream out;
  out << "# made by gradient_golden_test.cpp, with WEFT_UPDATE_GOLDEN=1\n";
  const auto show = [&](const char* title, auto f, const auto&... args) {
    out << "### " << title << "\n" << make_jaxpr(grad(f))(args...) << "\n";
  };
  show("01 hello: loss", loss, v, v, 1.f + zeros({}));
  show("02 products: vdot", [](Array x, Array y) { return vdot(x, y); }, v, v);
  show("03 trees: foo(tree)", product, Tree{ones({2, 3}), {ones({3, 4}), ones({4, 5})}});
  show("03 trees: layer", affine, Layer{ones({2, 2}), v}, v);
  show("03 trees: map", sum_of, Dict{{"a", 1.}, {"b", 2.}}, 3.);
  show("05 batched models: model", model, five, five);
  show("05 batched models: squares", squares, five);
  show("05 batched models: cumsum", running, five);
  show("06 vectorized_map: dense layer", dense, Layer{ones({32, 1}), ones({1})}, ones({32}),
       ones({1}));
  show("08 jacobians: tanh", tangents, v, ones({3, 2}));
  show("08 jacobians: rosenbrock", rosenbrock, v);
  show("08 jacobians: rosenbrock, twice", [](Array p) { return grad(rosenbrock)(p).sum(); }, v);
  show("09 pfor: Newton's method", root, zeros({}) + 2.f);
  show("09 pfor: cond", branch, zeros({}) + 2.f);
  show("09 pfor: switch_", [](Array x) { return three(1, x); }, zeros({}) + 2.f);
  show("09 pfor: scan", prefix, zeros({}) + 2.f, ones({4}));
  show("09 pfor: a map of conds", [](Array x) { return vmap(branch)(x).sum(); }, ones({4}));
  show("10 programs: where", where_positive, zeros({}) + 2.f);
  show("11 private mlp: loss", classify,
       Mlp{{ones({64, 32}), ones({32})}, {ones({32, 10}), ones({10})}}, ones({64}), Array(3));
  show("12 stiff solver: while_loop", solve, zeros({}) + 2.f);
  show("13 kalman: log likelihood", likelihood, Noise{zeros({}) + .1f, zeros({}) + 2.f}, ones({7}));
  show(
      "13 kalman: of a map",
      [](Noise n, Array z) { return vmap(likelihood, {none, 0})(n, z).mean(); },
      Noise{zeros({}) + .1f, zeros({}) + 2.f}, ones({3, 7}));
  return out.str();
}

}  // namespace

TEST_CASE("gradients of the examples' functions as programs", "[grad][golden]") {
  const std::string text = gradients();
  CHECK(testing::own_golden("gradients.txt", text) == "");
  // Every program parses back to itself.
  std::istringstream lines(text);
  std::string program, line;
  int programs = 0;
  const auto read = [&] {
    if (program.empty()) return;
    INFO(program);
    const Jaxpr j = read_jaxpr(program);
    CHECK(to_string(j) + "\n" == program);
    ++programs;
    program.clear();
  };
  while (std::getline(lines, line)) {
    if (!line.empty() && line[0] == '#')
      read();
    else
      program += line + "\n";
  }
  read();
  CHECK(programs == 22);
}
