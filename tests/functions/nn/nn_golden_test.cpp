// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/nn/nn_golden_test.cpp: compares functions of nn with jax.nn
// (tests/golden/generators/make_nn.py). It compares values, derivatives, also at kinks, special
// values and maps.
#include <functional>
#include <limits>

#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
using List = std::vector<double>;
using Cases = std::map<std::string, std::function<Array()>>;
using Unary = Array (*)(const Arg&);

const List kinks = {-3, -1, -0.999, -0.5, 0, 0.3, 0.999, 1, 1.5, 4, 3, -3.5};
const List above_zero = {1e-30, 1e-7, 0.01, 0.3, 0.69, 0.7, 1, 2.5, 9, 16, 40, 80};
const List odd = {not_a_number, inf, -inf, 0., -0., -1., 1., -2.5};

void add_elementwise(Cases& t, const std::string& name, Unary f, const List& at) {
  const auto slope = [=](const Array& x) { return grad([=](Array y) { return sum(f(y)); })(x); };
  for (const DType d : {F32, F64}) {
    const std::string wide = d == F64 ? "_f64" : "";
    const Array x = array(at).astype(d).reshape({3, 4}), o = array(odd).astype(d);
    t[name + wide] = [=] { return f(x); };
    t[name + "_slope" + wide] = [=] { return slope(x); };
    t[name + "_odd" + wide] = [=] { return f(o); };
    t[name + "_odd_slope" + wide] = [=] { return slope(o); };
  }
  t[name + "_int"] = [=] { return f(arange(-2, 4).astype(I32)); };
  t[name + "_half"] = [=] { return f(array({-2., -0.5, 0.5, 2.}).astype(F16)).astype(F32); };
}
void add_logmeanexp(Cases& t) {
  const Array x = array(kinks).astype(F32).reshape({3, 4}), c = stack({x, 2 * x});
  const Array some = x > -0.7, row = array({{1}, {0}, {1}}) == 1, weights = arange(1., 5.);
  const Array odd_rows =
      array({{not_a_number, 1.}, {inf, 1.}, {-inf, 1.}, {-inf, -inf}, {1e3, 1e3}});
  t["logmeanexp"] = [=] { return nn::logmeanexp(x); };
  t["logmeanexp_axis"] = [=] { return nn::logmeanexp(x, 0); };
  t["logmeanexp_axes"] = [=] { return nn::logmeanexp(c, {0, 2}); };
  t["logmeanexp_no_axes"] = [=] { return nn::logmeanexp(x, std::vector<int64_t>{}); };
  t["logmeanexp_keepdims"] = [=] { return nn::logmeanexp(c, {1, -1}, {.keepdims = true}); };
  t["logmeanexp_where"] = [=] { return nn::logmeanexp(x, 1, {.where = some}); };
  t["logmeanexp_where_row"] = [=] {
    return nn::logmeanexp(x, 0, {.keepdims = true, .where = row});
  };
  t["logmeanexp_where_none"] = [=] { return nn::logmeanexp(x, 0, {.where = x > 10}); };
  t["logmeanexp_odd"] = [=] { return nn::logmeanexp(odd_rows.astype(F32), 1); };
  t["logmeanexp_empty"] = [] { return nn::logmeanexp(zeros({2, 0}), 1); };
  t["logmeanexp_int"] = [] { return nn::logmeanexp(arange(4)); };
  t["logmeanexp_f64"] = [=] { return nn::logmeanexp(x.astype(F64), 1); };
  t["logmeanexp_slope"] = [=] {
    return grad([=](Array y) { return sum(weights * nn::logmeanexp(y, 0)); })(x);
  };
  t["logmeanexp_where_slope"] = [=] {
    return grad([=](Array y) { return sum(nn::logmeanexp(y, 1, {.where = some})); })(x);
  };
  t["logmeanexp_map"] = [=] { return vmap([](Array y) { return nn::logmeanexp(y, 0); }, 1)(x); };
}
// Adds cases of a function that keeps or reduces axes, with weighted slopes, in F32 and F64.
void add_other(Cases& t, const std::string& name, const std::function<Array(const Array&)>& f) {
  const auto slope = [=](const Array& x) {
    return grad([=](Array v) {
      const Array y = f(v);
      const Array weights = arange(1., static_cast<double>(y.size()) + 1).astype(v.dtype());
      return sum(y * weights.reshape(y.shape()));
    })(x);
  };
  for (const DType d : {F32, F64}) {
    const std::string wide = d == F64 ? "_f64" : "";
    const Array x = array(kinks).astype(d).reshape({3, 4}), o = array(odd).astype(d);
    t[name + wide] = [=] { return f(x); };
    t[name + "_slope" + wide] = [=] { return slope(x); };
    t[name + "_odd" + wide] = [=] { return f(o); };
    t[name + "_odd_slope" + wide] = [=] { return grad([=](Array y) { return sum(f(y)); })(o); };
  }
  const Array narrow = array({-2., -0.5, 0.5, 2.});
  t[name + "_int"] = [=] { return f(arange(-2, 4)).astype(F32); };
  t[name + "_half"] = [=] { return f(narrow.astype(F16)).astype(F32); };
  t[name + "_bf16"] = [=] { return f(narrow.astype(BF16)).astype(F32); };
  t[name + "_empty"] = [=] { return f(zeros({0, 4})); };
  t[name + "_map"] = [=] {
    return vmap([=](Array y) { return f(y); }, 1)(array(kinks).astype(F32).reshape({3, 4}));
  };
}
void add_others(Cases& t) {
  const std::map<std::string, Unary> plain = {
      {"relu", nn::relu},           {"relu6", nn::relu6},
      {"selu", nn::selu},           {"silu", nn::silu},
      {"swish", nn::swish},         {"mish", nn::mish},
      {"softplus", nn::softplus},   {"soft_sign", nn::soft_sign},
      {"sigmoid", nn::sigmoid},     {"log_sigmoid", nn::log_sigmoid},
      {"nn_tanh", nn::tanh},        {"hard_tanh", nn::hard_tanh},
      {"identity", nn::identity},   {"hard_sigmoid", nn::hard_sigmoid},
      {"hard_silu", nn::hard_silu},
  };
  for (const auto& [name, f] : plain) add_other(t, name, f);
  add_other(t, "leaky_relu", [](const Array& x) { return nn::leaky_relu(x); });
  add_other(t, "leaky_relu_slope_of", [](const Array& x) { return nn::leaky_relu(x, 0.3); });
  add_other(t, "elu", [](const Array& x) { return nn::elu(x); });
  add_other(t, "elu_alpha", [](const Array& x) { return nn::elu(x, 2.5); });
  add_other(t, "celu", [](const Array& x) { return nn::celu(x); });
  add_other(t, "celu_alpha", [](const Array& x) { return nn::celu(x, 0.5); });
  add_other(t, "gelu", [](const Array& x) { return nn::gelu(x); });
  add_other(t, "gelu_exact", [](const Array& x) { return nn::gelu(x, false); });
  add_other(t, "squareplus", [](const Array& x) { return nn::squareplus(x); });
  add_other(t, "squareplus_b", [](const Array& x) { return nn::squareplus(x, 0.5); });
  add_other(t, "softmax", [](const Array& x) { return nn::softmax(x); });
  add_other(t, "log_softmax", [](const Array& x) { return nn::log_softmax(x); });
  add_other(t, "nn_logsumexp", [](const Array& x) { return nn::logsumexp(x); });
  add_other(t, "glu", [](const Array& x) { return nn::glu(x, x.ndim() == 1 ? 0 : -1); });
  add_other(t, "standardize", [](const Array& x) { return nn::standardize(x); });
}

