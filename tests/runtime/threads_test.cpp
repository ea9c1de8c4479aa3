// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/threads_test.cpp: results do not depend on the number of threads.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
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

TEST_CASE("print the number of threads and a result", "[.][asked]") {
  try {
    std::printf("%d threads, %g\n", num_threads(), jit(sin)(ones({100'000})).sum().item<float>());
  } catch (const CompileError& e) {
    std::puts(e.what());
  }
}
TEST_CASE("environment variables with invalid values are errors", "[threads]") {
  const auto child = [](const std::string& environment) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::FILE* out = popen((environment + " '" + self + "' '[.][asked]' 2>&1").c_str(), "r");
    REQUIRE(out != nullptr);
    std::string text;
    for (int c = 0; (c = std::fgetc(out)) != EOF;) text += static_cast<char>(c);
    CHECK(pclose(out) == 0);
    return text;
  };
  CHECK_THAT(child("WEFT_NUM_THREADS=3"), Catch::Contains("3 threads, 84147"));
  CHECK_THAT(child("WEFT_NUM_THREADS="), Catch::Contains("threads, 84147"));
  for (const std::string wrong : {"abc", "-1", "0", "4x", "1000000"})
    CHECK_THAT(child("WEFT_NUM_THREADS=" + wrong),
               Catch::Contains("WEFT_NUM_THREADS is \"" + wrong +
                               "\"; choose a whole number from 1 to 4096"));
  for (const std::string name : {"WEFT_NO_JIT", "WEFT_CHECK"}) {
    CHECK_THAT(child(name + "=0"), Catch::Contains("threads, 84147"));
    CHECK_THAT(child(name + "=yes"), Catch::Contains(name + " is \"yes\"; choose 1 or 0"));
  }
  const std::string both = child("WEFT_TRACEBACK=yes WEFT_NO_JIT=no");
  CHECK_THAT(both, Catch::Contains("WEFT_NO_JIT is \"no\"; choose 1 or 0"));
  CHECK_THAT(both, Catch::Contains("WEFT_TRACEBACK is \"yes\"; choose 1 or 0"));
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
