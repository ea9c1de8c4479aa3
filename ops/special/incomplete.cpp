// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/incomplete.cpp: igamma, igammac, igamma_grad_a, random_gamma_grad,
// regularized_incomplete_beta, expn, and logarithms of incomplete functions and of their densities.
#include "weft/lax/incomplete.h"

#include <cmath>

#include "ops/special/incomplete_beta.h"
#include "ops/special/incomplete_gamma.h"
#include "ops/special/log_incomplete.h"

namespace weft {
namespace {

using namespace special;

// ---- the exponential integral E_n(x) = x^(n - 1) Gamma(1 - n, x)

template <class R>
R exponential_integral(double rounding, const R& n, const R& x) {
  const auto wrong =
      either(either(is_nan(n), is_nan(x)), either(either(n < R(0), no(is_whole(n))), x < R(0)));
  const auto vanishes = either(n == R(inf), x == R(inf)), at_zero = x == R(0), zeroth = n == R(0);
  const auto off = either(either(wrong, vanishes), either(at_zero, zeroth));
  const R m = select(off, R(1), n), z = select(off, R(2), x);
  const auto far = z > R(1);
  const R fraction =
      gamma_fraction(rounding, select(far, R(1) - m, R(0)), select(far, z, R(2)), false)[0];
  // (k, (-x)^k / k!, sum of these terms divided by k - n + 1, except the term with k - n + 1 = 0)
  const R y = select(far, R(0), z);
  const auto s = iterate(
      std::array<R, 3>{R(0), R(1), select(m == R(1), R(0), R(1) / (R(1) - m))},
      [&](const auto& v) { return abs(v[1]) > abs(v[2]) * R(rounding); },
      [&](const auto& v) {
        const R k = v[0] + R(1), t = -(v[1] * (y / k)), d = k + R(1) - m;
        return std::array<R, 3>{k, t, v[2] + select(d == R(0), R(0), t / d)};
      });
  const R odd = select(is_whole(R(0.5) * m), R(-1), R(1));
  const R first =
      odd * pow(y, m - R(1)) * exp(-lgamma(m)) * (digamma(m) - log(select(far, R(1), z)));
  const R value = select(far, exp(-z) * fraction, first - s[2]);
  const R end = select(at_zero, select(n < R(2), R(inf), R(1) / (n - R(1))),
                       select(vanishes, R(0), exp(-x) / x));
  return select(wrong, R(nan), select(off, end, value));
}

// ---- densities, for all operands

template <class R>
R density_of_gamma(const R& a, const R& x) {
  const auto wrong = either(either(is_nan(a), is_nan(x)), either(a < R(0), x < R(0)));
  const auto none = either(either(a == R(0), a == R(inf)), x == R(inf));
  const auto off = either(wrong, none);
  const R value = log_gamma_density(select(off, R(1), a), select(off, R(1), x));
  return select(wrong, R(nan), select(none, R(-inf), value));
}
template <class R>
R density_of_beta(const R& a, const R& b, const R& x) {
  const auto wrong = either(either(is_nan(a), either(is_nan(b), is_nan(x))),
                            either(either(a < R(0), b < R(0)), either(x<R(0), x> R(1))));
  const auto none = either(either(a == R(0), a == R(inf)), either(b == R(0), b == R(inf)));
  const auto off = either(wrong, none);
  const R value =
      log_beta_density(select(off, R(1), a), select(off, R(1), b), select(off, R(0.5), x));
  return select(wrong, R(nan), select(none, R(-inf), value));
}

// ---- the ops

// There are few samples because each program is long: one for each shape, a scalar with a full
// shape, and both wide dtypes.
std::vector<Sample<None>> samples_of(size_t n, double lo, double hi) {
  std::vector<Sample<None>> s;
  for (const Type& t : {Type(F64, {24}), Type(F32, {5})}) s.push_back({Types(n, t), {}, lo, hi});
  s.back().in[0] = Type(F32, {});
  return s;
}

std::vector<Sample<None>> gamma_samples() { return samples_of(2, 0.3, 4); }
const Primitive<None>& log_gamma_density_op = define<None>([] {
  auto d = looped<2>("log_gamma_density",
                     "Computes the logarithm of `x^(a - 1) exp(-x) / Gamma(a)`, the density of the "
                     "gamma distribution.",
                     [](double, auto a, auto x) { return density_of_gamma(a, x); });
  d.jvp =
      binary_jvp([](const Array& da, const Array& a, const Array& x,
                    const Array&) { return lax::mul(da, lax::sub(lax::log(x), lax::digamma(a))); },
                 [](const Array& dx, const Array& a, const Array& x, const Array&) {
                   // The numerator is (a - 1) - x, because (a - 1) / x - 1 cancels near x = a.
                   const Array above = lax::sub(lax::sub(a, like(a, 1)), x);
                   return lax::mul(dx, lax::div(above, x));
                 });
  d.samples = gamma_samples;
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}());

const Primitive<None>& log_beta_density_op = define<None>([] {
  auto d = looped<3>("log_beta_density",
                     "Computes the logarithm of `x^(a - 1) (1 - x)^(b - 1) / B(a, b)`, the density "
                     "of the beta distribution.",
                     [](double, auto a, auto b, auto x) { return density_of_beta(a, b, x); });
  d.jvp = [](const JvpArgs<None>& j) {
    using namespace lax;
    const Array &a = j.x[0], &b = j.x[1], &x = j.x[2];
    const Array rest = sub(like(x, 1), x), of_both = digamma(add(a, b));
    const auto slope = [&](size_t k) {
      if (k == 2) return sub(div(sub(a, like(a, 1)), x), div(sub(b, like(b, 1)), rest));
      return k == 0 ? add(log(x), sub(of_both, digamma(a)))
                    : add(log1p(neg(x)), sub(of_both, digamma(b)));
    };
    Array sum;
    for (size_t k = 0; k < 3; ++k) {
      if (j.dx[k].empty_handle()) continue;
      const Array term = mul(broadcast_like(j.dx[k], j.out[0].type()), slope(k));
      sum = sum.empty_handle() ? term : add(sum, term);
    }
    return Arrays{sum};
  };
  d.samples = [] { return samples_of(3, 0.1, 0.9); };
  d.rejects = [] { return std::vector{integers_refused(3)}; };
  return d;
}());

// x^(a - 1) e^log_rest where `end` is true, which means that x is 0. The power is computed
// directly, because its logarithm would contain 0 times infinity.
Array end_of_density(const Array& a, const Array& x, const Array& end, const Array& log_rest) {
  using namespace lax;
  const Type t = log_rest.type();
  const Array one = broadcast_like(like(x, 1), t), wide = broadcast_like(x, t);
  // The exponent is in range where it matters: for a <= 3. Above that, two derivatives are 0.
  const Array scale = exp(min(log_rest, like(log_rest, 80)));
  // A power with exponent 0 is 1 and its derivatives are 0. Otherwise they would be 0 times 1 / 0,
  // which is NaN.
  const Array power = broadcast_like(sub(a, like(a, 1)), t), flat = eq(power, like(power, 0));
  return mul(select(flat, one, pow(select(end, wide, one), select(flat, one, power))), scale);
}
Array gamma_density(const Array& a, const Array& x, const Type& t) {
  using namespace lax;
  const Array z = broadcast_like(x, t), end = eq(z, like(z, 0)),
              one = broadcast_like(like(x, 1), t);
  const Array at_end = end_of_density(a, z, end, neg(add(z, lgamma(a))));
  return select(end, at_end, exp(log_gamma_density_op({a, select(end, one, z)})));
}
Array beta_density(const Array& a, const Array& b, const Array& x, const Type& t) {
  using namespace lax;
  const Array z = broadcast_like(x, t), one = broadcast_like(like(x, 1), t), rest = sub(one, z);
  const Array low = eq(z, like(z, 0)), high = eq(z, one);
  const Array middle = broadcast_like(like(x, 0.5), t);
  const Array log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)));
  // At each end, the logarithm of the other power is finite.
  const auto side = [&](const Array& p, const Array& v, const Array& end, const Array& q) {
    const Array y = select(end, v, middle);
    return end_of_density(p, y, end, sub(mul(sub(q, like(q, 1)), log1p(neg(y))), log_beta));
  };
  const Array inside = exp(log_beta_density_op({a, b, select(bitwise_or(low, high), middle, z)}));
  return select(low, side(a, z, low, b), select(high, side(b, rest, high, a), inside));
}

