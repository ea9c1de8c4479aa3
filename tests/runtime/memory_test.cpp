// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/memory_test.cpp: the memory that is counted, kept for later, and released.
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>

#include "support/build.h"
#include "support/check.h"

namespace weft {
namespace {

int64_t resident() {
  long pages = 0, first = 0;
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  REQUIRE(f);
  const int n = std::fscanf(f, "%ld %ld", &first, &pages);
  std::fclose(f);
  REQUIRE(n == 2);
  return pages * sysconf(_SC_PAGESIZE);
}

// Returns the peak of resident memory since the last call with `again`.
int64_t max_resident(bool again = false) {
  if (again) {
    std::FILE* f = std::fopen("/proc/self/clear_refs", "w");
    REQUIRE(f);
    REQUIRE(std::fputs("5", f) >= 0);
    REQUIRE(std::fclose(f) == 0);
  }
  std::FILE* f = std::fopen("/proc/self/status", "r");
  REQUIRE(f);
  char line[256];
  long kib = -1;
  while (kib < 0 && std::fgets(line, sizeof line, f)) std::sscanf(line, "VmHWM: %ld", &kib);
  std::fclose(f);
  REQUIRE(kib >= 0);
  return kib * 1024;
}

// Returns the peak of memory in use during f, above the memory before.
template <class F>
int64_t max_in_use(F f) {
  const int64_t before = memory_in_use();
  std::atomic<bool> over{false};
  std::atomic<int64_t> most{0};
  std::thread watch([&] {
    while (!over) {
      most = std::max(most.load(), memory_in_use());
      std::this_thread::yield();
    }
  });
  f();
  over = true;
  watch.join();
  return most - before;
}

struct Limit {
  explicit Limit(int64_t bytes) { set_memory_limit(bytes); }
  ~Limit() { set_memory_limit(0); }
};

Array sorts(Array x) { return sort(sort(x * 2.) * x).sum(); }

}  // namespace

TEST_CASE("the reported memory of a program is the memory that it uses", "[memory]") {
  // These are the temporaries of the program itself, of a loop's body, of its carries, and of
  // native code.
  const auto loop = [](Array w, Array x) {
    return fori_loop(
        0, 20,
        [w](Array, Array v) {
          const Array t = matmul(v, w), u = sin(t) + t * 0.5;
          return matmul(u, w) + u.sum();
        },
        x);
  };
  const auto said = [](const auto& c, auto... x) {
    (void)c(x...);
    Array r;
    const auto used = static_cast<double>(max_in_use([&] { r = c(x...); }));
    const auto m = c.memory();
    const auto claimed = static_cast<double>(m.outputs + m.temporaries);
    INFO(used << " bytes used, " << claimed << " claimed");
    CHECK(std::abs(used - claimed) <= 0.02 * claimed);
    CHECK(m.temporaries > 1 << 20);
  };
  const Array w = full({600, 600}, 1e-3), x = ones({600, 600});
  said(jit(loop).lower(w, x).compile(), w, x);
  const Array long_row = arange(3e6);
  said(jit(sorts).lower(long_row).compile(), long_row);
  const Array rows = sin(arange(2e6)).reshape({4, 500000});
  said(jit([](Array r) { return sort(r * 2., 0) + 1.; }).lower(rows).compile(), rows);
}

TEST_CASE("the reported memory of a program is the growth of the process", "[memory]") {
  if (test::sanitized) {
    WARN("skipped: sanitizers take memory of their own");
    return;
  }
  const auto said = [](const char* name, const auto& f, auto... x) {
    const auto c = jit(f).lower(x...).compile();
    release_idle_memory();
    malloc_trim(0);
    const int64_t before = max_resident(true);
    const Array r = c(x...);
    const auto grown = static_cast<double>(max_resident() - before);
    const auto m = c.memory();
    const auto claimed = static_cast<double>(m.outputs + m.temporaries);
    INFO(name << ": the process grew by " << grown << " bytes, " << claimed << " claimed");
    CHECK(claimed > 1e8);
    CHECK(std::abs(grown - claimed) <= 0.02 * claimed);
  };
  const auto product = [](Array a, Array b) { return matmul(a, b); };
  const Array f32 = full({4000, 400}, 1e-3, F32), f64 = full({4000, 300}, 1e-3, F64);
  // The numbers include the buffers into which libraries pack operands. (OpenBLAS keeps them: no
  // other F64 product may run before.)
  said("f32 product", product, f32, full({400, 12000}, 1e-3, F32));
  said("f64 product", product, f64, full({300, 6000}, 1e-3, F64));
  // This is the scratch memory of native code and of a loop's programs.
  const Array mixed = sin(arange(2e7) * 1e3);
  said("sort", [](Array x) { return sort(x * 2.); }, mixed);
  said(
      "loop",
      [](Array x) {
        return fori_loop(0, 3, [](Array, Array v) { return sort(v * 0.5) + v.sum(); }, x);
      },
      mixed);
}

TEST_CASE("programs share the memory of their temporaries", "[memory]") {
  const int64_t before = memory_in_use();
  clear_caches();
  (void)jit(sorts)(arange(4e6));
  const int64_t one = resident();
  std::vector<Function<Array(Array)>> kept;
  for (int n = 1; n <= 20; ++n) {
    const auto f = jit([n](Array x) { return sorts(x + static_cast<double>(n)); });
    (void)f(arange(4e6 - n * 1000));
    kept.push_back(f);
  }
  CHECK(memory_in_use() == before);
  CHECK(resident() < one + (24 << 20));
}

TEST_CASE("memory that is kept for later is released if it is needed", "[memory]") {
  clear_caches();
  const int64_t size = 16 << 20;
  const Limit limit(memory_in_use() + 3 * size);
  // Each of them fits alone, but not together with all memory that was kept.
  for (int k = 0; k < 6; ++k) {
    const int64_t n = size / 4 - k * 50000;
    CHECK((ones({n}) + 1.).sum().item<float>() == Approx(2. * static_cast<double>(n)));
    (void)jit([](Array x) { return sort(x).sum(); })(ones({n / 3}));
  }
  test::check_error<OutOfMemoryError>([&] { (void)ones({size}); }, "the limit is");
}

TEST_CASE("unused memory is released", "[memory]") {
  clear_caches();
  const Array x = arange(8e6);
  const int64_t before = resident();
  {
    const auto f = jit([k = 3.](Array v) { return sort(v * k).sum(); });
    (void)f(x);
    CHECK(resident() > before + (24 << 20));
  }
  // The function is destroyed, and its temporaries are released.
  CHECK(resident() < before + (20 << 20));
  (void)(x + 1.);
  clear_caches();
  CHECK(resident() < before + (12 << 20));
}

}  // namespace weft
