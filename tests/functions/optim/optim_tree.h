// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/optim/optim_tree.h: the parameters that the tests of optimizers train.
#pragma once
#include "core/ir.h"
#include "weft/weft.h"

namespace weft::testing {

struct Layer {
  Array scale, w;
  std::string kind = "dense";  // passed through unchanged
};
struct Params {
  Array b;
  Layer layer;
};

// Returns the array that tests/golden/generators/golden_lines.py names x.
inline Array quarters(const Shape& s, int64_t m) {
  std::vector<float> v;
  for (int64_t i = 0; i < s.elements(); ++i) v.push_back(static_cast<float>(i * m % 11 - 5) / 4);
  return array(v, s);
}
inline Array leaf(const Shape& s, DType d, int64_t m) {
  const Array a = quarters(s, m);
  return is_complex(d) ? lax::complex(a, quarters(s, m + 2)).astype(d) : a.astype(d);
}
inline Params params_like(DType d, int64_t m) {
  return {leaf({3}, d, m), {leaf({}, d, m + 1), leaf({2, 3}, d, m + 3)}};
}
// Returns the slope of a quadratic bowl plus a term that differs at each step.
inline Params grads_at(const Params& p, int64_t step) {
  const auto slope = [](const Array& a, const Array& c) { return a * 0.5 + c * 0.125; };
  return tree::map(slope, p, params_like(p.b.dtype(), 5 + 2 * step));
}

}  // namespace weft::testing
