// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/counted_test.cpp: while loops that count become loops of known bounds in kernels,
// with the same trips.
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

using Two = std::pair<Array, Array>;

// Counts from `first` on while below `limit`. Returns the final counter and a sum.
Two counted(Array first, Array limit, Array x, int step = 1) {
  return while_loop(
      [&](Two c) { return c.first < limit; },
      [&](Two c) { return Two{c.first + step, c.second * 3 + x * c.first.astype(I32)}; },
      Two{first, x});
}
template <class F, class... X>
std::string kernels(const F& f, const X&... x) {
  const Two got = jit(f)(x...);
  {
    const ReferenceMode on;
    const Two expected = f(x...);
    CHECK(array_equal(got.first, expected.first).template item<bool>());
    CHECK(array_equal(got.second, expected.second).template item<bool>());
  }
  return jit(f).lower(x...).kernels();
}
const Array lanes = arange(40);

}  // namespace

TEST_CASE("a while loop that counts to the same number in all lanes has known bounds",
          "[jit][counted]") {
  for (const auto& [first, limit] : std::vector<std::pair<int, int>>{
           {0, 7}, {3, 40}, {-5, 2}, {4, 4}, {9, 2}, {-2147483647 - 1, -2147483640}}) {
    INFO(first << " to " << limit);
    for (DType d : {I32, I64}) {
      const auto f = vmap([&, first = first, limit = limit](Array x) {
        return counted(full({}, first, d), full({}, limit, d), x);
      });
      const std::string k = kernels(f, lanes);
      CHECK(count(k, " = while ") == 0);
      CHECK(count(k, " = for ") == 1);
    }
  }
  // The loop is inside another one and counts to its index.
  const auto nested = vmap([](Array x) {
    return fori_loop(
        0, 6, [](Array i, Two c) { return Two{c.first, counted(i * 0, i, c.second).second}; },
        Two{x, x});
  });
  CHECK(count(kernels(nested, lanes), " = while ") == 0);
}

TEST_CASE("a while loop without a common count stays a while loop", "[jit][counted]") {
  const auto zero = full({}, 0, I32), nine = full({}, 9, I32);
  const auto by_two = vmap([&](Array x) { return counted(zero, nine, x, 2); });
  CHECK(count(kernels(by_two, lanes), " = while ") == 1);
  const auto own_end = vmap([&](Array x) { return counted(zero, x, x); });
  CHECK(count(kernels(own_end, lanes), " = while ") == 1);
  const auto own_start = vmap([&](Array x) { return counted(x, nine, x); });
  CHECK(count(kernels(own_start, lanes), " = while ") == 1);
  const auto of_memory = vmap([&](Array end, Array x) { return counted(zero, end, x); }, {none, 0});
  CHECK(count(kernels(of_memory, nine, lanes), " = while ") == 1);
}
