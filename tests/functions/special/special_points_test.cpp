// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/special/special_points_test.cpp: compares values and derivatives at corners,
// poles, infinities and NaNs with JAX (tests/golden/generators/make_special_points.py). A table
// lists the points where Weft's value is better.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include "support/check.h"
#include "support/golden.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
using Unary = std::function<Array(Array)>;
using Table = std::map<std::string, Unary>;

void add_scalars(Table& t) {
  t["sinc"] = [](Array x) { return sinc(x); };
  t["relu"] = [](Array x) { return nn::relu(x); };
  t["relu6"] = [](Array x) { return nn::relu6(x); };
  t["leaky_relu"] = [](Array x) { return nn::leaky_relu(x); };
  t["elu"] = [](Array x) { return nn::elu(x); };
  t["selu"] = [](Array x) { return nn::selu(x); };
  t["celu"] = [](Array x) { return nn::celu(x); };
  t["gelu"] = [](Array x) { return nn::gelu(x); };
  t["gelu_exact"] = [](Array x) { return nn::gelu(x, false); };
  t["sigmoid"] = [](Array x) { return nn::sigmoid(x); };
  t["silu"] = [](Array x) { return nn::silu(x); };
  t["softplus"] = [](Array x) { return nn::softplus(x); };
  t["mish"] = [](Array x) { return nn::mish(x); };
  t["soft_sign"] = [](Array x) { return nn::soft_sign(x); };
  t["log_sigmoid"] = [](Array x) { return nn::log_sigmoid(x); };
  t["hard_tanh"] = [](Array x) { return nn::hard_tanh(x); };
  t["hard_sigmoid"] = [](Array x) { return nn::hard_sigmoid(x); };
  t["hard_silu"] = [](Array x) { return nn::hard_silu(x); };
  t["squareplus"] = [](Array x) { return nn::squareplus(x); };
  t["abs"] = [](Array x) { return weft::abs(x); };
  t["sqrt"] = [](Array x) { return weft::sqrt(x); };
  t["cbrt"] = [](Array x) { return weft::cbrt(x); };
  t["sign"] = [](Array x) { return sign(x); };
  t["square"] = [](Array x) { return square(x); };
  t["reciprocal"] = [](Array x) { return reciprocal(x); };
  t["exp"] = [](Array x) { return weft::exp(x); };
  t["log"] = [](Array x) { return weft::log(x); };
  t["log1p"] = [](Array x) { return weft::log1p(x); };
  t["expm1"] = [](Array x) { return weft::expm1(x); };
  t["exp2"] = [](Array x) { return weft::exp2(x); };
  t["log2"] = [](Array x) { return weft::log2(x); };
  t["log10"] = [](Array x) { return weft::log10(x); };
  t["tan"] = [](Array x) { return weft::tan(x); };
  t["asin"] = [](Array x) { return weft::asin(x); };
  t["acos"] = [](Array x) { return weft::acos(x); };
  t["atan"] = [](Array x) { return weft::atan(x); };
  t["tanh"] = [](Array x) { return weft::tanh(x); };
  t["asinh"] = [](Array x) { return weft::asinh(x); };
  t["acosh"] = [](Array x) { return weft::acosh(x); };
  t["atanh"] = [](Array x) { return weft::atanh(x); };
  t["floor"] = [](Array x) { return weft::floor(x); };
  t["round"] = [](Array x) { return weft::round(x); };
  t["trunc"] = [](Array x) { return weft::trunc(x); };
  t["nan_to_num"] = [](Array x) { return nan_to_num(x); };
}

void add_two_operands(Table& t) {
  t["pow_0"] = [](Array x) { return weft::pow(x, 0); };
  t["pow_1"] = [](Array x) { return weft::pow(x, 1); };
  t["pow_2"] = [](Array x) { return weft::pow(x, 2); };
  t["pow_half"] = [](Array x) { return weft::pow(x, 0.5); };
  t["pow_zero"] = [](Array x) { return weft::pow(x, 0.); };
  t["of_0"] = [](Array x) { return weft::pow(0., x); };
  t["of_2"] = [](Array x) { return weft::pow(2., x); };
  t["pow_three"] = [](Array x) { return weft::pow(x, 3.); };
  for (const DType d : {U8, I32})
    for (const int y : {0, 1})
      t[fmt::format("pow_{}_{}", short_name(d), y)] = [d, y](Array x) {
        return lax::pow(x, full({}, y, d));
      };
  t["clip"] = [](Array x) { return clip(x, 0., 1.); };
  t["maximum_0"] = [](Array x) { return maximum(x, 0.); };
  t["minimum_0"] = [](Array x) { return minimum(x, 0.); };
  t["maximum_self"] = [](Array x) { return maximum(x, x); };
  t["logaddexp_0"] = [](Array x) { return logaddexp(x, 0.); };
  t["logaddexp_self"] = [](Array x) { return logaddexp(x, x); };
  t["logaddexp_inf"] = [](Array x) { return logaddexp(x, inf); };
  t["logaddexp_ninf"] = [](Array x) { return logaddexp(x, -inf); };
  t["logaddexp2_0"] = [](Array x) { return logaddexp2(x, 0.); };
  t["logaddexp2_self"] = [](Array x) { return logaddexp2(x, x); };
  t["atan2_x0"] = [](Array x) { return weft::atan2(x, 0.); };
  t["atan2_0x"] = [](Array x) { return weft::atan2(0., x); };
  t["atan2_self"] = [](Array x) { return weft::atan2(x, x); };
  t["hypot_0"] = [](Array x) { return weft::hypot(x, 0.); };
  t["hypot_self"] = [](Array x) { return weft::hypot(x, x); };
  t["fmod_1"] = [](Array x) { return weft::fmod(x, 1.); };
  t["mod_1"] = [](Array x) { return mod(x, 1.); };
  t["copysign_neg"] = [](Array x) { return weft::copysign(x, -1.); };
  t["copysign_pos"] = [](Array x) { return weft::copysign(x, 1.); };
  t["heaviside"] = [](Array x) { return heaviside(x, 0.5); };
  t["fmax_0"] = [](Array x) { return weft::fmax(x, 0.); };
  t["fmin_0"] = [](Array x) { return weft::fmin(x, 0.); };
}

