// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/effects_test.cpp: effects in programs of a GPU. The host runs prints and checks, and
// functions of the user are refused.
#include "effects/printed.h"
#include "gpu/emulated.h"

using namespace weft;
using namespace weft::test;

TEST_CASE("prints and checks of a program on a GPU", "[gpu][effects]") {
  const auto f = [](Array x) {
    debug_print("x = {}", x);
    check(x < 3., "{} is too large", x);
    const Array y = while_loop([](Array v) { return v < 3.; },
                               [](Array v) {
                                 debug_print("{}", v);
                                 return v + 1.;
                               },
                               x);
    return sin(y);
  };
  const Array x = array({1., 2.5, 2.});
  const auto on_gpu = jit(vmap(f), {.device = "cuda:0"});
  const std::string want = "x = 1.0|1.0|2.0|x = 2.5|2.5|x = 2.0|2.0|";
  Floats got;
  CHECK(printed([&] { got = floats(on_gpu(device_put(x, "cuda:0"))); }) == want);
  CHECK(printed([&] { CHECK(got == floats(jit(vmap(f))(x))); }) == want);
  check_error<CheckError>([&] { (void)floats(on_gpu(device_put(x + 0.5, "cuda:0"))); },
                          "check failed in lane 1 of 3: 3.0 is too large (at effects_test.cpp:");
  // It also prints eagerly.
  const Array there = device_put(array({1., 2.}), "cuda:0");
  CHECK(printed([&] { debug_print("{}", there); }) == "[1. 2.]|");
}

TEST_CASE("a callback on the device is refused", "[gpu][effects]") {
  const ShapeDtypeStruct scalar{{}, F32};
  const auto pure = [&](Array x) { return pure_callback([](Array v) { return v; }, scalar, x); };
  const auto io = [&](Array x) { return io_callback([](Array v) { return v; }, scalar, x); };
  const auto custom = [&](Array x) {
    return custom_call(
        "test.none", [](void* const*, const void* const*, const BufferType*) {}, scalar, x);
  };
  const auto refused = [](const char* name, const auto& f) {
    const std::string why = std::string(name) +
                            ": a callback on the device: the function runs on the host alone. Run "
                            "what calls it on the CPU (jit(f, {.device = \"cpu\"})), or take it "
                            "out of the program (at effects_test.cpp:";
    const Array x = device_put(ones({}), "cuda:0");
    check_error<DeviceError>([&] { jit(f, {.device = "cuda:0"})(1.); }, why);
    check_error<DeviceError>([&] { jit(vmap(f))(device_put(ones({2}), "cuda:0")); }, why);
    check_error<DeviceError>([&] { f(x); }, why);
    check_error<DeviceError>(
        [&] {
          jit([&](Array v) { return fori_loop(0, 2, [&](Array, Array c) { return f(c); }, v); })(x);
        },
        why);
  };
  refused("pure_callback", pure);
  refused("io_callback", io);
  refused("custom_call", custom);
}
