// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/limited_index_test.cpp: vectors of neighbours whose index is limited to a part of
// a row (jit/emit/cpu/element_access.cpp): parts of concatenations, shifted and padded rows. Also
// vectors at quotients and remainders (jit/emit/cpu/element_windows.cpp).
#include "support/reference.h"

using namespace weft;
using namespace weft::test;

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

TEST_CASE("quotients and remainders are the elements that a gather reads", "[jit][emit]") {
  // Each element of x with each of c numbers, so that short axes follow one another.
  const auto planes = [](Array x, int64_t c) {
    const Array by = (arange(static_cast<int>(c)) * 3 + 1).astype(x.dtype());
    const Array last = x.reshape({x.shape()[0], x.shape()[1], 1}),
                first = x.reshape({x.shape()[0], 1, x.shape()[1]});
    if (x.dtype() == Bool) return Arrays{last ^ (by & last), first ^ by.reshape({c, 1})};
    return Arrays{last * by, first * by.reshape({c, 1})};
  };
  for (int64_t n : {1, 5, 16, 33})
    for (int64_t rows : {1, 3, 40})
      for (int64_t c : {2, 3, 16, 17})
        for (DType d : {F32, F64, I32, I8, BF16, Bool}) {
          INFO(rows << " rows of " << n << " by " << c << ", dtype " << static_cast<int>(d));
          const Array numbers = (arange(static_cast<int>(rows * n)) * 7919) % 101;
          const Array x = numbers.astype(d).reshape({rows, n});
          for (int k : {0, 1}) same([&](Array x) { return planes(x, c)[k]; }, x);
        }
}
