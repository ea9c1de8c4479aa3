// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/refill_test.cpp: while loops of a GPU whose threads take new points when they finish.
// The results are those of the host, whichever thread computes a point.
#include "gpu/emulated.h"
#include "jit/emit/compile/image.h"
#include "jit/emit/control_kernels.h"
#include "jit/emit/speed_kernels.h"
#include "jit/schedule/loops.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;
using namespace weft::compiler;

namespace {

TargetInfo emulated_target() {
  TargetInfo t = gpu_target("sm_90");
  t.emulated = true;
  return t;
}

std::vector<int32_t> on_host(const nest::Kernel& k, const Run& run) {
  Memory m(run.contents);
  compile(k, host_target(), {})->run(m.buffers(), run.extents.data(), run.range.data());
  return {m.data<int32_t>(1), m.data<int32_t>(1) + run.extents[0]};
}

// Returns the 32-bit results of the kernel. `stop` is the word that ends it.
std::vector<int32_t> on_gpu(const nest::Kernel& k, const Schedule& s, const Run& run,
                            const int32_t* stop) {
  const auto f = gpu().load(gpu_image({{k, s}}, emulated_target()), {"weft_kernel"});
  const int64_t n = run.extents[0];
  std::vector<int32_t> in(static_cast<size_t>(n));
  std::memcpy(in.data(), run.contents[0].data(), run.contents[0].size());
  const There x(gpu(), in), y(gpu(), std::vector<int32_t>(in.size(), -1));
  Arguments arguments(stop, x.data(), y.data(), n, n);
  gpu().launcher().launch(
      *f[0], {.blocks = (n + s.block * s.points - 1) / (s.block * s.points), .threads = s.block},
      arguments.data(), "refill");
  return y.read<int32_t>();
}

Schedule refilled(const nest::Kernel& k, int block, int points, int64_t idle_trips) {
  Schedule s;
  s.block = block;
  s.points = points;
  s.refill = thread_refillable_while(k);
  s.idle_trips = idle_trips;
  return s;
}

// Counts steps until a pendulum with that initial state has swung that far.
const auto swings =
    jit(vmap(vmap(
                 [](Array start, Array push) {
                   const auto go = [](std::pair<Array, Array> s) {
                     return logical_and(s.first < 3.F, s.second < 60);
                   };
                   const auto step = [&](std::pair<Array, Array> s) {
                     const Array x = s.first;
                     return std::pair(x + push * cos(x * 0.2F) + sin(x) * 0.05F, s.second + 1);
                   };
                   const auto [x, n] = while_loop(go, step, std::pair(start, Array(int32_t{0})));
                   return x * 100.F + n.astype(F32);
                 },
                 {none, 0}),
             {0, none}));

}  // namespace

TEST_CASE("threads that are done take new points", "[gpu]") {
  for (const nest::Kernel& k :
       {collatz(nest::Vector::grid), compiler::mandelbrot(nest::Vector::grid),
        while_clamped(nest::Vector::grid)})
    for (const int64_t n : {1, 31, 65, 1000, 3001}) {
      const Run run = control_run(k, n);
      const std::vector<int32_t> expected = on_host(k, run);
      for (const auto& [block, points, idle] : std::vector<std::tuple<int, int, int64_t>>{
               {32, 2, 1}, {64, 7, 40}, {256, 64, 1 << 20}}) {
        const Schedule s = refilled(k, block, points, idle);
        CAPTURE(k.name, n, to_string(s));
        REQUIRE(verify(s, k, emulated_target()) == "");
        CHECK(on_gpu(k, s, run, gpu().stop_word()) == expected);
      }
    }
  check_no_complaints();
}

TEST_CASE("threads that take new points end when they are stopped", "[gpu]") {
  const nest::Kernel k = collatz(nest::Vector::grid);
  Run run = control_run(k, 500);
  for (size_t i = 0; i < 500; i += 3)  // these never reach 1
    std::memset(run.contents[0].data() + 4 * i, 0xff, 4);
  const There word(gpu(), std::vector<int32_t>{1});
  CHECK(on_gpu(k, refilled(k, 64, 4, 20), run, static_cast<const int32_t*>(word.data())).size() ==
        500);
  check_no_complaints();
}

TEST_CASE("grids of more points than threads are refilled", "[gpu]") {
  const Array x = linspace(0., 1., 900).astype(F32), y = linspace(0.02, 1., 700).astype(F32);
  const Array there_x = device_put(x, "cuda:0"), there_y = device_put(y, "cuda:0");
  const std::string report = swings.lower(there_x, there_y).report();
  CHECK(report.find("refill ") != std::string::npos);
  CHECK(report.find("points 2,") != std::string::npos);
  CHECK(device_put(swings(there_x, there_y), "cpu").to_vector<float>() ==
        swings(x, y).to_vector<float>());
  check_no_complaints();
}
