// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/nn_golden_test.cpp: functions of nn against what jax.nn gives
// (tests/golden/make_nn.py): values, derivatives at kinks too, special values, maps.
#include <functional>
#include <limits>

#include "golden_lines.h"
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
  t["logmeanexp_map"] = [=] {
    return vmap([](Array y) { return nn::logmeanexp(y, 0); }, {.in_axes = {1}})(x);
  };
}
Cases cases() {
  Cases t;
  add_elementwise(t, "hard_swish", nn::hard_swish, kinks);
  add_elementwise(t, "sparse_plus", nn::sparse_plus, kinks);
  add_elementwise(t, "sparse_sigmoid", nn::sparse_sigmoid, kinks);
  add_elementwise(t, "log1mexp", nn::log1mexp, above_zero);
  add_logmeanexp(t);
  return t;
}
// Relative, since log1mexp and its slope span many magnitudes.
bool same(double got, double want, double tolerance) {
  return got == want || (std::isnan(got) && std::isnan(want)) ||
         std::abs(got - want) <= tolerance * std::abs(want);
}

}  // namespace

TEST_CASE("functions of nn give what JAX gives") {
  const auto want = testing::golden_lines("nn.txt");
  const Cases all = cases();
  CHECK(want.size() == all.size());
  for (const auto& [name, call] : all) {
    INFO(name);
    const auto it = want.find(name);
    REQUIRE(it != want.end());
    const Array got = call();
    CHECK(std::string(short_name(got.dtype())) == it->second.dtype);
    REQUIRE(testing::shape_words(got.shape()) == it->second.shape);
    const List values = got.to_vector<double>();
    const double tolerance = name.ends_with("_half") ? 2e-3 : got.dtype() == F64 ? 1e-14 : 2e-6;
    for (size_t k = 0; k < values.size(); ++k) {
      INFO("element " << k << " is " << values[k] << ", wanted " << it->second.values[k]);
      CHECK(same(values[k], it->second.values[k], tolerance));
    }
  }
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
