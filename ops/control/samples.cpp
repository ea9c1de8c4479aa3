// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/samples.cpp: small programs for samples.
#include "ops/control/samples.h"

namespace weft {

Array sine_product(const Array& x, const Array& y) { return lax::mul(lax::sin(x), y); }
Arrays sine_product_slopes(const Array& x, const Array& y) {
  return {lax::mul(lax::cos(x), y), lax::sin(x)};
}

}  // namespace weft
