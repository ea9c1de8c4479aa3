// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_fft.cpp: writes Fourier transforms.
#include <fmt/format.h>

#include <array>

#include "interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

Vals fft(Writer& w, const Equation& e, const Vals& x) {
  static constexpr std::array<const char*, 4> kinds{"FFT", "IFFT", "RFFT", "IRFFT"};
  const char* kind = kinds.at(static_cast<size_t>(e.field<int64_t>("fft_type")));
  return {w.one("stablehlo.fft", x, e.result(),
                {{"fft_type", text_attr(fmt::format("#stablehlo<fft_type {}>", kind))},
                 {"fft_length", ints_attr(e.ints("fft_lengths"))}})};
}

}  // namespace

void write_fourier(WriteRules& r) { r["fft"] = fft; }

}  // namespace weft::hlo
