// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/special/special_references_test.cpp: compares values, first and second
// derivatives of all smooth functions with mpmath and limits. The points are special points, and
// tiny and huge arguments (the lines "truth" of tests/golden/generators/make_special_points.py).
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "support/check.h"
#include "support/golden.h"

using namespace weft;
using namespace weft::test;

namespace {

namespace sp = weft::special;
namespace st = weft::scipy::stats;
using Function = std::function<Array(const Arrays&)>;
using Table = std::map<std::string, Function>;

template <class F>
Function of_one(F f) {
  return [f](const Arrays& x) { return f(x[0]); };
}
template <class F>
Function of_two(F f) {
  return [f](const Arrays& x) { return f(x[0], x[1]); };
}
template <class F>
Function of_three(F f) {
  return [f](const Arrays& x) { return f(x[0], x[1], x[2]); };
}
#define ONE(t, space, name) t[#name] = of_one([](Array x) { return space::name(x); })
#define TWO(t, space, name) t[#name] = of_two([](Array x, Array y) { return space::name(x, y); })

void add_math(Table& t) {
  ONE(t, weft, reciprocal);
  ONE(t, weft, sqrt);
  ONE(t, lax, rsqrt);
  ONE(t, weft, cbrt);
  TWO(t, weft, hypot);
  ONE(t, weft, exp);
  ONE(t, weft, exp2);
  ONE(t, weft, expm1);
  ONE(t, weft, log);
  ONE(t, weft, log2);
  ONE(t, weft, log10);
  ONE(t, weft, log1p);
  TWO(t, weft, logaddexp);
  TWO(t, weft, logaddexp2);
  ONE(t, weft, sin);
  ONE(t, weft, cos);
  ONE(t, weft, tan);
  ONE(t, weft, asin);
  ONE(t, weft, acos);
  ONE(t, weft, atan);
  TWO(t, weft, atan2);
  ONE(t, weft, sinh);
  ONE(t, weft, cosh);
  ONE(t, weft, tanh);
  ONE(t, weft, asinh);
  ONE(t, weft, acosh);
  ONE(t, weft, atanh);
  ONE(t, weft, sinc);
  ONE(t, weft, square);
  TWO(t, weft, pow);
  ONE(t, lax, logistic);
}

void add_activations(Table& t) {
  ONE(t, nn, sigmoid);
  ONE(t, nn, silu);
  ONE(t, nn, softplus);
  ONE(t, nn, log_sigmoid);
  ONE(t, nn, mish);
  ONE(t, nn, gelu);
  t["gelu.exact"] = of_one([](Array x) { return nn::gelu(x, false); });
  ONE(t, nn, soft_sign);
  ONE(t, nn, squareplus);
  ONE(t, nn, elu);
  t["celu.2"] = of_one([](Array x) { return nn::celu(x, 2.); });
  ONE(t, nn, log1mexp);
  ONE(t, nn, sparse_plus);
}

void add_gamma(Table& t) {
  ONE(t, sp, gammaln);
  ONE(t, sp, loggamma);
  ONE(t, sp, gamma);
  ONE(t, sp, factorial);
  TWO(t, sp, poch);
  t["multigammaln.2"] = of_one([](Array x) { return sp::multigammaln(x, 2); });
  ONE(t, sp, digamma);
  t["polygamma.1"] = of_one([](Array x) { return sp::polygamma(1, x); });
  TWO(t, sp, zeta);
  TWO(t, sp, gammainc);
  TWO(t, sp, gammaincc);
  TWO(t, sp, betaln);
  TWO(t, sp, beta);
  t["betainc"] = of_three([](Array a, Array b, Array x) { return sp::betainc(a, b, x); });
}

void add_special(Table& t) {
  ONE(t, sp, erf);
  ONE(t, sp, erfc);
  ONE(t, sp, erfinv);
  ONE(t, sp, ndtr);
  ONE(t, sp, ndtri);
  ONE(t, sp, log_ndtr);
  ONE(t, sp, erfcx);
  ONE(t, sp, dawsn);
  ONE(t, sp, expit);
  ONE(t, sp, logit);
  TWO(t, sp, xlogy);
  TWO(t, sp, xlog1py);
  ONE(t, sp, entr);
  TWO(t, sp, rel_entr);
  TWO(t, sp, kl_div);
  TWO(t, sp, boxcox);
  TWO(t, sp, boxcox1p);
  ONE(t, sp, exp1);
  ONE(t, sp, expi);
  for (const int n : {0, 1, 2, 3})
    t[fmt::format("expn.{}", n)] = of_one([n](Array x) { return sp::expn(n, x); });
  ONE(t, sp, spence);
  t["sici.si"] = of_one([](Array x) { return sp::sici(x).si; });
  t["sici.ci"] = of_one([](Array x) { return sp::sici(x).ci; });
  t["fresnel.s"] = of_one([](Array x) { return sp::fresnel(x).s; });
  t["fresnel.c"] = of_one([](Array x) { return sp::fresnel(x).c; });
  ONE(t, sp, i0);
  ONE(t, sp, i1);
  ONE(t, sp, i0e);
  ONE(t, sp, i1e);
  t["hyp1f1"] = of_three([](Array a, Array b, Array x) { return sp::hyp1f1(a, b, x); });
  t["hyp2f1"] = [](const Arrays& x) { return sp::hyp2f1(x[0], x[1], x[2], x[3]); };
  t["bessel_jn.0"] = of_one([](Array x) { return sp::bessel_jn(x, 1)[0]; });
  t["bessel_jn.1"] = of_one([](Array x) { return sp::bessel_jn(x, 1)[1]; });
  TWO(t, sp, owens_t);
}

#define SCALED(t, name, part) \
  t[#name "." #part] = of_three([](Array x, Array m, Array s) { return st::name::part(x, m, s); })
#define SHAPED(t, name, part) \
  t[#name "." #part] = of_two([](Array x, Array a) { return st::name::part(x, a); })

void add_densities(Table& t) {
  SCALED(t, norm, logpdf);
  SCALED(t, norm, logcdf);
  SCALED(t, norm, logsf);
  SCALED(t, cauchy, logpdf);
  SCALED(t, laplace, logpdf);
  SCALED(t, logistic, logpdf);
  SCALED(t, gumbel_l, logpdf);
  SCALED(t, gumbel_r, logpdf);
  SCALED(t, gumbel_l, logcdf);
  SCALED(t, gumbel_r, logsf);
  t["t.logpdf"] = [](const Arrays& x) { return st::t::logpdf(x[0], x[1], x[2], x[3]); };
  SHAPED(t, gennorm, logpdf);
  SHAPED(t, vonmises, logpdf);
  SHAPED(t, wrapcauchy, logpdf);
  SCALED(t, beta, logpdf);
  SHAPED(t, gamma, logpdf);
  SHAPED(t, chi2, logpdf);
  SCALED(t, expon, logpdf);
  SCALED(t, expon, logcdf);
  SHAPED(t, pareto, logpdf);
  SCALED(t, truncnorm, logpdf);
  SCALED(t, binom, logpmf);
  SHAPED(t, bernoulli, logpmf);
  SHAPED(t, geom, logpmf);
  SCALED(t, nbinom, logpmf);
  SHAPED(t, poisson, logpmf);
  t["betabinom.logpmf"] = [](const Arrays& x) {
    return st::betabinom::logpmf(x[0], x[1], x[2], x[3]);
  };
}

Table all_functions() {
  Table t;
  add_math(t);
  add_activations(t);
  add_gamma(t);
  add_special(t);
  add_densities(t);
  return t;
}

struct Line {
  std::string text;
  std::vector<double> at, want;  // operands; value, first and second derivative
};
// Lines by the function and the operand of the derivatives.
using Truths = std::map<std::pair<std::string, size_t>, std::vector<Line>>;
Truths truths() {
  Truths all;
  std::istringstream lines(testing::golden("special_points.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name, point, word;
    size_t by = 0;
    if (!(words >> kind) || kind != "truth" || !(words >> name >> by >> point)) continue;
    Line l{line, {}, {}};
    for (std::istringstream p(point); std::getline(p, word, ',');)
      l.at.push_back(std::strtod(word.c_str(), nullptr));
    while (words >> word) l.want.push_back(std::strtod(word.c_str(), nullptr));
    all[{name, by}].push_back(l);
  }
  return all;
}

// The range and the tolerances of a dtype.
struct Precision {
  DType dtype;
  double least, most;               // normal numbers
  std::array<double, 3> tolerance;  // relative, for value, first and second derivative
};
const Precision single{F32, 1.2e-38, 3.4e38, {1e-5, 1e-4, 1e-3}};
const Precision twice{F64, 2.3e-308, 1.79e308, {1e-12, 1e-10, 1e-8}};

bool in_range(const Line& l, const Precision& p) {
  for (double v : l.at)
    if (v != 0 && (std::abs(v) < p.least || std::abs(v) > p.most)) return false;
  return true;
}
// `slack` is an absolute error that rounding of the next lower derivative, divided by the point,
// explains.
bool near(double got, double want, double tolerance, double slack, const Precision& p) {
  if (std::isnan(want)) return std::isnan(got);
  if (want == 0) return std::abs(got) <= tolerance + slack;  // a sum that cancels
  if (std::abs(want) >= p.most) return got * std::copysign(1., want) >= 0.99 * p.most;
  // Below the normal numbers digits are lost, and the whole number may be lost.
  if (std::abs(want) < p.least / p.tolerance[0])
    return std::abs(got) <= 2 * p.least / p.tolerance[0];
  return std::abs(got - want) <= tolerance * std::abs(want) + slack;
}
// Returns the slack of second derivatives. At arguments up to 1 they are differences of larger
// numbers.
double slack_of(const Line& l, size_t by, size_t order, const Precision& p) {
  const double below = order == 2 ? std::abs(l.want[1]) : 0;
  return std::isfinite(below) ? p.tolerance[0] * below / std::max(1., std::abs(l.at[by])) : 0;
}

using Derived = std::array<std::vector<double>, 3>;
// Returns the value and derivatives of f with respect to operand `by`. They are computed by reverse
// over reverse mode, or by forward over forward mode in one program.
Derived derived(const Function& f, Arrays x, size_t by, bool compiled) {
  const auto of = [f, x, by](Array v) {
    Arrays all = x;
    all[by] = v;
    return f(all);
  };
  if (compiled) {
    const auto first = [of](Array v) { return jvp(of, std::tuple{v}, std::tuple{ones_like(v)}); };
    const auto both = jit([first](Array v) {
      const auto [out, second] = jvp(first, std::tuple{v}, std::tuple{ones_like(v)});
      return Arrays{out.first, out.second, second.second};
    });
    const Arrays r = both(x[by]);
    return {r[0].to_vector<double>(), r[1].to_vector<double>(), r[2].to_vector<double>()};
  }
  const auto first = [of](Array v) { return grad([of](Array u) { return sum(of(u)); })(v); };
  const auto second = grad([first](Array v) { return sum(first(v)); });
  return {of(x[by]).to_vector<double>(), first(x[by]).to_vector<double>(),
          second(x[by]).to_vector<double>()};
}

std::string failures(const std::pair<std::string, size_t>& key, const std::vector<Line>& all,
                     const Function& f, const Precision& p, bool compiled) {
  std::vector<const Line*> lines;
  for (const Line& l : all)
    if (in_range(l, p)) lines.push_back(&l);
  if (lines.empty()) return {};
  Arrays x;
  for (size_t k = 0; k < lines[0]->at.size(); ++k) {
    std::vector<double> column;
    for (const Line* l : lines) column.push_back(l->at[k]);
    x.push_back(array(column).astype(p.dtype));
  }
  const Derived got = derived(f, x, key.second, compiled);
  std::string wrong;
  for (size_t i = 0; i < lines.size(); ++i)
    for (size_t k = 0; k < lines[i]->want.size(); ++k)
      if (!near(got[k][i], lines[i]->want[k], p.tolerance[k], slack_of(*lines[i], key.second, k, p),
                p))
        wrong += fmt::format("{} {}: derivative {} is {:.10g}, not {:.10g}: {}\n",
                             short_name(p.dtype), compiled ? "forward, compiled" : "reverse", k,
                             got[k][i], lines[i]->want[k], lines[i]->text);
  return wrong;
}

void check_all(const Precision& p, bool compiled) {
  const Table functions = all_functions();
  for (const auto& [key, lines] : truths()) {
    REQUIRE(functions.count(key.first) == 1);
    const std::string wrong = failures(key, lines, functions.at(key.first), p, compiled);
    INFO(wrong);
    CHECK(wrong.empty());
  }
}

}  // namespace

TEST_CASE("derivatives at special points match the references in F32", "[special_points]") {
  check_all(single, false);
}
TEST_CASE("derivatives at special points match the references in F64", "[special_points]") {
  check_all(twice, false);
}
TEST_CASE("compiled forward derivatives at special points match the references",
          "[special_points][slow]") {
  check_all(single, true);
  check_all(twice, true);
}
TEST_CASE("functions with reference values and called functions are the same", "[special_points]") {
  std::set<std::string> named;
  for (const auto& [key, lines] : truths()) named.insert(key.first);
  for (const auto& [name, f] : all_functions()) {
    INFO(name);
    CHECK(named.count(name) == 1);
  }
}

namespace {

// Functions without golden truths. They are constant, linear or piecewise polynomials, or have a
// corner (special_points_test.cpp tests those). Others are second names of functions, or folds
// along an axis.
const std::set<std::string> without_truths = {
    "add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "remainder", "mod",
    "fmod", "power", "float_power", "negative", "positive", "abs", "absolute", "fabs", "sign",
    "clip", "maximum", "minimum", "fmax", "fmin", "arcsin", "arccos", "arctan", "arctan2",
    "arcsinh", "arccosh", "arctanh", "deg2rad", "rad2deg", "radians", "degrees", "unwrap", "floor",
    "ceil", "trunc", "rint", "round", "fix", "around", "copysign", "nextafter", "signbit", "ldexp",
    "spacing", "heaviside", "nan_to_num", "real", "imag", "conj", "conjugate", "angle", "isreal",
    "iscomplex", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    "logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bitwise_not", "invert", "left_shift", "right_shift", "bitwise_count",
    "bitwise_invert", "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm", "isnan", "isinf",
    "isfinite", "isposinf", "isneginf", "isclose", "allclose", "array_equal", "array_equiv",
    "where", "select",
    // nn
    "relu", "relu6", "leaky_relu", "selu", "swish", "hard_tanh", "hard_sigmoid", "hard_silu",
    "hard_swish", "sparse_sigmoid", "glu", "identity", "softmax", "log_softmax", "logsumexp",
    "logmeanexp", "standardize", "layer_norm", "one_hot", "dot_product_attention", "scaled_matmul",
    "conv", "conv_transpose", "max_pool", "min_pool", "avg_pool",
    // special
    "gammasgn", "bernoulli", "comb", "wofz", "sph_harm_y",
    // stats
    "uniform", "dirichlet", "multivariate_normal", "multinomial"};

// Returns the names of functions from arrays to an array that a header declares.
std::set<std::string> declared(const std::string& header, const std::string& begin) {
  std::set<std::string> names;
  std::istringstream lines(testing::golden("../../include/weft/" + header));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin))
      names.insert(
          line.substr(begin.size(), line.find_first_of("( {", begin.size()) - begin.size()));
  return names;
}

}  // namespace

TEST_CASE("every function has reference values, or a reason to have none", "[special_points]") {
  // The part of a name after a dot is a result of the function, or a parameter.
  std::set<std::string> named = without_truths;
  for (const auto& [name, f] : all_functions()) named.insert(name.substr(0, name.find('.')));
  for (const char* header : {"numpy/math.h", "nn.h", "special.h"})
    for (const std::string& name : declared(header, "Array ")) {
      INFO(header << " declares " << name);
      CHECK(named.count(name) == 1);
    }
  for (const char* header : {"scipy/stats/continuous.h", "scipy/stats/discrete.h"})
    for (const std::string& name : declared(header, "namespace ")) {
      INFO(header << " declares " << name);
      CHECK((name == "weft::scipy::stats" || named.count(name) == 1));
    }
}
