// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/graphs_test.cpp: launches of a program that become a graph. The tests check when this
// happens, and the results. They also check faults, stops, modules and drivers without graphs.
#include <atomic>
#include <regex>
#include <thread>

#include "gpu/emulated.h"
#include "runtime/cuda/gpu.h"
#include "tracer/concrete.h"
#include "weft/stop.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

// A program of more than one kernel.
Array step(const Array& x) {
  const Array y = sin(matmul(x, x));
  return matmul(y, x) / 8 + y.max();
}

struct Counts {
  int64_t graphs = fake_cuda_calls("cuGraphLaunch"), kernels = fake_cuda_calls("cuLaunchKernel"),
          made = fake_cuda_calls("cuGraphInstantiateWithFlags");
};
// Counts the calls of the driver while f runs.
template <class F>
Counts counted(const F& f) {
  fake_cuda_fail(nullptr, 0, 0, false);
  f();
  return {};
}

Array there(const Array& x, int device = 0) {
  Array r = device_put(x, fmt::format("cuda:{}", device));
  r.block_until_ready();
  return r;
}
const Array x = arange(64.).reshape({8, 8}) / 7;

}  // namespace

TEST_CASE("a call with the memory of the previous call is a graph", "[gpu][graphs]") {
  const auto f = jit([](Array v) { return step(v); });
  const Array a = there(x);
  const Floats right = floats(step(x));
  const auto call = [&] { CHECK(floats(f(a)) == right); };
  const Counts first = counted(call);
  REQUIRE(first.kernels > 1);
  CHECK(first.graphs == 0);
  // The memory that the pool returns becomes the same only after the first calls.
  const Counts more = counted([&] {
    for (int k = 0; k < 5; ++k) call();
  });
  CHECK(more.made >= 1);
  CHECK(more.graphs >= 1);
  CHECK(more.graphs * first.kernels + more.kernels == 5 * first.kernels);
  for (int k = 0; k < 3; ++k) {
    const Counts later = counted(call);
    CHECK(later.made == 0);
    CHECK(later.graphs == 1);
    CHECK(later.kernels == 0);
  }
  check_no_complaints();
}

TEST_CASE("other arguments run as before, and have graphs of their own", "[gpu][graphs]") {
  const auto f = jit([](Array v) { return step(v) * 2; });
  Arrays all;
  Floats right[6];
  for (size_t i = 0; i < 6; ++i) {
    all.push_back(there(x * static_cast<float>(i + 1)));
    right[i] = floats(step(x * static_cast<float>(i + 1)) * 2);
  }
  const auto calls = [&](size_t n) {
    for (size_t i = 0; i < n; ++i) CHECK(floats(f(all[i])) == right[i]);
  };
  for (int k = 0; k < 3; ++k) calls(4);
  const Counts four = counted([&] { calls(4); });
  CHECK(four.graphs == 4);
  CHECK(four.kernels == 0);
  // There are more calls than graphs are kept. The graphs are not made again and again.
  const Counts six = counted([&] {
    for (int k = 0; k < 20; ++k) calls(6);
  });
  CHECK(six.made <= 8);
  CHECK(six.graphs + six.made > 0);
  check_no_complaints();
}

TEST_CASE("a loop that alternates between two places is two graphs", "[gpu][graphs]") {
  const auto f = jit([](Array v) { return step(v) * 3; });
  Array v = there(x), right = x;
  Counts last;
  for (int k = 0; k < 8; ++k) {
    last = counted([&] {
      v = f(v);
      gpu().stream().synchronize();
    });
    right = step(right) * 3;
  }
  CHECK(last.graphs == 1);
  CHECK(last.kernels == 0);
  CHECK(floats(v) == floats(right));
  check_no_complaints();
}

TEST_CASE("calls with new memory each time make no graphs", "[gpu][graphs]") {
  const auto f = jit([](Array v) { return step(v) * 4; });
  const auto lowered = f.lower(there(x));
  const auto g = lowered.compile();
  CHECK(holds(lowered.report(), "graph: "));
  const Array a = there(x);
  Arrays results;
  const Counts all = counted([&] {
    for (int k = 0; k < 300; ++k) results.push_back(f(a));
  });
  CHECK(all.made == 0);
  CHECK(all.graphs == 0);
  const Floats right = floats(step(x) * 4);
  CHECK(floats(results.back()) == right);
  results.clear();
  // The program no longer tries to make a graph.
  const Counts then = counted([&] {
    for (int k = 0; k < 5; ++k) CHECK(floats(f(a)) == right);
  });
  CHECK(then.made == 0);
  check_no_complaints();
}

TEST_CASE("a report says how many launches are a graph, or why there is none", "[gpu][graphs]") {
  const Array a = there(x);
  const auto report = [&](auto f) { return jit(f).lower(a).report(); };
  const std::string three = report([](Array v) { return step(v); });
  CHECK(std::regex_search(three, std::regex("\ngraph: [2-9] launches\n")));
  CHECK(holds(report([](Array v) { return v + 1; }),
              "\ngraph: none, there are fewer than two launches\n"));
  CHECK(holds(report([](Array v) { return linalg::eigvals(outer(step(v), v)); }),
              "does more than launch kernels, or launches too many\n"));
  CHECK(!holds(jit([](Array v) { return step(v); }).lower(x).report(), "graph: "));
}

