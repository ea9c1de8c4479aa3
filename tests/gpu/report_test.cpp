// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/report_test.cpp: the reports of lower() for GPU programs. Programs share the code of
// equal kernels there.
#include <optional>
#include <regex>

#include "gpu/emulated.h"
#include "weft/linalg.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

const Array x = arange(1000.) / 7 - 50;
Array wave(Array v) { return sin(v) * 2 + 1; }

// Sets the default device for a scope.
struct Default {
  explicit Default(const char* name) { default_device(name); }
  ~Default() { default_device("cpu"); }
};

void check_has(const std::string& text, const std::string& pattern) {
  INFO(text << "\nhas no " << pattern);
  CHECK(std::regex_search(text, std::regex(pattern)));
}

}  // namespace

TEST_CASE("a report of a program for a GPU tells what its kernels take there", "[gpu]") {
  const std::string report = jit(wave, {.device = "cuda:0"}).lower(x).report();
  check_has(report,
            "device: cuda:0 \\(Emulated GPU 0, sm_90, 1\\.0 GiB, 4 multiprocessors, driver of CUDA "
            "12\\.4\\)\n");
  check_has(report, "steps: 1\n  0: kernel \\(elementwise\\), grid \\[1000\\]");
  check_has(report,
            "block 256.*; 4 blocks of 256 threads, reads 4000 bytes, writes 4000 bytes; 32 "
            "registers, 0 bytes of shared memory, 0 bytes of local arrays, 0 bytes spilled, "
            "occupancy 100 % \\(8 blocks a multiprocessor\\)\n");
  CHECK(!holds(jit(wave).lower(x).report(), "blocks of"));
  check_no_complaints();
}

TEST_CASE("a program is lowered for the device on which a call would run", "[gpu]") {
  const Array there = device_put(x, "cuda:1");
  CHECK(holds(jit(wave).lower(there).report(), "device: cuda:1 ("));
  CHECK(!holds(jit(wave, {.device = "cpu"}).lower(there).report(), "device: "));
  CHECK(!holds(jit(wave).lower(x).report(), "device: "));
  {
    const Default scope("cuda:0");
    CHECK(holds(jit(wave).lower(x).report(), "device: cuda:0 ("));
    CHECK(holds(jit(wave).lower(there).report(), "device: cuda:1 ("));
  }
  check_error<DeviceError>(
      [&] { jit([](Array a, Array b) { return a + b; }).lower(there, device_put(x, "cuda:0")); },
      "two devices, 'cuda:1' and 'cuda:0'");
  // Captured arrays determine the device as arguments do. A traced argument has no device.
  CHECK(holds(jit([=](Array v) { return v + there; }).lower(x).report(), "device: cuda:1 ("));
  check_no_complaints();
}

TEST_CASE("steps of a program for a GPU are shown with what the host runs", "[gpu]") {
  const auto f = [](Array v) {
    return while_loop([](Array c) { return c.max() < 4000; },
                      [](Array c) {
                        const Array q = linalg::qr(reshape(c, {100, 10})).first;
                        return c * 1.5 + 1 + reshape(q, {1000});
                      },
                      v)
        .at(array({3, 3, 1}))
        .add(array({1., 2., 3.}));
  };
  const auto lowered = jit(f, {.device = "cuda:0"}).lower(x);
  const std::string report = lowered.report();
  check_has(report, "lockstep while \\(.*\n      kernel \\(.*blocks? of .* occupancy");
  check_has(report, "\n      geqrf: .*, on the host\n");
  check_has(report, "kernel \\(scatter\\), .*; 1 block of ");
  const std::string kernels = lowered.kernels();
  CHECK(count(kernels, "\nschedule ") == count(kernels, "\n# "));
  CHECK(count(lowered.ptx(), ".entry ") == count(kernels, "\nschedule "));
  check_no_complaints();
}

TEST_CASE("sorts and sums of segments have no step of the host", "[gpu]") {
  const Array ids = arange(1000.).astype(I32) % 7;
  const auto by_gpu = [](auto f, const auto&... v) {
    const std::string report = jit(f, {.device = "cuda:0"}).lower(v...).report();
    INFO(report);
    CHECK(!holds(report, "on the host"));
    CHECK(!holds(report, "lockstep"));
  };
  for (const Array& v : {x, x.reshape({10, 100})}) {
    by_gpu([](Array a) { return sort(a); }, v);
    by_gpu([](Array a) { return argsort(a); }, v.astype(BF16));
    by_gpu([](Array a) { return top_k(a, 5); }, v);
    by_gpu([](Array a) { return grad([](Array b) { return (sort(b) * b).sum(); })(a); }, v);
  }
  by_gpu([](Array a) { return vmap([](Array row) { return top_k(row, 80); })(a); },
         x.reshape({10, 100}));
  by_gpu([](Array a, Array i) { return segment_sum(a, i, {.num_segments = 7}); }, x, ids);
  check_no_complaints();
}