Array numbers(const Shape& s, int64_t m = 7, int64_t k = 11) {
  const int64_t middle = k / 2;
  std::vector<float> v;
  for (int64_t i = 0; i < s.elements(); ++i)
    v.push_back(static_cast<float>(i * m % k - middle) / 4);
  return array(v, s);
}
void add_attention(Cases& t) {
  const Array q = numbers({2, 3, 4, 5}), k = numbers({2, 6, 2, 5}, 5, 13),
              v = numbers({2, 6, 2, 5}, 3, 7);
  const Array mask = array({{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 0, 1, 0, 1, 0}}) == 1;
  const std::map<std::string, nn::AttentionOptions> all = {
      {"attention", {}},
      {"attention_bias", {.bias = numbers({1, 4, 3, 6}, 5, 19)}},
      {"attention_scale", {.scale = 0.3}},
      {"attention_causal", {.is_causal = true}},
      {"attention_mask", {.mask = mask}},
      {"attention_alone", {}}};
  for (const auto& [name, o] : all) {
    const bool alone = name == "attention_alone";
    const auto f = [=, o = o](Array a, Array b, Array c) {
      return alone ? nn::dot_product_attention(a[0], b[0], c[0], o)
                   : nn::dot_product_attention(a, b, c, o);
    };
    const auto loss = [=](Array a, Array b, Array c) { return sum(square(f(a, b, c))); };
    t[name] = [=] { return f(q, k, v); };
    t[name + "_slope0"] = [=] { return grad(loss)(q, k, v); };
    t[name + "_slope1"] = [=] { return grad([=](Array b) { return loss(q, b, v); })(k); };
    t[name + "_slope2"] = [=] { return grad([=](Array c) { return loss(q, k, c); })(v); };
    t[name + "_map"] = [=] {
      return vmap(f, {0, none, 0})(stack({q, -q}, 0), k, stack({v, v + 1}, 0));
    };
    t[name + "_half"] = [=] { return f(q.astype(F16), k.astype(F16), v.astype(F16)).astype(F32); };
  }
}
void add_scaled(Cases& t) {
  const auto f = [](Array a, Array b, Array p, Array q) { return nn::scaled_matmul(a, b, p, q); };
  const std::vector<Arrays> all = {{numbers({2, 3, 8}), numbers({2, 5, 8}, 5, 13),
                                    numbers({2, 3, 2}, 3, 7), numbers({2, 5, 2}, 5, 19)},
                                   {numbers({1, 2, 3}), numbers({1, 1, 3}, 5, 13),
                                    numbers({1, 2, 3}, 3, 7), numbers({1, 1, 3}, 5, 19)}};
  for (size_t at = 0; at < all.size(); ++at) {
    const Arrays& x = all[at];
    const std::string name = "scaled_matmul." + std::to_string(at);
    t[name] = [=] { return f(x[0], x[1], x[2], x[3]); };
    for (size_t k = 0; k < 4; ++k)
      t[name + "_slope" + std::to_string(k)] = [=] {
        return grad([=](Array v) {
          Arrays y = x;
          y[k] = v;
          return sum(square(f(y[0], y[1], y[2], y[3])));
        })(x[k]);
      };
    t[name + "_map"] = [=] {
      return vmap(f, {0, none, none, 0})(stack({x[0], -x[0]}, 0), x[1], x[2],
                                         stack({x[3], 2 * x[3]}, 0));
    };
  }
  t["scaled_matmul_odd"] = [=] {
    const Arrays& x = all[0];
    const Array a = x[0].at({0, 0, 0}).set(not_a_number).at({0, 1, 5}).set(inf);
    return f(a, x[1], x[2], x[3]);
  };
}
void add_axes(Cases& t) {
  const Array x = array(kinks).astype(F32).reshape({3, 4}), c = stack({x, 2 * x}, 0);
  const Array some = x > -0.7, weights = arange(1., 5.);
  t["one_hot_wide"] = [] { return nn::one_hot(array({{0, 3}, {-1, 2}}), 3, {.dtype = F64}); };
  t["one_hot_axis"] = [] { return nn::one_hot(array({{0, 1}, {2, 9}}), 3, {.axis = 0}); };
  t["one_hot_none"] = [] { return nn::one_hot(zeros({0}, I32), 2); };
  t["one_hot_map"] = [] { return vmap([](Array i) { return nn::one_hot(i, 3); })(array({0, 2})); };
  t["softmax_where"] = [=] { return nn::softmax(x, -1, {.where = some}); };
  t["softmax_axes"] = [=] { return nn::softmax(c, {0, 2}); };
  t["softmax_where_slope"] = [=] {
    return grad([=](Array y) { return sum(nn::softmax(y, -1, {.where = some}) * weights); })(x);
  };
  t["log_softmax_where"] = [=] { return nn::log_softmax(x, 0, {.where = some}); };
  t["log_softmax_axes"] = [=] { return nn::log_softmax(c, {0, 2}); };
  t["standardize_where"] = [=] { return nn::standardize(x, -1, {.where = x > -3}); };
  t["standardize_axes"] = [=] { return nn::standardize(c, {0, 2}, {.epsilon = 0.1}); };
  t["logsumexp_where"] = [=] { return nn::logsumexp(x, 1, {.where = some}); };
}