void add_vectors(Table& t) {
  t["median"] = [](Array x) { return median(x); };
  t["quantile_half"] = [](Array x) { return quantile(x, 0.5); };
  t["quantile_1"] = [](Array x) { return quantile(x, 1.); };
  t["quantile_0"] = [](Array x) { return quantile(x, 0.); };
  t["quantile_part"] = [](Array x) { return quantile(x, 0.3); };
  t["percentile"] = [](Array x) { return percentile(x, 75.); };
  for (const std::string m : {"midpoint", "lower", "higher", "nearest"})
    t[m] = [m](Array x) { return quantile(x, 0.3, none, {.method = m}); };
  t["max"] = [](Array x) { return max(x); };
  t["min"] = [](Array x) { return min(x); };
  t["sum"] = [](Array x) { return sum(x); };
  t["prod"] = [](Array x) { return prod(x); };
  t["mean"] = [](Array x) { return mean(x); };
  t["var"] = [](Array x) { return var(x); };
  t["std"] = [](Array x) { return weft::std(x); };
  t["ptp"] = [](Array x) { return ptp(x); };
  t["logsumexp"] = [](Array x) { return nn::logsumexp(x); };
  t["softmax"] = [](Array x) { return nn::softmax(x)[0]; };
  t["log_softmax"] = [](Array x) { return nn::log_softmax(x)[0]; };
  t["nansum"] = [](Array x) { return nansum(x); };
  t["nanprod"] = [](Array x) { return nanprod(x); };
  t["nanmax"] = [](Array x) { return nanmax(x); };
  t["nanmin"] = [](Array x) { return nanmin(x); };
  t["nanmean"] = [](Array x) { return nanmean(x); };
  t["nanvar"] = [](Array x) { return nanvar(x); };
  t["nanstd"] = [](Array x) { return nanstd(x); };
  t["cummax"] = [](Array x) { return cummax(x)[-1]; };
  t["cumprod"] = [](Array x) { return cumprod(x)[-1]; };
  t["sort"] = [](Array x) { return sort(x)[0]; };
  t["diff"] = [](Array x) { return diff(x)[0]; };
  t["trapezoid_x"] = [](Array x) { return trapezoid(x, array({0., 1., 3.})); };
  const Array ends = array({true, false, true});
  t["standardize"] = [ends](Array x) { return nn::standardize(x, -1, {.where = ends})[0]; };
}

