// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/counted_test.cpp: while loops that count become loops of known bounds in kernels,
// with the same trips.
#include <functional>

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

TEST_CASE("a counter is one number for the lanes that run, however many trips they make",
          "[jit][counted]") {
  // Each lane writes and reads its rows at the counter, up to its own end.
  const auto f = [](Array end, Array x) {
    const auto body = [](Array i, std::pair<Array, Array> s) {
      const Array next = s.first + .1f * s.second[maximum(i - 1, 0)];
      return std::pair{next, s.second.at(i).set(next)};
    };
    return fori_loop(0, end, body, std::pair{x, zeros({64})}).second;
  };
  // The last counter is a result, which differs between lanes.
  const auto last = [](Array end, Array x) {
    using State = std::tuple<Array, Array, Array>;
    const auto going = [&](State s) { return std::get<0>(s) < end; };
    const auto step = [](State s) {
      const auto [i, y, rows] = s;
      return State{i + 1, y * .5f, rows.at(i).set(y)};
    };
    const auto [i, y, rows] = while_loop(going, step, State{Array(0), x, zeros({64})});
    return rows + i.astype(F32);
  };
  for (int64_t n : {1, 15, 16, 40}) {
    const Array end = arange(n).astype(I32) * 7 % 10, x = sin(arange(n).astype(F32));
    INFO(n << " lanes");
    for (const auto& g : {std::function<Array(Array, Array)>(f), {last}}) {
      Array expected;
      {
        const ReferenceMode on;
        expected = vmap(g)(end, x);
      }
      CHECK(allclose(jit(vmap(g))(end, x), expected, 1e-6, 1e-6).item<bool>());
    }
  }
  // A vector's array is written by vectors. Lanes that do not fill a vector scatter their results.
  const Array end = arange(40).astype(I32) % 10, x = sin(arange(40).astype(F32));
  CHECK(count(jit(vmap(f)).lower(end, x).llvm_ir(), "call void @llvm.masked.scatter") == 1);
}
