// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/threads_test.cpp: results do not depend on the number of threads.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "support/check.h"

namespace weft {
namespace {

struct Threads {
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(0); }
};

Array waves(int64_t m, int64_t n, DType d) {
  std::vector<double> v(static_cast<size_t>(m * n));
  for (size_t i = 0; i < v.size(); ++i) v[i] = std::sin(1.7 * static_cast<double>(i));
  return array(v, {m, n}).astype(d);
}

}  // namespace

TEST_CASE("parts are the same for any number of threads", "[threads]") {
  const auto parts = [](int threads) {
    const Threads scope(threads);
    std::mutex guard;
    std::vector<std::pair<int64_t, int64_t>> r;
    parallel_for(100, 30, [&](int64_t lo, int64_t hi) {
      const std::lock_guard lock(guard);
      r.emplace_back(lo, hi);
    });
    std::sort(r.begin(), r.end());
    return r;
  };
  const std::vector<std::pair<int64_t, int64_t>> want = {{0, 30}, {30, 60}, {60, 90}, {90, 100}};
  CHECK(parts(1) == want);
  CHECK(parts(2) == want);
}

TEST_CASE("large products have the same bits for any number of threads", "[threads]") {
  const auto product = jit([](Array a, Array b) { return matmul(a, b); });
  const int64_t shapes[][3] = {{129, 100, 1000}, {513, 513, 513}, {100, 300, 77}, {97, 1500, 50}};
  for (const auto& [m, n, k] : shapes)
    for (DType d : {F32, F64}) {
      const Array a = waves(m, k, d), b = waves(k, n, d);
      const auto run = [&](int threads) {
        const Threads scope(threads);
        return product(a, b).to_vector<double>();
      };
      CAPTURE(m, n, k, static_cast<int>(d));
      const bool same = run(1) == run(2);
      CHECK(same);
    }
}

}  // namespace weft
