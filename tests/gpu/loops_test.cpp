// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/loops_test.cpp: loops of the host over programs of a GPU. They start a trip before they
// know that its condition is true. The tests check the results, and that the loops can be stopped.
#include <algorithm>

#include "gpu/emulated.h"
#include "weft/stop.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

// A trip consists of more than one kernel and counts the trips. There is no vmap.
auto until(float limit) {
  return [=](Array v) {
    return while_loop([=](std::pair<Array, Array> c) { return c.first.max() < limit; },
                      [](std::pair<Array, Array> c) {
                        return std::pair(c.first + sin(c.first.sum(1)).max() + 2, c.second + 1);
                      },
                      std::pair(v, array(0)));
  };
}
// The lanes have different trip counts, and each has more elements than a thread can hold.
auto countdowns() {
  return [](Array n) {
    return vmap([](Array t) {
      return while_loop([](std::pair<Array, Array> c) { return c.first > 0; },
                        [](std::pair<Array, Array> c) {
                          return std::pair(c.first - 1, sin(c.second) + c.second.sum() / 5000);
                        },
                        std::pair(t, arange(5000.)));
    })(n);
  };
}

}  // namespace

TEST_CASE("loops without lanes make as many trips as on the host", "[gpu][loops]") {
  const Array x = arange(256.).reshape({16, 16}) / 256;
  for (const float limit : {0.F, 1.F, 3.F, 6.F, 30.F}) {
    const auto f = jit(until(limit));
    const auto right = f(x);
    const auto got = f(device_put(x, "cuda:0"));
    INFO(limit);
    CHECK((floats(got.first) == floats(right.first)));
    CHECK(got.second.template item<int>() == right.second.template item<int>());
  }
  check_no_complaints();
}

TEST_CASE("a trip begins before the condition of the previous trip has arrived", "[gpu][loops]") {
  const auto f = jit(until(40.F));
  const Array x = arange(256.).reshape({16, 16}) / 256, there = device_put(x, "cuda:0");
  const int trips = f(x).second.item<int>();
  REQUIRE(trips > 5);
  (void)f(there).second.item<int>();
  fake_cuda_fail(nullptr, 0, 0, false);
  const auto got = f(there);
  // The loop reads a word after each trip, one for the first condition and one for the trip too
  // many. There may be one more of the previous call. Nothing synchronizes the stream.
  CHECK(fake_cuda_calls("cuEventSynchronize") <= trips + 3);
  CHECK(fake_cuda_calls("cuMemcpyDtoHAsync_v2") == trips + 2);
  CHECK(fake_cuda_calls("cuStreamSynchronize") == 0);
  CHECK(fake_cuda_queued(0) > 0);  // the trip too many
  CHECK(got.second.item<int>() == trips);
  check_no_complaints();
}

TEST_CASE("a loop with the memory of the previous call is part of a graph", "[gpu][loops]") {
  const Array x = arange(256.).reshape({16, 16}) / 256, there = device_put(x, "cuda:0");
  for (const float limit : {-1.F, 1.F, 40.F}) {
    const auto f = jit(until(limit));
    const auto right = f(x);
    CHECK(holds(f.lower(there).report(), ", 1 loop on the device\n"));
    int64_t launches = 0;
    for (int k = 0; k < 5; ++k) {
      fake_cuda_fail(nullptr, 0, 0, false);
      const auto got = f(there);
      CHECK((floats(got.first) == floats(right.first)));
      CHECK(got.second.item<int>() == right.second.item<int>());
      launches = fake_cuda_calls("cuLaunchKernel");
    }
    CHECK(launches == 0);
    CHECK(fake_cuda_calls("cuGraphLaunch") == 1);
  }
  const auto lanes = jit(countdowns());
  const Array n = array({5, 0, 2}), there_n = device_put(n, "cuda:0");
  const auto right = lanes(n);
  for (int k = 0; k < 5; ++k) CHECK((floats(lanes(there_n).second) == floats(right.second)));
  check_no_complaints();
}