struct Known {
  const char *name, *point;
  std::vector<double> want;  // {}: not compared
};
// Points at which JAX's derivative is not the function's, or is noise.
const std::vector<Known> better = {
    {"sinc", "1e-30", {1, -3.28986814e-30, -3.28986814}},  // JAX: -inf, nan
    // JAX: numbers, although there is no value
    {"acosh", "-inf", {NAN, NAN}},
    {"acosh", "-3", {NAN, NAN}},
    {"acosh", "-1", {NAN, NAN}},
    {"hypot_0", "1e-30", {1e-30, 1}},  // JAX: 0 / 0 and 1 / 0, because the squares underflow
    {"hypot_self", "1e-30", {1.41421354e-30, 1.41421354}},
    {"logaddexp_self", "-inf", {-inf, 1}},  // JAX: nan and 2; the derivatives sum to 1 everywhere
    {"logaddexp_self", "inf", {inf, 1}},
    {"logaddexp2_self", "-inf", {-inf, 1}},
    {"logaddexp2_self", "inf", {inf, 1}},
    {"logaddexp_inf", "inf", {inf, 0.5}},
    {"logaddexp_ninf", "-inf", {-inf, 0.5}},
    {"acosh", "inf", {inf, 0, 0}},  // JAX: nan
    {"gelu", "-inf", {NAN, 0, 0}},  // JAX: nan from the cube
    {"gelu", "inf", {inf, 1, 0}},
    {"soft_sign", "-inf", {NAN, 0, 0}},
    {"soft_sign", "inf", {NAN, 0, 0}},
    {"squareplus", "-inf", {0, NAN, NAN}},    // JAX: inf - inf
    {"atan2_x0", "1e-30", {M_PI / 2, 0, 0}},  // JAX: 0 / 0, because the squares underflow
    {"atan2_0x", "1e-30", {0, 0, 0}},
    {"atan2_self", "1e-30", {M_PI / 4, 0}},
    {"logsumexp", "inf,0,inf", {inf, .5, 0, .5}},  // JAX: nan, inf - inf
    {"logsumexp", "inf,1,inf", {inf, .5, 0, .5}},
    {"logsumexp", "-inf,-inf,-inf", {-inf, 1. / 3, 1. / 3, 1. / 3}},
    {"logsumexp", "inf,inf,inf", {inf, 1. / 3, 1. / 3, 1. / 3}},
    {"logsumexp", "inf,-inf,0", {inf, 1, 0, 0}},
};
// logaddexp(x, inf) is inf for every x, but JAX's derivative is exp(x). Second derivatives of a
// constant and of x itself are 0, but JAX multiplies an infinite power by 0. x^0 is the constant 1,
// and 0^x falls from infinity for negative x.
bool better_known(const std::string& name, const std::string& point, const std::vector<float>& at,
                  std::vector<double>* want) {
  for (const Known& k : better)
    if (name == k.name && point == k.point) return *want = k.want, true;
  if (name == "logaddexp_inf" && point != "nan" && point != "-inf") return *want = {inf, 0}, true;
  if (name == "pow_zero") return *want = {1, 0, 0}, true;
  if (name == "of_0" && std::strtod(point.c_str(), nullptr) < 0)
    return *want = {inf, -inf, inf}, true;
  // A quantile at the position of an element is that element, which has the whole derivative. This
  // also holds next to infinity.
  if (name.starts_with("quantile_") && std::isnan((*want)[0]) && point.find("nan") == point.npos)
    for (size_t i = 0; i < at.size(); ++i)
      if ((*want)[i + 1] == 1) (*want)[0] = at[i];
  if (name.starts_with("pow_u8") || name.starts_with("pow_i32")) want->back() = 0;
  return false;
}

bool near(double got, double want) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::abs(got - want) <= 2e-4 * std::abs(want) + 1e-5;
}

std::vector<double> results(const Unary& f, const Array& x, size_t count) {
  std::vector<double> out{f(x).item<double>()};
  Unary g = f;
  while (out.size() < count) {
    g = [g](Array v) { return grad(g)(v); };
    for (double d : g(x).to_vector<double>()) out.push_back(d);
  }
  return out;
}

}  // namespace

TEST_CASE("special points have JAX's values and derivatives", "[special_points]") {
  Table functions;
  add_scalars(functions);
  add_two_operands(functions);
  add_vectors(functions);
  std::istringstream lines(testing::golden("special_points.txt"));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (line.starts_with("truth ")) continue;  // special_references_test.cpp compares these
    INFO("JAX: " << line);
    std::istringstream words(line);
    std::string name, point, word;
    words >> name >> point;
    std::vector<double> want;
    while (words >> word) want.push_back(std::strtod(word.c_str(), nullptr));
    std::vector<float> at;
    for (std::istringstream p(point); std::getline(p, word, ',');)
      at.push_back(std::strtof(word.c_str(), nullptr));
    REQUIRE(functions.count(name) == 1);
    const Array x = array(at);
    const auto got = results(functions[name], at.size() == 1 ? x[0] : x, want.size());
    (void)better_known(name, point, at, &want);
    std::string shown;
    for (double d : got) shown += std::to_string(d) + " ";
    INFO("Weft: " << shown);
    REQUIRE(got.size() >= want.size());
    bool all = true;
    for (size_t i = 0; i < want.size(); ++i) all = all && near(got[i], want[i]);
    CHECK(all);
  }
}

TEST_CASE("equal infinities share the derivative of logaddexp", "[special_points]") {
  for (double v : {inf, -inf, 0.}) {
    const auto [a, b] = grad<0, 1>([](Array x, Array y) { return logaddexp(x, y); })(v, v);
    CHECK(a.item<double>() == 0.5);
    CHECK(b.item<double>() == 0.5);
  }
}

TEST_CASE("derivatives of sinc are exact near 0", "[special_points]") {
  // The even derivatives at 0 are (-1)^k pi^2k / (2k + 1).
  Unary g = [](Array x) { return sinc(x); };
  double want = 1;
  for (int k = 0; k < 4; ++k) {
    CHECK(g(array({0.}, F64)[0]).item<double>() == Approx(want / (2 * k + 1)));
    if (k > 0) CHECK(g(array({1e-9}, F64)[0]).item<double>() == Approx(want / (2 * k + 1)));
    want *= -M_PI * M_PI;
    for (int twice = 0; twice < 2; ++twice) g = [g](Array x) { return grad(g)(x); };
  }
  for (double v : {0.1, 0.2499, 0.2501, 0.7})
    CHECK(sinc(array({v}, F64)).item<double>() ==
          Approx(std::sin(M_PI * v) / (M_PI * v)).epsilon(1e-15));
}
