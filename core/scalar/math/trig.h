// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/trig.h: sine, cosine, tangent and their inverses. Arguments are reduced modulo
// pi (tan: pi/2) by three-part Cody-Waite with fma. Beyond `easy_limit` the reduction is Payne and
// Hanek's method ("Radian reduction for trigonometric functions", 1983) in integers, in a branch
// that kernels hardly ever execute.
#pragma once
#include "core/scalar/math/exp_log.h"

namespace weft::math {
namespace detail {

// The decomposition of an angle: k pi, (k - 1/2) pi, or k pi/2, plus a remainder r. The parity of k
// is bit 0 of `k`. `tail` is the rounding error of r (half_pi only, else 0).
enum class Unit { pi, pi_less_half, half_pi };
template <Real R>
struct Reduced {
  R r, tail;
  uint_of<R> k;
};

template <Real R>
R easy_limit() {
  return constant<R>(0x1p18, 0x1p26);
}
template <Real R>
R pi_part(int i, double scale = 1) {
  constexpr double f[] = {0x1.921fb6p+1, -0x1.777a5cp-24, -0x1.ee59dap-49};
  constexpr double d[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109};
  return constant<R>(f[i] * scale, d[i] * scale);
}

// The bits of 1/pi after the binary point, preceded by one word of zeros.
inline constexpr uint64_t one_over_pi[] = {0,
                                           0x517cc1b727220a94,
                                           0xfe13abe8fa9a6ee0,
                                           0x6db14acc9e21c820,
                                           0xff28b1d5ef5de2b0,
                                           0xdb92371d2126e970,
                                           0x0324977504e8c90e,
                                           0x7f0ef58e5894d39f,
                                           0x74411afa975da242,
                                           0x74ce38135a2fbf20,
                                           0x9cc8eb1cc1a99cfa,
                                           0x4e422fc5defc941d,
                                           0x8ffc4bffef02cc07,
                                           0xf79788c5ad05368f,
                                           0xb69b3f6793e584db,
                                           0xa7a31fb34f2ff516,
                                           0xba93dd63f5f2f8bd,
                                           0x9e839cfbc5294975,
                                           0x35fdafd88fc6ae84,
                                           0x2b0198237e3db5d5};

// Words i .. i+3 of the table. Selects halve the table repeatedly: i < 2^levels.
template <Real R>
std::array<uint_of<R>, 4> words_of_one_over_pi(uint_of<R> i) {
  using U = uint_of<R>;
  constexpr int count = single<R> ? 8 : 20, levels = single<R> ? 3 : 5;
  std::array<U, count> w;
  for (int n = 0; n < count; ++n) {
    const uint64_t half =
        one_over_pi[(n + 1) / 2] >> (n % 2 == 1 ? 32 : 0) & 0xffffffff;  // after 32 zeros
    w[n] = bits<R>(single<R> ? half : one_over_pi[n]);
  }
  for (int level = levels - 1; level >= 0; --level) {
    const int step = 1 << level;
    const mask_t<R> far = bit_and(i, bits<R>(step)) != bits<R>(0);
    for (int n = 0; n + step < count && n < 4 + step; ++n) w[n] = select(far, w[n + step], w[n]);
  }
  return {w[0], w[1], w[2], w[3]};
}

// A number of two words.
template <Real R>
struct Wide {
  uint_of<R> hi, lo;
};
// |x| / pi modulo 4, as 2 integer bits followed by the fraction; |x| >= 1.
template <Real R>
Wide<R> over_pi_mod_4(R a) {
  using U = uint_of<R>;
  using B = scalar_t<U>;
  constexpr int width = width_of<B>, m = mantissa_bits<R>;
  const U x = bitcast<B>(a);
  const U mantissa = bit_or(bit_and(x, bits<R>((B{1} << m) - 1)), bits<R>(B{1} << m));
  // a = mantissa * 2^(e - bias - m); the window starts 2 bits before the first relevant weight.
  const U e = shift_right_logical(x, bits<R>(m));
  const U start = sub(e, bits<R>(bias<R> + m + 2 - width));
  const auto w = words_of_one_over_pi<R>(shift_right_logical(start, bits<R>(single<R> ? 5 : 6)));
  const U left = bit_and(start, bits<R>(width - 1)), right = sub(bits<R>(width), left);
  const auto funnel = [&](U p, U q) {
    return bit_or(shift_left(p, left), shift_right_logical(q, right));
  };
  const U first = funnel(w[0], w[1]), second = funnel(w[1], w[2]), third = funnel(w[2], w[3]);
  const U carry_in = mulhi(mantissa, third);
  const U lo = add(mul(mantissa, second), carry_in);
  const U carry = select(lo < carry_in, bits<R>(1), bits<R>(0));
  return {add(add(mul(mantissa, first), mulhi(mantissa, second)), carry), lo};
}

template <Unit unit, Real R>
Reduced<R> reduce_hard(R a) {
  using T = scalar_t<R>;
  using U = uint_of<R>;
  using B = scalar_t<U>;
  using I = scalar_t<int_of<R>>;
  constexpr int width = width_of<B>;
  constexpr bool halves = unit == Unit::half_pi;
  auto [hi, lo] = over_pi_mod_4(a);
  if (halves) {
    hi = bit_or(shift_left(hi, bits<R>(1)), shift_right_logical(lo, bits<R>(width - 1)));
    lo = shift_left(lo, bits<R>(1));
  }
  if (unit == Unit::pi_less_half) hi = add(hi, bits<R>(B{1} << (width - 3)));
  // The nearest integer k, and the signed fraction as magnitude and sign.
  const U k = shift_right_logical(add(hi, bits<R>(B{1} << (width - 3))), bits<R>(width - 2));
  hi = sub(hi, shift_left(k, bits<R>(width - 2)));
  const mask_t<R> below = bitcast<I>(hi) < int_of<R>(I{0});
  hi = select(below, add(bit_not(hi), select(lo == bits<R>(0), bits<R>(1), bits<R>(0))), hi);
  lo = select(below, sub(bits<R>(0), lo), lo);
  // The top bits of the fraction, which are exact, and the remainder; each is below 2^(width-1).
  const B rest = single<R> ? 0xff : 0xfff;
  const auto real = [](U v) { return convert<T>(bitcast<I>(v)); };
  const R size = R(std::ldexp(T(1), -(width - 2) - halves));
  const R top = real(bit_and(hi, U(static_cast<B>(~rest)))) * size;
  const R low = real(shift_right_logical(lo, bits<R>(1))) * R(std::ldexp(T(1), 1 - width));
  const R next = real(bit_and(hi, U(rest))), sum = next + low;
  const R under = sum * size * pi_part<R>(0), rough = fma(top, pi_part<R>(1), under);
  const R r = fma(top, pi_part<R>(0), rough);
  // The rounding error of `under` matters if `top` is zero.
  const R lost = fma(sum * size, pi_part<R>(0), -under) + ((next - sum) + low) * size * R(T(3.14));
  const R tail = halves ? fma(top, pi_part<R>(0), -r) + rough + lost : R(0);
  const mask_t<R> sound = is_finite(a);
  return {select(sound, select(below, -r, r), not_a_number<R>()), select(below, -tail, tail), k};
}

// a >= 0. The first product is subtracted exactly, since k pi_part(0) is near a.
template <Unit unit, Real R>
Reduced<R> reduce_easy(R a) {
  using T = scalar_t<R>;
  using B = scalar_t<uint_of<R>>;
  constexpr double scale = unit == Unit::half_pi ? 0.5 : 1;
  constexpr bool less = unit == Unit::pi_less_half;
  const R magic = rounder<R>(), half(T(0.5));
  const R per = constant<R>(0x1.45f306p-2 / scale, 0x1.45f306dc9c883p-2 / scale);
  // less: k = floor(a/pi) + 1, so that a is between (k - 1) pi and k pi.
  const R t = less ? fma(a, per, -half) + (magic + R(1)) : fma(a, per, magic);
  const R n = less ? t - (magic + R(1)) + half : t - magic;
  const R r1 = fma(n, -pi_part<R>(0, scale), a);
  if (unit != Unit::half_pi) {
    const R r2 = fma(n, -pi_part<R>(1, scale), r1);
    return {fma(n, -pi_part<R>(2, scale), r2), R(0), bitcast<B>(t)};
  }
  const R w = n * pi_part<R>(1, scale), w_low = fma(n, pi_part<R>(1, scale), -w);
  const auto [r, low] = two_sum(r1, -w);
  return {r, fma(n, -pi_part<R>(2, scale), low - w_low), bitcast<B>(t)};
}

// The results of reduce_hard that are used: r, the bits of k and, for half_pi, the tail.
template <Unit unit>
struct HardAngle {
  template <class T>
  static constexpr ColdPathId path =
      static_cast<ColdPathId>(1 + 2 * static_cast<int>(unit) + static_cast<int>(sizeof(T) / 8));
  template <Real R>
  static auto kept(Reduced<R> x) {
    using T = scalar_t<R>;
    if constexpr (unit == Unit::half_pi)
      return std::array<R, 3>{x.r, bitcast<T>(x.k), x.tail};
    else
      return std::array<R, 2>{x.r, bitcast<T>(x.k)};
  }
  template <Real R>
  static auto run(R a) {
    return kept(reduce_hard<unit>(a));
  }
};

template <Unit unit, Real R>
Reduced<R> reduce_angle(R a) {
  using B = scalar_t<uint_of<R>>;
  const mask_t<R> hard = !(a < easy_limit<R>());
  const auto r =
      rarely<HardAngle<unit>>(hard, a, [&] { return HardAngle<unit>::kept(reduce_easy<unit>(a)); });
  if constexpr (unit == Unit::half_pi)
    return {r[0], r[2], bitcast<B>(r[1])};
  else
    return {r[0], R(0), bitcast<B>(r[1])};
}

// (sin r - r) / r for |r| <= pi/2 and z = r^2, as z c0 + z^2 q(z). This order has the smallest
// rounding error near 1.
template <Real R>
R sin_bend(R z) {
  R q;
  if constexpr (single<R>)
    q = horner(z, 0x1.5dc84ap-19, -0x1.9f70eap-13, 0x1.110edap-7);
  else
    q = horner(z, 0x1.8832aa4aa8f21p-49, -0x1.ae43847ae5935p-41, 0x1.6123cd074facap-33,
               -0x1.ae6454d4746cfp-26, 0x1.71de3a52a0b16p-19, -0x1.a01a01a014d6fp-13,
               0x1.11111111110c8p-7);
  return fma(z, constant<R>(-0x1.55554cp-3, -0x1.5555555555555p-3), z * z * q);
}
template <Real R>
R sin_poly(R r) {
  return fma(r, sin_bend(r * r), r);
}
// (tan r - r) / r^3 for z = r^2, |r| <= pi/4.
template <Real R>
R tan_poly(R z) {
  if constexpr (single<R>)
    return horner(z, 0x1.25b422p-8, -0x1.f22bbcp-14, 0x1.684d64p-7, 0x1.5bb61p-6, 0x1.baf31p-5,
                  0x1.110d12p-3, 0x1.555562p-2);
  else
    return horner(z, 0x1.5eaac34c977ap-16, -0x1.79c6f2ce02f34p-15, 0x1.7869d91d532dap-14,
                  -0x1.bffda2fbf866dp-16, 0x1.1ec88e60fd8bdp-13, 0x1.d2234059f4dbbp-13,
                  0x1.3801224eef97fp-11, 0x1.7d5a934830648p-10, 0x1.d6d944605b21ap-9,
                  0x1.226e11e368d62p-7, 0x1.664f49acb1f1ep-6, 0x1.ba1ba1b45444p-5,
                  0x1.11111111184d3p-3, 0x1.55555555554fp-2);
}
// (asin s - s) / s^3 in z = s^2, for s up to 0.5408, where asin switches formulas. Above that, asin
// a = pi/2 - 2 asin sqrt((1 - a)/2), and the inner arc sine is below 1/2.
template <Real R>
R asin_turn() {
  return constant<R>(0.5408, 0.5408);
}
template <Real R>
R asin_poly(R z) {
  if constexpr (single<R>)
    return horner(z, 0x1.8697a2p-5, 0x1.561124p-6, 0x1.7a060cp-5, 0x1.32c98cp-4, 0x1.555678p-3);
  else
    return horner(z, 0x1.764ad56e4bcf1p-5, -0x1.61fca4fc8b76cp-5, 0x1.3ab010e58b5b9p-5,
                  -0x1.d8bdfae4595e5p-9, 0x1.a4d7df68d7293p-7, 0x1.68ab5648db45p-7,
                  0x1.cbcbdc931c2b7p-7, 0x1.1c36edee87626p-6, 0x1.6e8cfeafb0c89p-6,
                  0x1.f1c70fc1a71cfp-6, 0x1.6db6db90927f7p-5, 0x1.33333333030d4p-4,
                  0x1.55555555556c9p-3);
}
// atan t for 0 <= t <= 1.
template <Real R>
R atan_poly(R t) {
  const R z = t * t;
  R p;
  if constexpr (single<R>)
    p = horner(z, -0x1.d4f74ap-10, 0x1.64ef86p-7, -0x1.fe1ebp-6, 0x1.da6b84p-5, -0x1.58178p-4,
               0x1.c08f84p-4, -0x1.2420aap-3, 0x1.9991e4p-3, -0x1.55553ep-2);
  else
    p = horner(z, 0x1.bbebca3700817p-17, -0x1.3f35130889862p-13, 0x1.b3f9465984e78p-11,
               -0x1.7a387292a3d8fp-9, 0x1.d7b7f2313faafp-8, -0x1.c78ee1e2239ap-7,
               0x1.683c42aefcda4p-6, -0x1.e9f9970aa93bp-6, 0x1.2c2e344dd1adcp-5,
               -0x1.59a3e996c3c89p-5, 0x1.82dacea927832p-5, -0x1.ae5e6fe126027p-5,
               0x1.e1bba5b7a46fap-5, -0x1.110e511669733p-4, 0x1.3b136697f358dp-4,
               -0x1.745d11ae403c4p-4, 0x1.c71c717fcc526p-4, -0x1.249249237f4a4p-3,
               0x1.99999999955b1p-3, -0x1.5555555555526p-2);
  return fma(t * z, p, t);
}
template <Real R>
R half_pi_hi() {
  return constant<R>(0x1.921fb6p+0, 0x1.921fb54442d18p+0);
}
template <Real R>
R half_pi_lo() {
  return constant<R>(-0x1.777a5cp-25, 0x1.1a62633145c07p-54);
}

// Flips the sign of y if the lowest bit of k is set.
template <Real R>
R odd_sign(R y, uint_of<R> k) {
  using T = scalar_t<R>;
  using B = scalar_t<uint_of<R>>;
  return bitcast<T>(bit_xor(bitcast<B>(y), shift_left(k, bits<R>(width_of<B> - 1))));
}

}  // namespace detail

template <Real R>
R sin(R x) {
  using namespace detail;
  const auto a = reduce_angle<Unit::pi>(abs(x));
  return flip_sign(odd_sign(sin_poly(a.r), a.k), x);
}

// With |x| = (k - 1/2) pi + r, cos x = (-1)^k sin r.
template <Real R>
R cos(R x) {
  using namespace detail;
  const auto a = reduce_angle<Unit::pi_less_half>(abs(x));
  return odd_sign(sin_poly(a.r), a.k);
}

// The tangent of r + tail, as a sum t + rest. In odd quadrants it is -1/(t + rest), by one
// corrected division.
template <Real R>
R tan(R x) {
  using namespace detail;
  using T = scalar_t<R>;
  using I = scalar_t<int_of<R>>;
  const auto a = reduce_angle<Unit::half_pi>(abs(x));
  const R z = a.r * a.r;
  R lost = fma(a.tail, z, a.tail);
  // Near pi/4, float accuracy requires the factor tan' = 1 + 1.5 z for the rounding error of r, and
  // the rounding error of z.
  if constexpr (single<R>)
    lost = fma(fma(a.r, a.r, -z), a.r * R(T(0.5)), fma(a.tail * R(T(1.5)), z, a.tail));
  const R bend = fma(a.r * z, tan_poly(z), lost);
  const R t = a.r + bend, rest = (a.r - t) + bend;
  const R y = R(-1) / t;
  const R inverse = fma(y, fma(y, rest, fma(y, t, R(1))), y);
  const mask_t<R> odd = bit_and(bitcast<I>(a.k), int_of<R>(I{1})) != int_of<R>(I{0});
  return flip_sign(select(odd, inverse, t), x);
}

template <Real R>
R asin(R x) {
  using namespace detail;
  const R half(scalar_t<R>(0.5)), a = abs(x);
  const mask_t<R> upper = a > asin_turn<R>();
  const R z = select(upper, fma(a, -half, half), a * a);
  const R s = select(upper, sqrt(z), a);
  const R p = fma(s * z, asin_poly(z), s);
  return copysign(select(upper, half_pi_hi<R>() - fma(R(2), p, -half_pi_lo<R>()), p), x);
}

template <Real R>
R acos(R x) {
  using namespace detail;
  const R half(scalar_t<R>(0.5)), a = abs(x);
  const mask_t<R> upper = a > asin_turn<R>(), negative = x < R(0);
  const R z = select(upper, fma(a, -half, half), a * a);
  const R s = select(upper, sqrt(z), a);
  const R p = fma(s * z, asin_poly(z), s);
  const R inner = half_pi_hi<R>() - (copysign(p, x) - half_pi_lo<R>());
  const R outer = select(negative, fma(R(2), half_pi_hi<R>() - p, R(2) * half_pi_lo<R>()), p + p);
  return select(upper, outer, inner);
}

// From 1 on, atan a = pi/2 - atan(1/a).
template <Real R>
R atan(R x) {
  using namespace detail;
  const R a = abs(x);
  const mask_t<R> upper = a > R(1);
  const R p = atan_poly(select(upper, R(1) / a, a));
  return copysign(select(upper, half_pi_hi<R>() - (p - half_pi_lo<R>()), p), x);
}

// The angle of (x, y), computed from the quotient of the smaller magnitude by the larger.
template <Real R>
R atan2(R y, R x) {
  using namespace detail;
  const R a = abs(x), b = abs(y);
  const mask_t<R> steep = b > a;
  const R top = select(steep, a, b), bottom = select(steep, b, a);
  // 0/0 counts as 0 and inf/inf as 1; NaN propagates.
  const R q = select(top == bottom, select(top == R(0), R(0), R(1)), top / bottom);
  const R p = atan_poly(q);
  const R first = select(steep, half_pi_hi<R>() - (p - half_pi_lo<R>()), p);
  const R whole =
      select(sign_bit(x), fma(R(2), half_pi_hi<R>(), -first) + R(2) * half_pi_lo<R>(), first);
  return copysign(select(either(is_nan(x), is_nan(y)), x + y, whole), y);
}

}  // namespace weft::math
