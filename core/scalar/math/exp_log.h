// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/exp_log.h: exponentials, logarithms, and powers with one argument, over float,
// double, Ir<float>, Ir<double>. The minimax polynomials were fitted for Weft (Remez, coefficients
// rounded one at a time).
#pragma once
#include "core/scalar/number.h"

namespace weft::math {
using namespace num;
using num::sqrt;  // this namespace also has overloads for complex numbers

namespace detail {

template <class R>
inline constexpr bool single = sizeof(scalar_t<R>) == 4;
template <Real R>
R constant(double single_value, double double_value) {
  return R(static_cast<scalar_t<R>>(single<R> ? single_value : double_value));
}
template <Real R>
R infinity() {
  return R(std::numeric_limits<scalar_t<R>>::infinity());
}
template <Real R>
R not_a_number() {
  return R(std::numeric_limits<scalar_t<R>>::quiet_NaN());
}
template <class R>
inline constexpr int mantissa_bits = single<R> ? 23 : 52;
template <class R>
inline constexpr int bias = single<R> ? 127 : 1023;
template <Real R, class B>
uint_of<R> bits(B b) {
  return uint_of<R>(static_cast<scalar_t<uint_of<R>>>(b));
}

// Adding 3/2 * 2^mantissa_bits rounds to an integer (ties to even) and puts it into the low bits of
// the sum. `shift_left(bits, mantissa_bits)` then gives a power of two. `offset` is added to those
// bits; for 2^n it is the exponent bias.
template <Real R>
R rounder(int offset = 0) {
  return constant<R>(0x1.8p23, 0x1.8p52) + R(static_cast<scalar_t<R>>(offset));
}
template <Real R>
R power_of_two(R rounded) {
  return bitcast<scalar_t<R>>(shift_left(bitcast<uint_of<R>>(rounded), bits<R>(mantissa_bits<R>)));
}

// a + b without error, as a rounded sum and its rounding error (Knuth).
template <Real R>
struct Sum {
  R hi, lo;
};
template <Real R>
Sum<R> two_sum(R a, R b) {
  const R s = a + b, bb = s - a;
  return {s, (a - (s - bb)) + (b - bb)};
}
// The same sum if |a| >= |b| (Dekker).
template <Real R>
Sum<R> fast_two_sum(R a, R b) {
  const R s = a + b;
  return {s, b - (s - a)};
}

// x - n*c for c = hi + lo. Only one rounding occurs unless |x - n*c| is tiny (Cody and Waite).
template <Real R>
R reduce(R x, R n, R hi, R lo) {
  return fma(n, -lo, fma(n, -hi, x));
}
template <Real R>
R ln2_hi() {
  return constant<R>(0x1.62e43p-1, 0x1.62e42fefa39efp-1);
}
template <Real R>
R ln2_lo() {
  return constant<R>(-0x1.05c61p-29, 0x1.abc9e3b39803fp-56);
}

// e^r for |r| <= ln 2.
template <Real R>
R exp_poly(R r) {
  if constexpr (single<R>)
    return horner(r, 0x1.73e5dp-13, 0x1.71ed46p-10, 0x1.11c08ap-7, 0x1.554976p-5, 0x1.55526cp-3,
                  0x1.00000cp-1, 0x1.000006p+0, 1.0);
  else
    return horner(r, 0x1.96a221d497dc9p-37, 0x1.642f90b11b685p-33, 0x1.1eeb5cb7a38e8p-29,
                  0x1.ae5ff146a1226p-26, 0x1.27e4fd14bebeap-22, 0x1.71de3d9060d44p-19,
                  0x1.a01a019ed4d95p-16, 0x1.a01a019d8f3d4p-13, 0x1.6c16c16c1744cp-10,
                  0x1.111111111217fp-7, 0x1.5555555555552p-5, 0x1.555555555554ap-3, 0.5, 1.0, 1.0);
}
// 2^r for |r| <= 1 (float: 1/2).
template <Real R>
R exp2_poly(R r) {
  if constexpr (single<R>)
    return horner(r, 0x1.416b52p-13, 0x1.5f082ep-10, 0x1.3b2dep-7, 0x1.c6af7cp-5, 0x1.ebfbdcp-3,
                  0x1.62e43p-1, 1.0);
  else
    return horner(r, 0x1.638705d062d27p-40, 0x1.c79721bca6e3ep-36, 0x1.e9303d8740384p-32,
                  0x1.e4ca84c0bd6cp-28, 0x1.b524bd7a06699p-24, 0x1.62c025205683bp-20,
                  0x1.ffcbfcf1e65bdp-17, 0x1.430912f6b25p-13, 0x1.5d87fe784cf44p-10,
                  0x1.3b2ab6fba5cdfp-7, 0x1.c6b08d704a65cp-5, 0x1.ebfbdff82c586p-3,
                  0x1.62e42fefa39ecp-1, 1.0);
}
// e^r for floats and half that range of r. Here r and the steps have rounding errors well below an
// ULP.
template <Real R>
R exp_near(R r) {
  return horner(r, 0x1.6a492ep-10, 0x1.12399ep-7, 0x1.5558b4p-5, 0x1.555492p-3, 0x1.fffffcp-2, 1.0,
                1.0);
}
// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2.
template <Real R>
R expm1_bend(R r) {
  if constexpr (single<R>)
    return horner(r, 0x1.3b8a9p-13, 0x1.6d2e48p-10, 0x1.1155a8p-7, 0x1.555502p-5, 0x1.55552cp-3,
                  0.5);
  else
    return horner(r, 0x1.1f29af6ac6854p-29, 0x1.af5dd99b8fba6p-26, 0x1.27e4fa2fa107fp-22,
                  0x1.71ddf9090d135p-19, 0x1.a01a019fd8409p-16, 0x1.a01a01af9e531p-13,
                  0x1.6c16c16c16205p-10, 0x1.111111110f6f6p-7, 0x1.5555555555559p-5,
                  0x1.5555555555559p-3, 0.5);
}
// e^r - 1 for |r| <= ln(2)/2.
template <Real R>
R expm1_poly(R r) {
  return fma(r * r, expm1_bend(r), r);
}

// e^(x + tail) as p * s * t with s and t powers of two, so that subnormal or overflowing results
// are rounded only once. For doubles, x = 2h ln 2 + r and s = t = 2^h. A tail is about as large as
// an ulp of x. The upper clamp leaves room for factors much smaller than 1.
template <Real R>
struct Scaled {
  R p, s, t;
  R value() const { return p * s * t; }
};
// For floats: n = round(x c), and 2^n as the product of two powers, one below and one above 1.
template <Real R>
Scaled<R> whole_powers(R x, R c) {
  const mask_t<R> below = x < R(0);
  const R shifter = select(below, rounder<R>(bias<R> + 64), rounder<R>(bias<R> - 64));
  const R t = fma(x, c, shifter);
  return {t - shifter, power_of_two(t), select(below, R(0x1p-64f), R(0x1p64f))};
}
// At `lowest`, the bits of s are those of 0. A product that underflows takes Intel's processors
// more than a hundred cycles, and a masked softmax has many of them.
template <Real R>
R clamp_exponent(R x, R lowest) {
  return minimum(maximum(x, lowest), constant<R>(100, 1400));
}
template <Real R>
Scaled<R> exp_scaled(R x) {
  x = clamp_exponent(x, constant<R>(-132.4, -1418.3));
  if constexpr (single<R>) {
    const auto [n, s, t] = whole_powers(x, R(0x1.715476p+0f));
    return {exp_near(reduce(x, n, ln2_hi<R>(), ln2_lo<R>())), s, t};
  } else {
    const R shifter = rounder<R>(bias<R>), t = fma(x, R(0x1.71547652b82fep-1), shifter);
    const R r = reduce(x, t - shifter, R(2) * ln2_hi<R>(), R(2) * ln2_lo<R>());
    const R s = power_of_two(t);
    return {exp_poly(r), s, s};
  }
}
template <Real R>
Scaled<R> exp_scaled(R x, R tail) {
  const R c = clamp_exponent(x, constant<R>(-176.1, -1418.3));
  const R shifter = rounder<R>(bias<R>);
  const R t = fma(c, constant<R>(0x1.715476p-1, 0x1.71547652b82fep-1), shifter);
  const R r = reduce(c, t - shifter, R(2) * ln2_hi<R>(), R(2) * ln2_lo<R>());
  const R s = power_of_two(t);
  return {exp_poly(r + select(c == x, tail, R(0))), s, s};
}

// e^x = 2s (1 + p), for x clamped to [low, 89] (double: 710).
template <Real R>
struct OneMore {
  R p, s;
};
template <Real R>
OneMore<R> expm1_parts(R x, R low) {
  x = minimum(maximum(x, low), constant<R>(89, 710));
  const R shifter = rounder<R>(bias<R> - 1);
  const R t = fma(x, constant<R>(0x1.715476p+0, 0x1.71547652b82fep+0), shifter);
  return {expm1_poly(reduce(x, t - shifter, ln2_hi<R>(), ln2_lo<R>())), power_of_two(t)};
}

// (log(1 + f) - f) / f^2 for 1 + f in [sqrt(1/2), sqrt(2)).
template <Real R>
R log1p_quotient(R f) {
  if constexpr (single<R>)
    return horner(f, -0x1.3a45cp-4, 0x1.0908f4p-3, -0x1.0f2e6ep-3, 0x1.22549p-3, -0x1.5424f2p-3,
                  0x1.99a544p-3, -0x1.000438p-2, 0x1.55554ep-2, -0x1.fffff8p-2);
  else
    return horner(
        f, 0x1.826bb03059349p-6, -0x1.cc7d942151956p-5, 0x1.07135d44a73cap-4, -0x1.d97639ed84453p-5,
        0x1.d4671da1966f7p-5, -0x1.fae7abea84f4fp-5, 0x1.1174c7022f155p-4, -0x1.24d6a924f82e9p-4,
        0x1.3b12fe45928efp-4, -0x1.55518b36d5bbap-4, 0x1.745ce4de35e82p-4, -0x1.9999b7c7391f4p-4,
        0x1.c71c744ce2c29p-4, -0x1.ffffff7d4b543p-4, 0x1.2492491e1bf35p-3, -0x1.55555555dd538p-3,
        0x1.99999999a797fp-3, -0x1.ffffffffff9eep-3, 0x1.555555555550ap-2, -0.5);
}
template <Real R>
R log1p_poly(R f) {
  return fma(f * f, log1p_quotient(f), f);
}

// x = 2^e (1 + f), 1 + f in [least, 2 least). If x has no finite logarithm, e is the result: -inf
// for 0, inf for inf, NaN for negative numbers and NaN.
template <Real R>
struct Normal {
  R f, e;
};
template <Real R>
uint_of<R> sqrt_half_bits() {
  return bits<R>(single<R> ? uint64_t{0x3f3504f3} : uint64_t{0x3fe6a09e667f3bcd});
}
// The bits of 3/4 (float: slightly more, because a sum 1 + x may be rounded up to 3/2). For
// negative x, whose sum may be rounded down to 3/4, one_plus() subtracts that excess.
template <Real R>
uint_of<R> three_quarters_bits() {
  return bits<R>(single<R> ? uint64_t{0x3f400002} : uint64_t{0x3fe8000000000002});
}
// The bits of x relative to those of `least`: the exponent e in the upper bits, then the mantissa
// of 1 + f.
template <Real R>
uint_of<R> relative_bits(R x, uint_of<R> least) {
  return sub(bitcast<uint_of<R>>(x), least);
}
template <Real R>
int_of<R> exponent_of(uint_of<R> relative) {
  using I = scalar_t<int_of<R>>;
  return shift_right_arithmetic(bitcast<I>(relative), int_of<R>(I(mantissa_bits<R>)));
}
template <Real R>
Normal<R> normal_parts(R x, uint_of<R> least = sqrt_half_bits<R>()) {
  using U = scalar_t<uint_of<R>>;
  const uint_of<R> j = relative_bits(x, least);
  const U mantissa = (U{1} << mantissa_bits<R>)-1;
  const R m = bitcast<scalar_t<R>>(add(bit_and(j, uint_of<R>(mantissa)), least));
  return {m - R(1), convert<scalar_t<R>>(exponent_of<R>(j))};
}
// The parts of any x, by the slow path.
template <Real R>
Normal<R> any_parts(R x, uint_of<R> least = sqrt_half_bits<R>()) {
  const int k = mantissa_bits<R> + 2;
  const mask_t<R> tiny = x < R(std::numeric_limits<scalar_t<R>>::min());
  const mask_t<R> sound = both(x > R(0), x < infinity<R>());
  const R big = select(sound, select(tiny, x * constant<R>(0x1p25, 0x1p54), x), R(1));
  const Normal<R> n = normal_parts(big, least);
  const R special = select(x == R(0), -infinity<R>(), select(x > R(0), x, not_a_number<R>()));
  return {n.f, select(sound, select(tiny, n.e - R(static_cast<scalar_t<R>>(k)), n.e), special)};
}
// The parts of any x with 1 + f in [sqrt(1/2), sqrt(2)).
template <Real R>
Normal<R> parts(R x) {
  using U = scalar_t<uint_of<R>>;
  const U least = U{1} << mantissa_bits<R>;  // the bits of the smallest normal number
  const U span = (static_cast<U>(2 * bias<R> + 1) << mantissa_bits<R>)-least;
  const mask_t<R> odd = sub(bitcast<uint_of<R>>(x), uint_of<R>(least)) >= uint_of<R>(span);
  const auto pair = [](Normal<R> n) { return std::array<R, 2>{n.f, n.e}; };
  const std::array<R, 2> n =
      branch(odd, [&] { return pair(any_parts(x)); }, [&] { return pair(normal_parts(x)); });
  return {n[0], n[1]};
}
// log(2^e y), where l = log y.
template <Real R>
R log_of(R e, R l) {
  if constexpr (single<R>)
    return fma(e, ln2_hi<R>(), l);  // float(ln 2) is accurate to 2^-28
  else
    return fma(e, ln2_hi<R>(), fma(e, ln2_lo<R>(), l));
}

// (log(1 + f) - f) / f^2 for 1 + f in [3/4, 3/2).
template <Real R>
R one_plus_quotient(R f) {
  if constexpr (single<R>)
    return horner(f, -0x1.6fe468p-5, 0x1.abf612p-4, -0x1.0d9022p-3, 0x1.2897fp-3, -0x1.54f26ap-3,
                  0x1.996866p-3, -0x1.000026p-2, 0x1.5555a6p-2, -0.5);
  else
    return horner(
        f, 0x1.07fb69c804142p-7, -0x1.e0e6a84077d2bp-6, 0x1.9fac929570aaep-5, -0x1.e9a4e9b3a63bfp-5,
        0x1.f2aa2ea462795p-5, -0x1.ffef7d6106772p-5, 0x1.1011b4025802cp-4, -0x1.2463c398f34f5p-4,
        0x1.3b1ff3b6e2502p-4, -0x1.5559829d93522p-4, 0x1.745ce394654c5p-4, -0x1.99996e1612df5p-4,
        0x1.c71c70ed1ce0ap-4, -0x1.00000077d6302p-3, 0x1.24924929f717ep-3, -0x1.55555553fe9b9p-3,
        0x1.99999999896f1p-3, -0x1.0000000000db8p-2, 0x1.55555555555c4p-2, -0x1.ffffffffffffbp-2);
}

// 1 + x = 2^e (1 + f), 1 + f in [3/4, 3/2). f = x s + (s - 1) with s = 2^-e needs no division, and
// with these bounds it is not rounded.
template <Real R>
struct OnePlus {
  R f, e, s;
};
template <Real R>
OnePlus<R> one_plus(R x) {
  const auto fast = [&] {
    using U = scalar_t<uint_of<R>>;
    using I = scalar_t<int_of<R>>;
    // The shift gives -2 for a negative x, else 0 or 1.
    const int sign = static_cast<int>(sizeof(U)) * 8 - 2;
    const uint_of<R> back = bitcast<U>(shift_right_arithmetic(bitcast<I>(x), int_of<R>(I(sign))));
    const uint_of<R> j = sub(relative_bits(R(1) + x, three_quarters_bits<R>()), back);
    const U high = static_cast<U>(~((U{1} << mantissa_bits<R>)-1));
    const R s = bitcast<scalar_t<R>>(
        sub(bits<R>(static_cast<U>(bias<R>) << mantissa_bits<R>), bit_and(j, uint_of<R>(high))));
    return std::array<R, 3>{fma(x, s, s - R(1)), convert<scalar_t<R>>(exponent_of<R>(j)), s};
  };
  const auto slow = [&] {
    const Normal<R> n = any_parts(select(x > R(1), x, R(1) + x), three_quarters_bits<R>());
    return std::array<R, 3>{n.f, n.e, R(0)};
  };
  const mask_t<R> easy = both(x > R(-1), x < constant<R>(0x1p100, 0x1p1000));
  const std::array<R, 3> p = branch(!easy, slow, fast);
  return {p[0], p[1], p[2]};
}
template <Real R>
R log1p_plain(R x) {
  const OnePlus<R> p = one_plus(x);
  const R l = fma(p.f * p.f, one_plus_quotient(p.f), p.f);
  return log_of(p.e, l);
}

// log(1 + x + tail) + twice ln 2, by log(1 + f + d) = log(1 + f) + d / (1 + f). A tail is about as
// large as an ulp of x.
template <Real R>
R log1p_tail(R x, R tail, R twice = R(0)) {
  const OnePlus<R> p = one_plus(x);
  const R e = p.e + twice, d = tail * p.s * fma(p.f, p.f - R(1), R(1));
  return log_of(e, p.f + fma(p.f * p.f, one_plus_quotient(p.f), d));
}

}  // namespace detail

template <Real R>
R exp(R x) {
  return detail::exp_scaled(x).value();
}

template <Real R>
R exp2(R x) {
  using namespace detail;
  x = minimum(maximum(x, constant<R>(-191, -2046)), constant<R>(129, 1025));  // as clamp_exponent
  if constexpr (single<R>) {
    const auto [n, s, t] = whole_powers(x, R(1));
    return Scaled<R>{exp2_poly(x - n), s, t}.value();
  } else {
    const R shifter = rounder<R>(bias<R>);
    const R t = fma(x, R(scalar_t<R>(0.5)), shifter);
    const R r = fma(t - shifter, R(-2), x), s = power_of_two(t);
    return Scaled<R>{exp2_poly(r), s, s}.value();
  }
}

template <Real R>
R expm1(R x) {
  const auto [p, s] = detail::expm1_parts(x, detail::constant<R>(-18, -38));
  const R half = fma(p, s, s - R(scalar_t<R>(0.5)));
  return select(abs(x) < detail::constant<R>(0x1p-30, 0x1p-60), x, half + half);
}

template <Real R>
R log(R x) {
  const detail::Normal<R> n = detail::parts(x);
  return detail::log_of(n.e, detail::log1p_poly(n.f));
}

template <Real R>
R log1p(R x) {
  return select(x == R(0), x, detail::log1p_plain(x));
}

template <Real R>
R log2(R x) {
  using namespace detail;
  const Normal<R> n = parts(x);
  const R l = log1p_poly(n.f);
  const R hi = constant<R>(0x1.715476p+0, 0x1.71547652b82fep+0),
          lo = constant<R>(0x1.4ae0cp-26, 0x1.777d0ffda0d24p-56);
  return fma(l, hi, fma(l, lo, n.e));
}

template <Real R>
R log10(R x) {
  using namespace detail;
  const Normal<R> n = parts(x);
  const R l = log1p_poly(n.f);
  // Both parts are positive, so that an infinite exponent gives an infinite sum.
  const R e_hi = constant<R>(0x1.344134p-2, 0x1.34413509f79fep-2),
          e_lo = constant<R>(0x1.09f7ap-26, 0x1.e623e2566b02ep-55);
  const R l_hi = constant<R>(0x1.bcb7b2p-2, 0x1.bcb7b1526e50ep-2),
          l_lo = constant<R>(-0x1.5b235ep-27, 0x1.95355baaafad3p-57);
  return fma(n.e, e_hi, fma(l, l_hi, fma(l, l_lo, n.e * e_lo)));
}

// For floats, the root of 1/x: the root halves the rounding error of the quotient, while 1/sqrt(x)
// keeps that of the root. x is scaled, so that no quotient overflows or is subnormal.
template <Real R>
R rsqrt(R x) {
  using namespace detail;
  if constexpr (single<R>) {
    const mask_t<R> small = x < R(1);
    const R y = R(1) / (x * select(small, R(0x1p64f), R(0x1p-64f)));
    const R root = sqrt(y) * select(small, R(0x1p32f), R(0x1p-32f));
    return select(x == R(0), y, select(x < R(0), not_a_number<R>(), root));
  } else {
    return R(1) / sqrt(x);
  }
}

// The start value comes from the exponent divided by three. Third-order iterations on y = a^(-1/3)
// need no division. Then one step on the root uses an exact residual.
template <Real R>
R cbrt(R x) {
  using namespace detail;
  using T = scalar_t<R>;
  const R a0 = abs(x);
  const mask_t<R> tiny = a0 < R(std::numeric_limits<T>::min());
  const R a = select(tiny, a0 * constant<R>(0x1p24, 0x1p54), a0);
  const uint_of<R> magic = bits<R>(single<R> ? uint64_t{0x54a2fa8c} : uint64_t{0x553ef0ff289dd796});
  const uint_of<R> third =
      mulhi(bitcast<uint_of<R>>(a),
            bits<R>(single<R> ? uint64_t{0x55555556} : uint64_t{0x5555555555555556}));
  R y = bitcast<T>(sub(magic, third));
  for (int i = 0; i < (single<R> ? 2 : 3); ++i) {
    const R h = fma(-(a * y), y * y, R(1));
    y = fma(y * h, fma(h, R(T(2) / 9), R(T(1) / 3)), y);
  }
  const R c = a * (y * y);
  const R square = c * c, rest = fma(c, c, -square);
  const R residual = fma(-square, c, a) - rest * c;
  const R root =
      fma(residual, y * y * R(T(1) / 3), c) * select(tiny, constant<R>(0x1p-8, 0x1p-18), R(1));
  return select(both(x != R(0), is_finite(x)), copysign(root, x), x);
}

// x^n by repeated squaring; n < 0 gives 1/x^-n. x^0 is 1, also for NaN. Integers wrap.
template <class R>
R integer_pow(R x, int n) {
  const R one(scalar_t<R>(1));
  const bool below = n < 0;
  unsigned k = below ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  if (k == 0) return one;
  R acc = x, power = x;
  bool started = false;
  for (; k != 0; k >>= 1) {
    if (k & 1) {
      acc = started ? mul(acc, power) : power;
      started = true;
    }
    if (k > 1) power = mul(power, power);
  }
  return below ? div(one, acc) : acc;
}

// 1 / (1 + e^-x). With e = e^-|x| and w = e / (1 + e), the result is 1 - w. For negative x it is w,
// which is more accurate as e - e w. e is kept scaled so that small results are not lost.
template <Real R>
R logistic(R x) {
  using namespace detail;
  const R drop = constant<R>(0x1p-64, 0x1p-500);
  const R a = maximum(-abs(x), constant<R>(-104, -746));
  const R shifter = rounder<R>(bias<R> + (single<R> ? 64 : 500));
  const R t = fma(a, constant<R>(0x1.715476p+0, 0x1.71547652b82fep+0), shifter);
  const R p = expm1_poly(reduce(a, t - shifter, ln2_hi<R>(), ln2_lo<R>()));
  const R s = power_of_two(t);
  const R e = fma(p, s, s);
  const R w = e / fma(e, drop, R(1)) * drop;
  return select(x < R(0), fma(-e, w, e) * drop, R(1) - w);
}

// log(e^a + e^b).
template <Real R>
R logaddexp(R a, R b) {
  const R top = maximum(a, b);
  const R gap = abs(a - b);
  // For equal infinities the gap would be NaN. A NaN operand propagates through top.
  return select(a == b, top + detail::ln2_hi<R>(), top + log1p(exp(-gap)));
}

}  // namespace weft::math
