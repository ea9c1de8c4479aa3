// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/hypergeometric.h: hypergeometric functions of real numbers, elementwise for
// floats.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// Kummer's function M(a, b, x), the sum of (a)_k / (b)_k x^k / k!. It is 1 at a = 0 and inf at b =
// 0.
Array hyp1f1(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);
// Gauss's function F(a, b; c; x), the sum of (a)_k (b)_k / (c)_k x^k / k!. It is inf for x > 1
// unless it is a polynomial, and for c = 0, -1, …
Array hyp2f1(const typing::Arg& a, const typing::Arg& b, const typing::Arg& c,
             const typing::Arg& x);
// The derivative of hyp1f1 with respect to a.
Array hyp1f1_grad_a(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);
// The derivative of hyp1f1 with respect to b.
Array hyp1f1_grad_b(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);
// The derivative of hyp2f1 with respect to a. The derivative with respect to b is the same function
// with a and b exchanged.
Array hyp2f1_grad_a(const typing::Arg& a, const typing::Arg& b, const typing::Arg& c,
                    const typing::Arg& x);
// The derivative of hyp2f1 with respect to c.
Array hyp2f1_grad_c(const typing::Arg& a, const typing::Arg& b, const typing::Arg& c,
                    const typing::Arg& x);

}  // namespace weft::lax
