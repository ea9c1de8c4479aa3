// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/missing_test.cpp: without one of NVIDIA's libraries programs run as before. A
// caller that demands the library gets an error that lists the file names that were tried. A
// process searches only once, so each case is a process.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "gpu/emulated.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

Array positive(int64_t n) {
  const Array x = arange(static_cast<double>(n * n)).reshape({n, n});
  return sin(x) + eye(n) * static_cast<double>(2 * n);
}
auto factors() {
  return jit([](Array x) { return lax::cholesky(x); }, {.device = "cuda:0"});
}
void check_said(const std::string& environment, const std::string& piece) {
  const std::string text = in_child("env " + environment, "[demands_libraries]");
  INFO("expected: " << piece << "\ngot: " << text);
  CHECK(holds(text, piece));
}

}  // namespace

TEST_CASE("demands libraries", "[.][demands_libraries]") {
  const auto say = [](const char* op, const char* name, const auto& lowered) {
    std::cout << error_of<CompileError>([&] {
      (void)lowered.compile({.implementations = {{op, name}}});
    }) << "\n";
  };
  const Array x = positive(40);
  say("cholesky", "cusolver", factors().lower(x));
  say("dot_general", "cublas",
      jit([](Array y) { return matmul(y, y); }, {.device = "cuda:0"}).lower(x));
  say("fft", "cufft",
      jit([](Array y) { return lax::fft(y, lax::FftType::rfft, {40}); }, {.device = "cuda:0"})
          .lower(x));
  // Without a library the default is the host's implementation.
  const auto f = factors();
  const Floats right = floats(jit([](Array y) { return lax::cholesky(y); })(x));
  CHECK(floats(f(device_put(x, "cuda:0"))) == right);
  const std::string report = f.lower(x).report();
  CHECK(holds(report, "cholesky: library f32[40,40], on the host\n"));
  CHECK(
      holds(report, "\ngraph: none, step 1 does more than launch kernels, or launches too many\n"));
}

TEST_CASE("an error names the missing library that is demanded", "[gpu]") {
  const std::string nowhere = "WEFT_CUDA_LIBRARIES=/nowhere";
  check_said(nowhere,
             "implementations of compile(): 'cusolver' of cholesky cannot be used: cuSOLVER is not "
             "there: libcusolver.so.11 could not be opened in /nowhere "
             "(/nowhere/libcusolver.so.11: cannot open shared object file: No such file or "
             "directory); install NVIDIA's CUDA toolkit for a driver of CUDA 12.4, or name the "
             "folder that has its libraries by WEFT_CUDA_LIBRARIES");
  check_said(nowhere,
             "'cublas' of dot_general cannot be used: cuBLASLt is not there: libcublasLt.so.12, "
             "libcublasLt.so.11 could not be opened in /nowhere");
  check_said(nowhere, "'cufft' of fft cannot be used: cuFFT is not there: libcufft.so.11,");
  // The file names are those of the driver's CUDA version and of older ones.
  check_said(nowhere + " FAKE_CUDA_DRIVER=13000",
             "cuSOLVER is not there: libcusolver.so.12, libcusolver.so.11 could not");
  check_said(nowhere + " FAKE_CUDA_DRIVER=11080", "cuFFT is not there: libcufft.so.10 could not");
}

TEST_CASE("files that are not the library are refused", "[gpu]") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("weft_libraries_{}", getpid());
  fs::create_directory(folder);
  // This file is the emulated driver under the name of a library.
  fs::create_symlink(FAKE_CUDA, folder / "libcusolver.so.11");
  std::ofstream(folder / "libcufft.so.11") << "no library";
  const std::string there = "WEFT_CUDA_LIBRARIES=" + folder.string();
  check_said(there, fmt::format("cuSOLVER: {}/libcusolver.so.11 is not for an emulated GPU; name "
                                "another folder by WEFT_CUDA_LIBRARIES",
                                folder.string()));
  check_said(there, "libcufft.so.11: file too short); install");
  fs::remove_all(folder);
}

TEST_CASE("an implementation of a library of GPUs is none of the host", "[gpu]") {
  const auto f = jit([](Array x) { return lax::cholesky(x); });
  check_error<CompileError>(
      [&] { (void)f.lower(positive(40)).compile({.implementations = {{"cholesky", "cusolver"}}}); },
      "'cusolver' does not apply to cholesky of f32[40,40]; there is library");
}
