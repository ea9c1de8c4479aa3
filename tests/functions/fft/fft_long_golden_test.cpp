// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/fft/fft_long_golden_test.cpp: compares transforms of 2^18 elements and more with
// numpy.fft (tests/golden/generators/make_fft_long.py). The lengths are powers, products and
// primes.
#include <cmath>

#include "support/golden_lines.h"
#include "support/share.h"
#include "weft/weft.h"

using namespace weft;

namespace {

Array steps(int64_t n, int64_t m, int64_t k, DType d) {
  const int64_t middle = k / 2;
  std::vector<double> v;
  v.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) v.push_back(static_cast<double>(i * m % k - middle) / 4);
  return array(v).astype(d);
}

// Returns the largest distance of an element from the expected one, relative to the root mean
// square.
double error_of(const Array& y, const testing::GoldenLine& some, double size) {
  const std::vector<double> got = testing::parts(y);
  const int64_t step = y.size() / 32, each = is_complex(y.dtype()) ? 2 : 1;
  double worst = 0;
  for (int64_t k = 0; k < 32; ++k) {
    const auto at = static_cast<size_t>(each * k * step), i = static_cast<size_t>(2 * k);
    const double imag = each == 2 ? got[at + 1] : 0;
    worst = std::max(worst, std::hypot(got[at] - some.values[i], imag - some.values[i + 1]));
  }
  return worst / size;
}

}  // namespace

TEST_CASE("long transforms are as exact as NumPy's", "[fft][share]") {
  const auto want = testing::golden_lines("fft_long.txt");
  Share share(3);
  for (const int64_t n : {1 << 18, 1 << 20, 3 * (1 << 17) + 1, 390625, 1000003, 786433})
    for (const DType d : {F64, F32}) {
      if (!share.next()) continue;
      const Array re = steps(n, 7919, 257, d), im = steps(n, 104729, 241, d);
      const Array z = lax::complex(re, im);
      const auto count = static_cast<double>(n);
      // Rounding errors grow with the depth of the transform, about log2 n.
      const double bound = (d == F64 ? 0x1p-53 : 0x1p-24) * 4 * std::log2(count);
      const auto check = [&](const char* name, const Array& y) {
        const std::string line = std::string(name) + "." + std::to_string(n);
        const double error = error_of(y, want.at(line), want.at(line + ".norm").values[0]);
        INFO(line << " of " << short_name(d) << " is off by " << error / bound << " bounds");
        CHECK(error < bound);
      };
      check("fft", fft::fft(z));
      check("ifft", fft::ifft(z) * count);
      check("rfft", fft::rfft(re));
      check("irfft", fft::irfft(z[slice(0, n / 2 + 1)], {.n = n}) * count);
    }
}