// Orders 0 to 4, and numbers near 1, where expn switches from one method to the other.
Arrays whole_orders(const Type& t, uint64_t seed) {
  const Type wide(F64, t.shape());
  const Fresh n = fresh_array(wide), x = fresh_array(wide);
  for (int64_t i = 0; i < t.elements(); ++i) {
    const auto k = static_cast<double>(seed % 7) + static_cast<double>(i);
    static_cast<double*>(n.data)[i] = std::fmod(k, 5);
    static_cast<double*>(x.data)[i] = 0.3 + std::fmod(0.37 * k, 3);
  }
  return {base::convert(n.array, t.dtype()), base::convert(x.array, t.dtype())};
}

const Primitive<None>& igamma_grad_a_op = define<None>([] {
  auto d = looped<2>("igamma_grad_a", "Computes the derivative of igamma with respect to a.",
                     [](double e, auto a, auto x) { return gamma_slope(e, a, x, false); });
  d.samples = gamma_samples;
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}());

const Primitive<None>& random_gamma_grad_op = define<None>([] {
  auto d = looped<2>("random_gamma_grad",
                     "Computes the derivative of a sample x of the gamma distribution with respect "
                     "to its parameter a.",
                     [](double e, auto a, auto x) { return gamma_slope(e, a, x, true); });
  d.samples = gamma_samples;
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}());

