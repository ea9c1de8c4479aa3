// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/library_threads_test.cpp: libraries have no threads except those of Weft's arena.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <iterator>

#include "support/check.h"

namespace weft {
namespace {

int64_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// Calls each library that can have its own threads, at sizes at which it would use them.
void call_libraries() {
  const Array images = ones({4, 32, 32, 16}), image = ones({1, 64, 64, 16}),
              kernel = ones({3, 3, 16, 32});
  const auto conv = [](Array x, Array k) {
    return lax::conv_general_dilated(x, k, {1, 1}, "SAME",
                                     {.dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
  };
  jit(conv)(images, kernel);
  jit(conv)(image, kernel);
  jit(grad([&](Array k) { return conv(images, k).sum(); }))(kernel);
  for (DType d : {F32, F64}) {
    const Array a = random::normal(random::key(0), {300, 300}).astype(d) + 20 * eye(300).astype(d);
    jit([](Array x) { return matmul(x, x); })(a);
    jit([](Array x) { return linalg::cholesky(matmul(x, x.T())); })(a);
    jit([](Array x) { return linalg::solve(x, x); })(a);
    jit([](Array x) { return linalg::qr(x); })(a);
    jit([](Array x) { return linalg::svd(x); })(a);
    jit([](Array x) { return linalg::eigh(x + x.T()); })(a);
    jit([](Array x) { return lax::eig(x); })(a);
    jit([](Array x) { return lax::triangular_solve(x, x, {.left_side = true, .lower = true}); })(a);
  }
}

}  // namespace

TEST_CASE("print how many threads libraries add", "[.][library_threads]") {
  jit([](Array x) { return sin(x).sum(); })(ones({1'000'000}));
  const int64_t before = threads_of_process();
  call_libraries();
  const int64_t once = threads_of_process();
  set_num_threads(1);
  call_libraries();
  std::printf("libraries add %ld, then %ld\n", static_cast<long>(once - before),
              static_cast<long>(threads_of_process() - once));
}

TEST_CASE("libraries add no threads to those of the arena", "[threads]") {
  const auto child = [](const std::string& environment) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::FILE* out = popen((environment + " '" + self + "' '[library_threads]' 2>&1").c_str(), "r");
    REQUIRE(out != nullptr);
    std::string text;
    for (int c = 0; (c = std::fgetc(out)) != EOF;) text += static_cast<char>(c);
    CHECK(pclose(out) == 0);
    return text;
  };
  for (const std::string more :
       {"", " OMP_NUM_THREADS=5", " OMP_DYNAMIC=false OPENBLAS_NUM_THREADS=5"})
    for (const std::string threads : {"1", "2"})
      CHECK_THAT(child("WEFT_NUM_THREADS=" + threads + more),
                 Catch::Contains("libraries add 0, then 0"));
}

TEST_CASE("the number of the user's OpenMP threads is unchanged", "[threads]") {
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  if (!set || !get) {
    WARN("skipped: oneDNN here is not one of OpenMP");
    return;
  }
  const int before = get();
  set_num_threads(1);
  call_libraries();  // OpenBLAS restarts its idle threads after a fork of another test
  const int64_t threads = threads_of_process();
  set(3);
  call_libraries();
  set_num_threads(0);
  CHECK(get() == 3);
  CHECK(threads_of_process() == threads);
  set(before);
}

}  // namespace weft
