// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/fft/fft_test.cpp: the accuracy of transforms of all kinds of lengths, the code
// that runs them, values that are not finite, and errors.
#include <cmath>
#include <complex>
#include <numbers>

#include "ops/kit/sample_numbers.h"
#include "support/check.h"
#include "weft/device/threads.h"

using namespace weft;
using namespace weft::test;

namespace {

Array noise(const Shape& s, DType d, uint64_t seed = 1) {
  return SampleNumbers(seed)(Type(d, s), -1, 1);
}
std::vector<std::complex<double>> pairs(const Array& z) {
  const auto re = lax::real(z).to_vector<double>(), im = lax::imag(z).to_vector<double>();
  std::vector<std::complex<double>> out;
  for (size_t i = 0; i < re.size(); ++i) out.emplace_back(re[i], im[i]);
  return out;
}

// Returns the largest error of up to 64 elements of the transform y of the row x. It is relative to
// sums of long doubles, in rounding units of the largest element.
double error_of(const Array& x, const Array& y, bool inverse, double rounding) {
  const auto from = pairs(x), to = pairs(y);
  const auto n = static_cast<int64_t>(from.size());
  double worst = 0, largest = 0;
  for (int64_t k = 0; k < n; k += std::max<int64_t>(1, n / 64)) {
    std::complex<long double> sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const long double turn = static_cast<long double>(j * k % n) / static_cast<long double>(n);
      const auto angle = (inverse ? 2 : -2) * std::numbers::pi_v<long double> * turn;
      sum += std::complex<long double>(from[static_cast<size_t>(j)]) *
             std::complex<long double>(std::cos(angle), std::sin(angle));
    }
    if (inverse) sum /= static_cast<long double>(n);
    const std::complex<double> want(static_cast<double>(sum.real()),
                                    static_cast<double>(sum.imag()));
    worst = std::max(worst, std::abs(to[static_cast<size_t>(k)] - want));
    largest = std::max(largest, std::abs(want));
  }
  return worst / (largest * rounding);
}

std::vector<int64_t> lengths() {
  std::vector<int64_t> n;
  for (int64_t k = 1; k <= 64; ++k) n.push_back(k);
  for (int64_t k : {67, 80, 100, 101, 127, 128, 144, 210, 366, 1000, 1009, 3721, 4096, 4099, 5040})
    n.push_back(k);
  return n;
}

}  // namespace

TEST_CASE("transforms of any length are as exact as their depth allows", "[fft]") {
  for (const int64_t n : lengths())
    for (const DType d : {C128, C64}) {
      const double rounding = d == C128 ? 0x1p-53 : 0x1p-24;
      const double bound = 4 + std::log2(static_cast<double>(n));
      INFO(n << " of " << short_name(d));
      const Array x = noise({3, n}, d);
      const auto f = jit([](Array a) { return fft::fft(a); });
      const auto g = jit([](Array a) { return fft::ifft(a); });
      CHECK(error_of(x[2], f(x)[2], false, rounding) < bound);
      CHECK(error_of(x[0], g(x)[0], true, rounding) < bound);
      // Real transforms and their inverses are tested, too.
      const Array r = lax::real(x), half = jit([](Array a) { return fft::rfft(a); })(r);
      const Array whole = f(r.astype(d));
      const double largest = max(abs(whole)).item<double>();
      CHECK(max(abs(half - whole[{slice(), slice(0, n / 2 + 1)}])).item<double>() <
            2 * bound * rounding * largest);
      const Array again = jit([n](Array a) { return fft::irfft(a, {.n = n}); })(half);
      CHECK(max(abs(again - r)).item<double>() < 2 * bound * rounding * std::sqrt(largest));
      CHECK(max(abs(fft::fft(r) - whole)).item<double>() < 2 * bound * rounding * largest);
    }
}

TEST_CASE("a long row is distributed over threads, with the same bits", "[fft]") {
  const int threads = num_threads();
  const int64_t n = int64_t{1} << 17;
  const Array x = noise({2, n}, C64);
  const auto f = jit([](Array a) { return fft::fft(a); });
  set_num_threads(1);
  const Array one = f(x);
  set_num_threads(2);
  const Array two = f(x);
  set_num_threads(threads);
  CHECK(array_equal(one, two).item<bool>());
  CHECK(error_of(x[1], one[1], false, 0x1p-24) < 21);
  // If there are many rows, each thread transforms whole rows.
  const Array many = f(tile(x, {5, 1}));
  CHECK(array_equal(many[9], one[1]).item<bool>());
}

TEST_CASE("axes before the last are transformed where they lie, or copied together", "[fft]") {
  for (const int64_t n : {5, 40, 67, 5000}) {
    INFO(n);
    const Array x = noise({n, 6}, C128);
    const auto f = jit([](Array a) { return fft::fft2(a); });
    const Array rows = fft::fft(x), want = fft::fft(rows.T()).T();
    CHECK(max(abs(f(x) - want)).item<double>() < 1e-11);
    CHECK(max(abs(fft::ifft2(want) - x)).item<double>() < 1e-13);
    const Array r = lax::real(x);
    CHECK(max(abs(fft::irfft2(fft::rfft2(r)) - r)).item<double>() < 1e-13);
  }
}

