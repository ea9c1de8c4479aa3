// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/matrix.h: what rules of factorisations say of the last two axes of an array.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/core/type.h"
#include "weft/tracer/array.h"

namespace weft::matrix {

// Raises ShapeError or DTypeError unless the first operand has matrices of F32, F64, C64 or C128;
// square ones.
void require_matrices(const char* op, const Types& in);
void require_square(const char* op, const Types& in);

// How many matrices of how many rows and columns.
struct Sizes {
  explicit Sizes(const Type& t);
  int64_t batch = 1, rows, columns;
  int64_t smaller() const { return rows < columns ? rows : columns; }
};

Array conj(const Array& x);          // of real numbers x itself
Array real_part_of(const Array& x);  // likewise
// Real numbers as numbers of dtype d, real or complex.
Array as_number(const Array& x, DType d);
Array zeros_like(const Array& x);
Array squares(const Array& x);  // of the absolute values
// Rows and columns exchanged; `conjugated` besides.
Array transposed(const Array& x, bool conjugated = false);
// x on and below the diagonal (above it, unless `lower`), zeros elsewhere; `strict`: without it.
Array triangle(const Array& x, bool lower, bool strict = false);
// Element j of axis `at`, which goes.
Array element(const Array& x, const Array& j, int at);
// x with `part` there, which lacks the axis.
Array with_element(const Array& x, const Array& part, const Array& j, int at);
// One number everywhere.
Array all(const Array& number, const Shape& shape);
// The diagonals; number (i, j) of each matrix; its column j.
Array diagonal(const Array& x);
Array number(const Array& x, const Array& i, const Array& j);
Array column(const Array& x, const Array& j);
// a b, for each pair of matrices.
Array product(const Array& a, const Array& b);
// v, whose axes are the leading ones of `shape`, along those and repeated along the rest; `at`:
// where its last axis is instead.
Array along_leading(const Array& v, const Shape& shape);
Array along(const Array& v, const Shape& shape, int at);
// v repeated along axis `at` of `shape`, which it has not.
Array without(const Array& v, const Shape& shape, int at);
// v repeated along axis `at` of x's shape, times each number of x.
Array scaled(const Array& x, const Array& v, int at);

// 1 where the row's number is that of the column, else 0.
Array identity(const Type& t);

// Where the leading numbers of the vectors along axis `axis` stand: of each the first that is at
// least 0.6 times as large as its largest. What is made real and positive of eigenvectors and
// singular vectors, so that they are determined.
Array leads(const Array& vectors, int axis);
// For each vector what x has at the lead.
Array at_leads(const Array& x, const Array& leads, int axis);
// The factors that make the leading numbers so.
Array to_positive_leads(const Array& vectors, int axis);

// f of each matrix in a lane of its own, whose loops end by themselves.
Arrays each_matrix(const Array& x, FunctionRef<Arrays(const Array&)> f);

// Numbers for tests: from -1 to 1; the same off the diagonal, and about n on it.
Array random(const Type& t, uint64_t seed);
Array dominant(const Type& t, uint64_t seed);
// The Hermitian part of such; what is imaginary on the diagonal does not count.
Array positive_definite(const Type& t, uint64_t seed);

}  // namespace weft::matrix
