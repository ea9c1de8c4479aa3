// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/missing_test.cpp: error texts when a part of CUDA is missing. The host works in every
// case. A process searches only once, so each case is a process.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "gpu/emulated.h"

using namespace weft;
using namespace weft::test;

namespace {

// Tests use the emulated driver unless the environment names another one.
[[maybe_unused]] const int named = setenv("WEFT_CUDA_LIBRARY", FAKE_CUDA, 0);

void check_said(const std::string& environment, const std::string& piece) {
  const std::string text = in_child("env " + environment, "[looks_for_cuda]");
  INFO("expected: " << piece << "\ngot: " << text);
  CHECK(holds(text, piece));
}

// Returns a copy of the emulated driver without one of its entry points.
std::string driver_without(const char* symbol) {
  std::ifstream in(FAKE_CUDA, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string name = std::string(1, '\0') + symbol + std::string(1, '\0');
  for (size_t at = bytes.find(name); at != std::string::npos; at = bytes.find(name, at + 1))
    bytes[at + 1] = 'x';
  const std::string path = fmt::format("/tmp/weft_no_{}_{}.so", symbol, getpid());
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

bool has_loaded(const char* library) {
  void* const l = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (l) dlclose(l);
  return l != nullptr;
}

}  // namespace

TEST_CASE("looks for cuda:0, and works on the host", "[.][looks_for_cuda]") {
  std::cout << error_of<DeviceError>([] { jit([](Array x) { return x; }, {.device = "cuda:0"}); })
            << "\n";
  std::cout << error_of<DeviceError>([] { default_device("cuda:1"); }) << "\n";
  default_device("cpu");
  for (const std::string& name : devices()) std::cout << "there is " << name << "\n";
  CHECK((ones({3}) + 1.f).sum().item<float>() == 6);
}

TEST_CASE("work on the host opens no driver", "[.][host_alone]") {
  CHECK((ones({3}) + 1.f).sum().item<float>() == 6);
  CHECK(floats(jit([](Array x) { return sin(x); }, {.device = "cpu"})(zeros({2}))) == Floats(2, 0));
  const char* const library = std::getenv("WEFT_CUDA_LIBRARY");
  REQUIRE(library);
  CHECK(!has_loaded(library));
  CHECK(devices().size() == 3);
  CHECK(has_loaded(library));
}

TEST_CASE("a program of many launches, without graphs", "[.][without_graphs]") {
  const auto f = jit([](Array x) { return sin(matmul(x, x)).sum(0); }, {.device = "cuda:0"});
  const Array x = arange(16.).reshape({4, 4}), a = device_put(x, "cuda:0");
  const Floats right = floats(jit([](Array x) { return sin(matmul(x, x)).sum(0); })(x));
  for (int k = 0; k < 6; ++k) CHECK(floats(f(a)) == right);
  CHECK(holds(f.lower(a).report(), "\ngraph: none, the driver knows none\n"));
}

TEST_CASE("a driver without graphs works as others do", "[gpu][graphs]") {
  for (const char* symbol : {"cuGraphLaunch", "cuGraphInstantiateWithFlags"}) {
    const std::string path = driver_without(symbol);
    in_child("env WEFT_CUDA_LIBRARY=" + path, "[without_graphs]");
    unlink(path.c_str());
  }
}

TEST_CASE("errors name the missing part of CUDA", "[gpu]") {
  const std::string fake = std::string("WEFT_CUDA_LIBRARY=") + FAKE_CUDA;
  check_said("WEFT_CUDA_LIBRARY=/nowhere/libcuda.so.1",
             "jit 'fn': there is no device 'cuda:0'; this process has: cpu. CUDA: the driver's "
             "library could not be opened (/nowhere/libcuda.so.1: cannot open shared object file");
  check_said("WEFT_CUDA_LIBRARY=libm.so.6",
             "CUDA: libm.so.6 has no entry point cuDriverGetVersion; update NVIDIA's driver");
  for (const char* symbol : {"cuMemPoolTrimTo", "cuLaunchKernel"}) {
    const std::string path = driver_without(symbol);
    check_said("WEFT_CUDA_LIBRARY=" + path, fmt::format("has no entry point {};", symbol));
    unlink(path.c_str());
  }
  check_said(fake + " FAKE_CUDA_INIT=100",
             "CUDA: the driver could not be started: CUDA_ERROR_NO_DEVICE (");
  check_said(fake + " FAKE_CUDA_DEVICES=0", "CUDA: the driver shows no device; see what");
  check_said(fake + " FAKE_CUDA_DRIVER=11020",
             "CUDA: the driver is one of CUDA 11.2, and 11.4 is the oldest that will do");
  check_said(fake + " FAKE_CUDA_CAPABILITIES=70",
             "CUDA: device 0 (Emulated GPU 0) has compute capability 7.0, and 7.5 is the least");
}

TEST_CASE("facts that the driver does not give are reported", "[gpu]") {
  const std::string fake = std::string("WEFT_CUDA_LIBRARY=") + FAKE_CUDA + " FAKE_CUDA_FAIL=";
  check_said(fake + "cuDeviceGetCount",
             "CUDA: the devices cannot be counted: CUDA_ERROR_INVALID_VALUE (emulated)");
  for (const char* entry :
       {"cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute", "cuDeviceTotalMem_v2"})
    check_said(fake + entry,
               "there is no device 'cuda:0'; this process has: cpu, cuda:1. CUDA: device 0 cannot "
               "be asked: CUDA_ERROR_INVALID_VALUE (emulated)");
  check_said(fake + "cuGetErrorName FAKE_CUDA_INIT=100", "could not be started: CUDA error 100");
  check_said(fake + "cuGetErrorString FAKE_CUDA_INIT=100",
             "could not be started: CUDA_ERROR_NO_DEVICE (at");
}

TEST_CASE("no library is opened for work on the host", "[gpu]") {
  const std::string path = driver_without("cuNothing");
  in_child("env WEFT_CUDA_LIBRARY=" + path, "[host_alone]");
  unlink(path.c_str());
}

TEST_CASE("an unsuitable device does not hide others", "[gpu]") {
  const std::string fake = std::string("WEFT_CUDA_LIBRARY=") + FAKE_CUDA;
  check_said(fake + " FAKE_CUDA_CAPABILITIES=90,61", "no error");
  check_said(fake + " FAKE_CUDA_CAPABILITIES=90,61",
             "default_device: there is no device 'cuda:1'; this process has: cpu, cuda:0. CUDA: "
             "device 1 (Emulated GPU 1) has compute capability 6.1");
  check_said(fake + " FAKE_CUDA_DEVICES=1", "there is cpu\nthere is cuda:0\n");
}

TEST_CASE("an error for a missing GPU lists the devices", "[gpu]") {
  CHECK(devices() == std::vector<std::string>{"cpu", "cuda:0", "cuda:1"});
  const std::string text = error_of<DeviceError>([] { default_device("cuda:7"); });
  CHECK(holds(text, "there is no device 'cuda:7'; this process has: cpu, cuda:0, cuda:1"));
  CHECK(!holds(text, "CUDA:"));
  CHECK(gpu().architecture() == "sm_90");
  CHECK(gpu().emulated());
}