TEST_CASE("scans of known length are one graph", "[gpu][graphs]") {
  const auto f = jit([](Array v) {
    return scan(
        [](Array c, Array row) {
          Array next = step(c) + row;
          return std::pair(next, next.sum());
        },
        v, arange(5.));
  });
  const auto on_host = f(x);
  const Array a = there(x);
  const Array zero = there(arange(5.));
  for (int k = 0; k < 2; ++k) {
    const auto r = f(a);
    CHECK(floats(r.first) == floats(on_host.first));
  }
  const Counts once = counted([&] {
    const auto r = f(a);
    CHECK(floats(r.first) == floats(on_host.first));
    CHECK(floats(r.second) == floats(on_host.second));
  });
  CHECK(once.graphs == 1);
  CHECK(once.kernels == 0);
  check_no_complaints();
}

TEST_CASE("scatters and copies are parts of graphs", "[gpu][graphs]") {
  const auto f = jit([](Array v, Array at) {
    const Array set = v.at(at).add(v.at(at).get() * 2);
    return std::tuple(set, step(set), set);
  });
  const Array at = array({1, 3, 1});
  const auto right = f(x, at);
  const Array a = there(x), b = there(at);
  for (int k = 0; k < 4; ++k) {
    const auto r = f(a, b);
    CHECK(floats(std::get<0>(r)) == floats(std::get<0>(right)));
    CHECK(floats(std::get<1>(r)) == floats(std::get<1>(right)));
    CHECK(floats(std::get<2>(r)) == floats(std::get<2>(right)));
  }
  CHECK(counted([&] { f(a, b); }).graphs == 1);
  check_no_complaints();
}

TEST_CASE("graphs and their modules are freed with their program", "[gpu][graphs]") {
  clear_caches();
  gpu().stream().synchronize();
  const FakeCudaLive before = fake_cuda_live(0);
  {
    const Array a = there(x);
    const auto f = jit([](Array v) { return step(v) * 5; });
    for (int k = 0; k < 6; ++k) (void)floats(f(a));
    f(a);
    CHECK(fake_cuda_live(0).graphs > before.graphs);
  }
  clear_caches();  // while the last launch runs
  gpu().stream().synchronize();
  const FakeCudaLive after = fake_cuda_live(0);
  CHECK(after.graphs == before.graphs);
  CHECK(after.modules == before.modules);
  CHECK(after.blocks == before.blocks);
  check_no_complaints();
}

TEST_CASE("threads call a program that has graphs", "[gpu][graphs]") {
  const auto f = jit([](Array v) { return step(v) * 6; });
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Array mine = x * static_cast<float>(t + 1), a = there(mine);
      const Floats right = floats(step(mine) * 6);
      for (int k = 0; k < 25; ++k) good += floats(f(a)) == right;
    });
  for (std::thread& t : threads) t.join();
  CHECK(good == 100);
  check_no_complaints();
}

// ---- faults and stops

TEST_CASE("a fault in a graph names its kernels, and the line of the call", "[.][breaks_a_graph]") {
  const auto f = jit([](Array v) { return step(v) * 7; });
  const Array a = there(x, 1);
  for (int k = 0; k < 3; ++k) (void)floats(f(a));
  fake_cuda_fail("kernel", 2, 700, true);
  Array r;
  {
    const SourceScope source(Location{"model.cpp", 12});
    r = f(a);
  }
  const std::string text = error_of<DeviceError>([&] { (void)floats(r); });
  INFO(text);
  CHECK(holds(text, "device 'cuda:1' is lost: a kernel of a graph, 'the kernel of "));
  CHECK(holds(text, "' (at model.cpp:12), failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
  check_error<DeviceError>([&] { (void)f(a); }, "device 'cuda:1' is lost");
}

TEST_CASE("reading results of a stopped graph raises", "[gpu][graphs]") {
  const auto f = jit([](Array v) {
    const Array ends = vmap([](Array t) {
      return while_loop([](Array c) { return c < 1; }, [](Array c) { return c * 2; }, t);
    })(v);
    return std::pair(ends.sum(), step(v.reshape({8, 8})));
  });
  const Array fine = there(ones({64}), 1);
  for (int k = 0; k < 3; ++k) (void)floats(f(fine).second);
  // The call uses the same memory, so that it is a graph, but with other numbers in it.
  gpu(1).clear(static_cast<const Concrete&>(fine.node()).buffer()->data(), 256);
  fake_cuda_fail(nullptr, 0, 0, false);
  const auto r = f(fine);
  CHECK(fake_cuda_calls("cuGraphLaunch") == 1);
  check_error<InterruptedError>(
      [] {
        const TimeLimit limit(0.05, "step");
        gpu(1).stream().synchronize();
      },
      "step: the time limit is over");
  for (const Array& part : {r.first, r.second})
    check_error<InterruptedError>([&] { (void)floats(part); },
                                  "what computes this was stopped before it ended");
  const Array again = there(ones({64}), 1);
  CHECK(floats(f(again).first) == Floats{64});
  check_no_complaints();
}

TEST_CASE("a program that cannot become a graph runs without one, and reports it",
          "[gpu][graphs]") {
  for (const char* entry : {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiateWithFlags"})
    for (const int code : {1, 2}) {
      clear_caches();
      const auto f = jit([](Array v) { return step(v) * 8; });
      const Array a = there(x);
      const Floats right = floats(step(x) * 8);
      fake_cuda_fail(entry, 1, code, false);
      for (int k = 0; k < 4; ++k) CHECK(floats(f(a)) == right);
      CHECK(fake_cuda_calls("cuGraphLaunch") == 0);
      CHECK(fake_cuda_calls("cuGraphCreate") == 1);
      fake_cuda_fail(nullptr, 0, 0, false);
      CHECK(holds(f.lower(a).report(), fmt::format("graph: none, device 'cuda:0': ")));
    }
  check_no_complaints();
}
