// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/nn/nn_parameters_test.cpp: compares functions of nn whose parameters are Arrays,
// and the options of attention, standardize and logsumexp, with jax.nn (make_nn_parameters.py).
#include <functional>
#include <set>

#include "functions/array_calls.h"
#include "support/check.h"
#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;
using testing::steps;
using weft::test::check_error;

namespace {

using Called = std::function<Array(const Arrays&)>;

struct Checked {
  std::map<std::string, testing::GoldenLine> lines = testing::golden_lines("nn_parameters.txt");
  std::set<std::string> seen = {};

  void operator()(const std::string& name, const Array& got) {
    INFO(name);
    REQUIRE(lines.count(name) == 1);
    seen.insert(name);
    testing::check_line(got, lines.at(name), 5e-6);
  }
  // Also compares the slopes of the sum of squares if there are lines for them.
  void all(const std::string& name, const Called& f, const Arrays& x) {
    (*this)(name, f(x));
    const auto slope = [&](size_t i) {
      return grad([&](Array v) {
        Arrays y = x;
        y[i] = v;
        return sum(square(f(y)));
      })(x[i]);
    };
    for (size_t i = 0; i < x.size(); ++i) {
      const std::string line = name + ".slope" + std::to_string(i);
      if (lines.count(line)) (*this)(line, slope(i));
    }
  }
};

void compare_activations(Checked& same) {
  const Array x = steps({3, 4}), row = array({0.3, 1.5, 2.0, 0.7});
  using Binary = Array (*)(const Arg&, const Arg&);
  const std::map<std::string, Binary> all = {{"elu", nn::elu},
                                             {"celu", nn::celu},
                                             {"leaky_relu", nn::leaky_relu},
                                             {"squareplus", nn::squareplus}};
  for (const auto& [name, g] : all) {
    const Called f = [g = g](const Arrays& v) { return g(v[0], v[1]); };
    same.all(name, f, {x, row});
    same.all(name + ".number", f, {x, full({}, 0.6, F32)});
    same.all(name + ".map",
             [g = g](const Arrays& v) {
               return vmap([g](Array a, Array b) { return g(a, b); })(v[0], v[1]);
             },
             {x.T(), row});
    CHECK(g(x.astype(F16), 0.5).dtype() == F16);
    CHECK(g(x.astype(F16), full({}, 0.5, F64)).dtype() == F64);
  }
}
void compare_sums(Checked& same) {
  const Array x = steps({3, 4}), b = steps({3, 4}, 5, 7), positive = abs(b) + 0.25;
  same.all("logsumexp.b", [](const Arrays& v) { return nn::logsumexp(v[0], 1, {.b = v[1]}); },
           {x, positive});
  same.all(
      "logsumexp.b.keep",
      [](const Arrays& v) { return nn::logsumexp(v[0], {0, 1}, {.keepdims = true, .b = v[1]}); },
      {x, positive});
  same("logsumexp.negative", nn::logsumexp(x, 1, {.b = b}));
  const auto row = nn::signed_logsumexp(x, 1, {.b = b}),
             all = nn::signed_logsumexp(x, none, {.keepdims = true, .b = b});
  same("signed_logsumexp.row.size", row.value);
  same("signed_logsumexp.row.sign", row.sign);
  same("signed_logsumexp.all.size", all.value);
  same("signed_logsumexp.all.sign", all.sign);
  same("signed_logsumexp.slope",
       grad([&](Array v) { return sum(nn::signed_logsumexp(v, 1, {.b = b}).value); })(x));
  same("signed_logsumexp.map",
       vmap([](Array v) { return nn::signed_logsumexp(v, none, {.b = v}).value; })(x));
  same("logsumexp.where", nn::logsumexp(x, 0, {.where = x > -1, .b = positive}));
}
void compare_standardize(Checked& same) {
  const Array x = steps({3, 4}), mean = array({{0.1}, {-0.5}, {0.4}}),
              variance = array({0.5, 2.0, 1.0, 0.1});
  same.all("standardize.mean",
           [](const Arrays& v) { return nn::standardize(v[0], -1, {.mean = v[1]}); }, {x, mean});
  same.all("standardize.variance",
           [](const Arrays& v) { return nn::standardize(v[0], -1, {.variance = v[1]}); },
           {x, variance});
  same.all(
      "standardize.both",
      [](const Arrays& v) { return nn::standardize(v[0], -1, {.mean = v[1], .variance = v[2]}); },
      {x, mean, variance});
  same.all("standardize.stable",
           [](const Arrays& v) { return nn::standardize(v[0], 0, {.algorithm = "stable"}); }, {x});
  same.all("standardize.stable.where",
           [](const Arrays& v) {
             return nn::standardize(v[0], 1, {.where = v[0] > -1, .algorithm = "stable"});
           },
           {x});
  same.all("standardize.epsilon",
           [](const Arrays& v) { return nn::standardize(v[0], -1, {.epsilon = v[1]}); },
           {x, full({}, 0.25, F32)});
  same("standardize.constant", nn::standardize(full({2, 3}, 0.1)));
  check_error<IndexError>([&] { nn::standardize(x, 0, {.algorithm = "slow"}); },
                          ".algorithm must be \"fast\" or \"stable\", not \"slow\"");
}
void compare_attention(Checked& same) {
  const Array q = steps({2, 5, 4, 3}), k = steps({2, 6, 2, 3}, 5, 13),
              v = steps({2, 6, 2, 3}, 3, 7), lengths = array({3, 5}), others = array({6, 2}),
              bias = steps({1, 4, 5, 6}, 5, 19), mask = steps({2, 1, 5, 6}, 5, 9) > 0;
  const std::map<std::string, nn::AttentionOptions> options = {
      {"queries", {.query_seq_lengths = lengths}},
      {"keys", {.key_value_seq_lengths = others}},
      {"both", {.is_causal = true, .query_seq_lengths = lengths, .key_value_seq_lengths = others}},
      {"window", {.local_window_size = 1}},
      {"sides", {.local_window_size = {2, 0}}},
      {"right", {.bias = bias, .local_window_size = {0, 1}}},
      {"mask", {.bias = bias, .mask = mask, .is_causal = true}},
      {"all",
       {.bias = bias,
        .mask = mask,
        .scale = 0.7,
        .is_causal = true,
        .query_seq_lengths = lengths,
        .key_value_seq_lengths = others,
        .local_window_size = {3, 1}}}};
  for (const auto& [name, o] : options) {
    same.all("attention." + name,
             [&, o = o](const Arrays& w) { return nn::dot_product_attention(w[0], w[1], w[2], o); },
             {q, k, v});
    const auto [out, residual] = nn::dot_product_attention_with_residual(q, k, v, o);
    same("with_residual." + name + ".out", out);
    same("with_residual." + name + ".residual", residual);
  }
  const nn::AttentionOptions whole = options.at("all");
  same("with_residual.slope", grad([&](Array w) {
         const Array values = w[{slice(), slice(0, 3), slice(0, 2)}];
         const auto [out, residual] = nn::dot_product_attention_with_residual(
             w, k, take(values, array({0, 1, 2, 0, 1, 2}), 1), whole);
         return sum(out) + sum(residual);
       })(q));
  same("with_residual.map", vmap([&](Array w) {
         return nn::dot_product_attention_with_residual(w, k, k).residual;
       })(stack({q, -q})));
  same.all("attention.scale",
           [&](const Arrays& w) { return nn::dot_product_attention(q, k, v, {.scale = w[0]}); },
           {full({}, 0.7, F32)});
  const Array one = nn::dot_product_attention(
      q[0], k[0], v[0],
      {.query_seq_lengths = lengths[slice(0, 1)], .key_value_seq_lengths = others[slice(1, 2)]});
  same("attention.one", one);
  // Each lane has its own lengths.
  const auto f = [](Array a, Array b, Array c, Array n, Array m) {
    return nn::dot_product_attention(a, b, c, {.query_seq_lengths = n, .key_value_seq_lengths = m});
  };
  CHECK(allclose(jit(vmap(f))(q, k, v, lengths, others), f(q, k, v, lengths, others), 1e-6)
            .item<bool>());
  check_error<ShapeError>([&] { f(q, k, v, array({1, 2, 3}), others); },
                          ".query_seq_lengths must have the shape (2,), one number a batch, got "
                          "i32[3]");
  check_error<DTypeError>([&] { f(q, k, v, lengths, array({1., 2.})); },
                          ".key_value_seq_lengths must be integers, got f32[2]");
  check_error<DTypeError>([&] { nn::dot_product_attention(q, k, v, {.mask = bias}); },
                          ".mask must be of bools, got f32[1,4,5,6]");
}
void compare_initializers(Checked& same) {
  namespace in = nn::initializers;
  const Array key = random::key(5), scale = full({}, 0.3, F32);
  const Shape flat{2, 3}, square{3, 3}, deep{3, 2, 2};
  const auto line = [&](const std::string& name, auto make, const Shape& shape) {
    same.all("init." + name, [&](const Arrays& v) { return make(v[0])(key, shape); }, {scale});
  };
  line("uniform", [](const Array& s) { return in::uniform(s); }, flat);
  line("normal", [](const Array& s) { return in::normal(s); }, flat);
  line("truncated_normal", [](const Array& s) { return in::truncated_normal(s); }, flat);
  line(
      "variance_scaling",
      [](const Array& s) { return in::variance_scaling(s, "fan_in", "truncated_normal"); }, flat);
  line(
      "variance_scaling.uniform",
      [](const Array& s) { return in::variance_scaling(s, "fan_avg", "uniform"); }, flat);
  line("orthogonal", [](const Array& s) { return in::orthogonal(s); }, square);
  line("delta_orthogonal", [](const Array& s) { return in::delta_orthogonal(s); }, deep);
  same("init.columns", in::normal(array({0.1, 1.0, 2.0}))(key, flat));
  check_error<ShapeError>([&] { in::normal(zeros({2}))(key, {2, 3}); },
                          "normal: the scale of shape (2,) does not broadcast to (2, 3)");
}

}  // namespace

TEST_CASE("parameters of nn are Arrays, with JAX's values and slopes", "[functions][nn]") {
  Checked same;
  compare_activations(same);
  compare_sums(same);
  compare_standardize(same);
  compare_attention(same);
  compare_initializers(same);
  for (const auto& [name, line] : same.lines) {
    INFO(name);
    CHECK(same.seen.count(name) == 1);
  }
}