TEST_CASE("loops in loops are one graph", "[gpu][loops]") {
  const auto f = jit([](Array v) {
    return while_loop([](Array c) { return c.max() < 50; },
                      [](Array c) {
                        const auto inner = until(3.F)(c / c.max());
                        return c + matmul(inner.first, inner.first) / 100 + 1;
                      },
                      v);
  });
  const Array x = arange(64.).reshape({8, 8}) / 64, there = device_put(x, "cuda:0");
  CHECK(holds(f.lower(there).report(), ", 2 loops on the device\n"));
  const Floats right = floats(f(x));
  for (int k = 0; k < 8; ++k) {
    fake_cuda_fail(nullptr, 0, 0, false);
    CHECK((floats(f(there)) == right));
  }
  CHECK(fake_cuda_calls("cuGraphLaunch") == 1);
  CHECK(fake_cuda_calls("cuLaunchKernel") == 0);
  check_no_complaints();
}

TEST_CASE("branches with the memory of the previous call are part of a graph", "[gpu][loops]") {
  const auto f = jit([](Array which, Array v) {
    return switch_(which,
                   std::tuple{[](Array a) { return cumsum(a, 0); },
                              [](Array a) { return a - a.sum(); }, [](Array a) { return a * 2; }},
                   v);
  });
  const auto lanes = jit([](Array which, Array v) {
    return vmap([](Array k, Array a) {
      return switch_(k,
                     std::tuple{[](Array b) { return cumsum(b, 0); },
                                [](Array b) { return b - b.sum(); }, [](Array b) { return b * 2; }},
                     a);
    })(which, v);
  });
  const Array x = cos(arange(6000.)), there = device_put(x, "cuda:0");
  const Array xs = cos(arange(24000.)).reshape({4, 6000}), all = device_put(xs, "cuda:0");
  CHECK(holds(f.lower(array(0), x).report(), "lockstep cond"));
  for (const int k : {-1, 0, 1, 2, 7}) {
    const Array which = array(k), there_k = device_put(which, "cuda:0");
    CHECK(holds(f.lower(there_k, there).report(), ", 3 branches on the device\n"));
    const Floats right = floats(f(which, x));
    for (int t = 0; t < 6; ++t) {
      fake_cuda_fail(nullptr, 0, 0, false);
      CHECK((floats(f(there_k, there)) == right));
    }
    CHECK(fake_cuda_calls("cuGraphLaunch") == 1);
    CHECK(fake_cuda_calls("cuLaunchKernel") == 0);
  }
  for (const auto& k : {std::vector{0, 1, 2, 1}, {1, 1, 1, 1}, {2, 2, 2, 0}}) {
    const Array which = array({k[0], k[1], k[2], k[3]}), there_k = device_put(which, "cuda:0");
    CHECK(holds(lanes.lower(there_k, all).report(), ", 3 branches on the device\n"));
    const Floats right = floats(lanes(which, xs));
    for (int t = 0; t < 6; ++t) CHECK((floats(lanes(there_k, all)) == right));
  }
  check_no_complaints();
}

TEST_CASE("loops of graphs keep time limits, and carries of many bytes the host", "[gpu][loops]") {
  const auto endless = [](Array v) {
    return while_loop([](Array c) { return c.max() > -1; },
                      [](Array c) { return sin(matmul(c, c)); }, v);
  };
  const Array x = device_put(ones({4, 4}), "cuda:1");
  const auto f = jit(endless, {.time_limit = 0.1});
  for (int k = 0; k < 3; ++k)
    check_error<InterruptedError>([&] { (void)floats(f(x)); }, "the time limit is over");
  CHECK(floats(device_put(ones({2}), "cuda:1") + 1) == Floats{2, 2});
  const Array large = device_put(ones({1 << 20, 2}), "cuda:1");
  CHECK(holds(jit(until(1.F)).lower(large).report(),
              "graph: none, step 0 does more than launch kernels"));
  check_no_complaints();
}

TEST_CASE("a loop that does not begin makes no trip", "[gpu][loops]") {
  const auto f = jit(until(-1.F));
  const Array there = device_put(arange(256.).reshape({16, 16}) / 256, "cuda:0");
  (void)f(there).second.item<int>();
  fake_cuda_fail(nullptr, 0, 0, false);
  CHECK(f(there).second.item<int>() == 0);
  CHECK(fake_cuda_calls("cuLaunchKernel") + fake_cuda_calls("cuGraphLaunch") == 1);
  check_no_complaints();
}

