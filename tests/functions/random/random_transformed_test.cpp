// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/random/random_transformed_test.cpp: compares distributions with JAX for the same
// keys (make_random_transformed.py). Counts agree to the bit, floats to a few rounding units.
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include "support/catch.h"
#include "support/golden.h"
#include "weft/weft.h"

using namespace weft;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
using Cases = std::map<std::string, std::function<Array()>>;

struct Inputs {
  Array key = random::key(42), keys = random::split(key, 3);
  Array a = array({0.01, 0.3, 0.9, 1.0, 2.5, 7.0, 40.0, 1000.0}).astype(F32);
  Array p = array({0.05, 0.3, 0.5, 0.7, 0.99, 0.2, 0.6, 0.9}).astype(F32);
  Array grid = array({{0.5, 1.0, 2.0}, {3.0, 0.2, 9.0}}).astype(F32);
  Array counts = array({3., 7., 200., 1000., 15., -1., not_a_number, 50.}).astype(F32);
  Array cov = array({{2.0, 0.5, 0.1}, {0.5, 1.0, 0.2}, {0.1, 0.2, 3.0}}).astype(F32);
};

Array by_svd(const Array& key, const Array& mean, const Array& cov, const Shape& shape) {
  return random::multivariate_normal(key, mean, cov, shape, {.method = "svd"});
}
void add_factored(Cases& c, const Inputs& in) {
  const Array key = in.key, keys = in.keys, cov = in.cov, mean = array({1.f, 2.f, 3.f}),
              two = array({1.f, 2.f}),
              pairs = array(std::vector<float>{2, 0.5, 0.5, 1, 3, 0, 0, 0}, {2, 2, 2});
  c["multivariate_normal"] = [=] { return random::multivariate_normal(key, mean, cov, {4}); };
  c["multivariate_svd"] = [=] { return by_svd(key, mean, cov, {4}); };
  c["multivariate_svd_pairs"] = [=] { return by_svd(key, two, pairs, {3, 2}); };
  c["multivariate_svd_slope"] = [=] {
    return grad([=](Array v) { return sum(sin(by_svd(key, mean, (v + v.T()) / 2, {4}))); })(cov);
  };
  c["multivariate_svd_map"] = [=] {
    return vmap([=](Array k, Array v) { return by_svd(k, two, v, {}); })(keys[slice(0, 2)], pairs);
  };
}

void add_gammas(Cases& c, const Inputs& in) {
  const auto [key, keys, a, p, grid, counts, cov] = in;
  c["gamma"] = [=] { return random::gamma(key, a); };
  c["gamma_many"] = [=] { return random::gamma(key, 2.5, {40}); };
  c["loggamma"] = [=] { return random::loggamma(key, a); };
  c["gamma_grid"] = [=] { return random::gamma(key, grid); };
  c["gamma_slope"] = [=] { return vmap(grad([=](Array v) { return random::gamma(key, v); }))(a); };
  c["loggamma_slope"] = [=] {
    return grad([=](Array v) { return sum(random::loggamma(key, v)); })(a);
  };
  c["gamma_map"] = [=] { return vmap([](Array k) { return random::gamma(k, 0.7, {2}); })(keys); };
  c["beta"] = [=] { return random::beta(key, a, p); };
  c["dirichlet"] = [=] { return random::dirichlet(key, grid); };
  c["dirichlet_shape"] = [=] { return random::dirichlet(key, grid[0], {2}); };
  c["chisquare"] = [=] { return random::chisquare(key, a); };
  c["f"] = [=] { return random::f(key, a, flip(a)); };
  c["t"] = [=] { return random::t(key, a); };
  c["generalized_normal"] = [=] { return random::generalized_normal(key, 1.5, {5}); };
  c["ball"] = [=] { return random::ball(key, 3, 2, {4}); };
}
void add_others(Cases& c, const Inputs& in) {
  const auto [key, keys, a, p, grid, counts, cov] = in;
  c["maxwell"] = [=] { return random::maxwell(key, {5}); };
  c["double_sided_maxwell"] = [=] { return random::double_sided_maxwell(key, 1., 2., {5}); };
  c["triangular"] = [=] { return random::triangular(key, -1., 0.5, 2., {6}); };
  c["wald"] = [=] { return random::wald(key, a); };
  c["geometric"] = [=] { return random::geometric(key, p); };
  c["poisson"] = [=] { return random::poisson(key, a); };
  c["poisson_many"] = [=] { return random::poisson(key, 4., {20}); };
  c["poisson_large"] = [=] { return random::poisson(key, 30., {20}); };
  c["poisson_map"] = [=] {
    return vmap([](Array k) { return random::poisson(k, 12., {3}); })(keys);
  };
  c["binomial"] = [=] { return random::binomial(key, counts, p); };
  c["binomial_many"] = [=] { return random::binomial(key, 10., 0.3, {20}); };
  c["binomial_large"] = [=] { return random::binomial(key, 500., 0.4, {20}); };
  c["binomial_map"] = [=] {
    return vmap([](Array k) { return random::binomial(k, 60., 0.4, {3}); })(keys);
  };
  c["multinomial"] = [=] {
    return random::multinomial(key, 20., array({{0.2, 0.3, 0.5}, {0.6, 0.1, 0.3}}).astype(F32));
  };
  c["PRNGKey"] = [] { return random::PRNGKey(7); };
}

