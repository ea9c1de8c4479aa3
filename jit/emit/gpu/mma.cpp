// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/mma.cpp: the factors and the sums of a warp.
#include "jit/emit/gpu/mma.h"

#include "jit/emit/gpu/gpu_emitter.h"

namespace weft::compiler {

namespace {
constexpr int terms_per_mma = 16, rows_per_mma = 16, columns_per_mma = 8;
constexpr int matrix_size = 8;  // rows and columns of a matrix that ldmatrix loads
}  // namespace

V TensorCores::fragment_offset(const ProductState& p, const ProductSide& s, V first_point,
                               V in_warp) {
  const bool rows = s.axis == 0;
  const V line = b_.CreateAnd(in_warp, b_.i64(matrix_size - 1));
  const auto half = [&](bool second) {
    return b_.CreateMul(b_.CreateAnd(b_.CreateLShr(in_warp, second ? 4 : 3), b_.i64(1)),
                        b_.i64(matrix_size));
  };
  V point = b_.CreateAdd(first_point, half(!rows)), term = half(rows);
  (s.stage.by_terms ? point : term) = b_.CreateAdd(s.stage.by_terms ? point : term, line);
  return b_.CreateAdd(
      b_.CreateMul(point, b_.i64(s.stage.by_terms ? s.stage.pitch : p.stage.number)),
      b_.CreateMul(term, b_.i64(s.stage.by_terms ? p.stage.number : s.stage.pitch)));
}

// Returns the words of 4 matrices, or 2, which begin `point` points after the warp's first one.
Vs TensorCores::load_fragments(const ProductState& p, const ProductSide& s, V stage, int term,
                               int point, int matrices) {
  const int64_t of_line = s.stage.by_terms ? term : point, line = s.stage.by_terms ? point : term;
  const V at =
      b_.CreateConstGEP1_64(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), stage, s.fragment),
                            s.stage.first + line * s.stage.pitch + of_line * p.stage.number);
  return gpu_.load_matrices(at, matrices, !s.stage.by_terms);
}

// Adds 16 products to each of four sums: two columns of a row, then those 8 rows below.
Vs TensorCores::multiply_fragments(const ProductState& p, llvm::ArrayRef<V> rows,
                                   llvm::ArrayRef<V> columns, const Vs& sums) {
  const bool half = p.loop.rows.is_f16 && p.loop.columns.is_f16;
  Vs words(rows.begin(), rows.end());
  words.append(columns.begin(), columns.end());
  return gpu_.multiply_matrices(words, sums, half);
}

Vs TensorCores::mma_terms(const ProductState& p, V stage, const Vs& sums, int terms) {
  const int down = p.s.thread_rows / 2, across = p.s.thread_columns / 2;
  const auto sum = [&](int row, int column) {
    return static_cast<size_t>(row * p.s.thread_columns + column);
  };
  Vs now = sums;
  for (int term = 0; term < terms; term += terms_per_mma) {
    Vs rows, columns;
    for (int i = 0; i < down; ++i)
      rows.append(load_fragments(p, p.rows, stage, term, i * rows_per_mma, 4));
    for (int j = 0; j < across; j += 2)
      columns.append(
          load_fragments(p, p.columns, stage, term, j * columns_per_mma, across == 1 ? 2 : 4));
    for (int i = 0; i < down; ++i)
      for (int j = 0; j < across; ++j) {
        const size_t at[] = {sum(2 * i, 2 * j), sum(2 * i, 2 * j + 1), sum(2 * i + 1, 2 * j),
                             sum(2 * i + 1, 2 * j + 1)};
        const Vs next =
            multiply_fragments(p, llvm::ArrayRef<V>(rows).slice(static_cast<size_t>(4 * i), 4),
                               llvm::ArrayRef<V>(columns).slice(static_cast<size_t>(2 * j), 2),
                               {now[at[0]], now[at[1]], now[at[2]], now[at[3]]});
        for (size_t k = 0; k < 4; ++k) now[at[k]] = next[k];
      }
  }
  return now;
}

}  // namespace weft::compiler