TEST_CASE("lanes that have finished keep their values in loops of the host", "[gpu][loops]") {
  const auto f = jit(countdowns());
  for (const auto& trips : {std::vector{0, 0, 0}, {1, 0, 1}, {1, 1, 1}, {5, 0, 2}, {2, 9, 1}}) {
    const Array n = array({trips[0], trips[1], trips[2]});
    const auto right = f(n);
    const auto got = f(device_put(n, "cuda:0"));
    CHECK((floats(got.second) == floats(right.second)));
    CHECK(fake_cuda_calls("cuMemcpyDtoHAsync_v2") > 0);
    CHECK(floats(got.first.astype(F32)) == Floats(3, 0));
  }
  check_no_complaints();
}

TEST_CASE("a loop whose trips could depend on its condition waits for it", "[gpu][loops]") {
  // If the body started with a zero carry, the inner loop in the lane would not end.
  const auto f = jit([](Array v) {
    return while_loop([](Array c) { return c.max() > 0; },
                      [](Array c) {
                        const Array least = matmul(c, c).max() * 0 + c.max();
                        const Array steps = vmap([&](Array t) {
                          return while_loop([&](Array s) { return s < 1; },
                                            [&](Array s) { return s + least; }, t);
                        })(c.reshape({4}) * 0);
                        return c - steps.reshape({2, 2}).min();
                      },
                      v);
  });
  const Array x = ones({2, 2}) * 3;
  const Floats right = floats(f(x));
  const TimeLimit limit(30, "loop");
  CHECK((floats(f(device_put(x, "cuda:0"))) == right));
  check_no_complaints();
}

TEST_CASE("loops ahead of their condition keep time limits", "[gpu][loops]") {
  const auto endless = [](Array v) {
    return while_loop([](Array c) { return c.max() > -1; },
                      [](Array c) { return sin(matmul(c, c)); }, v);
  };
  const Array x = device_put(ones({4, 4}), "cuda:1");
  const auto f = jit(endless, {.time_limit = 0.1});
  check_error<InterruptedError>([&] { (void)floats(f(x)); }, "the time limit is over");
  CHECK(floats(device_put(ones({2}), "cuda:1") + 1) == Floats{2, 2});
  check_no_complaints();
}

TEST_CASE("conditions of lanes are read once for all branches", "[gpu][loops]") {
  const auto f = jit([](Array which, Array v) {
    return vmap([](Array k, Array row) {
      return switch_(
          k,
          std::tuple{[](Array a) {  // the host computes this body
                       const Array e = linalg::eigvals(a.reshape({2, 2}));
                       return concatenate({real(e), imag(e)});
                     },
                     [](Array a) { return a * 2; }, [](Array a) { return cumsum(a, 0); }},
          row);
    })(which, v);
  });
  const Array v = (arange(20.) * 7 - 30).reshape({5, 4});
  for (const auto& k : {std::vector{0, 1, 2, 1, 0}, {1, 1, 1, 1, 1}, {2, 0, 0, 2, 2}}) {
    const Array which = array({k[0], k[1], k[2], k[3], k[4]});
    CHECK((floats(f(device_put(which, "cuda:0"), device_put(v, "cuda:0"))) == floats(f(which, v))));
  }
  check_no_complaints();
}

TEST_CASE("ragged scans copy the numbers of their trips once", "[gpu][loops]") {
  // The reverse pass has the trip count of each lane.
  const auto f = jit([](Array n, Array v) {
    return vmap([](Array t, Array row) {
      return grad([&](Array r) {
        const auto last =
            while_loop([&](std::pair<Array, Array> c) { return c.first < t; },
                       [](std::pair<Array, Array> c) {
                         return std::pair(c.first + 1, sin(c.second) + c.second.sum() / 5000);
                       },
                       std::pair(array(0), r), {.max_trips = 8});
        return last.second.sum();
      })(row);
    })(n, v);
  });
  const Array n = array({3, 0, 7, 1}), v = arange(20000.).reshape({4, 5000}) / 20000;
  const Array there = device_put(n, "cuda:0"), rows = device_put(v, "cuda:0");
  CHECK(holds(f.lower(there, rows).report(), "lockstep scan"));
  const Floats right = floats(f(n, v));
  CHECK((floats(f(there, rows)) == right));
  fake_cuda_fail(nullptr, 0, 0, false);
  CHECK((floats(f(there, rows)) == right));
  CHECK(fake_cuda_calls("cuMemcpyHtoDAsync_v2") <= 3);  // there is not one per trip
  check_no_complaints();
}
