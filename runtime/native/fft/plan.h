// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/plan.h: how a transform of one length is taken apart, with its roots of unity.
// Nothing here depends on the processor, so neither do the bits of a result.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::native::fft {

// Prime factors up to this are taken by the definition; lengths with larger ones as convolutions.
inline constexpr int64_t largest_radix = 61;

// exp(-2 pi i k / n) in double, correctly rounded but for the last bit.
void unit_root(int64_t k, int64_t n, double* re, double* im);

// Transforms that lie side by side, element j of each in one vector: Stockham's algorithm with
// mixed radices (Van Loan, Computational Frameworks for the FFT, 1.7). Before a stage there are
// `stride` interleaved transforms of radix * parts elements, behind it radix times as many.
template <class T>
struct Stage {
  int radix;
  int64_t stride, parts;
  size_t twiddles;  // (radix - 1) pairs for each part
  size_t roots;     // the roots of 1 of an odd radix, as pairs
};
template <class T>
struct LanePlan {
  explicit LanePlan(int64_t n);
  int64_t n;
  std::vector<Stage<T>> stages;
  std::vector<T> table;
};

// One row of n = rows * columns elements as a matrix (Bailey's four steps): columns, twiddles,
// transposition, columns again.
template <class T>
struct SquarePlan {
  SquarePlan(int64_t rows, int64_t columns);
  int64_t n() const { return first.n * second.n; }
  // Elements between rows of what lies between the passes: whole cache lines, and no power of 2.
  int64_t step() const { return (first.n + 15) / 16 * 16 + 16; }
  LanePlan<T> first, second;
  // exp(-2 pi i j k / n) for k < rows, by blocks of 16 of the columns j: real parts, imaginary
  // parts. Above `tabulated` elements only of block 0, and the root of each block is looked up:
  // exp(-2 pi i e / n) is coarse[e / fine.size()] fine[e % fine.size()], pairs of doubles.
  static constexpr int64_t tabulated = int64_t{1} << 16;
  static constexpr int64_t block = 16;
  std::vector<T> twiddles;
  std::vector<double> coarse, fine;
};

// One transform of any length.
template <class T>
struct RowPlan {
  explicit RowPlan(int64_t n);
  enum class Kind { lanes, square, convolution };
  Kind kind;
  int64_t n;
  std::unique_ptr<LanePlan<T>> lanes;
  std::unique_ptr<SquarePlan<T>> square;
  // Bluestein: a convolution with a chirp, of a length that squares know.
  std::unique_ptr<RowPlan<T>> longer;
  std::vector<T> chirp, spectrum;  // pairs: exp(-pi i k^2 / n), k < n; its transform / longer->n
};

// Whether a length has small prime factors alone.
bool is_smooth(int64_t n);
// Roots for a real transform of even length n: exp(-2 pi i k / n) for k <= n / 4, as pairs.
template <class T>
std::vector<T> real_roots(int64_t n);

extern template struct LanePlan<float>;
extern template struct LanePlan<double>;
extern template struct SquarePlan<float>;
extern template struct SquarePlan<double>;
extern template struct RowPlan<float>;
extern template struct RowPlan<double>;

}  // namespace weft::native::fft
