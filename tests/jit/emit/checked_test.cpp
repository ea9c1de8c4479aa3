// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/checked_test.cpp: kernels that test their accesses compute the same. They end
// before the first access beyond a buffer, whatever instruction makes it.
#include "jit/emit/check/checked.h"

#include "jit/emit/control_kernels.h"
#include "jit/emit/speed_kernels.h"
#include "support/share.h"

namespace weft::compiler {
namespace {

struct Outcome {
  Checked told;
  Memory memory;
};
// Runs a checked kernel whose buffers are declared to have `bytes` bytes.
Outcome run_checked(const nest::Kernel& k, const Run& run, const std::vector<int64_t>& bytes,
                    const TargetInfo& t, Options o) {
  o.checked = true;
  Outcome r{{}, Memory(run.contents)};
  r.told.bytes = bytes.data();
  std::vector<int64_t> extents = run.extents;
  extents.push_back(reinterpret_cast<int64_t>(&r.told));
  compile(k, t, o)->run(r.memory.buffers(), extents.data(), run.range.data());
  return r;
}
std::vector<TargetInfo> targets() {
  std::vector<TargetInfo> t{host_target(), target_named("x86-64-v2")};
  if (host_target().mask_registers) t.push_back(target_named("x86-64-v3"));
  return t;
}

void check_kernel(const nest::Kernel& k, const Run& run, const Options& o = {}) {
  for (const TargetInfo& t : targets()) {
    INFO(k.name << " " << t.cpu);
    std::vector<int64_t> bytes;
    for (const auto& c : run.contents) bytes.push_back(static_cast<int64_t>(c.size()));
    Memory plain(run.contents);
    compile(k, t, o)->run(plain.buffers(), run.extents.data(), run.range.data());
    const Outcome all = run_checked(k, run, bytes, t, o);
    CHECK_FALSE(all.told.failed);
    CHECK(all.memory.held == plain.held);
    for (size_t b = 0; b < bytes.size(); ++b) {
      auto fewer = bytes;
      fewer[b] -= 1;
      const Outcome less = run_checked(k, run, fewer, t, o);
      INFO("buffer " << b);
      CHECK(less.told.failed);
      CHECK(less.told.buffer == static_cast<int32_t>(b));
      CHECK(less.told.memory_bytes == fewer[b]);
      CHECK(less.told.offset + less.told.size > fewer[b]);
      if (k.buffers[b].written) {  // its last element is unchanged
        const size_t at = Memory::guard + static_cast<size_t>(bytes[b]) - 1;
        CHECK(less.memory.held[b][at] == run.contents[b].back());
      }
    }
  }
}

// Reads a matrix along its columns: a transposition.
nest::Kernel turned(int64_t rows, int64_t columns) {
  Builder b("turned");
  const int x = b.buffer(Storage::F32, false), y = b.buffer(Storage::F32, true);
  const auto at = [&](Id i, Id j, int64_t n) {
    return b.pure(Opcode::Add, Kind::I64, {b.pure(Opcode::Mul, Kind::I64, {i, b.integer(n)}), j});
  };
  b.store(y, at(b.index(0), b.index(1), rows), b.load(x, at(b.index(1), b.index(0), columns)));
  return b.finish(2, 0, {});
}
// Computes the running maximum of each row: blocks of steps are read and written as pieces of rows.
nest::Kernel running(int64_t n) {
  Builder b("running");
  const int x = b.buffer(Storage::F32, false), y = b.buffer(Storage::F32, true);
  const Id row = b.pure(Opcode::Mul, Kind::I64, {b.index(0), b.integer(n)});
  const auto body = b.open({Kind::I64, Kind::F32});
  const Id at = b.pure(Opcode::Add, Kind::I64, {row, b.param(body, 0)});
  const Id next = b.pure(Opcode::FMax, Kind::F32, {b.param(body, 1), b.load(x, at)});
  b.store(y, at, next);
  b.yield({next});
  b.leave();
  b.loop(b.integer(0), b.integer(n), 1, {b.constant(Kind::F32, 0)}, body);
  return b.finish(1, 0, {});
}
Run copy_of(int64_t rows, int64_t columns, std::vector<int64_t> range) {
  std::vector<float> x;
  for (int64_t i = 0; i < rows * columns; ++i) x.push_back(static_cast<float>(i % 101) + 1);
  return {{raw(x), zeros(Storage::F32, x.size())}, {}, std::move(range)};
}

}  // namespace

TEST_CASE("checked kernels with control flow", "[jit][checked][share]") {
  Share share(3);
  for (const auto make : {collatz, mandelbrot, nested, triangle, arrays, each, while_array, kinds})
    for (const int64_t n : {1, 67}) {
      if (!share.next()) continue;
      const nest::Kernel k = make(Vector::grid);
      check_kernel(k, control_run(k, n));
      check_kernel(k, control_run(k, n), {Options::Use::always, 2});
      check_kernel(k, control_run(k, n), {.sort = Options::Use::always});
    }
}

TEST_CASE("checked kernels that move blocks", "[jit][checked]") {
  for (const auto& [rows, columns] : {std::pair{64, 64}, {33, 50}, {3, 5}}) {
    check_kernel(turned(rows, columns), copy_of(rows, columns, {0, columns, 0, rows}));
    check_kernel(running(columns), copy_of(rows, columns, {0, 1, 0, rows}));
  }
  CHECK(compile(running(64))->schedule().loops.size() == 1);
}

TEST_CASE("arrays of lanes are checked, too", "[jit][checked]") {
  Builder b("beyond");
  const int y = b.buffer(Storage::F32, true), n = b.buffer(Storage::I64, false);
  const Id array = b.local(Kind::F32, 40);
  const Id at = b.load(n, b.index(0));
  b.local_store(array, at, b.constant(Kind::F32, 0x3f800000));
  b.store(y, b.index(0), b.local_load(array, b.integer(0)));
  const nest::Kernel k = b.finish(1, 0, {});
  for (const int64_t beyond : {0, 1}) {
    Run run{{zeros(Storage::F32, 5), raw(std::vector<int64_t>(5, 39))}, {}, {0, 1, 0, 5}};
    const int64_t last = 100000;
    if (beyond) std::memcpy(run.contents[1].data() + 4 * sizeof last, &last, sizeof last);
    const Outcome r = run_checked(k, run, {20, 40}, host_target(), {});
    CHECK(r.told.failed == (beyond == 1));
    if (beyond) CHECK(r.told.buffer == -1);
    if (beyond) CHECK(r.told.element == 4);
  }
}

}  // namespace weft::compiler
