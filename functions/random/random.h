// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/random.h: random numbers from keys: the same bits as jax.random with threefry.
//
// A key is used once: split it, one part for each use.
#pragma once
#include "weft/tracer/array.h"

namespace weft::random {

// ---- keys
Array key_of(int64_t seed, Location at);
template <Integer I>
Array key(I seed, Location at = Location::here()) {
  return key_of(static_cast<int64_t>(seed), at);
}
Array key(const Arg& seed);
Array split(const Arg& key, int64_t n = 2);
Array split(const Arg& key, const Shape& shape);
Array fold_in(const Arg& key, const Arg& data);
Array key_data(const Arg& key);  // u32[…, 2]
Array wrap_key_data(const Arg& words);
Array clone(const Arg& key);
std::string key_impl(const Arg& key);  // "threefry2x32", the one there is
// The words of a key, u32[2].
template <Integer I>
Array PRNGKey(I seed, Location at = Location::here()) {
  return key_data(key_of(static_cast<int64_t>(seed), at));
}

// ---- bits and uniform numbers
struct BitsOptions {
  DType dtype = U32;
};
Array bits(const Arg& key, const Shape& shape = {}, const BitsOptions& o = {});
struct UniformOptions {
  DType dtype = F32;
  Array lo = 0., hi = 1.;  // in [lo, hi)
};
Array uniform(const Arg& key, const Shape& shape = {}, const UniformOptions& o = {});
struct RandintOptions {
  DType dtype = I32;
};
// In [lo, hi); lo where that is empty.
Array randint(const Arg& key, const Shape& shape, const Arg& lo, const Arg& hi,
              const RandintOptions& o = {});
// The shape of what is drawn; left out: that of the parameters.
struct DrawShape {
  std::optional<Shape> given = {};
  DrawShape() = default;
  DrawShape(const Shape& s) : given(s) {}
  DrawShape(std::initializer_list<int64_t> sizes, Location at = Location::here())
      : given(Shape(sizes, at)) {}
  Shape value_or(const Shape& s) const { return given.value_or(s); }
};
Array bernoulli(const Arg& key, const Arg& p = 0.5, const DrawShape& shape = {});
Array rademacher(const Arg& key, const Shape& shape = {}, DType dtype = I32);

// ---- continuous distributions
struct FloatOptions {
  DType dtype = F32;
};
Array normal(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
Array truncated_normal(const Arg& key, const Arg& lower, const Arg& upper,
                       const DrawShape& shape = {}, const FloatOptions& o = {});
Array exponential(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
Array gumbel(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
Array laplace(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
Array logistic(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
Array cauchy(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
Array pareto(const Arg& key, const Arg& b, const DrawShape& shape = {}, const FloatOptions& o = {});
Array rayleigh(const Arg& key, const Arg& scale, const DrawShape& shape = {},
               const FloatOptions& o = {});
Array weibull_min(const Arg& key, const Arg& scale, const Arg& concentration,
                  const Shape& shape = {}, const FloatOptions& o = {});
Array lognormal(const Arg& key, const Arg& sigma = 1., const DrawShape& shape = {},
                const FloatOptions& o = {});

// ---- distributions made of the gamma distribution. Derivatives by a (df, …) are those of samples
// (implicit reparametrisation; Figurnov, Mohamed and Mnih, 2018).
Array gamma(const Arg& key, const Arg& a, const DrawShape& shape = {}, const FloatOptions& o = {});
// The logarithms, also where samples of a small `a` would be 0.
Array loggamma(const Arg& key, const Arg& a, const DrawShape& shape = {},
               const FloatOptions& o = {});
Array beta(const Arg& key, const Arg& a, const Arg& b, const DrawShape& shape = {},
           const FloatOptions& o = {});
// alpha (…, n) -> (shape, n); the shape is that of alpha without its last axis.
Array dirichlet(const Arg& key, const Arg& alpha, const DrawShape& shape = {},
                const FloatOptions& o = {});
Array chisquare(const Arg& key, const Arg& df, const DrawShape& shape = {},
                const FloatOptions& o = {});
Array f(const Arg& key, const Arg& dfnum, const Arg& dfden, const DrawShape& shape = {},
        const FloatOptions& o = {});
Array t(const Arg& key, const Arg& df, const DrawShape& shape = {}, const FloatOptions& o = {});
// Density proportional to exp(-|x|^p).
Array generalized_normal(const Arg& key, double p, const Shape& shape = {},
                         const FloatOptions& o = {});
// Points (shape, d) of the ball of the p-norm.
Array ball(const Arg& key, int64_t d, double p = 2, const Shape& shape = {},
           const FloatOptions& o = {});

// ---- more continuous distributions
Array maxwell(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// The shape is followed by that of loc and scale.
Array double_sided_maxwell(const Arg& key, const Arg& loc, const Arg& scale,
                           const Shape& shape = {}, const FloatOptions& o = {});
Array triangular(const Arg& key, const Arg& left, const Arg& mode, const Arg& right,
                 const DrawShape& shape = {}, const FloatOptions& o = {});
Array wald(const Arg& key, const Arg& mean, const DrawShape& shape = {},
           const FloatOptions& o = {});
// mean (…, n), cov (…, n, n) -> (shape, n). The covariance is factored by `method`: "cholesky", or
// "eigh" or "svd", which take singular ones, too, and whose vectors have the signs that lax::eigh
// and lax::svd give them; IndexError for another. Source: jax.random.multivariate_normal.
struct MultivariateNormalOptions {
  std::string method = "cholesky";
};
Array multivariate_normal(const Arg& key, const Arg& mean, const Arg& cov,
                          const DrawShape& shape = {}, const MultivariateNormalOptions& o = {});
// Matrices (shape, n, m) with orthonormal columns, or rows where n < m, uniformly of all such ones.
// F32, F64, C64, C128. Source: jax.random.orthogonal.
struct OrthogonalOptions {
  Shape shape = {};
  std::optional<int64_t> m = {};  // n
  DType dtype = F32;
};
Array orthogonal(const Arg& key, int64_t n, const OrthogonalOptions& o = {});

// ---- counts
struct CountOptions {
  DType dtype = I32;
};
Array geometric(const Arg& key, const Arg& p, const DrawShape& shape = {},
                const CountOptions& o = {});
Array poisson(const Arg& key, const Arg& lam, const DrawShape& shape = {},
              const CountOptions& o = {});
// Floats; NaN for n < 0 and p < 0.
Array binomial(const Arg& key, const Arg& n, const Arg& p, const DrawShape& shape = {},
               const FloatOptions& o = {});
// n trials of outcomes with probabilities p (…, k) -> counts (…, k), or of .shape, to which p is
// broadcast and, without its last axis, n.
struct MultinomialOptions {
  DType dtype = F32;
  std::optional<Shape> shape = {};
};
Array multinomial(const Arg& key, const Arg& n, const Arg& p, const MultinomialOptions& o = {});

// ---- choices
struct CategoricalOptions {
  int64_t axis = -1;
  std::optional<Shape> shape = {};  // ends in the shape of the logits without the axis
};
Array categorical(const Arg& key, const Arg& logits, const CategoricalOptions& o = {});
struct PermutationOptions {
  int64_t axis = 0;
  bool independent = false;  // shuffles each row by itself
};
// Of 0 … n-1, or of an array along an axis.
Array permutation(const Arg& key, const Arg& x, const PermutationOptions& o = {});
struct ChoiceOptions {
  bool replace = true;
  std::optional<Array> p = {};
  int64_t axis = 0;
};
Array choice(const Arg& key, const Arg& a, const Shape& shape = {}, const ChoiceOptions& o = {});

}  // namespace weft::random
