// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/limited_index_test.cpp: vectors of neighbours whose index is limited to a part of
// a row (jit/emit/cpu/element_access.cpp): parts of concatenations, shifted and padded rows.
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

template <class F>
void same(F f, const Array& x) {
  const Array got = jit(f)(x);
  const ReferenceMode on;
  const Array want = f(x);
  CHECK(array_equal(got, want).item<bool>());
}

}  // namespace

TEST_CASE("limited neighbours are the elements that a gather reads", "[jit][emit]") {
  const auto parts = [](Array x) {
    const int64_t n = x.shape()[1];
    const Array last = lax::slice_in_dim(x, n - 1, n, 1, 1);
    const Array all = concatenate({x, x + last, last * x}, 1);
    return Arrays{all, roll(all, 3, 1) + all, all.sum({0})};
  };
  for (int64_t n : {1, 5, 16, 17, 40, 64})
    for (int64_t rows : {1, 3, 33})
      for (DType d : {F32, F64, I32, I8, Bool}) {
        INFO(rows << " rows of " << n << ", dtype " << static_cast<int>(d));
        const Array numbers = (arange(static_cast<int>(rows * n)) * 7919) % 101;
        const Array x = numbers.astype(d).reshape({rows, n});
        if (d == Bool) {
          same([](Array x) { return concatenate({x, ~x, x & roll(x, 1, 1)}, 1); }, x);
          continue;
        }
        for (int k : {0, 1, 2}) same([&](Array x) { return parts(x)[k]; }, x);
      }
}
