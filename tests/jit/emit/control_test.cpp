// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/control_test.cpp: divergent loops and branches, compiled and compared with the
// interpreter.
#include "jit/emit/compare.h"
#include "jit/emit/control_kernels.h"
#include "jit/emit/speed_kernels.h"

namespace weft::compiler {
namespace {

void check_all(nest::Kernel (*make)(Vector), const std::vector<Options>& variants = {{}}) {
  for (auto vector : {Vector::grid, Vector::none, Vector::inner}) {
    const nest::Kernel k = make(vector);
    REQUIRE(nest::verify(k) == "");
    for (const TargetInfo& t : targets())
      for (const Options& o : variants)
        for (int64_t n : grid_sizes) {
          INFO(t.cpu << " n=" << n << " vector=" << static_cast<int>(vector)
                     << " interleave=" << o.interleave << " refill=" << static_cast<int>(o.refill));
          CHECK(difference(k, control_run(k, n), t, o) == "");
        }
  }
}

const std::vector<Options> schedules{{},
                                     {Options::Use::never, 1},
                                     {Options::Use::never, 3},
                                     {Options::Use::always, 1},
                                     {Options::Use::always, 2}};

}  // namespace

TEST_CASE("a divergent while counts Collatz steps", "[jit][control]") {
  check_all(collatz, schedules);
}
TEST_CASE("a divergent while of floats", "[jit][control]") { check_all(mandelbrot, schedules); }
TEST_CASE("a while in a branch in a loop", "[jit][control]") { check_all(nested); }
TEST_CASE("a branch that is not taken may loop for ever", "[jit][control]") {
  check_all(endless_branch);
}
TEST_CASE("loops with bounds that differ between lanes", "[jit][control]") { check_all(triangle); }
TEST_CASE("per-lane arrays", "[jit][control]") { check_all(arrays); }
TEST_CASE("elements of arrays by clamped numbers", "[jit][control]") {
  check_all(clamped<1, false>);
  check_all(clamped<2, false>);
  check_all(clamped<7, false>);
  check_all(clamped<7, true>);
  check_all(clamped<16, false>);
  check_all(clamped<17, false>);
  check_all(while_clamped, schedules);
  check_all(row_of<4>, schedules);
  check_all(row_of<17>);
  // If there are few elements, all lanes read each of them. If there are more, each lane gathers
  // its own.
  const auto fetches = [](const nest::Kernel& k) {
    const std::string ir = compile(k, host_target())->llvm_ir();
    return ir.find("masked.gather") != std::string::npos ||
           ir.find("masked.scatter") != std::string::npos;
  };
  CHECK_FALSE(fetches(clamped<16, false>(Vector::grid)));
  CHECK(fetches(clamped<17, false>(Vector::grid)));
  CHECK_FALSE(fetches(row_of<16>(Vector::grid)));
  CHECK(fetches(row_of<17>(Vector::grid)));
}
TEST_CASE("a for_each in every lane", "[jit][control]") { check_all(each); }
TEST_CASE("a while whose state is an array", "[jit][control]") {
  check_all(while_array, schedules);
}

TEST_CASE("loops written out over per-lane arrays", "[jit][control]") {
  for (int64_t n : {1, 3, 8})
    for (const TargetInfo& t : targets())
      for (int64_t points : grid_sizes) {
        std::vector<float> a;
        for (int64_t p = 0; p < points; ++p)
          for (int64_t i = 0; i < n * n; ++i)
            a.push_back((i % (n + 1) ? 0.1f : 9.0f) + static_cast<float>((p * 7 + i) % 5) / 8);
        INFO(t.cpu << " n=" << n << " points=" << points);
        CHECK(difference(speed_cholesky(n),
                         Run{{raw(a), zeros(Storage::F32, a.size())}, {}, {0, 1, 0, points}},
                         t) == "");
      }
}

TEST_CASE("a grid of one point, without axes", "[jit][control]") {
  for (auto v : {Vector::grid, Vector::none, Vector::inner}) {
    Builder b("point");
    const int in = b.buffer(Storage::F32, false), out = b.buffer(Storage::F32, true);
    const auto body = b.open({Kind::I64});
    b.yield({b.load(in, b.param(body, 0))});
    b.leave();
    const Id s = b.fold(b.extent(0), {b.constant(Kind::F32, 0)}, {Combine::Add}, body)[0];
    b.store(out, b.integer(0), s);
    const nest::Kernel k = b.finish(0, 1, v);
    for (int64_t n : {0, 7, 1500})
      CHECK(difference(k, Run{{patterns(Storage::F32, n, 2), zeros(Storage::F32, 1)}, {n}, {}}) ==
            "");
  }
}

}  // namespace weft::compiler
