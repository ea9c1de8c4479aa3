// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/integrals.h: integrals of elementary functions, elementwise for floats.
#pragma once
#include "weft/array.h"

namespace weft::lax {

Array erfcx(const typing::Arg& x);   // e^(x^2) erfc(x)
Array dawsn(const typing::Arg& x);   // e^(-x^2) times the integral of e^(t^2) from 0 to x
Array expi(const typing::Arg& x);    // the integral of e^t / t up to x
Array spence(const typing::Arg& x);  // the integral of log t / (1 - t) from 1 to x; NaN for x < 0
Array sine_integral(const typing::Arg& x);  // the integral of sin t / t from 0 to x
Array cosine_integral(
    const typing::Arg& x);                // log|x| + gamma + the integral of (cos t - 1) / t; even
Array fresnel_sin(const typing::Arg& x);  // the integral of sin(pi t^2 / 2) from 0 to x
Array fresnel_cos(const typing::Arg& x);  // the integral of cos(pi t^2 / 2) from 0 to x

}  // namespace weft::lax
