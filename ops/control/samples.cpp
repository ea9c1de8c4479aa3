// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/samples.cpp: small programs for samples.
#include "ops/control/samples.h"

namespace weft {

Array sine_product(const Array& x, const Array& y) { return lax::mul(lax::sin(x), y); }
Arrays sine_product_slopes(const Array& x, const Array& y) {
  return {lax::mul(lax::cos(x), y), lax::sin(x)};
}

Type sample_number() { return Type(I32, {}); }
Type sample_operand() { return Type(F64, {3}); }
Array scaled(const Array& k, const Array& x) {
  const Array f = lax::convert_element_type(k, x.dtype());
  return lax::mul(broadcast_like(f, x.type()), x);
}
Jaxpr scaled_slopes() {
  return program(concat_lists({sample_number()}, Types(3, sample_operand())), [](const Arrays& a) {
    return Arrays{scaled(a[0], lax::mul(a[3], a[1])), scaled(a[0], lax::mul(a[3], a[2]))};
  });
}

}  // namespace weft
