// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/scipy/extremes_golden_test.cpp: compares distributions and functions of the gamma
// function at extreme operands with mpmath (make_extremes.py).
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

#include "functions/scipy/distributions.h"
#include "support/check.h"
#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;
using testing::Called, testing::called, testing::Golden;

namespace {

const std::map<std::string, Called> functions = {
    WEFT_TAILS(norm),
    WEFT_TAILS(cauchy),
    WEFT_DENSITY(t),
    WEFT_SF(gamma),
    WEFT_DENSITY(chi2),
    WEFT_DENSITY(beta),
    WEFT_TAILS(expon),
    WEFT_TAILS(pareto),
    WEFT_CDF(gennorm),
    WEFT_TAILS(gumbel_l),
    WEFT_TAILS(gumbel_r),
    WEFT_CDF(laplace),
    WEFT_SF(logistic),
    WEFT_TAILS(truncnorm),
    WEFT_CDF(uniform),
    WEFT_DENSITY(vonmises),
    WEFT_DENSITY(wrapcauchy),
    WEFT_MASS(bernoulli),
    WEFT_MASS(geom),
    WEFT_MASS(poisson),
    WEFT_MASS(binom),
    WEFT_MASS(nbinom),
    WEFT_MASS(betabinom),
    WEFT_ENTRY(cauchy, ppf),
    WEFT_ENTRY(cauchy, isf),
    WEFT_ENTRY(expon, ppf),
    WEFT_ENTRY(gumbel_l, ppf),
    WEFT_ENTRY(gumbel_r, ppf),
    WEFT_ENTRY(logistic, ppf),
    WEFT_ENTRY(logistic, isf),
    WEFT_ENTRY(norm, ppf),
    WEFT_ENTRY(norm, isf),
    WEFT_ENTRY(uniform, ppf),
    WEFT_ENTRY(pareto, ppf),
    {"incgamma.lower", called(special::gammainc)},
    {"incgamma.upper", called(special::gammaincc)},
    {"incgamma.loglower", [](const Arrays& x) { return scipy::stats::gamma::logcdf(x[1], x[0]); }},
    {"incgamma.logupper", [](const Arrays& x) { return scipy::stats::gamma::logsf(x[1], x[0]); }},
    {"incgamma.slope",
     [](const Arrays& x) {
       return grad([a = x[0]](Array v) { return sum(special::gammainc(a, v)); })(x[1]);
     }},
    {"incbeta.lower", called(special::betainc)},
    {"incbeta.upper", [](const Arrays& x) { return scipy::stats::beta::sf(x[2], x[0], x[1]); }},
    {"incbeta.loglower",
     [](const Arrays& x) { return scipy::stats::beta::logcdf(x[2], x[0], x[1]); }},
    {"incbeta.logupper",
     [](const Arrays& x) { return scipy::stats::beta::logsf(x[2], x[0], x[1]); }},
    {"incbeta.slope",
     [](const Arrays& x) {
       return grad([a = x[0], b = x[1]](Array v) { return sum(special::betainc(a, b, v)); })(x[2]);
     }},
    {"special.comb", [](const Arrays& x) { return special::comb(x[0], x[1]); }},
    {"special.poch", called(special::poch)},
    {"special.beta", called(special::beta)},
    {"special.betaln", called(special::betaln)},
    {"special.gamma", called(special::gamma)},
    {"special.factorial", called(special::factorial)},
};

Arrays operands(const Golden& lines, const std::string& name, const std::string& d) {
  // The operands are those of the function, or of its family.
  std::string at = name + "." + d + ".in";
  if (!lines.count(at + "0")) at = name.substr(0, name.find('.')) + "." + d + ".in";
  Arrays all;
  for (int i = 0; lines.count(at + std::to_string(i)); ++i)
    all.push_back(array(lines.at(at + std::to_string(i)).values, d == "f64" ? F64 : F32));
  return all;
}
// A value may be off by this many rounding errors of the size in its size line.
constexpr double roundings = 16;

void check(const Array& got, const testing::GoldenLine& want, const testing::GoldenLine& size,
           const Arrays& x) {
  const bool wide = want.dtype == "f64";
  const double epsilon = wide ? 0x1p-52 : 0x1p-23,
               least =
                   wide ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min(),
               most = wide ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  const std::vector<double> values = got.to_vector<double>();
  REQUIRE(values.size() == want.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double a = values[i], b = want.values[i];
    const double room = roundings * epsilon * size.values[i] + 2 * least;
    const bool beyond = std::isinf(a) && std::isfinite(b) && (a > 0) == (b > 0) &&
                        std::abs(b) > most * (1 - 100 * epsilon);
    if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= room || beyond) continue;
    std::ostringstream text;
    text.precision(17);
    text << "is " << a << ", wanted " << b << " up to " << room << " at";
    for (const Array& v : x) text << " " << v.to_vector<double>()[i];
    FAIL_CHECK(text.str());
  }
}

}  // namespace

TEST_CASE("distributions have their values at extreme operands", "[functions][stats]") {
  const Golden lines = testing::golden_lines("extremes.txt");
  for (const auto& [name, f] : functions)
    for (const std::string d : {"f32", "f64"}) {
      INFO(name << " " << d);
      const Arrays x = operands(lines, name, d);
      REQUIRE(!x.empty());
      const std::string at = name + "." + d;
      const auto &want = lines.at(at), &size = lines.at(at + ".size");
      check(f(x), want, size, x);
      const auto compiled = jit([&f = f](const Arrays& v) { return f(v); });
      INFO("compiled");
      check(compiled(x), want, size, x);
    }
}
