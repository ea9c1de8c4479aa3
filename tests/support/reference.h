// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/reference.h: compares compiled functions with their reference, which is computed
// one equation and one element at a time.
#pragma once
#include <vector>

#include "support/check.h"
#include "tracer/eval_trace.h"

namespace weft::test {

// An array of different numbers in no order.
inline Array numbers(const std::vector<int64_t>& sizes, DType d = I32) {
  const Array x =
      ((arange(static_cast<int>(Shape(sizes).elements())) * 7919) % 1009).reshape(sizes);
  return is_complex(d) ? lax::complex(x.astype(F32), (x + 1).astype(F32)).astype(d) : x.astype(d);
}

// Checks that the compiled function has the bits of the reference.
template <class F, class... Operands>
void same(const F& f, const Operands&... x) {
  const Array got = jit(f)(x...);
  const ReferenceMode on;
  const Array want = f(x...);
  CHECK(got.shape() == want.shape());
  CHECK(array_equal(got, want).template item<bool>());
}

}  // namespace weft::test
