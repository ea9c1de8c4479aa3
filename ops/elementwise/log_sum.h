// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/log_sum.h: the logarithm of a sum of two exponentials, for logaddexp and
// cumlogsumexp. Not public.
#pragma once
#include <limits>

#include "ops/kit/kit.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft::ir {

// Computes log(exp a + exp b), for a and b of one shape, as hi + f(lo - hi), where f(-inf) = 0. A
// single comparison decides which operand is larger, so that all derivatives are right for equal
// operands. For equal infinities the result is their mean, so each gets half of the derivative.
template <class F>
Array log_sum(const Array& a, const Array& b, const F& f) {
  const Array first = lax::ge(a, b);
  const Array hi = lax::select(first, a, b), lo = lax::select(first, b, a);
  const auto all = [&](double v) { return broadcast_like(like(hi, v), hi.type()); };
  const Array endless = lax::bitwise_and(
      lax::eq(hi, lo), lax::eq(lax::abs(hi), like(hi, std::numeric_limits<double>::infinity())));
  const Array mean = lax::mul(lax::add(a, b), like(hi, 0.5));
  return lax::add(lax::select(endless, mean, hi),
                  f(lax::select(endless, all(0), lax::sub(lo, hi))));
}

}  // namespace weft::ir
