// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/differentiable_unary.h: defines differentiable elementwise functions of one operand.
#pragma once
#include "core/scalar/math.h"
#include "ops/kit/kit.h"

namespace weft {

struct UnaryOptions {
  double lo = -2, hi = 2;      // the interval from which samples are drawn
  const char* stablehlo = "";  // Def::stablehlo
};
// Defines the op f on numbers. Its tangent is g(dx, x, y) with y = f(x).
template <unsigned classes = DTypes::floats, class F, class G>
const Primitive<None>& differentiable_unary(const char* name, const char* doc, F f, G g,
                                            const UnaryOptions& o = {}) {
  auto d = elementwise<classes, 1>(name, doc, f);
  d.stablehlo = o.stablehlo;
  d.jvp = unary_jvp(g);
  d.samples = [lo = o.lo, hi = o.hi] { return nary_samples<None>(classes, 1, {}, lo, hi); };
  d.rejects = [] {
    return std::vector<Reject<None>>{{{Type(I32, {2})}, {}, "takes floating-point"}};
  };
  return define_elementwise(std::move(d));
}

}  // namespace weft
