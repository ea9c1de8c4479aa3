// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/convolve.cpp: convolve and correlate for vectors.
#include <fmt/format.h>

#include "functions/kit.h"
#include "tracer/base_ops.h"
#include "weft/lax/window.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"

namespace weft {
namespace {

// Correlates x with y, without reversing y. y must not be longer than x.
Array slid(const Array& x, const Array& y, int64_t low, int64_t high, const ProductOptions& o) {
  const auto row = [](const Array& v) { return base::reshape(v, {1, 1, v.shape()[0]}); };
  const Array r = lax::conv_general_dilated(row(x), row(y), {1}, {{low, high}},
                                            {.preferred_element_type = o.preferred_element_type});
  return base::reshape(r, {r.shape()[2]});
}

Array of_vectors(const char* name, const Array& a, const Array& b, const std::string& mode,
                 bool turned, const ProductOptions& o) {
  if (a.ndim() != 1 || b.ndim() != 1 || a.shape()[0] == 0 || b.shape()[0] == 0)
    fn::fail_shape(fmt::format("{}: takes two vectors that are not empty, got {} and {}", name,
                               to_string(a.type()), to_string(b.type())));
  if (mode != "full" && mode != "same" && mode != "valid")
    fn::fail_shape(
        fmt::format(R"({}: mode must be "full", "same" or "valid", got "{}")", name, mode));
  const Arrays same = fn::same_dtype({a, b});
  Array x = fn::inexact(same[0]), y = fn::inexact(same[1]);
  if (!turned) y = conj(y);
  const bool swap = x.shape()[0] < y.shape()[0];
  if (swap) std::swap(x, y);
  const int64_t n = y.shape()[0];
  const int64_t low = mode == "full" ? n - 1 : mode == "same" ? n / 2 : 0;
  const int64_t high = mode == "full" ? n - 1 : mode == "same" ? n - n / 2 - 1 : 0;
  const Array r = slid(x, turned ? base::flip(y, 0) : y, low, high, o);
  return swap && !turned ? base::flip(r, 0) : r;
}

}  // namespace

Array convolve(const Arg& x, const Arg& y, const std::string& mode, const ProductOptions& o) {
  const ApiNameScope s("convolve", x.at());
  return of_vectors("convolve", x, y, mode, true, o);
}
Array correlate(const Arg& x, const Arg& y, const std::string& mode, const ProductOptions& o) {
  const ApiNameScope s("correlate", x.at());
  return of_vectors("correlate", x, y, mode, false, o);
}

}  // namespace weft
