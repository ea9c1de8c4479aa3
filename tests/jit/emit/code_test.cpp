// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/code_test.cpp: the lifetime of code: the cache, threads, freeing, stopping,
// errors.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "jit/emit/speed_kernels.h"
#include "runtime/native/cpu.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

// Counts executable mappings without a file.
int code_mappings() {
  std::ifstream maps("/proc/self/maps");
  int n = 0;
  for (std::string line; std::getline(maps, line);)
    n += line.find("r-xp") != std::string::npos && line.find('/') == std::string::npos &&
         line.find('[') == std::string::npos;
  return n;
}

// Loops that run endlessly, or for hours.
nest::Kernel endless(int which, Vector v) {
  Builder b("endless");
  const int in = b.buffer(Storage::I32, false), out = b.buffer(Storage::I32, true);
  const Id i = b.index(0), x = b.load(in, i), zero = b.integer(0, Kind::I32);
  const auto op = [&](Opcode o, Id p, Id q) { return b.pure(o, Kind::I32, {p, q}); };
  Id y = x;
  if (which == 0) {
    const auto test = b.open({Kind::I32});
    b.yield({b.pure(Opcode::Ne, Kind::Mask,
                    {op(Opcode::Or, b.param(test, 0), b.integer(1, Kind::I32)), zero})});
    b.leave();
    const auto body = b.open({Kind::I32});
    b.yield({op(Opcode::Add, b.param(body, 0), x)});
    b.leave();
    y = b.loop_while({x}, test, body)[0];
  } else if (which == 1) {
    const auto body = b.open({Kind::I64, Kind::I32});
    b.yield({op(Opcode::Mul, op(Opcode::Add, b.param(body, 1), x), b.integer(3, Kind::I32))});
    b.leave();
    y = b.loop(b.integer(0), b.integer(int64_t{1} << 60), 1, {x}, body)[0];
  } else if (which == 2) {
    const auto body = b.open({Kind::I64});
    const Id t = b.pure(Opcode::Narrow, Kind::I32, {b.param(body, 0)});
    b.yield({op(Opcode::Mul, op(Opcode::Add, t, x), t)});
    b.leave();
    y = b.fold(b.integer(int64_t{1} << 60), {zero}, {Combine::Xor}, body)[0];
  } else {
    const auto body = b.open({Kind::I64});
    b.store(out, i, b.pure(Opcode::Narrow, Kind::I32, {b.param(body, 0)}));
    b.leave();
    b.for_each(b.integer(int64_t{1} << 60), body);
  }
  b.store(out, i, y);
  return b.finish(1, 0, v);
}

}  // namespace

TEST_CASE("long loops look at the stop flag", "[jit][code]") {
  using clock = std::chrono::steady_clock;
  for (int which = 0; which < 4; ++which)
    for (auto v : {Vector::grid, Vector::none, Vector::inner})
      for (auto refill : {Options::Use::never, Options::Use::always}) {
        const auto code = compile(endless(which, v), host_target(), {refill, 0});
        Memory m({raw(std::vector<int32_t>(40, 1)), zeros(Storage::I32, 40)});
        clock::time_point asked;
        std::thread stopper([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          asked = clock::now();
          __atomic_store_n(&m.stop, 1, __ATOMIC_RELAXED);
        });
        const int64_t range[] = {0, 1, 0, 40};
        code->run(m.buffers(), nullptr, range);
        const auto returned = clock::now();
        stopper.join();
        INFO("loop " << which << " schedule " << static_cast<int>(v));
        CHECK(std::chrono::duration<double, std::milli>(returned - asked).count() < 100);
        CHECK(m.guarded());
      }
}

TEST_CASE("equal kernels share code while it lives", "[jit][code]") {
  const auto a = compile(speed_elementwise(1000)), b = compile(speed_elementwise(1000)),
             c = compile(speed_elementwise(1001));
  CHECK(a == b);
  CHECK(a != c);
  CHECK(a->llvm_ir().find("define void @weft_") != std::string::npos);
  CHECK(a->assembly().find("ret") != std::string::npos);
}

