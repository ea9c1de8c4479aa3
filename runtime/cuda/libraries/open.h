// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/open.h: NVIDIA's libraries, which are searched for once, at first use.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/cuda/libraries/entries.h"

namespace weft::cuda {

// The names that implementations use (core/loops/implementation.h).
inline constexpr std::string_view cublas = "cuBLAS", cublaslt = "cuBLASLt", cusolver = "cuSOLVER",
                                  cufft = "cuFFT", cudnn = "cuDNN";

// Opens a library at its first use, until the process ends. A driver accepts libraries of its own
// CUDA version and older. An emulated driver and an emulated library (one with the symbol
// weft_emulated_library) only accept each other.
const Solver& solver(const Driver& d);
const Blas& blas(const Driver& d);
const BlasLt& blas_lt(const Driver& d);
const Fft& fft(const Driver& d);
const Dnn& dnn(const Driver& d);
// Finds a library by its name; throws InternalError for an unknown name.
const Library& library(std::string_view name, const Driver& d);
// Each library's name with its version and file, "11.7.1 (libcusolver.so.11)", or what is missing.
std::vector<std::pair<std::string, std::string>> all_libraries(const Driver& d);

}  // namespace weft::cuda
