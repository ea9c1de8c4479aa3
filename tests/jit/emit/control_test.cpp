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
                                     {Options::Use::always, 2},
                                     {.sort = Options::Use::always}};

}  // namespace

TEST_CASE("a divergent while counts Collatz steps", "[jit][control]") {
  check_all(collatz, schedules);
}
TEST_CASE("a divergent while of floats", "[jit][control]") { check_all(mandelbrot, schedules); }
TEST_CASE("a while in a branch in a loop", "[jit][control]") { check_all(nested, schedules); }
TEST_CASE("a branch that is not taken may loop for ever", "[jit][control]") {
  check_all(endless_branch, schedules);
}
TEST_CASE("loops with bounds that differ between lanes", "[jit][control]") { check_all(triangle); }
TEST_CASE("per-lane arrays", "[jit][control]") { check_all(arrays, schedules); }
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

TEST_CASE("points sorted by the branches that they take", "[jit][control]") {
  check_all(kinds, schedules);
  Options sorted{.sort = Options::Use::always};
  const nest::Kernel k = kinds(Vector::grid);
  for (const TargetInfo& t : targets()) {
    const Schedule s = compile(k, t, sorted)->schedule();
    CHECK(s.sort_points > 0);
    CHECK(s.sorted.size() == 5);
    std::mt19937 g(2);
    const auto check = [&](int64_t n, const std::function<int32_t(int64_t)>& x) {
      std::vector<int32_t> all;
      for (int64_t p = 0; p < n; ++p) all.push_back(x(p));
      const Run run{{raw(all), zeros(Storage::I32, all.size())}, {n}, {0, 1, 0, n}};
      CHECK(difference(k, run, t, sorted) == "");
    };
    const auto random = [&](int64_t) { return static_cast<int32_t>(g() % 1000); };
    for (const int64_t n : {s.sort_points - 1, s.sort_points, s.sort_points + 1}) check(n, random);
    // All points of a kind, no points of a kind, few of a kind, and sorted at both ends only.
    const int64_t many = 20 * s.sort_points + 5;
    for (const int32_t kind : {0, 1, 2, 3, 4}) {
      check(many / 8, [&](int64_t) { return static_cast<int32_t>(5 * (g() % 20)) + kind; });
      check(many / 8,
            [&](int64_t) { return static_cast<int32_t>(5 * (g() % 20)) + (g() % 100 ? 4 : kind); });
    }
    check(many / 8, [&](int64_t) { return static_cast<int32_t>(g() % 2 ? 11 : 13); });
    check(many, [&](int64_t p) {
      const int64_t block = p / s.sort_points;
      return block < 2 || block > 18 ? random(p) : 34;
    });
  }
}

TEST_CASE("points of rows sorted by the branches that they take", "[jit][control]") {
  const nest::Kernel k = kinds_of_rows();
  REQUIRE(nest::verify(k) == "");
  for (const TargetInfo& t : targets())
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{3, 1100}, {5, 17}, {2, 0}}) {
      const auto n = static_cast<size_t>(rows * columns);
      Run run{{patterns(Storage::F64, n, 3), zeros(Storage::F64, n)}, {columns}, {}};
      run.range = {0, rows, 0, columns};
      Options sorted{.sort = Options::Use::always};
      CHECK(compile(k, t, sorted)->schedule().sorted.size() == 1);
      CHECK(difference(k, run, t, sorted) == "");
      CHECK(difference(k, run, t) == "");
      run.range = {1, rows, columns / 3, columns};
      CHECK(difference(k, run, t, sorted) == "");
    }
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
