// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/random.h: random numbers from keys: the same bits as jax.random with threefry.
//
// A key is used once: split it, one part for each use.
#pragma once
#include <array>

#include "weft/tracer/array.h"

namespace weft::detail {
struct LoAndHi {
  template <class T>
  static void say() {
    static_assert(!std::same_as<T, T>, "weft: the bounds of uniform are {.lo = …, .hi = …}");
  }
};
}  // namespace weft::detail

namespace weft::random {

// ---- keys
struct KeyOptions {
  std::string impl = "threefry2x32";  // the one generator that there is; IndexError for another
};
Array key_of(int64_t seed, const KeyOptions& o, Location at);
// The key of a seed. IndexError for another .impl. Source: jax.random.key.
template <Integer I>
Array key(I seed, const KeyOptions& o = {}, Location at = Location::here()) {
  return key_of(static_cast<int64_t>(seed), o, at);
}
// The same of a seed that is an Array: a scalar of integers. DTypeError or ShapeError else. Source:
// jax.random.key.
Array key(const Arg& seed, const KeyOptions& o = {});
// Keys from a key: n of them, or an array of the shape. DTypeError for what is no key, ShapeError
// for several keys or a negative n. Source: jax.random.split.
Array split(const Arg& key, int64_t n);
Array split(const Arg& key, const Shape& shape);
// The same one by one: auto [a, b] = split<2>(key).
template <size_t n>
std::array<Array, n> split(const Arg& key) {
  const Array keys = random::split(key, static_cast<int64_t>(n));
  std::array<Array, n> each;
  for (size_t i = 0; i < n; ++i) each[i] = keys[Index(static_cast<int64_t>(i), key.at())];
  return each;
}
// Two keys, one Array that also comes apart: auto [key, sub] = split(key). Source:
// jax.random.split.
class SplitKeys : public Array {
 public:
  explicit SplitKeys(Array keys) : Array(std::move(keys)) {}
  template <size_t I>
  Array get() const {
    return (*this)[Index(static_cast<int64_t>(I))];
  }
};
inline SplitKeys split(const Arg& key) { return SplitKeys(random::split(key, int64_t{2})); }
Array fold_in(const Arg& key, const Arg& data);
Array key_data(const Arg& key);  // u32[…, 2]
// The keys that have these words, u32[…, 2]. IndexError for another .impl. Source:
// jax.random.wrap_key_data.
Array wrap_key_data(const Arg& words, const KeyOptions& o = {});
Array clone(const Arg& key);
std::string key_impl(const Arg& key);  // "threefry2x32", the one there is
// The words of a key, u32[2]. IndexError for another .impl. Source: jax.random.PRNGKey.
template <Integer I>
Array PRNGKey(I seed, const KeyOptions& o = {}, Location at = Location::here()) {
  return key_data(Arg(key_of(static_cast<int64_t>(seed), o, at), at));
}

// ---- bits and uniform numbers
struct BitsOptions {
  DType dtype = U32;
};
Array bits(const Arg& key, const Shape& shape = {}, const BitsOptions& o = {});
struct UniformOptions {
  DType dtype = F32;
  Array lo = 0., hi = 1.;                                                  // in [lo, hi)
  weft::detail::NoOption<weft::detail::LoAndHi> minval = {}, maxval = {};  // JAX's names of these
};
Array uniform(const Arg& key, const Shape& shape = {}, const UniformOptions& o = {});
// The same of numbers in [lo, hi), F32.
inline Array uniform(const Arg& key, const Shape& shape, const Arg& lo, const Arg& hi) {
  return uniform(key, shape, {.lo = lo, .hi = hi});
}
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
struct BernoulliOptions {
  std::string mode = "low";  // "high": exact for small p, too, by twice as many bits
};
// true with probability p. IndexError for another .mode. Source: jax.random.bernoulli.
Array bernoulli(const Arg& key, const Arg& p = 0.5, const DrawShape& shape = {},
                const BernoulliOptions& o = {});
struct CountOptions {
  DType dtype = I32;
};
// -1 or 1, of any dtype of signed numbers. Source: jax.random.rademacher.
Array rademacher(const Arg& key, const Shape& shape = {}, const CountOptions& o = {});

// ---- continuous distributions
struct FloatOptions {
  DType dtype = F32;
};
Array normal(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
Array truncated_normal(const Arg& key, const Arg& lower, const Arg& upper,
                       const DrawShape& shape = {}, const FloatOptions& o = {});
Array exponential(const Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
struct GumbelOptions {
  DType dtype = F32;
  // "high" and (of F32) "highest": more of the rare large numbers, by twice as many bits.
  std::string mode = "low";
};
// -log(-log(u)) of uniform u. DTypeError for a dtype that is no float, IndexError for another
// .mode. Source: jax.random.gumbel.
Array gumbel(const Arg& key, const Shape& shape = {}, const GumbelOptions& o = {});
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
// Density proportional to exp(-|x|^p); p is broadcast to the shape. ShapeError if it does not.
// Source: jax.random.generalized_normal.
Array generalized_normal(const Arg& key, const Arg& p, const Shape& shape = {},
                         const FloatOptions& o = {});
// Points (shape, d) of the ball of the p-norm; p is a scalar. ShapeError for another or d < 0.
// Source: jax.random.ball.
Array ball(const Arg& key, int64_t d, const Arg& p = 2, const Shape& shape = {},
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
  bool replace = true;              // false: different ones along the axes before that ending
  std::string mode = "low";         // as GumbelOptions::mode
};
// Indices along an axis, drawn with probabilities proportional to e^logits: the largest of logits
// and Gumbel noise. ShapeError for another .shape or, without replacement, more of them than there
// are, IndexError for another .axis or .mode. Source: jax.random.categorical.
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
  std::string mode = "low";  // as GumbelOptions::mode, of choices without replacement by p
};
Array choice(const Arg& key, const Arg& a, const Shape& shape = {}, const ChoiceOptions& o = {});

}  // namespace weft::random

template <>
struct std::tuple_size<weft::random::SplitKeys> : std::integral_constant<size_t, 2> {};
template <size_t I>
struct std::tuple_element<I, weft::random::SplitKeys> {
  using type = weft::Array;
};
