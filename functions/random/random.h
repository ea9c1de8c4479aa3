// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/random.h: random numbers from keys: the same bits as jax.random with threefry,
// or with "rbg".
//
// A key is used once: split it, one part for each use.
#pragma once
#include <array>

#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

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
  // "threefry2x32", or "rbg": what is drawn with such keys comes of Philox, each lane's as it would
  // come alone (JAX draws those of all lanes of a vmap with the first key). IndexError for another.
  std::string impl = "threefry2x32";
};
// What key(seed) calls; for users that is the one to write. Source: jax.random.key.
Array key_of(int64_t seed, const KeyOptions& o, typing::Location at);
// The key of a seed. IndexError for another .impl. Source: jax.random.key.
template <ir::Integer I>
Array key(I seed, const KeyOptions& o = {}, typing::Location at = typing::Location::here()) {
  return key_of(static_cast<int64_t>(seed), o, at);
}
// The same of a seed that is an Array: a scalar of integers. DTypeError or ShapeError else. Source:
// jax.random.key.
Array key(const typing::Arg& seed, const KeyOptions& o = {});
// Independent keys from a key, which is then used up: n of them, an array of the shape, or without
// a number two, as auto [a, b] = split(key). DTypeError for what is no key, ShapeError for several
// keys or a negative n. Source: jax.random.split.
//
//     random::split(random::key(0), 3).shape()  // (3,)
Array split(const typing::Arg& key, int64_t n);
Array split(const typing::Arg& key, const Shape& shape);
// The same one by one: auto [a, b] = split<2>(key).
template <size_t n>
std::array<Array, n> split(const typing::Arg& key) {
  const Array keys = random::split(key, static_cast<int64_t>(n));
  std::array<Array, n> each;
  for (size_t i = 0; i < n; ++i) each[i] = keys[typing::Index(static_cast<int64_t>(i), key.at())];
  return each;
}
// What split(key) gives: an Array of two keys that also comes apart, auto [a, b] = split(key).
class SplitKeys : public Array {
 public:
  explicit SplitKeys(Array keys) : Array(std::move(keys)) {}
  template <size_t I>
  Array get() const {
    return (*this)[typing::Index(static_cast<int64_t>(I))];
  }
};
inline SplitKeys split(const typing::Arg& key) { return SplitKeys(random::split(key, int64_t{2})); }
// A key from a key and an integer, such as the number of a step, which is taken as U32. DTypeError
// for what is no key and for data that is no integer scalar, ShapeError for several keys. Source:
// jax.random.fold_in.
Array fold_in(const typing::Arg& key, const typing::Arg& data);
// The two words of each key, keys (…) -> u32[…, 2], or four of "rbg". Source: jax.random.key_data.
//
//     random::key_data(random::key(7))  // array([0, 7], dtype=uint32)
Array key_data(const typing::Arg& key);
// The keys that have these words, u32[…, 2]; of "rbg" u32[…, 4], the first two twice, which must be
// known. ShapeError, DTypeError, ConcretizationError for others, IndexError for another .impl.
// Source: jax.random.wrap_key_data.
Array wrap_key_data(const typing::Arg& words, const KeyOptions& o = {});
// The key itself: that a key is used once is not checked, so that nothing has to be cloned. Source:
// jax.random.clone.
Array clone(const typing::Arg& key);
// The name of the generator of keys: "threefry2x32" or "rbg". DTypeError for what is no key.
// Source: jax.random.key_impl.
//
//     random::key_impl(random::key(0))  // threefry2x32
std::string key_impl(const typing::Arg& key);
// The words of a key, as key_data has them. IndexError for another .impl. Source:
// jax.random.PRNGKey.
template <ir::Integer I>
Array PRNGKey(I seed, const KeyOptions& o = {}, typing::Location at = typing::Location::here()) {
  return key_data(typing::Arg(key_of(static_cast<int64_t>(seed), o, at), at));
}

