// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/svd.h: svd: singular values and vectors.
#pragma once
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "weft/array.h"

namespace weft::lax {

// The results of svd: u, s, vh.
using SVD = std::tuple<Array, Array, Array>;
struct SVDOptions {
  // If true, u and vh are square; else they have min(m, n) vectors.
  bool full_matrices = true;
  // Returns only the values with indices in [first, second), and their vectors. Without it, returns
  // all values.
  std::optional<std::pair<int64_t, int64_t>> subset_by_index = {};
};
// x = u s vh for matrices with m rows and n columns. The columns of u and the rows of vh are
// orthonormal, and the min(m, n) values s are descending and not negative. In each column of u, the
// first element whose absolute value is at least 0.6 times the largest is real and positive. This
// does not hold for columns that only .full_matrices adds. All results are NaN if x contains a NaN
// or an infinity. Derivatives of vectors are infinite or NaN if values are equal. Throws
// DifferentiationError for u and vh with .full_matrices of matrices that are not square. Throws
// Error for a subset together with vectors that .full_matrices adds, and IndexError for a subset
// out of range. Takes F32, F64, C64 and C128. Source: jax.lax.linalg.svd.
SVD svd(const typing::Arg& x, const SVDOptions& options = {});
// Only the singular values: (…, m, n) -> (…, min(m, n)). Source: jax.lax.linalg.svd with
// compute_uv=False.
Array svdvals(const typing::Arg& x);
// Returns the part of f that subset_by_index selects. svd computed f with these options.
SVD subset(SVD f, const SVDOptions& options);

}  // namespace weft::lax
