// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/bessel.h: the modified Bessel functions e^-|x| I0(x) and e^-|x| I1(x). The
// polynomials were fitted for Weft (see two_parts.h). Up to 8 they approximate the function (for I1
// near 0, the function over x). Beyond 8 they approximate its product with sqrt(x), in 1/x. Float
// is computed in double.
#pragma once
#include "core/scalar/math/special.h"

namespace weft::math {
namespace detail {

// (e^-x I0(x) - 1) / x in [0, 1/2]
inline constexpr double i0_low[] = {
    -0x1.191f3a9acf607p-47, 0x1.dd21c114b2944p-43, -0x1.759eaffe27007p-38, 0x1.0e956fb70151ep-33,
    -0x1.6663af26c92eap-29, 0x1.ae5716060f2ep-25,  -0x1.cf9e4e0c8d72dp-21, 0x1.ba70a14808278p-17,
    -0x1.7013cca293ad6p-13, 0x1.05845b26a2cd3p-9,  -0x1.34f3fc7cc15e1p-6,  0x1.24eb3e8e0b9b6p-3,
    -0x1.abff31b0480a5p-1};
// e^-x I0(x) in [0, 2]
inline constexpr double i0_near[] = {
    0x1.c9905695f5b1ep-41, -0x1.0a460f8d149b5p-37, 0x1.154c157da3907p-34, -0x1.1f60c41feee87p-31,
    0x1.18704b21d486p-28,  -0x1.ffb2cc8141937p-26, 0x1.b317e2b421997p-23, -0x1.57081fc912627p-20,
    0x1.f28193d2a2efcp-18, -0x1.4b7eed31e6ad3p-15, 0x1.90253c033e481p-13, -0x1.b21419f60006dp-11,
    0x1.a22bde1102fe6p-9,  -0x1.60999a9aa836cp-7,  0x1.ff5f81de8466dp-6,  -0x1.386425d0a3714p-4,
    0x1.3b2cc4f633d9cp-3,  -0x1.08099e5ff368ep-2,  0x1.dcf01629a660ep-2};
inline constexpr double i0_near_rest = 0x1.23e7083c79248p-59;
// e^-x I0(x) in [2, 8]
inline constexpr double i0_middle[] = {
    -0x1.207b21b8a210ap-36, 0x1.39eecd266f855p-34, -0x1.b075acf31ddfbp-33, 0x1.ab38b5d74407fp-31,
    -0x1.bb31ead11a724p-29, 0x1.94eac8b8bfc44p-27, -0x1.5dcb112a1fc0dp-25, 0x1.2310a0774f138p-23,
    -0x1.cda5a35b5898ep-22, 0x1.5b7ecebdbae84p-20, -0x1.efdda3cbf6865p-19, 0x1.4ea44c4f40373p-17,
    -0x1.aa3ecaa75f14ep-16, 0x1.ff49926c858ccp-15, -0x1.204a2ad3c4c3ap-13, 0x1.3159a690434a5p-12,
    -0x1.2fe3e41ed3fb8p-11, 0x1.1cf0d69c740c4p-10, -0x1.fa9fa0b5c2598p-10, 0x1.aff88c770e8e6p-9,
    -0x1.67a844a9f7c37p-8,  0x1.2b89999874ff3p-7,  -0x1.00a984d918fp-6,    0x1.d3a14857596fp-6,
    -0x1.e0eaa4df69648p-5,  0x1.77e43edd1b4cap-3};
inline constexpr double i0_middle_rest = -0x1.70873e5905876p-57;
// e^-x I0(x) sqrt(x) in 1/x, [0, 1/8]
inline constexpr double i0_far[] = {
    0x1.604db61ad3debp-35,  0x1.24d48c789b293p-36, -0x1.60f60148f6515p-32, -0x1.1153c28a5c5a9p-33,
    0x1.4b8dc5e843814p-30,  0x1.e28f74bf3433bp-32, -0x1.8ab4cd3d4020ep-29, -0x1.1a39fc6f3bf77p-30,
    0x1.56f1d3b1b3a43p-28,  0x1.10973e09f287fp-29, -0x1.dcd81d0c61ce6p-28, -0x1.0693a8366885bp-28,
    0x1.103d02e6bfeafp-27,  0x1.087d59e67c7aep-27, -0x1.7eff15504675ap-28, -0x1.ce4513f876844p-27,
    -0x1.cd0a7f75b5268p-28, 0x1.03e3a46a554fap-27, 0x1.7219c8ee56ad4p-26,  0x1.51cbf2b8d32b7p-25,
    0x1.7d0fa25980c1ap-24,  0x1.3f49ad6d6f0a1p-22, 0x1.8e513a0ac9181p-20,  0x1.75e5ee702007ep-17,
    0x1.1daa72b5e65fcp-13,  0x1.b87969bb93bcp-9,   0x1.9bd428ad249a5p-2};
inline constexpr double i0_far_rest = -0x1.d1a8812998783p-56;
// e^-x I1(x) / x in [0, 1]
inline constexpr double i1_near[] = {
    0x1.7cec2db187285p-44, -0x1.7237f96834e46p-40, 0x1.4b86486d2a5e4p-36, -0x1.18956eacc2fe4p-32,
    0x1.b7fe5cead65b2p-29, -0x1.3d8115f873cb4p-25, 0x1.a29fea5c037e3p-22, -0x1.f3ba1b2dc4308p-19,
    0x1.0b166f06bf753p-15, -0x1.f8446b39d3d8p-13,  0x1.9ce602eaa31f9p-10, -0x1.1e1fec999872cp-7,
    0x1.43a2afe3328e6p-5,  -0x1.18b77f98f549p-3,   0x1.40598cd0be9efp-2};
inline constexpr double i1_near_rest = -0x1.7dfe251f66fd5p-59;
// e^-x I1(x) in [1, 8]
inline constexpr double i1_middle[] = {
    -0x1.2903b0951c8aep-35, 0x1.341a9e4567edap-33, -0x1.65bb74ccfb435p-32, 0x1.5174b01d4f72cp-30,
    -0x1.64d997984dcdp-28,  0x1.3b41268497b72p-26, -0x1.0593acfde86d5p-24, 0x1.a82cdd0806f86p-23,
    -0x1.49cf025b2e191p-21, 0x1.e8716b1df8854p-20, -0x1.5866081c96635p-18, 0x1.cd8cc77b8a7d6p-17,
    -0x1.251426a54e747p-15, 0x1.5fa81d6df1e5cp-14, -0x1.8d5891691df57p-13, 0x1.a53c24e26864ep-12,
    -0x1.a134285a31cb2p-11, 0x1.80275906554a3p-10, -0x1.46ea6a7a942d4p-9,  0x1.fe6fbabe025aep-9,
    -0x1.69d856614f772p-8,  0x1.ca5f3ca470e1p-8,   -0x1.f6abd82c82042p-8,  0x1.b6841a50b57fp-8,
    -0x1.8bc35771be0f3p-9,  -0x1.3a9ceb663b72ap-8, 0x1.4461ad08a2f08p-6,   -0x1.a6f3b45a9f4b6p-5,
    0x1.5e1fa8b5d7de3p-3};
inline constexpr double i1_middle_rest = -0x1.8f4931f18593dp-57;
// e^-x I1(x) sqrt(x) in 1/x, [0, 1/8]
inline constexpr double i1_far[] = {
    -0x1.6ea1785f94461p-35, -0x1.12e7f21d2c006p-36, 0x1.6f38e89af41c8p-32,  0x1.fef895f7b3a5dp-34,
    -0x1.58ea81b215aecp-30, -0x1.c15e6112d1143p-32, 0x1.9ac4c401343a2p-29,  0x1.07047fc5cbf7ap-30,
    -0x1.657e73fb0c472p-28, -0x1.0183064563578p-29, 0x1.f378468033ef8p-28,  0x1.ff8b852ecf6dbp-29,
    -0x1.20a8e052b5bb9p-27, -0x1.0b4539bc94915p-27, 0x1.a69d58942c511p-28,  0x1.e3a948c415f47p-27,
    0x1.cc06c41e1855cp-28,  -0x1.21de6538102d1p-27, -0x1.91759fab32ad6p-26, -0x1.7277b8802ae6ap-25,
    -0x1.ad8de57f3f4ffp-24, -0x1.761384ba8ebf9p-22, -0x1.ec8e1003fce04p-20, -0x1.f89c2304b860ep-17,
    -0x1.cbc54df1ecf62p-13, -0x1.3f796198ee63ap-7,  0x1.8ebe783a8403p-2};
inline constexpr double i1_far_rest = -0x1.57c3426058cf4p-58;

// p / sqrt(b); the rounding errors of the root and the quotient are included.
template <Real D>
D over_root(Sum<D> p, D b) {
  const D r = sqrt(b), inverse = D(1) / r;
  const D rest = fma(-r, r, b) * (D(0.5) * inverse);
  const D q = p.hi * inverse;
  return q + fma(-q, rest, fma(-q, r, p.hi) + p.lo) * inverse;
}

template <Real D>
D i0e_double(D x) {
  const D a = abs(x), b = maximum(a, D(8));
  const D near = total(choose(a < D(2), fit_sum(a, 0, 2, i0_near, i0_near_rest),
                              fit_sum(a, 2, 8, i0_middle, i0_middle_rest)));
  const D far = over_root(fit_sum(D(1) / b, 0, 0.125, i0_far, i0_far_rest), b);
  const D beyond = select(a < D(8), near, select(a == infinity<D>(), D(0), far));
  return select(is_nan(x), x, select(a < D(0.5), fma(a, fit(a, 0, 0.5, i0_low), D(1)), beyond));
}
template <Real D>
D i1e_double(D x) {
  const D a = abs(x), b = maximum(a, D(8));
  const Sum<D> p = fit_sum(a, 0, 1, i1_near, i1_near_rest);
  const D middle = total(fit_sum(a, 1, 8, i1_middle, i1_middle_rest));
  const D far = over_root(fit_sum(D(1) / b, 0, 0.125, i1_far, i1_far_rest), b);
  const D beyond = select(a < D(8), middle, select(a == infinity<D>(), D(0), far));
  return select(is_nan(x), x, copysign(select(a < D(1), fma(a, p.hi, a * p.lo), beyond), x));
}

}  // namespace detail

template <Real R>
R bessel_i0e(R x) {
  return detail::through_double(x, [](auto d) { return detail::i0e_double(d); });
}
template <Real R>
R bessel_i1e(R x) {
  return detail::through_double(x, [](auto d) { return detail::i1e_double(d); });
}

}  // namespace weft::math
