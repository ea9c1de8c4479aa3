// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/plan.h: decomposes a transform of one length into stages, with its roots of
// unity. Nothing here depends on the processor, so neither do the bits of a result.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::native::fft {

// Prime factors up to this are transformed by the definition; lengths with larger ones by
// convolution.
inline constexpr int64_t largest_radix = 61;

// exp(-2 pi i k / n) in F64, accurate to within the last bit.
void unit_root(int64_t k, int64_t n, double* re, double* im);

// Transforms side by side: element j of each transform is in one vector. The algorithm is
// Stockham's with mixed radices (Van Loan, Computational Frameworks for the FFT, 1.7). Before a
// stage there are `stride` interleaved transforms of radix * parts elements; after it there are
// radix times as many.
template <class T>
struct Stage {
  int radix;
  int64_t stride, parts;
  size_t twiddles;  // (radix - 1) pairs for each part
  size_t roots;     // roots of unity of an odd radix, as pairs
};
template <class T>
struct VectorPlan {
  explicit VectorPlan(int64_t n);
  int64_t n;
  std::vector<Stage<T>> stages;
  std::vector<T> table;
};

// One row of n = rows * columns elements as a matrix (Bailey's four-step method): transforms of
// columns, twiddles, transpose, transforms of columns again.
template <class T>
struct SquarePlan {
  SquarePlan(int64_t rows, int64_t columns);
  int64_t n() const { return first.n * second.n; }
  // The distance between rows of the intermediate result: whole cache lines, and not a power of 2.
  int64_t step() const { return (first.n + 15) / 16 * 16 + 16; }
  VectorPlan<T> first, second;
  // exp(-2 pi i j k / n) for k < rows, by blocks of 16 of the columns j: real parts, then imaginary
  // parts. Above `tabulated` elements, only block 0 is stored and is multiplied by the root of each
  // block. `exp(-2 pi i e / n)` is `coarse[e / fine.size()] fine[e % fine.size()]`, pairs of
  // doubles.
  static constexpr int64_t tabulated = int64_t{1} << 16;
  static constexpr int64_t block = 16;
  std::vector<T> twiddles;
  std::vector<double> coarse, fine;
};

// A transform of one row of any length.
template <class T>
struct RowPlan {
  explicit RowPlan(int64_t n);
  enum class Kind { vectors, square, convolution };
  Kind kind;
  int64_t n;
  std::unique_ptr<VectorPlan<T>> vectors;
  std::unique_ptr<SquarePlan<T>> square;
  // Bluestein: a convolution with a chirp, of a length that SquarePlan supports.
  std::unique_ptr<RowPlan<T>> longer;
  std::vector<T> chirp, spectrum;  // pairs: exp(-pi i k^2 / n), k < n; its transform / longer->n
};

// Returns true if all prime factors of the length are at most `largest_radix`.
bool is_smooth(int64_t n);
// Roots for a real transform of even length n: exp(-2 pi i k / n) for k <= n / 4, as pairs.
template <class T>
std::vector<T> real_roots(int64_t n);

extern template struct VectorPlan<float>;
extern template struct VectorPlan<double>;
extern template struct SquarePlan<float>;
extern template struct SquarePlan<double>;
extern template struct RowPlan<float>;
extern template struct RowPlan<double>;

}  // namespace weft::native::fft
