// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/erf_inv.h: the inverse of erf, and XLA's approximation of it
// (docs/decisions/0027).
#pragma once
#include "core/scalar/math/special.h"

namespace weft::math {
namespace detail {

// erf_inv(x) / x minus its value at 0, in w = -log(1 - x^2), w in [0, 5]. Then erf_inv(x) / x in
// sqrt(w), for sqrt(w) in [2, 4] and [4, 6].
inline constexpr double erf_inv_near[] = {
    0x1.14c5d4bae4c9bp-39,  0x1.0c0ec249278dap-45,  -0x1.dd618f8fb6428p-36, 0x1.117793fa3c19p-35,
    0x1.8420f156d6b77p-33,  -0x1.27c715bcb10c2p-31, -0x1.48f91c7bd681ap-32, 0x1.413277f506275p-28,
    -0x1.f6f4531a170bbp-28, -0x1.68d5885720c1p-26,  0x1.b0ea804f5617p-24,   -0x1.8f4c18b869686p-25,
    -0x1.75279c61eb0cap-21, 0x1.ecc604334f7fap-20,  0x1.b44e08283c789p-20,  -0x1.3150a4833a388p-16,
    0x1.bab3fd816b44fp-16,  0x1.7b89f24af36bp-14,   -0x1.bcbf1e8f623a9p-12, 0x1.e036db028e5dap-13,
    0x1.a0f690ed73d21p-9,   -0x1.68cb9d27c0f3bp-7,  0x1.296e96429159fp-11,  0x1.f7f51afdae3fep-3};
inline constexpr double erf_inv_middle[] = {
    -0x1.e77732d0115bbp-34, -0x1.1676cbb0191c2p-33, 0x1.b16bd0b48d7dfp-30,  -0x1.59e4ed8c1bb37p-31,
    -0x1.168938a9baeb9p-27, 0x1.08ba4dd8be4aep-26,  0x1.ee439206191bap-29,  -0x1.30193f3ea222ep-24,
    0x1.5bb21a9471ebep-23,  -0x1.3e7d81e7cf091p-24, -0x1.57c101c140a3dp-21, 0x1.0c14017ab9b92p-19,
    -0x1.bc24057de21c2p-20, -0x1.8f16bd5547b84p-18, 0x1.700431a7997e2p-16,  -0x1.7fc003310c54fp-16,
    -0x1.85bda0fc16f72p-15, 0x1.aeffe6cd82cfcp-13,  -0x1.28e09e51cf8b3p-12, -0x1.384310380eb5dp-13,
    0x1.84f3ed617479bp-10,  -0x1.d2754fd1bd913p-9,  0x1.7495888ec599bp-8,   -0x1.f4f1c6f0c1f89p-8,
    0x1.3582c8114bcccp-7,   0x1.006dca7a9c22bp+0,   0x1.6a9efbd66eae6p+1};
inline constexpr double erf_inv_far[] = {
    0x1.9f699a1406079p-38,  -0x1.6711a540b6952p-36, 0x1.011fc666c5421p-36,  0x1.32290168fdd73p-34,
    -0x1.a2637cfff6b11p-32, 0x1.69bdd48868485p-30,  -0x1.e5c59aaceaac6p-29, 0x1.0cbcef91a01bep-27,
    -0x1.055d66f86eefcp-26, 0x1.f28a040ec402bp-26,  -0x1.22391dcedd76ap-24, 0x1.ebe313d76a2adp-23,
    -0x1.0a9030dae239bp-20, 0x1.2fbcfd99ff76dp-18,  -0x1.4a349049be9a3p-16, 0x1.3ebf4efaf52b8p-14,
    -0x1.c2f36aa150fc2p-13, -0x1.22ea5df1cb11dp-13, 0x1.02a30d1fba10bp+0,   0x1.3664ddd1ad7fbp+2};

}  // namespace detail

// 1 - x^2 is rounded only once, so that w is accurate near |x| = 1. The digits of a small x that
// this loses matter little. sqrt(w) reaches 4 for floats and exceeds 6 by 0.004 for doubles.
template <Real R>
R erf_inv(R x) {
  using namespace detail;
  const R w = -log(fma(-x, x, R(1))), root = sqrt(w);
  R y;
  if constexpr (single<R>) {
    const mask_t<R> inner = w < R(5);
    const R t = w - R(2.5f), v = root - R(3);
    const R near =
        horner(t, 0x1.de69e8p-32, -0x1.2c4c5ep-27, 0x1.1b3f5ep-26, 0x1.f3c014p-22, -0x1.cbda82p-19,
               -0x1.4cd7bep-18, 0x1.c9bb8ep-13, -0x1.486686p-10, -0x1.11c3e2p-8, 0x1.f91e8cp-3);
    const R far = horner(v, -0x1.013ed4p-15, 0x1.a074bep-18, 0x1.ba31c2p-13, -0x1.6150dp-12,
                         -0x1.3c6048p-13, 0x1.8be29p-10, -0x1.d26912p-9, 0x1.743114p-8,
                         -0x1.f4f244p-8, 0x1.3586fcp-7, 0x1.006dcap+0);
    // The last Horner step, including its rounding error and that of the last coefficient.
    const R q = select(inner, near, far), at = select(inner, t, v);
    const R last = select(inner, R(0x1.805c5cp+0f), R(0x1.6a9efcp+1f));
    const R rest = select(inner, R(0x1.ff29a6p-25f), R(-0x1.c2072cp-26f));
    const R hi = fma(at, q, last), lo = fma(at, q, last - hi) + rest;
    y = fma(x, hi, x * lo);
  } else {
    const auto beyond =
        choose(w < R(16), fit_sum(root, 2, 4, erf_inv_middle, 0x1.5b44bc3f0fa93p-53),
               fit_sum(root, 4, 6, erf_inv_far, -0x1.750b7037fbbfdp-54));
    const auto near = plus(two_product(w, fit(w, 0, 5, erf_inv_near)),
                           Sum<R>{R(0x1.c5bf891b4ef6bp-1), R(-0x1.618f13eb7ca89p-55)});
    const auto p = choose(w < R(5), near, beyond);
    y = fma(x, p.hi, x * p.lo);
  }
  return select(abs(x) == R(1), x * infinity<R>(), copysign(y, x));
}

// XLA's algorithm, on which the bits of JAX's random numbers depend: Giles, "Approximating the
// erfinv function" (GPU Computing Gems 2, 2011), with w = -log1p(-x^2) and fused steps. The
// rounding of x^2 costs digits near |x| = 1.
template <Real R>
R xla_erf_inv(R x) {
  using namespace detail;
  using T = scalar_t<R>;
  const R w = -log1p(-(x * x));
  R p;
  if constexpr (single<R>) {
    constexpr float centre[] = {2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                                -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                                -0.00417768164f,  0.246640727f,    1.50140941f};
    constexpr float tail[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f,
                              -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                              0.00943887047f,   1.00167406f,     2.83297682f};
    const mask_t<R> inner = w < R(5);
    const R v = select(inner, w - R(2.5f), sqrt(w) - R(3));
    p = select(inner, R(centre[0]), R(tail[0]));
    for (int i = 1; i < 9; ++i) p = fma(p, v, select(inner, R(centre[i]), R(tail[i])));
  } else {
    constexpr double centre[] = {
        -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
        1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
        6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
        2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
        1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
        4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
        0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
        0.24015818242558961693,     1.6536545626831027356};
    constexpr double middle[] = {
        2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
        1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
        2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
        6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
        0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
        -0.0037512085075692412107, 0.005370914553590063617,   1.0052589676941592334,
        3.0838856104922207635};
    constexpr double tail[] = {
        -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
        -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
        2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
        -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
        7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
        1.0103004648645343977,      4.8499064014085844221};
    const mask_t<R> inner = w < R(6.25), outer = !(w < R(16));
    const R v = select(inner, w - R(3.125), sqrt(w) - select(outer, R(5), R(3.25)));
    const auto pick = [&](int i) {
      return select(inner, R(centre[i]), select(outer, R(tail[i]), R(middle[i])));
    };
    p = pick(0);
    for (int i = 1; i < 17; ++i) p = fma(p, v, pick(i));
    for (int i = 17; i < 19; ++i)
      p = select(outer, p, fma(p, v, select(inner, R(centre[i]), R(middle[i]))));
    for (int i = 19; i < 23; ++i) p = select(inner, fma(p, v, R(centre[i])), p);
  }
  return x * select(abs(x) == R(T(1)), infinity<R>(), p);
}
}  // namespace weft::math
