// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/sample_numbers.cpp: random arrays for samples and tests.
#include "ops/kit/sample_numbers.h"

#include <cmath>

#include "tracer/concrete.h"

namespace weft {

Array SampleNumbers::operator()(const Type& t, double lo, double hi) {
  const bool complex = is_complex(t.dtype());
  std::vector<double> x(static_cast<size_t>(t.elements()) * (complex ? 2 : 1));
  for (double& v : x) v = is_inexact(t.dtype()) ? uniform(lo, hi) : std::floor(uniform(lo, hi + 1));
  const Array wide = array_of_bytes(Type(complex ? C128 : F64, t.shape()), x.data());
  const Fresh f = fresh_array(t);
  detail::convert_elements(wide, f.data, t.dtype());
  return f.array;
}

}  // namespace weft