// wald of a large mean is a difference of large numbers. The slopes are sums that JAX computes in
// single precision.
double tolerance(const std::string& name) {
  return name == "wald" ? 3e-3 : name.find("slope") != std::string::npos ? 1e-4 : 1e-5;
}

}  // namespace

TEST_CASE("distributions draw JAX's numbers") {
  Cases cases;
  add_gammas(cases, {});
  add_others(cases, {});
  add_factored(cases, {});
  std::istringstream in(testing::golden("random_transformed.txt"));
  std::string line;
  size_t seen = 0;
  while (std::getline(in, line)) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, dtype, shape, value;
    words >> name >> dtype >> shape;
    INFO(name);
    REQUIRE(cases.count(name));
    ++seen;
    const Array got = cases.at(name)();
    CHECK(std::string(short_name(got.dtype())) == dtype);
    const bool count =
        is_integer(got.dtype()) || name.rfind("binomial", 0) == 0 || name == "multinomial";
    for (const double g : got.to_vector<double>()) {
      REQUIRE((words >> value));
      const double w = std::stod(value);
      INFO("is " << g << ", wanted " << w);
      if (std::isnan(w) || count)
        CHECK((std::isnan(w) ? std::isnan(g) : g == w));
      else
        CHECK((g == w || std::fabs(g - w) <= tolerance(name) * std::fabs(w) + 1e-30));
    }
    CHECK(!(words >> value));
  }
  CHECK(seen == cases.size());
}

TEST_CASE("distributions refuse keys, types and shapes that are none") {
  const Array key = random::key(0);
  CHECK_THROWS_AS(random::gamma(random::split(key, 2), 1.), ShapeError);
  CHECK_THROWS_AS(random::poisson(array({1u}), 1.), DTypeError);
  CHECK_THROWS_AS(random::gamma(key, 1., {}, {.dtype = I32}), DTypeError);
  CHECK_THROWS_AS(random::poisson(key, 1., {}, {.dtype = F32}), DTypeError);
  CHECK_THROWS_AS(random::gamma(key, ones({3}), {2}), ShapeError);
  CHECK_THROWS_AS(random::dirichlet(key, 1.), ShapeError);
  CHECK_THROWS_AS(random::multivariate_normal(key, ones({2}), eye(2), {}, {.method = "qr"}),
                  IndexError);
  CHECK_THROWS_AS(random::multinomial(key, 3., ones({3}), {.shape = Shape{4}}), ShapeError);
  CHECK_THROWS_AS(random::multivariate_normal(key, ones({2}), ones({3, 3})), ShapeError);
  CHECK(random::key_impl(key) == "threefry2x32");
}

TEST_CASE("multivariate_normal takes singular covariances by eigh and svd") {
  const Array key = random::key(3), z = random::normal(key, {50, 2});
  const Array diagonal = array({{4.f, 0.f}, {0.f, 9.f}});
  for (const std::string method : {"eigh", "svd"}) {
    INFO(method);
    const auto drawn = [&](const Array& cov) {
      return random::multivariate_normal(key, zeros({2}), cov, {50}, {.method = method});
    };
    // The factor of a diagonal covariance is diagonal, except for signs and the order of the
    // values.
    const auto by_size = method == "svd" ? array({{0.f, 2.f}, {3.f, 0.f}}) : sqrt(diagonal);
    const auto got = abs(drawn(diagonal)).to_vector<float>(),
               want = abs(matmul(z, by_size.T())).to_vector<float>();
    for (size_t k = 0; k < got.size(); ++k) CHECK(got[k] == Approx(want[k]).epsilon(1e-5));
    const auto v = drawn(ones({2, 2})).to_vector<float>();
    for (size_t k = 0; k < v.size(); k += 2) CHECK(v[k] == Approx(v[k + 1]).margin(2e-3));
  }
}

// The counts are those of jax.random.multinomial with the same key.
TEST_CASE("multinomial draws for each place of a shape") {
  const Array key = random::key(3), p = array({0.2f, 0.3f, 0.5f});
  CHECK(random::multinomial(key, 10., p, {.shape = Shape{2, 3}}).to_vector<float>() ==
        std::vector<float>{1, 3, 6, 3, 2, 5});
  CHECK(random::multinomial(key, array({3.f, 8.f}), p, {.shape = Shape{2, 3}}).to_vector<float>() ==
        std::vector<float>{1, 0, 2, 2, 2, 4});
}