// ---- bits and uniform numbers
struct BitsOptions {
  // An unsigned one.
  DType dtype = U32;
};
// Random bits as unsigned integers of the shape, each number as likely as any other. DTypeError for
// what is no key and for a dtype that is not unsigned, ShapeError for several keys. Source:
// jax.random.bits.
Array bits(const typing::Arg& key, const Shape& shape = {}, const BitsOptions& o = {});
struct UniformOptions {
  // A float.
  DType dtype = F32;
  Array lo = 0., hi = 1.;                                                  // in [lo, hi)
  weft::detail::NoOption<weft::detail::LoAndHi> minval = {}, maxval = {};  // JAX's names of these
};
// Uniform numbers in [lo, hi), by default [0, 1), of the shape, to which lo and hi are broadcast;
// of lo = hi that number. What JAX's sum rounds up to hi is the number below hi, and a span beyond
// the dtype's range is halved on the way, where JAX draws infinities. DTypeError for a dtype that
// is no float, ShapeError if they do not broadcast and for several keys. Source:
// jax.random.uniform.
//
//     random::uniform(random::key(0), {2, 3}).shape()  // (2, 3)
Array uniform(const typing::Arg& key, const Shape& shape = {}, const UniformOptions& o = {});
// The same of numbers in [lo, hi), F32.
inline Array uniform(const typing::Arg& key, const Shape& shape, const typing::Arg& lo,
                     const typing::Arg& hi) {
  return uniform(key, shape, {.lo = lo, .hi = hi});
}
struct RandintOptions {
  // An integer one, to whose range the bounds are cut.
  DType dtype = I32;
};
// Uniform integers in [lo, hi) of the shape, to which lo and hi are broadcast; lo where hi <= lo.
// DTypeError for bounds and a dtype that are no integers, ShapeError if the bounds do not broadcast
// and for several keys. Source: jax.random.randint.
//
//     random::randint(random::key(0), {2}, 5, 6)  // array([5, 5], dtype=int32)
Array randint(const typing::Arg& key, const Shape& shape, const typing::Arg& lo,
              const typing::Arg& hi, const RandintOptions& o = {});
// The shape of what is drawn; left out: that of the parameters.
struct DrawShape {
  std::optional<Shape> given = {};
  DrawShape() = default;
  DrawShape(const Shape& s) : given(s) {}
  DrawShape(std::initializer_list<int64_t> sizes, typing::Location at = typing::Location::here())
      : given(Shape(sizes, at)) {}
  Shape value_or(const Shape& s) const { return given.value_or(s); }
};
struct BernoulliOptions {
  std::string mode = "low";  // "high": exact for small p, too, by twice as many bits
};
// true with probability p, a float, which is broadcast to the shape (default: that of p).
// DTypeError for another p, as an integer, ShapeError if it does not broadcast, IndexError for
// another .mode. Source: jax.random.bernoulli.
//
//     random::bernoulli(random::key(0), array({0., 1.}))  // array([False,  True])
Array bernoulli(const typing::Arg& key, const typing::Arg& p = 0.5, const DrawShape& shape = {},
                const BernoulliOptions& o = {});
struct CountOptions {
  // An integer one; of rademacher any of signed numbers.
  DType dtype = I32;
};
// -1 or 1, of any dtype of signed numbers. Source: jax.random.rademacher.
Array rademacher(const typing::Arg& key, const Shape& shape = {}, const CountOptions& o = {});