TEST_CASE("kernels and texts of a program for a GPU are those of its architecture", "[gpu]") {
  const auto lowered = jit(wave, {.device = "cuda:0"}).lower(x);
  const std::string kernels = lowered.kernels();
  check_has(kernels, "\nschedule [0-9a-f]{16}\nmode scalar\n");
  CHECK(holds(kernels, "\nblock 256\n"));
  CHECK(kernels.ends_with("\n# 4 blocks of 256 threads\n"));
  CHECK(holds(lowered.ptx(), ".target sm_90\n"));
  CHECK(lowered.assembly() == lowered.ptx());
  CHECK(holds(lowered.llvm_ir(), "target triple = \"nvptx64-nvidia-cuda\""));
  CHECK(!holds(lowered.llvm_ir(), "weft_emulated"));
  CHECK(holds(lowered.optimized(), "sin"));
  const auto here = jit(wave).lower(x);
  CHECK(holds(here.ptx(), ".target sm_80\n"));
  CHECK(!holds(here.kernels(), "block"));
  CHECK(!holds(here.llvm_ir(), "nvptx"));
  check_no_complaints();
}

TEST_CASE("PTX for no GPU has the steps that a GPU would have", "[gpu]") {
  const auto f = [](Array a, Array b) { return matmul(a, b); };
  const Array m = ones({64, 64});
  const auto there = jit(f, {.device = "cuda:0"}).lower(m, m);
  CHECK(count(jit(f).lower(m, m).ptx(), ".entry ") == count(there.ptx(), ".entry "));
  CHECK(count(there.ptx(), ".entry ") > 0);
}

TEST_CASE("a program for a GPU is compiled ahead, and by a schedule that is forced", "[gpu]") {
  const auto lowered = jit(wave, {.device = "cuda:0"}).lower(x);
  const std::string kernels = lowered.kernels();
  const auto usual = lowered.compile();
  CHECK(usual(x).device() == "cuda:0");
  CHECK(usual.memory().code > 0);
  CHECK(usual.memory().arguments == 4000);
  CHECK(usual.cost().bytes == 8000);
  std::string other = kernels.substr(kernels.find("\nschedule ") + 1);
  other.replace(other.find("block 256"), 9, "block 64");
  fake_cuda_fail(nullptr, 0, 0, false);
  const auto forced = lowered.compile({.schedules = other});
  CHECK(fake_cuda_calls("cuModuleLoadDataEx") == 1);
  const Array got = forced(x);
  CHECK(got.device() == "cuda:0");
  CHECK(fake_cuda_calls("cuModuleLoadDataEx") == 1);  // the forced schedule is what runs
  CHECK(array_equal(device_put(got, "cpu"), wave(x)).item<bool>());
  check_error<CompileError>(
      [&] {
        (void)lowered.compile({.schedules = "schedule 0123456789abcdef\nmode scalar\nblock 64\n"});
      },
      "no kernel is one of these nests");
  check_no_complaints();
}

TEST_CASE("donated arguments of a GPU are memory of results", "[gpu]") {
  const auto f = jit(wave, {.donate_argnums = {0}, .device = "cuda:0"});
  CHECK(f.lower(x).compile().memory().aliased == 4000);
  CHECK(jit(wave, {.donate_argnums = {0}}).lower(x).compile().memory().aliased == 4000);
}

TEST_CASE("programs share the modules of equal kernels, a device each", "[gpu]") {
  clear_caches();
  for (const int d : {0, 1}) gpu(d).stream().synchronize();
  const int64_t before = fake_cuda_live(0).modules;
  const auto loads = [] { return fake_cuda_calls("cuModuleLoadDataEx"); };
  const auto f = [](Array v) { return cos(v) * 3 - 2; };
  const auto and_other = [=](Array v, Array w) { return std::pair(f(v), w); };
  const Array there = device_put(x, "cuda:0"), other = device_put(x, "cuda:1");
  fake_cuda_fail(nullptr, 0, 0, false);
  std::optional alone(jit(f).lower(there).compile());
  std::optional both(jit(and_other).lower(there, there).compile());
  CHECK(loads() == 1);  // two programs share the kernel
  CHECK(array_equal((*alone)(there), (*both)(there, there).first).item<bool>());
  jit(f)(there);
  CHECK(fake_cuda_live(0).modules - before == loads());  // including the module of array_equal
  const int64_t loaded = loads();
  jit(f)(other);
  CHECK(loads() == loaded + 1);  // the other device loads it too
  // The module lives as long as one of the programs.
  clear_caches();
  gpu(0).stream().synchronize();
  CHECK(fake_cuda_live(0).modules == before + 1);
  alone.reset();
  CHECK(fake_cuda_live(0).modules == before + 1);
  (*both)(there, there);
  both.reset();
  gpu(0).stream().synchronize();
  CHECK(fake_cuda_live(0).modules == before);
  const int64_t unloaded = loads();
  jit(f)(there);
  CHECK(loads() == unloaded + 1);
  check_no_complaints();
}
