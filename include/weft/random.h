// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/random.h: random numbers from keys. They are the same bits as jax.random's with
// threefry or "rbg" keys.
//
// Use each key only once: split it and use each part for one purpose.
#pragma once
#include <array>

#include "weft/array.h"
#include "weft/axis.h"

namespace weft::detail {
struct LoAndHi {
  template <class T>
  static void say() {
    static_assert(!std::same_as<T, T>, "weft: the bounds of uniform are {.lo = …, .hi = …}");
  }
};
struct ScaleAndMove {
  template <class T>
  static void say() {
    static_assert(!std::same_as<T, T>,
                  "weft: numbers are drawn from the standard distribution; write "
                  "mean + stddev * random::normal(key, shape)");
  }
};
}  // namespace weft::detail

namespace weft::random {

// ---- keys
struct KeyOptions {
  // "threefry2x32" or "rbg". Numbers from "rbg" keys are generated with Philox, and each lane gets
  // the numbers that it would get outside of vmap. JAX generates those of all lanes with the first
  // key. Raises IndexError for another name.
  std::string impl = "threefry2x32";
};
// The implementation of key(seed); users call key. Source: jax.random.key.
Array key_of(int64_t seed, const KeyOptions& o, typing::Location at);
// Makes a key from a seed. Raises IndexError for another .impl. Source: jax.random.key.
template <ir::Integer I>
Array key(I seed, const KeyOptions& o = {}, typing::Location at = typing::Location::here()) {
  return key_of(static_cast<int64_t>(seed), o, at);
}
// Makes a key from a seed that is an Array, an integer scalar. Raises DTypeError or ShapeError
// otherwise. Source: jax.random.key.
Array key(const typing::Arg& seed, const KeyOptions& o = {});
// Splits a key into independent new keys; the old key must not be used again. It returns n keys, an
// array of keys of the given shape, or two keys without a number: auto [a, b] = split(key). Raises
// DTypeError if key is not a key, and ShapeError for an array of keys or a negative n. Source:
// jax.random.split.
//
//     random::split(random::key(0), 3).shape()  // (3,)
Array split(const typing::Arg& key, int64_t n);
Array split(const typing::Arg& key, const Shape& shape);
// Returns the new keys as a std::array: auto [a, b] = split<2>(key).
template <size_t n>
std::array<Array, n> split(const typing::Arg& key) {
  const Array keys = random::split(key, static_cast<int64_t>(n));
  std::array<Array, n> each;
  for (size_t i = 0; i < n; ++i) each[i] = keys[typing::Index(static_cast<int64_t>(i), key.at())];
  return each;
}
// The result of split(key): an Array of two keys that supports structured bindings, auto [a, b] =
// split(key).
class SplitKeys : public Array {
 public:
  explicit SplitKeys(Array keys) : Array(std::move(keys)) {}
  template <size_t I>
  Array get() const {
    return (*this)[typing::Index(static_cast<int64_t>(I))];
  }
};
inline SplitKeys split(const typing::Arg& key) { return SplitKeys(random::split(key, int64_t{2})); }
// Makes a key from a key and an integer, such as a step number, which is converted to U32. Raises
// DTypeError if key is not a key or data is not an integer scalar, and ShapeError for an array of
// keys. Source: jax.random.fold_in.
Array fold_in(const typing::Arg& key, const typing::Arg& data);
// Returns the two words of each key, keys (…) -> u32[…, 2]; "rbg" keys have four words. Source:
// jax.random.key_data.
//
//     random::key_data(random::key(7))  // array([0, 7], dtype=uint32)
Array key_data(const typing::Arg& key);
// Makes keys from their words, u32[…, 2]. The words of "rbg" keys are u32[…, 4]; they must be
// known, and the last two must equal the first two. Raises ShapeError, DTypeError or
// ConcretizationError for other words, and IndexError for another .impl. Source:
// jax.random.wrap_key_data.
Array wrap_key_data(const typing::Arg& words, const KeyOptions& o = {});
// Returns the key unchanged. Weft does not check that each key is used once, so a key need not be
// cloned. Source: jax.random.clone.
Array clone(const typing::Arg& key);
// Returns the name of the generator of keys: "threefry2x32" or "rbg". Raises DTypeError if key is
// not a key. Source: jax.random.key_impl.
//
//     random::key_impl(random::key(0))  // threefry2x32
std::string key_impl(const typing::Arg& key);
// Returns the words of a new key, as key_data does. Raises IndexError for another .impl. Source:
// jax.random.PRNGKey.
template <ir::Integer I>
Array PRNGKey(I seed, const KeyOptions& o = {}, typing::Location at = typing::Location::here()) {
  return key_data(typing::Arg(key_of(static_cast<int64_t>(seed), o, at), at));
}

// ---- bits and uniform numbers
struct BitsOptions {
  // An unsigned dtype.
  DType dtype = U32;
};
// Returns uniformly distributed random bits as unsigned integers of the shape. Raises DTypeError if
// key is not a key and for a dtype that is not unsigned, and ShapeError for an array of keys.
// Source: jax.random.bits.
Array bits(const typing::Arg& key, const Shape& shape = {}, const BitsOptions& o = {});
struct UniformOptions {
  // A float dtype.
  DType dtype = F32;
  Array lo = 0., hi = 1.;  // the numbers are in [lo, hi)
  // JAX's names of lo and hi
  weft::detail::NoOption<weft::detail::LoAndHi> minval = {}, maxval = {};
};
// Returns uniform numbers in [lo, hi), by default [0, 1). lo and hi are broadcast to the shape;
// where lo = hi the result is lo. JAX's sum may round up to hi; here the result is then the next
// number below hi. Where hi - lo overflows, the interval is halved during the computation; JAX
// returns infinities. Raises DTypeError for a dtype that is not a float, and ShapeError if the
// bounds do not broadcast and for an array of keys. Source: jax.random.uniform.
//
//     random::uniform(random::key(0), {2, 3}).shape()  // (2, 3)
Array uniform(const typing::Arg& key, const Shape& shape = {}, const UniformOptions& o = {});
// Returns F32 numbers in [lo, hi).
inline Array uniform(const typing::Arg& key, const Shape& shape, const typing::Arg& lo,
                     const typing::Arg& hi) {
  return uniform(key, shape, {.lo = lo, .hi = hi});
}
struct RandintOptions {
  // An integer dtype; the bounds are clipped to its range.
  DType dtype = I32;
};
// Returns uniform integers in [lo, hi). lo and hi are broadcast to the shape; where hi <= lo the
// result is lo. Raises DTypeError for bounds or a dtype that are not integers, and ShapeError if
// the bounds do not broadcast and for an array of keys. Source: jax.random.randint.
//
//     random::randint(random::key(0), {2}, 5, 6)  // array([5, 5], dtype=int32)
Array randint(const typing::Arg& key, const Shape& shape, const typing::Arg& lo,
              const typing::Arg& hi, const RandintOptions& o = {});
// The shape of the result; by default the broadcast shape of the parameters.
struct DrawShape {
  std::optional<Shape> given = {};
  DrawShape() = default;
  DrawShape(const Shape& s) : given(s) {}
  DrawShape(std::initializer_list<int64_t> sizes, typing::Location at = typing::Location::here())
      : given(Shape(sizes, at)) {}
  Shape value_or(const Shape& s) const { return given.value_or(s); }
};
struct BernoulliOptions {
  std::string mode = "low";  // "high": accurate also for small p; uses twice as many bits
};
// Returns true with probability p. p is a float, broadcast to the shape (by default that of p).
// Raises DTypeError for p of another dtype, such as an integer, ShapeError if p does not broadcast,
// and IndexError for another .mode. Source: jax.random.bernoulli.
//
//     random::bernoulli(random::key(0), array({0., 1.}))  // array([False,  True])
Array bernoulli(const typing::Arg& key, const typing::Arg& p = 0.5, const DrawShape& shape = {},
                const BernoulliOptions& o = {});
struct CountOptions {
  // An integer dtype; for rademacher any signed dtype.
  DType dtype = I32;
};
// Returns -1 or 1 with equal probability, in any signed dtype. Source: jax.random.rademacher.
Array rademacher(const typing::Arg& key, const Shape& shape = {}, const CountOptions& o = {});

// ---- continuous distributions
struct FloatOptions {
  // A float dtype; for normal and lognormal also complex.
  DType dtype = F32;
  // The standard numbers are scaled and moved by operators.
  weft::detail::NoOption<weft::detail::ScaleAndMove> mean = {}, stddev = {}, loc = {}, scale = {};
};
// Returns standard normal numbers, with mean 0 and variance 1: density e^(-x^2 / 2) / sqrt(2 pi).
// The real and imaginary parts of complex numbers have variance 1/2 each. Raises DTypeError for
// other dtypes and if key is not a key, and ShapeError for an array of keys. Source:
// jax.random.normal.
Array normal(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// Returns standard normal numbers conditioned to be between lower and upper. The bounds are
// broadcast to the shape (by default their common shape). The numbers equal JAX's where the
// interval overlaps [-3, 3] ([-6, 6] for F64, [-2, 2] for F16 and BF16). In the tails beyond, the
// logarithm of the tail is inverted; JAX gives few different numbers there, and none from 5.4 on.
// Raises DTypeError for a dtype that is not a float, and ShapeError if the bounds do not broadcast.
// Source: jax.random.truncated_normal.
Array truncated_normal(const typing::Arg& key, const typing::Arg& lower, const typing::Arg& upper,
                       const DrawShape& shape = {}, const FloatOptions& o = {});
// Returns exponential numbers with mean 1: density e^-x for x >= 0. Raises DTypeError for a dtype
// that is not a float. Source: jax.random.exponential.
Array exponential(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
struct GumbelOptions {
  // A float dtype.
  DType dtype = F32;
  // "high", and for F32 "highest", resolve more of the rare large numbers by using twice as many
  // bits.
  std::string mode = "low";
};
// Returns Gumbel numbers -log(-log(u)) for uniform u: density e^(-x - e^-x). Raises DTypeError for
// a dtype that is not a float, and IndexError for another .mode. Source: jax.random.gumbel.
Array gumbel(const typing::Arg& key, const Shape& shape = {}, const GumbelOptions& o = {});
// Returns Laplace numbers: density e^-|x| / 2. Raises DTypeError for a dtype that is not a float.
// Source: jax.random.laplace.
Array laplace(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// Returns logistic numbers log(u / (1 - u)) for uniform u: density e^-x / (1 + e^-x)^2. Raises
// DTypeError for a dtype that is not a float. Source: jax.random.logistic.
Array logistic(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// Returns Cauchy numbers: density 1 / (pi (1 + x^2)). Raises DTypeError for a dtype that is not a
// float. Source: jax.random.cauchy.
Array cauchy(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// Returns Pareto numbers: density b x^(-b - 1) for x >= 1. b > 0 is broadcast to the shape (by
// default that of b). Raises DTypeError for a dtype that is not a float, and ShapeError if b does
// not broadcast. Source: jax.random.pareto.
Array pareto(const typing::Arg& key, const typing::Arg& b, const DrawShape& shape = {},
             const FloatOptions& o = {});
// Returns Rayleigh numbers: density x / scale^2 e^(-x^2 / (2 scale^2)) for x >= 0. scale is
// broadcast to the shape (by default that of scale). The results are finite; JAX's is infinite
// where its uniform number is 0. Raises DTypeError for a dtype that is not a float, and ShapeError
// if scale does not broadcast. Source: jax.random.rayleigh.
Array rayleigh(const typing::Arg& key, const typing::Arg& scale, const DrawShape& shape = {},
               const FloatOptions& o = {});
// Returns Weibull numbers scale (-log(1 - u))^(1 / concentration) for uniform u of the shape. With
// c = concentration > 0 and s = scale > 0 the density is c / s (x / s)^(c - 1) e^(-(x / s)^c) for x
// >= 0. The result has the broadcast shape of u and both parameters. If the parameters have more
// axes than the shape, several results share one u, so pass the full shape. Raises DTypeError for a
// dtype that is not a float, and ShapeError if the shapes do not broadcast. Source:
// jax.random.weibull_min.
Array weibull_min(const typing::Arg& key, const typing::Arg& scale,
                  const typing::Arg& concentration, const Shape& shape = {},
                  const FloatOptions& o = {});
// Returns log-normal numbers e^(sigma z) for normal z: density e^(-(log x)^2 / (2 sigma^2)) / (x
// sigma sqrt(2 pi)) for x > 0. sigma is broadcast to the shape (by default that of sigma). Raises
// DTypeError for a dtype that is neither a float nor complex, and ShapeError if sigma does not
// broadcast. Source: jax.random.lognormal.
Array lognormal(const typing::Arg& key, const typing::Arg& sigma = 1., const DrawShape& shape = {},
                const FloatOptions& o = {});

// ---- distributions derived from the gamma distribution, with derivatives of the samples
// Returns gamma numbers: density x^(a - 1) e^-x / Gamma(a) for x > 0. a > 0 is broadcast to the
// shape (by default that of a). The numbers equal JAX's up to a = 2^13 (2^42 for F64). Beyond that
// JAX's acceptance test loses its digits, and its variance is too small. The derivative with
// respect to a is that of the sample (implicit reparameterization; Figurnov, Mohamed and Mnih,
// 2018). Raises DTypeError for a dtype that is not a float, and ShapeError if a does not broadcast.
// Source: jax.random.gamma.
Array gamma(const typing::Arg& key, const typing::Arg& a, const DrawShape& shape = {},
            const FloatOptions& o = {});
// Returns the logarithms of gamma numbers, also where a gamma number of a small a would underflow
// to 0. Source: jax.random.loggamma.
Array loggamma(const typing::Arg& key, const typing::Arg& a, const DrawShape& shape = {},
               const FloatOptions& o = {});
// Returns beta numbers in [0, 1]: density proportional to x^(a - 1) (1 - x)^(b - 1). a, b > 0 are
// broadcast to the shape (by default their common shape). For parameters above 2^26 the result is a
// quotient of gamma numbers; JAX subtracts rounded logarithms. Raises DTypeError for a dtype that
// is not a float, and ShapeError if a and b do not broadcast. Source: jax.random.beta.
Array beta(const typing::Arg& key, const typing::Arg& a, const typing::Arg& b,
           const DrawShape& shape = {}, const FloatOptions& o = {});
// Returns vectors of n numbers with sum 1: density proportional to the product of x_i^(alpha_i -
// 1). alpha (…, n) -> (shape, n); the leading axes of alpha are broadcast to the shape (by default
// they are the shape). Raises ShapeError for an alpha without axes or that does not broadcast, and
// DTypeError for a dtype that is not a float. Source: jax.random.dirichlet.
Array dirichlet(const typing::Arg& key, const typing::Arg& alpha, const DrawShape& shape = {},
                const FloatOptions& o = {});
// Returns chi-squared numbers, sums of df squared normal numbers: density proportional to x^(df/2 -
// 1) e^(-x/2) for x > 0. df is broadcast to the shape (by default that of df). Raises DTypeError
// for a dtype that is not a float, and ShapeError if df does not broadcast. Source:
// jax.random.chisquare.
Array chisquare(const typing::Arg& key, const typing::Arg& df, const DrawShape& shape = {},
                const FloatOptions& o = {});
// Returns F-distributed numbers (a / dfnum) / (b / dfden), where a and b are chi-squared numbers of
// dfnum and dfden. Both are broadcast to the shape (by default their common shape). Raises
// DTypeError for a dtype that is not a float, and ShapeError if they do not broadcast. Source:
// jax.random.f.
Array f(const typing::Arg& key, const typing::Arg& dfnum, const typing::Arg& dfden,
        const DrawShape& shape = {}, const FloatOptions& o = {});
// Returns numbers of Student's t distribution: density proportional to (1 + x^2 / df)^(-(df + 1) /
// 2). df is broadcast to the shape (by default that of df). Raises DTypeError for a dtype that is
// not a float, and ShapeError if df does not broadcast. Source: jax.random.t.
Array t(const typing::Arg& key, const typing::Arg& df, const DrawShape& shape = {},
        const FloatOptions& o = {});
// Returns numbers with density proportional to exp(-|x|^p). p is broadcast to the shape. For p
// above 15 (127 for F64) they are computed from logarithms of gamma numbers; many of JAX's are 0
// there. Raises ShapeError if p does not broadcast. Source: jax.random.generalized_normal.
Array generalized_normal(const typing::Arg& key, const typing::Arg& p, const Shape& shape = {},
                         const FloatOptions& o = {});
// Returns points (shape, d) uniformly distributed in the unit ball of the p-norm. p is a scalar;
// ShapeError for another p or d < 0. Source: jax.random.ball.
Array ball(const typing::Arg& key, int64_t d, const typing::Arg& p = 2, const Shape& shape = {},
           const FloatOptions& o = {});

// ---- more continuous distributions
// Returns Maxwell numbers, the lengths of vectors of three normal numbers: density sqrt(2 / pi) x^2
// e^(-x^2 / 2) for x >= 0. Raises DTypeError for a dtype that is not a float. Source:
// jax.random.maxwell.
Array maxwell(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// Returns loc + scale m for Maxwell numbers m, half of them negated. If loc and scale have the
// common shape (k…), the result is (shape, k…), or (k…, k…) without a shape, as in JAX. Raises
// DTypeError for a dtype that is not a float, and ShapeError if the parameters do not broadcast.
// Source: jax.random.double_sided_maxwell.
Array double_sided_maxwell(const typing::Arg& key, const typing::Arg& loc, const typing::Arg& scale,
                           const Shape& shape = {}, const FloatOptions& o = {});
// Returns numbers from left to right whose density rises linearly up to mode and then falls
// linearly. All three are broadcast to the shape (by default their common shape). The result is NaN
// where left = right. Raises DTypeError for a dtype that is not a float, and ShapeError if they do
// not broadcast. Source: jax.random.triangular.
Array triangular(const typing::Arg& key, const typing::Arg& left, const typing::Arg& mode,
                 const typing::Arg& right, const DrawShape& shape = {}, const FloatOptions& o = {});
// Returns numbers of the inverse Gaussian distribution: density e^(-(x - mean)^2 / (2 mean^2 x)) /
// sqrt(2 pi x^3) for x > 0. mean > 0 is broadcast to the shape (by default that of mean). Small
// numbers of a large mean are computed as a quotient; JAX computes a difference without correct
// digits. Raises DTypeError for a dtype that is not a float, and ShapeError if mean does not
// broadcast. Source: jax.random.wald.
Array wald(const typing::Arg& key, const typing::Arg& mean, const DrawShape& shape = {},
           const FloatOptions& o = {});
// The options of multivariate_normal.
struct MultivariateNormalOptions {
  // "cholesky"; "eigh" and "svd" also allow a singular covariance.
  std::string method = "cholesky";
};
// Returns normal vectors: mean (…, n), cov (…, n, n) -> (shape, n). The leading axes are broadcast
// to the shape (by default their common shape). With "eigh" and "svd" the signs of the vectors
// depend on those that lax::eigh and lax::svd choose. Raises IndexError for another .method, and
// ShapeError for shapes that do not match. Source: jax.random.multivariate_normal.
Array multivariate_normal(const typing::Arg& key, const typing::Arg& mean, const typing::Arg& cov,
                          const DrawShape& shape = {}, const MultivariateNormalOptions& o = {});
// The options of orthogonal.
struct OrthogonalOptions {
  // The leading axes, before those of the matrices.
  Shape shape = {};
  // The number of columns; by default n.
  std::optional<int64_t> m = {};
  // F32, F64, C64 or C128.
  DType dtype = F32;
};
// Returns uniformly distributed matrices (shape, n, m) with orthonormal columns, or orthonormal
// rows if n < m. Raises ShapeError for a negative size, and DTypeError for another dtype. Source:
// jax.random.orthogonal.
//
//     random::orthogonal(random::key(0), 3, {.m = 2}).shape()  // (3, 2)
Array orthogonal(const typing::Arg& key, int64_t n, const OrthogonalOptions& o = {});

// ---- counts
// Returns the number of trials up to the first success, each trial of probability p: k = 1, 2, …
// with probability p (1 - p)^(k - 1). p is broadcast to the shape (by default that of p). Raises
// DTypeError for a dtype that is not an integer, and ShapeError if p does not broadcast. Source:
// jax.random.geometric.
Array geometric(const typing::Arg& key, const typing::Arg& p, const DrawShape& shape = {},
                const CountOptions& o = {});
// Returns Poisson counts k = 0, 1, … with probability lam^k e^-lam / k!. lam is broadcast to the
// shape (by default that of lam). The computation is in F32; above 2^24 it is in F64 if lam is F64.
// The counts equal JAX's up to lam = 2^13; beyond that JAX's logarithms of densities lose their
// digits. Raises DTypeError for a dtype that is not an integer, and ShapeError if lam does not
// broadcast. Source: jax.random.poisson.
Array poisson(const typing::Arg& key, const typing::Arg& lam, const DrawShape& shape = {},
              const CountOptions& o = {});
// Returns the number of successes in n trials of probability p each, as floats; NaN for n < 0 and p
// < 0. n and p are broadcast to the shape (by default their common shape). The computation is in
// the dtype of p; if p is a C++ number, in .dtype. The counts equal JAX's up to n = 2^13 (2^42 for
// F64). Beyond that JAX's variance is wrong, because its logarithms of densities lose their digits.
// Raises DTypeError for a dtype that is not a float, and ShapeError if n and p do not broadcast.
// Source: jax.random.binomial.
Array binomial(const typing::Arg& key, const typing::Arg& n, const typing::Arg& p,
               const DrawShape& shape = {}, const FloatOptions& o = {});
// The options of multinomial.
struct MultinomialOptions {
  // A float dtype.
  DType dtype = F32;
  // The shape of the result, to which p is broadcast; by default that of p.
  std::optional<Shape> shape = {};
};
// Returns the counts of k outcomes in n trials: probabilities p (…, k) -> counts (…, k). n is
// broadcast to (…). Raises DTypeError for a dtype that is not a float, and ShapeError for a p
// without axes and for shapes that do not broadcast. Source: jax.random.multinomial.
Array multinomial(const typing::Arg& key, const typing::Arg& n, const typing::Arg& p,
                  const MultinomialOptions& o = {});

// ---- choices
struct CategoricalOptions {
  // The axis of the categories.
  int64_t axis = -1;
  std::optional<Shape> shape = {};  // must end in the shape of the logits without the axis
  bool replace = true;              // false: draws along the leading axes of .shape are distinct
  std::string mode = "low";         // as GumbelOptions::mode
};
// Returns indices along an axis drawn with probabilities proportional to e^logits. The index is the
// argmax of the logits plus Gumbel noise. Raises ShapeError for a .shape that does not match.
// Without replacement, ShapeError also if more indices are drawn than there are categories. Raises
// IndexError for another .axis or .mode. Source: jax.random.categorical.
Array categorical(const typing::Arg& key, const typing::Arg& logits,
                  const CategoricalOptions& o = {});
struct PermutationOptions {
  // The axis that is shuffled.
  int64_t axis = 0;
  bool independent = false;  // shuffles each row separately
};
// Returns the numbers 0 … x - 1 in random order if x is a scalar. For an array it shuffles the
// slices along an axis, or with .independent each row separately. Raises DTypeError for a scalar
// that is not an integer, ShapeError for a negative one, and IndexError for an axis that x does not
// have. Source: jax.random.permutation.
//
//     sort(random::permutation(random::key(0), 3))  // array([0, 1, 2], dtype=int32)
Array permutation(const typing::Arg& key, const typing::Arg& x, const PermutationOptions& o = {});
struct ChoiceOptions {
  // True: the same element may be drawn several times.
  bool replace = true;
  // One probability per element; none: equal probabilities.
  std::optional<Array> p = {};
  // The axis of a along which elements are drawn.
  int64_t axis = 0;
  std::string mode = "low";  // as GumbelOptions::mode, for choices with p and without replacement
};
// Draws elements from 0 … a - 1 if a is a scalar, or from an array along an axis. The axis is
// replaced by `shape`: (…, n, …) -> (…, shape, …). Raises DTypeError for a scalar that is not an
// integer, and IndexError for an axis that a does not have. Raises ShapeError for draws from an
// empty axis, for more draws than elements without .replace, and for a .p of another shape. Source:
// jax.random.choice.
//
//     random::choice(random::key(0), array({4, 4}), {3})  // array([4, 4, 4], dtype=int32)
Array choice(const typing::Arg& key, const typing::Arg& a, const Shape& shape = {},
             const ChoiceOptions& o = {});

// Overloads with only the dtype after the shape, as in JAX: random::normal(key, {3}, F64).
#define WEFT_DRAWN(name, Options)                                   \
  template <weft::detail::PlainDType D>                             \
  Array name(const typing::Arg& key, const Shape& shape, D dtype) { \
    return random::name(key, shape, Options{.dtype = dtype});       \
  }
WEFT_DRAWN(bits, BitsOptions)
WEFT_DRAWN(uniform, UniformOptions)
WEFT_DRAWN(rademacher, CountOptions)
WEFT_DRAWN(normal, FloatOptions)
WEFT_DRAWN(exponential, FloatOptions)
WEFT_DRAWN(gumbel, GumbelOptions)
WEFT_DRAWN(laplace, FloatOptions)
WEFT_DRAWN(logistic, FloatOptions)
WEFT_DRAWN(cauchy, FloatOptions)
WEFT_DRAWN(maxwell, FloatOptions)
#undef WEFT_DRAWN
#define WEFT_DRAWN_BY_1(name, Options)                                                        \
  template <weft::detail::PlainDType D>                                                       \
  Array name(const typing::Arg& key, const typing::Arg& a, const DrawShape& shape, D dtype) { \
    return random::name(key, a, shape, Options{.dtype = dtype});                              \
  }
WEFT_DRAWN_BY_1(pareto, FloatOptions)
WEFT_DRAWN_BY_1(rayleigh, FloatOptions)
WEFT_DRAWN_BY_1(lognormal, FloatOptions)
WEFT_DRAWN_BY_1(gamma, FloatOptions)
WEFT_DRAWN_BY_1(loggamma, FloatOptions)
WEFT_DRAWN_BY_1(dirichlet, FloatOptions)
WEFT_DRAWN_BY_1(chisquare, FloatOptions)
WEFT_DRAWN_BY_1(t, FloatOptions)
WEFT_DRAWN_BY_1(wald, FloatOptions)
WEFT_DRAWN_BY_1(geometric, CountOptions)
WEFT_DRAWN_BY_1(poisson, CountOptions)
#undef WEFT_DRAWN_BY_1
#define WEFT_DRAWN_BY_2(name, Options)                                           \
  template <weft::detail::PlainDType D>                                          \
  Array name(const typing::Arg& key, const typing::Arg& a, const typing::Arg& b, \
             const DrawShape& shape, D dtype) {                                  \
    return random::name(key, a, b, shape, Options{.dtype = dtype});              \
  }
WEFT_DRAWN_BY_2(truncated_normal, FloatOptions)
WEFT_DRAWN_BY_2(beta, FloatOptions)
WEFT_DRAWN_BY_2(f, FloatOptions)
WEFT_DRAWN_BY_2(binomial, FloatOptions)
#undef WEFT_DRAWN_BY_2
template <weft::detail::PlainDType D>
Array randint(const typing::Arg& key, const Shape& shape, const typing::Arg& lo,
              const typing::Arg& hi, D dtype) {
  return random::randint(key, shape, lo, hi, RandintOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array weibull_min(const typing::Arg& key, const typing::Arg& scale,
                  const typing::Arg& concentration, const Shape& shape, D dtype) {
  return random::weibull_min(key, scale, concentration, shape, FloatOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array double_sided_maxwell(const typing::Arg& key, const typing::Arg& loc, const typing::Arg& scale,
                           const Shape& shape, D dtype) {
  return random::double_sided_maxwell(key, loc, scale, shape, FloatOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array generalized_normal(const typing::Arg& key, const typing::Arg& p, const Shape& shape,
                         D dtype) {
  return random::generalized_normal(key, p, shape, FloatOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array ball(const typing::Arg& key, int64_t d, const typing::Arg& p, const Shape& shape, D dtype) {
  return random::ball(key, d, p, shape, FloatOptions{.dtype = dtype});
}
template <weft::detail::PlainDType D>
Array triangular(const typing::Arg& key, const typing::Arg& left, const typing::Arg& mode,
                 const typing::Arg& right, const DrawShape& shape, D dtype) {
  return random::triangular(key, left, mode, right, shape, FloatOptions{.dtype = dtype});
}

}  // namespace weft::random

template <>
struct std::tuple_size<weft::random::SplitKeys> : std::integral_constant<size_t, 2> {};
template <size_t I>
struct std::tuple_element<I, weft::random::SplitKeys> {
  using type = weft::Array;
};
