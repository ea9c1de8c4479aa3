// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/open.h: NVIDIA's libraries, looked for once, when one is first needed.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/runtime/cuda/libraries/entries.h"

namespace weft::cuda {

// As implementations name them (core/loops/implementation.h).
inline constexpr std::string_view cublas = "cuBLAS", cublaslt = "cuBLASLt", cusolver = "cuSOLVER",
                                  cufft = "cuFFT", cudnn = "cuDNN";

// Opened when one of them is first called, for as long as the process lives. A driver takes
// libraries of its own version of CUDA and older ones; an emulated one those that say that they
// are, too (the symbol weft_emulated_library).
const Solver& solver(const Driver& d);
const Blas& blas(const Driver& d);
const BlasLt& blas_lt(const Driver& d);
const Fft& fft(const Driver& d);
const Dnn& dnn(const Driver& d);
// By its name; InternalError if there is none of that.
const Library& library(std::string_view name, const Driver& d);
// Name and what is known of each: "11.7.1 (libcusolver.so.11)", or what is missing.
std::vector<std::pair<std::string, std::string>> all_libraries(const Driver& d);

}  // namespace weft::cuda
