// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/main.cpp: main() of every test binary, and the templates that the tests share.
// WEFT_TEST_DEVICE selects the device on which the tests compute. Errors that an emulated driver
// (tests/gpu/fake_cuda.h) reports fail the run.
#define CATCH_CONFIG_RUNNER
#define WEFT_SHARED_TEMPLATE template
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/precompiled.h"
#include "weft/device.h"

namespace {
bool complained() {
  const char* path = std::getenv("WEFT_CUDA_LIBRARY");
  void* driver = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  void* complaints = driver ? dlsym(driver, "fake_cuda_complaints") : nullptr;
  if (!complaints) return false;
  const char* said = reinterpret_cast<const char* (*)()>(complaints)();
  std::fputs(said, stderr);
  return *said != 0;
}
}  // namespace

int main(int argc, char** argv) {
  const char* device = std::getenv("WEFT_TEST_DEVICE");
  if (device) weft::default_device(device);
  const int failed = Catch::Session().run(argc, argv);
  return device && complained() ? 1 : failed;
}