TEST_CASE("small transforms in loops run in the lane, others by native code", "[fft]") {
  const auto filtered = [](Array x) {
    return fori_loop(0, 3, [](Array, Array y) { return fft::irfft(fft::rfft(y) * 0.5); }, x);
  };
  const Array rows = noise({20, 8}, F32);
  const auto f = jit(vmap(filtered));
  CHECK(!holds(f.lower(rows).report(), "fft: library"));
  CHECK(max(abs(f(rows) - rows * 0.125)).item<double>() < 1e-6);
  const auto g = jit([](Array x) { return fft::fft(x); });
  CHECK(holds(g.lower(noise({4, 4096}, C64)).report(), "fft: library"));
  const Array z = noise({3, 6}, C128);
  const Array in_lane = g.lower(z).compile({.implementations = {{"fft", "expanded"}}})(z);
  const Array native = g.lower(z).compile({.implementations = {{"fft", "library"}}})(z);
  CHECK(max(abs(in_lane - native)).item<double>() < 1e-14);
}

TEST_CASE("values that are not finite affect only their row", "[fft]") {
  const double inf = std::numeric_limits<double>::infinity();
  for (const int64_t n : {4, 7, 64, 67, 128, 210}) {
    INFO(n);
    for (const double bad : {inf, -inf, std::nan("")}) {
      const Array x = noise({5, n}, F64).at({2, 1}).set(bad);
      for (const Array& y : {fft::fft(x), fft::rfft(x), fft::fft(x.astype(C128))}) {
        const Array finite = isfinite(lax::real(y)) & isfinite(lax::imag(y));
        CHECK(!any(finite[2]).item<bool>());
        CHECK(all(finite[{slice(0, 2)}]).item<bool>());
        CHECK(all(finite[{slice(3, 5)}]).item<bool>());
      }
    }
  }
}

TEST_CASE("operands that Fourier transforms refuse", "[fft]") {
  const Array x = noise({3, 4}, F32), z = noise({3, 4}, C64);
  check_error<ShapeError>([&] { fft::fft(x, {.n = 0}); }, "fft: a size must be positive, got 0");
  check_error<IndexError>([&] { fft::ifft(x, {.axis = 2}); }, "ifft: axis 2 is out of bounds");
  check_error<IndexError>([&] { fft::fft(1.f); }, "out of bounds");
  check_error<DTypeError>([&] { fft::rfft(z); }, "rfft: transforms f32 and f64, got c64[3,4]");
  check_error<DTypeError>([&] { fft::ihfft(z); }, "ihfft: transforms f32 and f64");
  check_error<ShapeError>([&] { fft::rfft(zeros({2, 0})); }, "needs at least one element");
  check_error<ShapeError>([&] { fft::fft2(x, {.axes = {0}}); }, "fft2: takes 2 axes, got 1");
  check_error<ShapeError>([&] { fft::fft2(x, {.axes = {1, -1}}); }, "an axis is named twice");
  check_error<ShapeError>([&] { fft::fftn(x, {.s = {{2, 2}}, .axes = {{0}}}); },
                          "fftn: 2 sizes do not fit 1 axes");
  check_error<ShapeError>([&] { fft::irfftn(x, {.s = {{2, 2, 2}}}); }, "3 sizes do not fit");
  check_error<ShapeError>([] { fft::fftfreq(-1); }, "needs a number of elements, got -1");
  check_error<ShapeError>([&] { fft::rfftfreq(3, x); }, "the spacing must be one number");
  check_error<DTypeError>([] { fft::rfftfreq(3, 1., {.dtype = C64}); }, "real numbers");
  check_error<IndexError>([&] { fft::fftshift(x, 3); }, "fftshift: axis 3 is out of bounds");
  check_error<ShapeError>([&] { lax::fft(z, lax::FftType::fft, {5}); },
                          "needs 5 elements along axis 1");
  check_error<DTypeError>([&] { lax::fft(z, lax::FftType::rfft, {4}); }, "real numbers");
}

TEST_CASE("a transform of one element is the element", "[fft]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array z = array(std::vector<std::complex<double>>{{nan, 0}, {1, 2}}, {2, 1});
  const auto both = [](Array x) { return std::pair{fft::fft(x), fft::ifft(x)}; };
  const auto [y, back] = jit(both)(z);
  for (const Array& r : {y, back}) {
    const auto v = r.to_vector<std::complex<double>>();
    CHECK(std::isnan(v[0].real()));
    CHECK(v[0].imag() == 0);
    CHECK(v[1] == std::complex<double>(1, 2));
  }
  CHECK(jit([](Array x) { return fft::fft(x); }).lower(z).optimized().find("fft") ==
        std::string::npos);
}
