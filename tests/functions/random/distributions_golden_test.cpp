// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/random/distributions_golden_test.cpp: compares every function of random with
// jax.random for the same keys (tests/golden/generators/make_distributions.py). It tests shapes,
// dtypes, maps over keys and parameters, derivatives, and parameters at the ends of their range.
#include <functional>
#include <limits>

#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;

namespace {

using List = std::vector<double>;
using Lists = std::vector<List>;
using Given = std::optional<Shape>;
using Cases = std::map<std::string, std::function<Array()>>;
constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

struct Sampler {
  std::function<Array(const Array& key, const Arrays& p, const Given& s, DType d)> f;
  Lists parameters;
  Lists odd = {};
  // needs_shape: a shape must be given. in_front: the given shape precedes that of the parameters.
  bool needs_shape = false, in_front = false;
};
const List wide = {0.3, 0.9, 2.5, 7}, more = {1.5, 0.4, 3, 1}, unit = {0.05, 0.3, 0.7, 0.99},
           odd = {0, -1, inf, nan, 1e-30, 1e30}, odd_unit = {0, 1, -0.5, 1.5, nan, 1e-30};
List first(const List& v, int64_t n) { return {v.begin(), v.begin() + n}; }
random::DrawShape drawn(const Given& s) { return s ? random::DrawShape(*s) : random::DrawShape(); }

// The functions are overloaded, so that their names alone do not select a function pointer.
#define WEFT_SAMPLER(name) [](const auto&... a) { return random::name(a...); }
template <class F>
Sampler plain(F f) {
  return {[f](const Array& k, const Arrays&, const Given& s, DType d) {
            return f(k, s.value_or(Shape{}), d);
          },
          {}};
}
template <class F>
Sampler of_one(F f, const Lists& parameters, const Lists& odd_ones = {}) {
  return {[f](const Array& k, const Arrays& p, const Given& s, DType d) {
            return f(k, p[0], drawn(s), d);
          },
          parameters, odd_ones};
}
template <class F>
Sampler of_two(F f, const Lists& parameters, const Lists& odd_ones = {}) {
  return {[f](const Array& k, const Arrays& p, const Given& s, DType d) {
            return f(k, p[0], p[1], drawn(s), d);
          },
          parameters, odd_ones};
}

std::map<std::string, Sampler> samplers() {
  using namespace random;
  std::map<std::string, Sampler> t;
  t["uniform"] = {[](const Array& k, const Arrays&, const Given& s, DType d) {
                    return uniform(k, s.value_or(Shape{}), {.dtype = d});
                  },
                  {}};
  t["normal"] = plain(WEFT_SAMPLER(normal));
  t["exponential"] = plain(WEFT_SAMPLER(exponential));
  t["gumbel"] = plain(WEFT_SAMPLER(gumbel));
  t["laplace"] = plain(WEFT_SAMPLER(laplace));
  t["logistic"] = plain(WEFT_SAMPLER(logistic));
  t["cauchy"] = plain(WEFT_SAMPLER(cauchy));
  t["maxwell"] = plain(WEFT_SAMPLER(maxwell));
  t["truncated_normal"] =
      of_two(WEFT_SAMPLER(truncated_normal), {{-1, 0, -inf, 2}, {1, 3, 0.5, inf}},
             {{1, nan, -inf, 2}, {-1, 1, inf, 2}});
  t["pareto"] = of_one(WEFT_SAMPLER(pareto), {wide}, {odd});
  t["rayleigh"] = of_one(WEFT_SAMPLER(rayleigh), {wide}, {odd});
  t["lognormal"] = of_one(WEFT_SAMPLER(lognormal), {wide}, {odd});
  t["gamma"] = of_one(WEFT_SAMPLER(gamma), {wide}, {first(odd, 4)});
  t["loggamma"] = of_one(WEFT_SAMPLER(loggamma), {wide}, {first(odd, 4)});
  t["beta"] = of_two(WEFT_SAMPLER(beta), {wide, more});
  t["chisquare"] = of_one(WEFT_SAMPLER(chisquare), {wide}, {first(odd, 2)});
  t["f"] = of_two(WEFT_SAMPLER(f), {wide, more});
  t["t"] = of_one(WEFT_SAMPLER(t), {wide});
  t["wald"] = of_one(WEFT_SAMPLER(wald), {wide}, {first(odd, 4)});
  t["triangular"] = {[](const Array& k, const Arrays& p, const Given& s, DType d) {
                       return triangular(k, p[0], p[1], p[2], drawn(s), {d});
                     },
                     {{-1, 0, 2, 5}, {0, 0.5, 2.5, 5.5}, {1, 3, 4, 6}},
                     {{0, 1, nan}, {0, 2, 1}, {0, 3, 2}}};
  t["weibull_min"] = {[](const Array& k, const Arrays& p, const Given& s, DType d) {
                        return weibull_min(k, p[0], p[1], s.value_or(Shape{}), {d});
                      },
                      {wide, more},
                      {odd, {1.5, 0.4, 3, 1, 1.5, 0.4}},
                      true};
  t["double_sided_maxwell"] = {[](const Array& k, const Arrays& p, const Given& s, DType d) {
                                 return double_sided_maxwell(k, p[0], p[1], s.value_or(Shape{}),
                                                             {d});
                               },
                               {wide, more},
                               {},
                               false,
                               true};
  t["geometric"] = of_one(WEFT_SAMPLER(geometric), {unit}, {first(odd_unit, 2)});
  t["poisson"] = of_one(WEFT_SAMPLER(poisson), {{0.5, 4, 15, 80}}, {{0}});
  return t;
}
bool counts(const std::string& name) { return name == "geometric" || name == "poisson"; }

Arrays of(const Lists& lists, DType d) {
  Arrays x;
  for (const List& v : lists) x.push_back(array(v).astype(d));
  return x;
}

void add_sampler(Cases& t, const std::string& name, const Sampler& s) {
  const Array key = random::key(42), keys = random::split(key, 3);
  const DType out = counts(name) ? I32 : F32;
  const Arrays p = of(s.parameters, F32);
  Lists second, three;
  for (const List& v : s.parameters) {
    second.push_back({v[1]});
    three.push_back(first(v, 3));
  }
  Arrays one = of(second, F32);
  for (Array& x : one) x = x[0];
  const auto f = s.f;
  const Given none_given = p.empty() ? Given(Shape{4}) : Given();
  t[name] = [=] { return f(key, p, none_given, out); };
  t[name + "_scalar"] = [=] { return f(key, one, Shape{}, out); };
  if (!s.in_front) {
    t[name + "_shape"] = [=] { return f(key, p, Shape{2, 3, 4}, out); };
    t[name + "_none"] = [=] { return f(key, one, Shape{0, 4}, out); };
  }
  t[name + "_map"] = [=, q = of(three, F32)] {
    if (q.empty()) return vmap([&](Array k) { return f(k, {}, Shape{2}, out); })(keys);
    return vmap([&](Array k, Arrays v) { return f(k, v, Shape{2}, out); })(keys, q);
  };
  if (!s.odd.empty())
    t[name + "_odd"] = [=, q = of(s.odd, F32)] { return f(key, q, q[0].shape(), out); };
  if (counts(name)) {
    t[name + "_i16"] = [=] { return f(key, p, Shape{2, 4}, I16); };
    t[name + "_f64"] = [=, q = of(s.parameters, F64)] { return f(key, q, Shape{4}, I32); };
    return;
  }
  t[name + "_f64"] = [=, q = of(s.parameters, F64)] { return f(key, q, Shape{4}, F64); };
  const Shape narrow = p.empty() ? Shape{8} : Shape{2, 4};
  t[name + "_f16"] = [=, q = of(s.parameters, F16)] { return f(key, q, narrow, F16).astype(F32); };
  t[name + "_bf16"] = [=, q = of(s.parameters, BF16)] {
    return f(key, q, narrow, BF16).astype(F32);
  };
  const Given at = s.needs_shape ? Given(Shape{4}) : s.in_front ? Given(Shape{}) : Given();
  for (size_t k = 0; k < p.size(); ++k)
    t[name + "_slope" + std::to_string(k)] = [=] {
      return grad([&](Array v) {
        Arrays x = p;
        x[k] = v;
        return sum(f(key, x, at, F32));
      })(p[k]);
    };
}

const Array key = random::key(42), keys = random::split(key, 3);
const Array logits = array({{0.1, 2., -1.}, {0., -inf, 1.}}), mean3 = array({1., 2., 3.}),
            cov3 = array({{2., 0.5, 0.1}, {0.5, 1., 0.2}, {0.1, 0.2, 3.}}),
            alpha = array({{0.5, 1., 2.}, {3., 0.2, 9.}}),
            outcomes = array({{0.2, 0.3, 0.5}, {0.6, 0.1, 0.3}}), row = arange(12.).reshape({3, 4}),
            points = array(wide).astype(F32);
Array doubles(const List& v) { return array(v); }
Array singles(const List& v) { return array(v).astype(F32); }

Cases keys_and_bits() {
  using namespace random;
  Cases t;
  t["key_data"] = [] { return key_data(keys); };
  t["key_seed"] = [] { return key_data(random::key((int64_t{1} << 40) + 3)); };
  t["split_shape"] = [] { return key_data(random::split(key, Shape{2, 1})); };
  t["split_none"] = [] { return key_data(random::split(key, 0)); };
  t["fold_in"] = [] {
    return key_data(fold_in(key, array(std::vector<int64_t>{int64_t{1} << 31})[0]));
  };
  t["wrap"] = [] { return bits(wrap_key_data(array(std::vector<uint32_t>{5, 7}, Shape{2})), {3}); };
  t["clone"] = [] { return bits(clone(key), {2}); };
  t["PRNGKey"] = [] { return PRNGKey(-3); };
  t["fold_map"] = [] {
    return key_data(
        vmap([](Array k, Array i) { return fold_in(k, i); }, {none, 0})(key, arange(3)));
  };
  t["key_map"] = [] { return key_data(vmap([](Array s) { return random::key(s); })(arange(3))); };
  t["bits"] = [] { return bits(key, {5}); };
  t["bits_none"] = [] { return bits(key, {0, 3}); };
  t["bits_8"] = [] { return bits(key, {7}, {.dtype = U8}); };
  t["bits_16"] = [] { return bits(key, {3, 3}, {.dtype = U16}); };
  t["bits_scalar"] = [] { return bits(key); };
  t["bits_map"] = [] { return vmap([](Array k) { return bits(k, {2}); })(keys); };
  t["uniform_bounds"] = [] {
    return uniform(key, {4}, {.dtype = F64, .lo = -2., .hi = doubles({0, 1, 5, inf})});
  };
  t["uniform_empty_range"] = [] { return uniform(key, {3}, {.lo = 2., .hi = 1.}); };
  t["uniform_slope"] = [] {
    return grad([](Array v) { return sum(uniform(key, {3}, {.lo = v, .hi = 4.})); })(1.5f);
  };
  t["randint"] = [] { return randint(key, {2, 3}, -5, 100); };
  t["randint_bounds"] = [] { return randint(key, {3}, array({0, 5, 9}), array({1, 3, 1000})); };
  t["randint_64"] = [] {
    const int64_t low = -(int64_t{1} << 40), high = int64_t{1} << 62;
    return floor_divide(randint(key, {4}, low, high, {.dtype = I64}), int64_t{1} << 20);
  };
  t["randint_8"] = [] { return randint(key, {6}, -200, 90, {.dtype = I8}); };
  t["randint_u16"] = [] { return randint(key, {4}, 5, 65536, {.dtype = U16}); };
  t["randint_map"] = [] {
    return vmap([](Array k, Array n) { return randint(k, {2}, 0, n); })(keys, array({3, 50, 1000}));
  };
  return t;
}

Cases choices() {
  using namespace random;
  Cases t;
  List all = odd_unit;
  all.insert(all.end(), unit.begin(), unit.end());
  t["bernoulli"] = [=] { return random::bernoulli(key, singles(all)); };
  t["bernoulli_shape"] = [] { return random::bernoulli(key, 0.4, {2, 3}); };
  t["bernoulli_64"] = [] { return random::bernoulli(key, doubles(unit), {2, 4}); };
  t["bernoulli_map"] = [] {
    return vmap([](Array k, Array p) { return random::bernoulli(k, p); })(keys,
                                                                          singles(first(unit, 3)));
  };
  t["bernoulli_scalar"] = [] { return random::bernoulli(key); };
  t["rademacher"] = [] { return rademacher(key, {2, 3}); };
  t["rademacher_f32"] = [] { return rademacher(key, {4}, {.dtype = F32}); };
  t["rademacher_map"] = [] { return vmap([](Array k) { return rademacher(k, {2}); })(keys); };
  t["categorical"] = [] { return categorical(key, logits); };
  t["categorical_shape"] = [] { return categorical(key, logits, {.shape = Shape{4, 2}}); };
  t["categorical_axis"] = [] { return categorical(key, logits, {.axis = 0}); };
  t["categorical_64"] = [] { return categorical(key, logits.astype(F64), {.shape = Shape{3, 2}}); };
  t["categorical_map"] = [] {
    return vmap([](Array k, Array l) { return categorical(k, l); })(random::split(key, 2), logits);
  };
  t["categorical_odd"] = [] {
    return categorical(key, array({{nan, 1.}, {-inf, -inf}, {inf, 1.}}));
  };
  t["permutation"] = [] { return permutation(key, 9); };
  t["permutation_rows"] = [] { return permutation(key, row); };
  t["permutation_axis"] = [] { return permutation(key, row, {.axis = 1}); };
  t["permutation_each"] = [] { return permutation(key, row, {.axis = 1, .independent = true}); };
  t["permutation_none"] = [] { return permutation(key, 0); };
  t["permutation_one"] = [] { return permutation(key, array({3.})); };
  t["permutation_map"] = [] { return vmap([](Array k) { return permutation(k, 5); })(keys); };
  t["permutation_long"] = [] { return permutation(key, 2000)[slice(0, 50)]; };
  t["choice"] = [] { return choice(key, 10, {2, 3}); };
  t["choice_of"] = [] { return choice(key, points, {5}); };
  t["choice_scalar"] = [] { return choice(key, 7); };
  t["choice_axis"] = [] { return choice(key, row, {2}, {.axis = 1}); };
  t["choice_once"] = [] { return choice(key, row, {2}, {.replace = false}); };
  t["choice_p"] = [] { return choice(key, points, {6}, {.p = array({0.1, 0., 0.6, 0.3})}); };
  t["choice_p_once"] = [] {
    return choice(key, 4, {3}, {.replace = false, .p = array({0.1, 0.2, 0.4, 0.3})});
  };
  t["choice_none"] = [] { return choice(key, 5, {0}); };
  t["choice_map"] = [] { return vmap([](Array k) { return choice(k, 6, {2}); })(keys); };
  return t;
}

Cases vectors() {
  using namespace random;
  Cases t;
  t["normal_complex"] = [] { return random::normal(key, {3}, {C64}); };
  t["normal_complex_128"] = [] { return random::normal(key, {2}, {C128}); };
  t["normal_long"] = [] { return random::normal(key, {3, 7}); };
  t["dirichlet"] = [] { return dirichlet(key, alpha); };
  t["dirichlet_shape"] = [] { return dirichlet(key, alpha[0], {2, 2}); };
  t["dirichlet_64"] = [] { return dirichlet(key, alpha.astype(F64), {}, {F64}); };
  t["dirichlet_small"] = [] { return dirichlet(key, full({4}, 1e-4f)); };
  t["dirichlet_map"] = [] { return vmap([](Array k) { return dirichlet(k, alpha[0]); })(keys); };
  t["dirichlet_slope"] = [] {
    return grad([](Array a) { return sum(dirichlet(key, a) * arange(1., 4.)); })(alpha);
  };
  t["ball"] = [] { return ball(key, 3, 2, {4}); };
  t["ball_1"] = [] { return ball(key, 2, 1, {2, 2}); };
  t["ball_64"] = [] { return ball(key, 2, 2.5, {}, {F64}); };
  t["ball_map"] = [] { return vmap([](Array k) { return ball(k, 2); })(keys); };
  t["generalized_normal"] = [] { return generalized_normal(key, 1.5, {5}); };
  t["generalized_normal_2"] = [] { return generalized_normal(key, 2, {2, 2}); };
  t["generalized_normal_64"] = [] { return generalized_normal(key, 0.7, {}, {F64}); };
  t["generalized_normal_map"] = [] {
    return vmap([](Array k) { return generalized_normal(k, 3, {2}); })(keys);
  };
  t["multivariate_normal"] = [] { return multivariate_normal(key, mean3, cov3); };
  t["multivariate_normal_shape"] = [] { return multivariate_normal(key, mean3, cov3, {2, 2}); };
  t["multivariate_normal_many"] = [] {
    return multivariate_normal(key, mean3, stack({cov3, 4 * cov3}, 0));
  };
  t["multivariate_normal_64"] = [] {
    return multivariate_normal(key, mean3.astype(F64), cov3.astype(F64));
  };
  t["multivariate_normal_map"] = [] {
    return vmap([](Array k) { return multivariate_normal(k, mean3, cov3); })(keys);
  };
  t["multivariate_normal_slope"] = [] {
    return grad([](Array c) { return sum(square(multivariate_normal(key, mean3, c))); })(cov3);
  };
  t["multivariate_normal_svd"] = [] {
    return multivariate_normal(key, 0 * mean3, diag(mean3), {3}, {.method = "svd"});
  };
  return t;
}

Cases numbers() {
  using namespace random;
  Cases t;
  t["binomial"] = [] { return binomial(key, singles({3, 200, 1000, 15}), singles(unit)); };
  t["binomial_shape"] = [] { return binomial(key, 20., 0.3, {2, 3}); };
  t["binomial_64"] = [] {
    return binomial(key, doubles({3, 200}), doubles({0.5, 0.1}), {}, {F64});
  };
  t["binomial_odd"] = [] {
    return binomial(key, singles({-1, nan, 5, 5, 0}), singles({0.5, 0.5, 0, 1, 0.5}));
  };
  t["binomial_map"] = [] {
    return vmap([](Array k, Array n) { return binomial(k, n, 0.4, {2}); })(keys,
                                                                           singles({5, 60, 500}));
  };
  t["multinomial"] = [] { return multinomial(key, 20., outcomes); };
  t["multinomial_each"] = [] { return multinomial(key, singles({3, 50}), outcomes); };
  t["multinomial_64"] = [] {
    return multinomial(key, 30., outcomes[0].astype(F64), {.dtype = F64});
  };
  t["multinomial_map"] = [] {
    return vmap([](Array k) { return multinomial(k, 9., outcomes[0]); })(keys);
  };
  return t;
}

}  // namespace

TEST_CASE("every distribution draws JAX's numbers, for any shape and dtype", "[random]") {
  Cases cases = keys_and_bits();
  for (const auto& [name, s] : samplers()) add_sampler(cases, name, s);
  cases.merge(choices());
  cases.merge(vectors());
  cases.merge(numbers());
  const auto want = testing::golden_lines("distributions.txt");
  for (const auto& [name, line] : want) {
    INFO(name);
    const auto it = cases.find(name);
    if (it == cases.end()) {
      FAIL_CHECK("no such case");
      continue;
    }
    try {
      // XLA leaves out the roundings of the steps of a sum to narrow types.
      const bool f16 = name.ends_with("_f16"), bf16 = name.ends_with("_bf16");
      testing::check_line(it->second(), line, bf16 ? 1e-2 : f16 ? 2e-3 : 2e-5);
    } catch (const Error& e) {
      FAIL_CHECK(e.what());
    }
  }
}