Cases cases() {
  Cases t;
  add_others(t);
  add_attention(t);
  add_scaled(t);
  add_axes(t);
  add_elementwise(t, "hard_swish", nn::hard_swish, kinks);
  add_elementwise(t, "sparse_plus", nn::sparse_plus, kinks);
  add_elementwise(t, "sparse_sigmoid", nn::sparse_sigmoid, kinks);
  add_elementwise(t, "log1mexp", nn::log1mexp, above_zero);
  add_logmeanexp(t);
  return t;
}
// The comparison is relative, since log1mexp and its slope span many magnitudes.
bool same(double got, double want, double tolerance) {
  return got == want || (std::isnan(got) && std::isnan(want)) ||
         std::abs(got - want) <= tolerance * std::abs(want);
}

// Returns the right value where JAX has NaN. At infinities JAX's derivatives of cubes and quotients
// are NaN, and squareplus far below 0 is inf - inf. Elements 1 and 2 are inf and -inf.
double better(const std::string& name, size_t k, double want) {
  if (!std::isnan(want) || k < 1 || k > 2) return want;
  if (name.starts_with("gelu_odd_slope")) return k == 1 ? 1 : 0;
  if (name.starts_with("soft_sign_odd_slope")) return 0;
  const bool value = name.find("slope") == std::string::npos;
  return value && k == 2 && name.starts_with("squareplus") ? 0 : want;
}

}  // namespace