Def<None> gamma_def(const char* name, const char* doc, bool upper) {
  auto d = looped<2>(
      name, doc, [upper](double e, auto a, auto x) { return incomplete_gamma(e, a, x, {upper}); });
  const auto signed_by = [upper](const Array& t) { return upper ? lax::neg(t) : t; };
  d.jvp = binary_jvp(
      [signed_by](const Array& da, const Array& a, const Array& x, const Array&) {
        return signed_by(lax::mul(da, igamma_grad_a_op({a, x})));
      },
      [signed_by](const Array& dx, const Array& a, const Array& x, const Array& out) {
        return signed_by(lax::mul(dx, gamma_density(a, x, out.type())));
      });
  d.samples = gamma_samples;
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}
const Primitive<None>& igamma_op = define<None>(gamma_def(
    "igamma", "Computes the regularized lower incomplete gamma function P(a, x).", false));
const Primitive<None>& igammac_op = define<None>(gamma_def(
    "igammac", "Computes the regularized upper incomplete gamma function Q(a, x).", true));

Def<None> beta_def(const char* name, const char* doc, bool upper) {
  auto d = looped<3>(name, doc, [upper](double e, auto a, auto b, auto x) {
    return incomplete_beta(e, a, b, x, {upper});
  });
  d.jvp = [upper](const JvpArgs<None>& j) {
    if (!j.dx[0].empty_handle() || !j.dx[1].empty_handle())
      throw DifferentiationError(
          "betainc: there is a derivative by x alone, none by a or b, as in JAX");
    const Array slope = beta_density(j.x[0], j.x[1], j.x[2], j.out[0].type());
    return Arrays{lax::mul(j.dx[2], upper ? lax::neg(slope) : slope)};
  };
  d.samples = [] { return samples_of(3, 0.1, 0.9); };
  d.rejects = [] { return std::vector{integers_refused(3)}; };
  return d;
}
const Primitive<None>& betainc_op = define<None>(
    beta_def("regularized_incomplete_beta",
             "Computes the regularized incomplete beta function of a, b and x.", false));
const Primitive<None>& betaincc_op = define<None>(beta_def(
    "betaincc", "Computes 1 minus the regularized incomplete beta function of a, b and x.", true));

// ---- logarithms

Def<None> log_gamma_def(const char* name, const char* doc, bool upper) {
  auto d = looped<2>(name, doc, [upper](double e, auto a, auto x) {
    return incomplete_gamma(e, a, x, {upper, true});
  });
  // The density divided by the function. The derivative with respect to a uses the derivative of a
  // sample.
  const auto ratio = [upper](const Array& a, const Array& x, const Array& out) {
    const Array r = lax::exp(lax::sub(log_gamma_density_op({a, x}), out));
    return upper ? lax::neg(r) : r;
  };
  d.jvp = binary_jvp(
      [ratio](const Array& da, const Array& a, const Array& x, const Array& out) {
        return lax::neg(lax::mul(da, lax::mul(random_gamma_grad_op({a, x}), ratio(a, x, out))));
      },
      [ratio](const Array& dx, const Array& a, const Array& x, const Array& out) {
        return lax::mul(dx, ratio(a, x, out));
      });
  d.samples = gamma_samples;
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}
const Primitive<None>& log_igamma_op =
    define<None>(log_gamma_def("log_igamma", "Computes the logarithm of igamma, P(a, x).", false));
const Primitive<None>& log_igammac_op =
    define<None>(log_gamma_def("log_igammac", "Computes the logarithm of igammac, Q(a, x).", true));