// ---- continuous distributions
struct FloatOptions {
  // A float; of normal and lognormal also complex.
  DType dtype = F32;
  // The standard numbers are scaled and moved by operators.
  weft::detail::NoOption<weft::detail::ScaleAndMove> mean = {}, stddev = {}, loc = {}, scale = {};
};
// Normal numbers of the shape, of mean 0 and variance 1: density e^(-x^2 / 2) / sqrt(2 pi). The
// real and imaginary parts of complex ones have variance 1/2 each. DTypeError for other dtypes and
// what is no key, ShapeError for several keys. Source: jax.random.normal.
Array normal(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// Normal numbers of mean 0 and variance 1 on condition that they lie between lower and upper, which
// are broadcast to the shape (default: theirs together). The numbers are JAX's where the interval
// reaches into [-3, 3] (F64 [-6, 6], F16 and BF16 [-2, 2]). In the tails beyond, where JAX has few
// different numbers, and from 5.4 on none, the logarithm of the tail is inverted. DTypeError for a
// dtype that is no float, ShapeError if they do not broadcast. Source: jax.random.truncated_normal.
Array truncated_normal(const typing::Arg& key, const typing::Arg& lower, const typing::Arg& upper,
                       const DrawShape& shape = {}, const FloatOptions& o = {});
// Exponential numbers of the shape, of mean 1: density e^-x for x >= 0. DTypeError for a dtype that
// is no float. Source: jax.random.exponential.
Array exponential(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
struct GumbelOptions {
  // A float.
  DType dtype = F32;
  // "high" and (of F32) "highest": more of the rare large numbers, by twice as many bits.
  std::string mode = "low";
};
// -log(-log(u)) of uniform u, of the shape: density e^(-x - e^-x). DTypeError for a dtype that is
// no float, IndexError for another .mode. Source: jax.random.gumbel.
Array gumbel(const typing::Arg& key, const Shape& shape = {}, const GumbelOptions& o = {});
// Numbers of the shape with density e^-|x| / 2. DTypeError for a dtype that is no float. Source:
// jax.random.laplace.
Array laplace(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// log(u / (1 - u)) of uniform u, of the shape: density e^-x / (1 + e^-x)^2. DTypeError for a dtype
// that is no float. Source: jax.random.logistic.
Array logistic(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// Numbers of the shape with density 1 / (pi (1 + x^2)). DTypeError for a dtype that is no float.
// Source: jax.random.cauchy.
Array cauchy(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// Numbers with density b x^(-b - 1) for x >= 1; b > 0 is broadcast to the shape (default: that of
// b). DTypeError for a dtype that is no float, ShapeError if b does not broadcast. Source:
// jax.random.pareto.
Array pareto(const typing::Arg& key, const typing::Arg& b, const DrawShape& shape = {},
             const FloatOptions& o = {});
// Numbers with density x / scale^2 e^(-x^2 / (2 scale^2)) for x >= 0; scale is broadcast to the
// shape (default: that of scale). None is infinite, as JAX's is where its uniform number is 0.
// DTypeError for a dtype that is no float, ShapeError if it does not broadcast. Source:
// jax.random.rayleigh.
Array rayleigh(const typing::Arg& key, const typing::Arg& scale, const DrawShape& shape = {},
               const FloatOptions& o = {});
// scale (-log(1 - u))^(1 / concentration) of uniform u of the shape: with c = concentration > 0 and
// s = scale > 0 density c / s (x / s)^(c - 1) e^(-(x / s)^c) for x >= 0. The result has the shape
// of u and both parameters together: of parameters with more axes than the shape all share one u,
// so the shape should be given. DTypeError for a dtype that is no float, ShapeError if they do not
// go together. Source: jax.random.weibull_min.
Array weibull_min(const typing::Arg& key, const typing::Arg& scale,
                  const typing::Arg& concentration, const Shape& shape = {},
                  const FloatOptions& o = {});
// e^(sigma z) of normal z: density e^(-(log x)^2 / (2 sigma^2)) / (x sigma sqrt(2 pi)) for x > 0;
// sigma is broadcast to the shape (default: that of sigma). DTypeError for a dtype that is no float
// nor complex, ShapeError if it does not broadcast. Source: jax.random.lognormal.
Array lognormal(const typing::Arg& key, const typing::Arg& sigma = 1., const DrawShape& shape = {},
                const FloatOptions& o = {});

// ---- distributions made of the gamma distribution. Derivatives by a (df, …) are those of samples
// Numbers with density x^(a - 1) e^-x / Gamma(a) for x > 0; a > 0 is broadcast to the shape
// (default: that of a). Numbers are JAX's up to a = 2^13 (F64 2^42); beyond, JAX's choice of
// numbers loses its digits, and its variance is too small. Its derivative by a is that of a sample
// (implicit reparametrisation; Figurnov, Mohamed and Mnih, 2018). DTypeError for a dtype that is no
// float, ShapeError if a does not broadcast. Source: jax.random.gamma.
Array gamma(const typing::Arg& key, const typing::Arg& a, const DrawShape& shape = {},
            const FloatOptions& o = {});
// The logarithms of such numbers as gamma draws, also where those of a small a would be 0. Source:
// jax.random.loggamma.
Array loggamma(const typing::Arg& key, const typing::Arg& a, const DrawShape& shape = {},
               const FloatOptions& o = {});
// Numbers in [0, 1] with density proportional to x^(a - 1) (1 - x)^(b - 1); a, b > 0 are broadcast
// to the shape (default: theirs together). Of parameters beyond 2^26 they are quotients of gamma
// numbers, not of rounded logarithms as in JAX. DTypeError for a dtype that is no float, ShapeError
// if they do not broadcast. Source: jax.random.beta.
Array beta(const typing::Arg& key, const typing::Arg& a, const typing::Arg& b,
           const DrawShape& shape = {}, const FloatOptions& o = {});
// Vectors of n numbers that add up to 1, with density proportional to the product of x_i^(alpha_i -
// 1): alpha (…, n) -> (shape, n), to whose shape its axes before are broadcast (default: these).
// ShapeError for an alpha without axes or that does not broadcast, DTypeError for a dtype that is
// no float. Source: jax.random.dirichlet.
Array dirichlet(const typing::Arg& key, const typing::Arg& alpha, const DrawShape& shape = {},
                const FloatOptions& o = {});
// Sums of df squares of normal numbers: density proportional to x^(df/2 - 1) e^(-x/2) for x > 0; df
// is broadcast to the shape (default: that of df). DTypeError for a dtype that is no float,
// ShapeError if it does not broadcast. Source: jax.random.chisquare.
Array chisquare(const typing::Arg& key, const typing::Arg& df, const DrawShape& shape = {},
                const FloatOptions& o = {});
// (a / dfnum) / (b / dfden) of chisquare numbers a of dfnum and b of dfden; both are broadcast to
// the shape (default: theirs together). DTypeError for a dtype that is no float, ShapeError if they
// do not broadcast. Source: jax.random.f.
Array f(const typing::Arg& key, const typing::Arg& dfnum, const typing::Arg& dfden,
        const DrawShape& shape = {}, const FloatOptions& o = {});
// Student's distribution: density proportional to (1 + x^2 / df)^(-(df + 1) / 2); df is broadcast
// to the shape (default: that of df). DTypeError for a dtype that is no float, ShapeError if it
// does not broadcast. Source: jax.random.t.
Array t(const typing::Arg& key, const typing::Arg& df, const DrawShape& shape = {},
        const FloatOptions& o = {});
// Density proportional to exp(-|x|^p); p is broadcast to the shape. For p beyond 15 (F64 127) by
// logarithms of gamma numbers, many of which are 0 in JAX. ShapeError if p does not broadcast.
// Source: jax.random.generalized_normal.
Array generalized_normal(const typing::Arg& key, const typing::Arg& p, const Shape& shape = {},
                         const FloatOptions& o = {});
// Points (shape, d) of the ball of the p-norm; p is a scalar. ShapeError for another or d < 0.
// Source: jax.random.ball.
Array ball(const typing::Arg& key, int64_t d, const typing::Arg& p = 2, const Shape& shape = {},
           const FloatOptions& o = {});

// ---- more continuous distributions
// Lengths of vectors of three normal numbers, of the shape: density sqrt(2 / pi) x^2 e^(-x^2 / 2)
// for x >= 0. DTypeError for a dtype that is no float. Source: jax.random.maxwell.
Array maxwell(const typing::Arg& key, const Shape& shape = {}, const FloatOptions& o = {});
// loc + scale m of Maxwell numbers m, half of them negated. loc and scale, of shape (k…) together,
// give (shape, k…), or (k…, k…) without a shape, as in JAX. DTypeError for a dtype that is no
// float, ShapeError if the parameters do not go together. Source: jax.random.double_sided_maxwell.
Array double_sided_maxwell(const typing::Arg& key, const typing::Arg& loc, const typing::Arg& scale,
                           const Shape& shape = {}, const FloatOptions& o = {});
// Numbers from left to right whose density rises in a straight line up to mode and falls behind it;
// all three are broadcast to the shape (default: theirs together). NaN where left = right.
// DTypeError for a dtype that is no float, ShapeError if they do not broadcast. Source:
// jax.random.triangular.
Array triangular(const typing::Arg& key, const typing::Arg& left, const typing::Arg& mode,
                 const typing::Arg& right, const DrawShape& shape = {}, const FloatOptions& o = {});
// The inverse Gaussian distribution: density e^(-(x - mean)^2 / (2 mean^2 x)) / sqrt(2 pi x^3) for
// x > 0; mean > 0 is broadcast to the shape (default: that of mean). A small number of a large
// mean, which in JAX is a difference without digits, is a quotient. DTypeError for a dtype that is
// no float, ShapeError if it does not broadcast. Source: jax.random.wald.
Array wald(const typing::Arg& key, const typing::Arg& mean, const DrawShape& shape = {},
           const FloatOptions& o = {});
// How multivariate_normal factors the covariance.
struct MultivariateNormalOptions {
  // "cholesky"; "eigh" and "svd" take singular ones, too.
  std::string method = "cholesky";
};
// Vectors of normal numbers: mean (…, n), cov (…, n, n) -> (shape, n), to whose shape the axes
// before are broadcast (default: these together). The vectors of "eigh" and "svd" have the signs
// that lax::eigh and lax::svd give them. IndexError for another .method, ShapeError for shapes that
// do not fit. Source: jax.random.multivariate_normal.
Array multivariate_normal(const typing::Arg& key, const typing::Arg& mean, const typing::Arg& cov,
                          const DrawShape& shape = {}, const MultivariateNormalOptions& o = {});
// The form of orthogonal.
struct OrthogonalOptions {
  // Of the axes before those of the matrices.
  Shape shape = {};
  // How many columns; n.
  std::optional<int64_t> m = {};
  // F32, F64, C64 or C128.
  DType dtype = F32;
};
// Matrices (shape, n, m) with orthonormal columns, or rows where n < m, uniformly of all such ones.
// ShapeError for a negative size, DTypeError for another dtype. Source: jax.random.orthogonal.
//
//     random::orthogonal(random::key(0), 3, {.m = 2}).shape()  // (3, 2)
Array orthogonal(const typing::Arg& key, int64_t n, const OrthogonalOptions& o = {});

// ---- counts
// Numbers of trials up to the first success, each of probability p: k = 1, 2, … with probability p
// (1 - p)^(k - 1); p is broadcast to the shape (default: that of p). DTypeError for a dtype that is
// no integer, ShapeError if p does not broadcast. Source: jax.random.geometric.
Array geometric(const typing::Arg& key, const typing::Arg& p, const DrawShape& shape = {},
                const CountOptions& o = {});
// Counts k = 0, 1, … with probability lam^k e^-lam / k!; lam is broadcast to the shape (default:
// that of lam). Computed in F32, beyond 2^24 in F64 if lam is of F64. The counts are JAX's up to
// lam = 2^13; beyond, JAX's logarithms of densities lose their digits. DTypeError for a dtype that
// is no integer, ShapeError if lam does not broadcast. Source: jax.random.poisson.
Array poisson(const typing::Arg& key, const typing::Arg& lam, const DrawShape& shape = {},
              const CountOptions& o = {});
// Numbers of successes in n trials of probability p each, as floats; NaN for n < 0 and p < 0. n and
// p are broadcast to the shape (default: theirs together). Computed in the dtype of p, which a
// number of C++ takes from .dtype. The counts are JAX's up to n = 2^13 (F64 2^42); beyond, JAX's
// variance is wrong, as its logarithms of densities lose their digits. DTypeError for a dtype that
// is no float, ShapeError if they do not broadcast. Source: jax.random.binomial.
Array binomial(const typing::Arg& key, const typing::Arg& n, const typing::Arg& p,
               const DrawShape& shape = {}, const FloatOptions& o = {});
// The form of multinomial.
struct MultinomialOptions {
  // A float.
  DType dtype = F32;
  // Of the result, to which p is broadcast; that of p.
  std::optional<Shape> shape = {};
};
// How often each of k outcomes comes in n trials: probabilities p (…, k) -> counts (…, k); n is
// broadcast to (…). DTypeError for a dtype that is no float, ShapeError for a p without axes and
// shapes that do not broadcast. Source: jax.random.multinomial.
Array multinomial(const typing::Arg& key, const typing::Arg& n, const typing::Arg& p,
                  const MultinomialOptions& o = {});

// ---- choices
struct CategoricalOptions {
  // The axis of the categories.
  int64_t axis = -1;
  std::optional<Shape> shape = {};  // ends in the shape of the logits without the axis
  bool replace = true;              // false: different ones along the axes before that ending
  std::string mode = "low";         // as GumbelOptions::mode
};
// Indices along an axis, drawn with probabilities proportional to e^logits: the largest of logits
// and Gumbel noise. ShapeError for another .shape or, without replacement, more of them than there
// are, IndexError for another .axis or .mode. Source: jax.random.categorical.
Array categorical(const typing::Arg& key, const typing::Arg& logits,
                  const CategoricalOptions& o = {});
struct PermutationOptions {
  // The axis that is shuffled.
  int64_t axis = 0;
  bool independent = false;  // shuffles each row by itself
};
// The numbers 0 … x - 1 in random order, of a scalar x; of an array its parts along an axis in
// random order, or with .independent each row in its own. DTypeError for a scalar that is no
// integer, ShapeError for a negative one, IndexError for an axis that x has not. Source:
// jax.random.permutation.
//
//     sort(random::permutation(random::key(0), 3))  // array([0, 1, 2], dtype=int32)
Array permutation(const typing::Arg& key, const typing::Arg& x, const PermutationOptions& o = {});
struct ChoiceOptions {
  // The same element may be drawn again.
  bool replace = true;
  // Probabilities, one an element; none: equal ones.
  std::optional<Array> p = {};
  // The axis along which a is drawn from.
  int64_t axis = 0;
  std::string mode = "low";  // as GumbelOptions::mode, of choices without replacement by p
};
// Elements drawn from 0 … a - 1, of a scalar a, or from an array along an axis, whose place `shape`
// takes: (…, n, …) -> (…, shape, …). DTypeError for a scalar that is no integer, ShapeError for
// draws from nothing, more of them than there are elements without .replace, and a .p of another
// shape, IndexError for an axis that a has not. Source: jax.random.choice.
//
//     random::choice(random::key(0), array({4, 4}), {3})  // array([4, 4, 4], dtype=int32)
Array choice(const typing::Arg& key, const typing::Arg& a, const Shape& shape = {},
             const ChoiceOptions& o = {});

// The dtype alone behind the shape, as JAX has it: random::normal(key, {3}, F64).
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