TEST_CASE("functions of nn give what JAX gives") {
  const auto want = testing::golden_lines("nn.txt");
  const Cases all = cases();
  size_t found = 0;
  for (const auto& [name, call] : all) {
    INFO(name);
    const auto it = want.find(name);
    if (it == want.end()) continue;  // JAX refuses it
    ++found;
    const Array got = call();
    CHECK(std::string(short_name(got.dtype())) == it->second.dtype);
    REQUIRE(testing::shape_words(got.shape()) == it->second.shape);
    const List values = got.to_vector<double>();
    const double tolerance = name.ends_with("_bf16")   ? 1e-2
                             : name.ends_with("_half") ? 2e-3
                             : got.dtype() == F64      ? 1e-14
                                                       : 2e-6;
    // Sums cancel, either of several elements or in 1 - tanh^2, expm1 + 1 and x + sqrt(x^2 + b).
    const bool summed = name.find("attention") == 0 || name.find("softmax") != std::string::npos ||
                        name.find("standardize") == 0 || name.find("elu") != std::string::npos ||
                        name.find("squareplus") == 0 || name.find("nn_tanh") == 0;
    for (size_t k = 0; k < values.size(); ++k) {
      INFO("element " << k << " is " << values[k] << ", wanted " << it->second.values[k]);
      const double w = better(name, k, it->second.values[k]);
      CHECK((same(values[k], w, tolerance) ||
             (summed && std::abs(values[k] - w) <= 10 * tolerance * (1 + std::abs(w)))));
    }
  }
  CHECK(found == want.size());
}

TEST_CASE("elementwise functions of nn are the same mapped and compiled") {
  const Array x = array(above_zero).astype(F32).reshape({3, 4});
  for (const Unary f : {nn::hard_swish, nn::sparse_plus, nn::sparse_sigmoid, nn::log1mexp}) {
    const Array whole = f(x), lanes = jit(vmap([f](Array y) { return f(y); }))(x);
    CHECK(allclose(lanes, whole, 1e-6, 0).item<bool>());
  }
}

TEST_CASE("logmeanexp refuses axes and masks that are none") {
  CHECK_THROWS_AS(nn::logmeanexp(ones({2}), 1), IndexError);
  CHECK_THROWS_AS(nn::logmeanexp(ones({2}), 0, {.where = ones({3}) > 0}), ShapeError);
}
