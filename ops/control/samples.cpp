// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/samples.cpp: numbers and functions for samples.
#include "weft/ops/control/samples.h"

#include <cmath>

namespace weft {

double SampleNumbers::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
Array SampleNumbers::operator()(const Type& t, double lo, double hi) {
  const bool real = is_inexact(t.dtype());
  std::vector<double> x(static_cast<size_t>(t.elements()));
  for (double& v : x) v = real ? lo + (hi - lo) * next() : std::floor(lo + (hi - lo + 1) * next());
  const Array wide = array_of_bytes(Type(F64, t.shape()), x.data());
  const Fresh f = fresh_array(t);
  detail::convert_elements(wide, f.data, t.dtype());
  return f.array;
}

Array sine_product(const Array& x, const Array& y) { return lax::mul(lax::sin(x), y); }
Arrays sine_product_slopes(const Array& x, const Array& y) {
  return {lax::mul(lax::cos(x), y), lax::sin(x)};
}

}  // namespace weft
