// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/donation_test.cpp: results and temporaries of programs for a GPU use the memory of
// donated arguments, as on the host.
#include <functional>

#include "gpu/emulated.h"
#include "support/donated.h"
#include "tracer/concrete.h"
#include "weft/stop.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

const void* address(const Array& x) {
  return static_cast<const Concrete&>(x.node()).buffer()->data();
}
Array there(const Array& x, int device = 0) {
  Array r = device_put(x, fmt::format("cuda:{}", device));
  r.block_until_ready();
  return r;
}

// Returns true if the result is in the memory of the argument, has the host's numbers, and was not
// copied.
template <class F>
bool aliases(F f, int n = 20000) {
  const Floats want = floats(jit(f)(some(n)));
  const Array x = there(some(n));
  const void* const at = address(x);
  const auto g = jit(f, first);
  (void)g(there(some(n)));  // compiles the program
  fake_cuda_fail(nullptr, 0, 0, false);
  const Array r = g(x);
  CHECK(fake_cuda_calls("cuMemcpyDtoDAsync_v2") == 0);
  CHECK(r.device() == "cuda:0");
  CHECK((floats(r) == want));
  check_error<DeviceError>([&] { floats(x); }, "donated to 'step'");
  check_error<DeviceError>([&] { (void)x.device(); }, "donated to 'step'");
  return address(r) == at;
}

}  // namespace

TEST_CASE("a result lies over a donated argument of a GPU", "[gpu][donate]") {
  check_aliasing([](auto f) { return aliases(f); });
  check_no_complaints();
}

TEST_CASE("a loop over donated memory of a GPU takes no more of it", "[gpu][donate]") {
  const auto f = jit([](Array x) { return x.at(slice(5, 9)).add(x[0]) * 2; }, first);
  Array x = there(some(20000)), right = some(20000);
  gpu().stream().synchronize();
  const FakeCudaLive before = fake_cuda_live(0);
  const void* const at = address(x);
  for (int k = 0; k < 6; ++k) {
    x = f(x);
    right = right.at(slice(5, 9)).add(right[0]) * 2;
    CHECK(address(x) == at);
  }
  gpu().stream().synchronize();
  CHECK(fake_cuda_live(0).bytes == before.bytes);
  CHECK((floats(x) == floats(right)));
  check_no_complaints();
}

TEST_CASE("values read from a donated array are not mistaken for its result", "[gpu][donate]") {
  const Array x = there(some(1000));
  const Floats was = floats(x);  // makes a copy on the host, which the buffer keeps
  const Array r = jit([](Array v) { return v + 1; }, first)(x);
  Floats want = was;
  for (float& v : want) v += 1;
  CHECK((floats(r) == want));
  check_no_complaints();
}

TEST_CASE("arguments of the host are copied to a GPU, and the copy is written over",
          "[gpu][donate]") {
  const auto compute = [](Array x, Array w) { return x * w + 0.5; };
  const auto f = jit(compute, {.donate_argnums = {0}, .device = "cuda:0", .name = "step"});
  const auto on_host = jit(compute);
  const Array x = some(5000), w = some(5000) + 1;
  const Floats want = floats(on_host(some(5000), w));
  const Array r = f(x, w);
  CHECK(r.device() == "cuda:0");
  CHECK((floats(r) == want));
  check_error<DeviceError>([&] { floats(x); }, "donated to 'step'");
  CHECK((floats(w) == floats(some(5000) + 1)));
  // The donated argument has a second handle, it is also passed as the other argument, and it may
  // be small.
  const Array y = there(some(5000));
  const Arrays also{y};
  CHECK((floats(f(y, y)) == floats(on_host(some(5000), some(5000)))));
  check_error<DeviceError>([&] { floats(also[0]); }, "donated to 'step'");
  CHECK((floats(f(there(some(2)), some(2))) == floats(on_host(some(2), some(2)))));
  check_no_complaints();
}

TEST_CASE("donated arguments of another device are an error, and are kept", "[gpu][donate]") {
  const auto f = jit([](Array x, Array w) { return x + w; },
                     {.donate_argnums = {0}, .device = "cuda:0", .name = "step"});
  const Array x = there(some(50), 1), w = some(50);
  check_error<DeviceError>([&] { f(x, w); },
                           "'step' runs on 'cuda:0', and an argument that is donated to it is on "
                           "'cuda:1'; move it with device_put");
  CHECK((floats(x) == floats(some(50))));
  const auto anywhere = jit([](Array x, Array w) { return x + w; }, first);
  check_error<DeviceError>([&] { anywhere(x, there(w)); }, "move them to one with device_put");
  CHECK((floats(x) == floats(some(50))));
  CHECK(floats(anywhere(x, w)).size() == 50);
  const auto on_host =
      jit([](Array x) { return x + 1; }, {.donate_argnums = {0}, .device = "cpu", .name = "step"});
  const Array z = there(some(50));
  check_error<DeviceError>([&] { on_host(z); }, "runs on 'cpu'");
  CHECK((floats(z) == floats(some(50))));
  check_no_complaints();
}

TEST_CASE("donated arguments that are results stay, and weak numbers go along", "[gpu][donate]") {
  const auto f = jit([](Array x, Array s) { return std::tuple(x, x * s, s); },
                     {.donate_argnums = {0, 1}, .device = "cuda:0", .name = "step"});
  const Array x = there(some(500));
  const auto [same, scaled, s] = f(x, 3.25);
  CHECK((floats(same) == floats(some(500))));
  CHECK((floats(scaled) == floats(some(500) * 3.25)));
  CHECK(s.item<float>() == 3.25F);
  CHECK((floats(x) == floats(some(500))));
  const auto here = f(some(500), 2);  // the argument is on the host
  CHECK(std::get<0>(here).device() == "cuda:0");
  CHECK((floats(std::get<1>(here)) == floats(some(500) * 2)));
  check_no_complaints();
}

TEST_CASE("a donating call of a GPU that fails before it runs gives all back", "[gpu][donate]") {
  const auto f = jit([](Array x) { return std::pair(x * 2, sin(x).reshape({2, 500})); }, first);
  (void)f(there(some(1000)));
  const Array x = there(some(1000));
  gpu().stream().synchronize();
  fake_cuda_fail("cuMemAllocAsync", 1, 1, false);
  check_error<DeviceError>([&] { f(x); }, "cuMemAllocAsync failed");
  fake_cuda_fail(nullptr, 0, 0, false);
  CHECK((floats(x) == floats(some(1000))));
  CHECK((floats(f(x).first) == floats(some(1000) * 2)));
  check_no_complaints();
}

TEST_CASE("a donating call of a GPU keeps its time limit", "[gpu][donate]") {
  const auto f = jit(
      [](Array v) {
        return vmap([](Array t) {
          return while_loop([](Array c) { return c < 1; }, [](Array c) { return c * 0.5; }, t);
        })(v);
      },
      {.donate_argnums = {0}, .name = "step", .time_limit = 0.05});
  check_error<InterruptedError>([&] { (void)f(there(zeros({64}), 1)); },
                                "step: the time limit is over");
  CHECK(floats(f(there(ones({64}), 1))) == Floats(64, 1));
  check_no_complaints();
}