Def<None> log_beta_def(const char* name, const char* doc, bool upper) {
  auto d = looped<3>(name, doc, [upper](double e, auto a, auto b, auto x) {
    return incomplete_beta(e, a, b, x, {upper, true});
  });
  d.jvp = [upper](const JvpArgs<None>& j) {
    if (!j.dx[0].empty_handle() || !j.dx[1].empty_handle())
      throw DifferentiationError(
          "betainc: there is a derivative of its logarithm by x alone, none by a or b, as in JAX");
    const Array r = lax::exp(lax::sub(log_beta_density_op({j.x[0], j.x[1], j.x[2]}), j.out[0]));
    return Arrays{lax::mul(j.dx[2], upper ? lax::neg(r) : r)};
  };
  d.samples = [] { return samples_of(3, 0.1, 0.9); };
  d.rejects = [] { return std::vector{integers_refused(3)}; };
  return d;
}
const Primitive<None>& log_betainc_op = define<None>(log_beta_def(
    "log_betainc",
    "Computes the logarithm of the regularized incomplete beta function of a, b and x.", false));
const Primitive<None>& log_betaincc_op = define<None>(log_beta_def(
    "log_betaincc",
    "Computes the logarithm of 1 minus the regularized incomplete beta function of a, b and x.",
    true));

const Primitive<None>& expn_op = define<None>([] {
  auto d = looped<2>("expn",
                     "Computes the exponential integral E_n(x), the integral of `exp(-x t) / t^n` "
                     "from t = 1 to infinity.",
                     [](double e, auto n, auto x) { return exponential_integral(e, n, x); });
  d.jvp = [](const JvpArgs<None>& j) {
    using namespace lax;
    if (!j.dx[0].empty_handle())
      throw DifferentiationError(
          "expn: there is a derivative by x alone, none by the order, as in JAX");
    const Array &n = j.x[0], &x = j.x[1];
    // The derivative of E_0 = e^-x / x is -E_-1, where E_-1 = e^-x (1 + x) / x^2.
    const Type t = j.out[0].type();
    const Array m = broadcast_like(n, t), one = broadcast_like(like(n, 1), t);
    const Array zeroth = eq(m, like(m, 0));
    const Array inverse = div(one, select(zeroth, broadcast_like(x, t), one));
    const Array last = mul(exp(neg(x)), add(inverse, square(inverse)));
    const Array next = expn(sub(select(zeroth, one, m), one), x);
    const Array slope = select(zeroth, broadcast_like(last, t), next);
    return Arrays{neg(mul(j.dx[1], slope))};
  };
  d.samples = [] {
    std::vector<Sample<None>> s;
    for (const Type& t : {Type(F64, {12}), Type(F32, {2, 3}), Type(F32, {0})})
      s.push_back({{t, t}, {}, 0.3, 4, [t](uint64_t seed) { return whole_orders(t, seed); }});
    return s;
  };
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}());

}  // namespace

namespace lax {
Array igamma(const Arg& a, const Arg& x) {
  const SourceScope s(a.at());
  return igamma_op({a, x});
}
Array igammac(const Arg& a, const Arg& x) {
  const SourceScope s(a.at());
  return igammac_op({a, x});
}
Array igamma_grad_a(const Arg& a, const Arg& x) {
  const SourceScope s(a.at());
  return igamma_grad_a_op({a, x});
}
Array random_gamma_grad(const Arg& a, const Arg& x) {
  const SourceScope s(a.at());
  return random_gamma_grad_op({a, x});
}
Array expn(const Arg& n, const Arg& x) {
  const SourceScope s(n.at());
  return expn_op({n, x});
}
Array betainc(const Arg& a, const Arg& b, const Arg& x) {
  const SourceScope s(a.at());
  return betainc_op({a, b, x});
}
}  // namespace lax

namespace ir {
Array log_igamma(const Array& a, const Array& x) { return log_igamma_op({a, x}); }
Array log_igammac(const Array& a, const Array& x) { return log_igammac_op({a, x}); }
Array betaincc(const Array& a, const Array& b, const Array& x) { return betaincc_op({a, b, x}); }
Array log_betainc(const Array& a, const Array& b, const Array& x) {
  return log_betainc_op({a, b, x});
}
Array log_betaincc(const Array& a, const Array& b, const Array& x) {
  return log_betaincc_op({a, b, x});
}
}  // namespace ir

}  // namespace weft