// LLVM's scheduler compares all accesses between two fences. No target has scatters of bytes, so
// that one of them is an access for each element.
TEST_CASE("long blocks of scatters have fences", "[jit][code]") {
  const auto fenced = [](int64_t stores) {
    Builder b("scatters");
    const int in = b.buffer(Storage::I64, false), out = b.buffer(Storage::Bool, true);
    const Id row = b.load(in, b.index(0));
    for (int64_t n = 0; n < stores; ++n) {
      const Id far = b.integer(n * 1000);
      b.store(out, b.pure(Opcode::Add, Kind::I64, {row, far}),
              b.pure(Opcode::SLt, Kind::Mask, {row, far}));
    }
    return compile(b.finish(1, 0, Vector::grid))->assembly().find("MEMBARRIER") !=
           std::string::npos;
  };
  CHECK_FALSE(fenced(8));
  CHECK(fenced(200));
}

TEST_CASE("code is freed with its last handle", "[jit][code]") {
  compile(speed_elementwise(2000));
  const int before = code_mappings();
  {
    std::vector<std::shared_ptr<const Code>> held;
    for (int i = 0; i < 40; ++i) held.push_back(compile(speed_elementwise(2001 + i)));
    CHECK(code_mappings() > before);
  }
  CHECK(code_mappings() <= before + 1);
}

TEST_CASE("threads that miss the same kernel compile it once", "[jit][code]") {
  std::vector<std::shared_ptr<const Code>> got(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) got[t] = compile(speed_elementwise(3000 + i));
    });
  for (auto& t : threads) t.join();
  for (const auto& code : got) CHECK(code == got[0]);
}

TEST_CASE("programs that cannot be compiled raise with the reason", "[jit][code]") {
  nest::Kernel broken = speed_elementwise(1);
  broken.insts[broken.blocks[0].body.back()].args[0] = static_cast<Id>(broken.insts.size()) - 1;
  CHECK_THROWS_AS(compile(broken), CompileError);
  Builder b("huge");
  const Id l = b.local(Kind::F32, int64_t{1} << 40);
  b.local_store(l, b.index(0), b.constant(Kind::F32, 0));
  CHECK_THROWS_WITH(compile(b.finish(1, 0, Vector::grid)),
                    Catch::Contains("kernel huge needs more than"));
  for (const bool folds : {true, false}) {
    Builder counted("counted");
    const int in = counted.buffer(nest::Storage::I64, false);
    const Id n = counted.load(in, counted.index(0));
    const auto body = counted.open({Kind::I64});
    if (folds) counted.yield({counted.param(body, 0)});
    counted.leave();
    if (folds)
      counted.fold(n, {counted.integer(0)}, {nest::Combine::Add}, body);
    else
      counted.for_each(n, body);
    CHECK_THROWS_WITH(compile(counted.finish(1, 0, Vector::grid)),
                      Catch::Contains("counted") && Catch::Contains("a constant or an extent"));
  }
  CHECK_THROWS_WITH(target_named("pentium"), Catch::Contains("choose x86-64-v2"));
  CHECK_THROWS_WITH(target_named("baseline"), Catch::Contains("choose x86-64-v2"));
  // Some processors do not even support the first level.
  using native::CpuLevel;
  CHECK_THROWS_WITH(native::cpu_level_named("x86-64-v2", CpuLevel::baseline),
                    Catch::Contains("this machine (baseline) cannot run"));
  CHECK(native::cpu_level_named("x86-64-v2", CpuLevel::v2) == CpuLevel::v2);
  CHECK_THROWS_AS(native::cpu_level_named("x86-64-v4", CpuLevel::v3), CompileError);
}

}  // namespace weft::compiler
