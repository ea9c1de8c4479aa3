// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/image_test.cpp: the PTX of kernels assembles.
#include "jit/emit/compile/image.h"

#include <fmt/format.h>

#include "benchmarks/gpu_cases.h"
#include "jit/emit/compare.h"
#include "jit/emit/compile/condition.h"
#include "jit/emit/control_kernels.h"
#include "jit/gpu_program.h"
#include "jit/schedule/choose/choose.h"
#include "jit/schedule/product_kernel.h"
#include "support/assembler.h"

namespace weft::compiler {
namespace {

using test::assembled;
using test::has_assembler;

// Returns the PTX for the chosen schedule. If `points` is more than 1, a thread computes that many
// points.
std::string text_of(const nest::Kernel& k, const std::string& gpu = "sm_80", int points = 1) {
  const TargetInfo target = gpu_target(gpu);
  Schedule s = choose_schedule(k, target);
  s.points = points;
  return gpu_image({{k, s}}, target);
}

// Returns "" if ptxas accepts it, else its message.
std::string refused(const nest::Kernel& k, const std::string& gpu, int points = 1) {
  return assembled(text_of(k, gpu, points), gpu).error;
}

}  // namespace

TEST_CASE("PTX tells the size of its arrays", "[jit][ptx]") {
  CHECK(local_arrays(text_of(mandelbrot(Vector::grid))) == 0);
  CHECK(local_arrays(text_of(arrays(Vector::grid))) > 0);
  CHECK(local_arrays("  .local .align 8 .b8 \t__local_depot0[96];\n") == 96);
  CHECK(local_arrays("__local_depot") == 0);
}

TEST_CASE("PTX has the first version that supports the GPU", "[jit][ptx]") {
  const auto begins = [](const char* gpu, const char* version, const char* target) {
    const std::string text = text_of(each(Vector::grid), gpu);
    INFO(gpu << "\n" << text.substr(0, 200));
    CHECK(text.find(fmt::format(".version {}\n", version)) != text.npos);
    CHECK(text.find(fmt::format(".target {}\n", target)) != text.npos);
  };
  begins("sm_75", "7.0", "sm_75");
  begins("sm_80", "7.0", "sm_80");
  begins("sm_86", "7.1", "sm_86");
  begins("sm_89", "7.8", "sm_89");
  begins("sm_90", "7.8", "sm_90");
  begins("sm_120", "7.8", "sm_90");  // LLVM does not support it; its driver accepts older text
}

TEST_CASE("PTX of control flow assembles", "[jit][ptx]") {
  if (!has_assembler()) return;
  for (auto make :
       {collatz, mandelbrot, nested, endless_branch, triangle, arrays, each, while_array}) {
    const nest::Kernel k = make(Vector::grid);
    const std::string text = text_of(k);
    CHECK(text.find(".visible .entry weft_kernel(") != std::string::npos);
    CHECK(text.find(".target sm_80") != std::string::npos);
    CHECK(text.find(".reqntid 256, 1, 1") != std::string::npos);
    CHECK(refused(k, "sm_80") == "");
    CHECK(refused(k, "sm_80", 4) == "");
  }
  // Neither LLVM nor ptxas may contract: .rn forbids it.
  const std::string text = text_of(mandelbrot(Vector::grid));
  CHECK(text.find("mul.rn.f32") != std::string::npos);
  CHECK(text.find("add.rn.f32") != std::string::npos);
  CHECK(text.find("fma.") == std::string::npos);
  CHECK(text.find("ftz") == std::string::npos);
  CHECK(refused(mandelbrot(Vector::grid), "sm_90") == "");
}

TEST_CASE("PTX of conditions of graphs leaves one function to the driver", "[jit][ptx]") {
  for (const char* gpu : {"sm_75", "sm_90"}) {
    const std::string ptx = condition_image(gpu_target(gpu));
    CHECK(ptx.find(".entry weft_condition(") != std::string::npos);
    CHECK(ptx.find("ld.volatile.global") != std::string::npos);
    const size_t extern_function = ptx.find(".extern .func cudaGraphSetConditional");
    REQUIRE(extern_function != std::string::npos);
    CHECK(ptx.find(".extern", extern_function + 1) == std::string::npos);
    if (has_assembler()) CHECK(assembled(ptx, gpu, /*part=*/true).error == "");
  }
}

TEST_CASE("PTX of every instruction assembles", "[jit][ptx]") {
  if (!has_assembler()) return;
  Builder b("all");
  const Id i = b.index(1), row = b.index(0);
  int64_t slot = 0;
  const auto in = [&](Storage s) { return b.load(b.buffer(s, false), i); };
  const auto out = [&](Storage s, Id x) {
    const int buffer = b.buffer(s, true);
    b.store(buffer,
            b.pure(Opcode::Add, Kind::I64,
                   {b.pure(Opcode::Mul, Kind::I64, {row, b.extent(0)}), b.integer(slot++)}),
            x);
  };
  for (auto [kd, s] : {std::pair{Kind::F32, Storage::F32}, {Kind::F64, Storage::F64}}) {
    const Id x = in(s), y = b.pure(Opcode::Neg, kd, {x});
    for (auto op : {Opcode::Add, Opcode::Div, Opcode::Rem, Opcode::FMin, Opcode::FMax})
      out(s, b.pure(op, kd, {x, y}));
    for (auto op :
         {Opcode::Sqrt, Opcode::Abs, Opcode::Floor, Opcode::Ceil, Opcode::Trunc, Opcode::RoundEven})
      out(s, b.pure(op, kd, {x}));
    out(s, b.pure(Opcode::Fma, kd, {x, y, x}));
    for (auto [ki, si] : {std::pair{Kind::I8, Storage::I8},
                          {Kind::I16, Storage::I16},
                          {Kind::I32, Storage::I32},
                          {Kind::I64, Storage::I64}}) {
      out(si, b.pure(Opcode::FToS, ki, {x}));
      out(si, b.pure(Opcode::FToU, ki, {x}));
    }
  }
  for (auto [kd, s] :
       {std::pair{Kind::I8, Storage::I8}, {Kind::I32, Storage::I32}, {Kind::I64, Storage::I64}}) {
    const Id x = in(s), y = b.pure(Opcode::Not, kd, {x});
    for (auto op : {Opcode::SDiv, Opcode::URem, Opcode::Shl, Opcode::Sar, Opcode::MulHiS,
                    Opcode::MulHiU, Opcode::UMin})
      out(s, b.pure(op, kd, {x, y}));
    for (auto op : {Opcode::Popcount, Opcode::Clz}) out(s, b.pure(op, kd, {x}));
  }
  for (Storage s : {Storage::F16, Storage::BF16, Storage::Bool}) out(s, in(s));
  const Id f = in(Storage::F32);
  out(Storage::F32, b.pure(Opcode::RoundF16, Kind::F32, {f}));
  out(Storage::F32, b.pure(Opcode::RoundBF16, Kind::F32, {f}));
  CHECK(refused(b.finish(2, 1, Vector::grid), "sm_80") == "");
}

// A thread that left alone would leave the others waiting.
TEST_CASE("threads of a block that shares a row finish together", "[jit][ptx]") {
  const auto ptx = [](const Shape& s) {
    const auto softmax = [](Array x) { return nn::softmax(x); };
    return gpu_program(make_jaxpr(softmax)(zeros(s)).jaxpr, "sm_80").ptx;
  };
  const std::string block = ptx({64, 40000}), warp = ptx({9000, 1000});
  CHECK(block.find(".shared") != block.npos);
  CHECK(block.find("bar.red.or.pred") != block.npos);
  CHECK(block.find("shfl.sync.idx") != block.npos);
  CHECK(warp.find(".shared") == warp.npos);
  CHECK(warp.find("bar.red") == warp.npos);
  if (has_assembler()) CHECK(assembled(block, "sm_80").error == "");
}

TEST_CASE("PTX of tensor cores assembles", "[jit][ptx]") {
  for (const nest::Storage s : {nest::Storage::BF16, nest::Storage::F16})
    for (const char* gpu : {"sm_80", "sm_90"}) {
      const nest::Kernel k = product_of_matrices(s, true);
      const std::string text = text_of(k, gpu);
      CHECK(text.find("mma.sync.aligned.m16n8k16.row.col.f32.") != text.npos);
      CHECK(text.find("ldmatrix.sync.aligned.m8n8.x4.shared.b16") != text.npos);
      CHECK(text.find("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16") != text.npos);
      if (has_assembler()) CHECK(refused(k, gpu) == "");
    }
  const std::string old = text_of(product_of_matrices(nest::Storage::F16, true), "sm_75");
  CHECK(old.find("mma.sync") == old.npos);
}

TEST_CASE("PTX of whole programs assembles and stays in registers where expected", "[jit][ptx]") {
  if (!has_assembler()) return;
  for (const programs::GpuCase& c : programs::gpu_cases())
    for (const char* gpu : {"sm_80", "sm_90"}) {
      INFO(c.name << " for " << gpu);
      const GpuProgram p = gpu_program(c.program, gpu);
      REQUIRE(!p.steps.empty());
      size_t kernels = 0;
      for (const GpuProgram::Step& s : p.steps) kernels += !s.entry.empty();
      if (kernels == 0) continue;
      CHECK(p.ptx.find(std::string(".target ") + gpu) != std::string::npos);
      const toolkit::Assembled a = assembled(p.ptx, gpu);
      CHECK(a.error == "");
      CHECK(a.entries.size() == kernels);
      for (const GpuProgram::Step& s : p.steps) {
        if (s.entry.empty()) continue;
        const auto entry = a.entries.find(s.entry);
        REQUIRE(entry != a.entries.end());
        CHECK(entry->second.registers > 0);
        if (!c.in_registers) continue;
        CHECK(entry->second.registers <= 128);
        CHECK(entry->second.spilled == 0);
      }
    }
}

}  // namespace weft::compiler
