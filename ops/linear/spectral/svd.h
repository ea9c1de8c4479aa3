// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/spectral/svd.h: svd: singular values and vectors.
#pragma once
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "weft/tracer/array.h"

namespace weft::lax {

// What svd gives: u, s, vh.
using SVD = std::tuple<Array, Array, Array>;
struct SVDOptions {
  // u and vh are square; else they have min(m, n) vectors.
  bool full_matrices = true;
  // The values from the first number on and before the second, and their vectors; none: all.
  std::optional<std::pair<int64_t, int64_t>> subset_by_index = {};
};
// x = u s vh for matrices of m rows and n columns: orthonormal columns of u and rows of vh, and
// min(m, n) descending values s, which are no smaller than 0. Of each column of u, but for those
// that only .full_matrices adds, the first number that is at least 0.6 times as large as the
// largest is real and positive. NaN throughout where x holds one, or an infinity. Derivatives of
// vectors are infinite or NaN at equal values; DifferentiationError for u and vh with
// .full_matrices of matrices that are not square. Error for a subset beside vectors that
// .full_matrices adds, IndexError for one that there is not. F32, F64, C64, C128. Source:
// jax.lax.linalg.svd.
SVD svd(const typing::Arg& x, const SVDOptions& options = {});
// The singular values alone: (…, m, n) -> (…, min(m, n)). Source: jax.lax.linalg.svd with
// compute_uv=False.
Array svdvals(const typing::Arg& x);
// What subset_by_index leaves of f, which svd found with these options.
SVD subset(SVD f, const SVDOptions& options);

}  // namespace weft::lax
