// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/matrix.h: helpers for rules of factorizations, which treat the last two axes of an
// array as a matrix.
#pragma once
#include <optional>

#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/ref.h"
#include "weft/type.h"

namespace weft::matrix {

// require_matrices throws ShapeError or DTypeError unless the first operand has matrices of F32,
// F64, C64 or C128. require_square also requires that they are square.
void require_matrices(const char* op, const Types& in);
void require_square(const char* op, const Types& in);

// The number of matrices, and their numbers of rows and columns.
struct Sizes {
  explicit Sizes(const Type& t);
  int64_t batch = 1, rows, columns;
  int64_t smaller() const { return rows < columns ? rows : columns; }
};

Array conj(const Array& x);          // returns x for real numbers
Array real_part_of(const Array& x);  // returns x for real numbers
bool is_real_row(const Array& x);    // true if each matrix is one row of real numbers
// Converts real numbers to dtype d, which may be complex.
Array as_number(const Array& x, DType d);
Array zeros_like(const Array& x);
Array squares(const Array& x);  // squared absolute values
// Exchanges rows and columns, and also conjugates x if `conjugated`.
Array transposed(const Array& x, bool conjugated = false);
// Returns x on and below the diagonal (above it unless `lower`), and zeros elsewhere. `strict`
// makes the diagonal zero, too.
Array triangle(const Array& x, bool lower, bool strict = false);
// Returns element j along axis `at`, without that axis.
Array element(const Array& x, const Array& j, int at);
// Returns x with element j along axis `at` replaced by `part`, which does not have the axis.
Array with_element(const Array& x, const Array& part, const Array& j, int at);
// Broadcasts one number to the shape.
Array all(const Array& number, const Shape& shape);
// The diagonal, element (i, j), and column j of each matrix.
Array diagonal(const Array& x);
Array number(const Array& x, const Array& i, const Array& j);
Array column(const Array& x, const Array& j);
// The product a b of each pair of matrices.
Array product(const Array& a, const Array& b);
// Broadcasts v to `shape`. The axes of v are the leading axes of `shape`; in `along`, its last axis
// is axis `at` instead.
Array along_leading(const Array& v, const Shape& shape);
Array along(const Array& v, const Shape& shape, int at);
// Broadcasts v to `shape`. v has all axes of `shape` except `at`.
Array without(const Array& v, const Shape& shape, int at);
// Broadcasts v along axis `at` of x, and multiplies x by it.
Array scaled(const Array& x, const Array& v, int at);

// 1 where the row and column indices are equal, else 0.
Array identity(const Type& t);

// The positions of the leading elements of the vectors along axis `axis`: the first element whose
// absolute value is at least 0.6 times the largest. These elements of eigenvectors and singular
// vectors are made real and positive, so that the vectors are unique.
Array leads(const Array& vectors, int axis);
// Returns the element of x at the leading position of each vector.
Array at_leads(const Array& x, const Array& leads, int axis);
// Returns the factors that make the leading elements real and positive.
Array to_positive_leads(const Array& vectors, int axis);

// The number of a row or a step: an index of the program, and the number itself where the steps
// for a small matrix are written out.
struct Row {
  Array index;
  std::optional<int64_t> number = {};
};
Row row_at(int64_t number);
Row after(const Row& r);
// Returns x after `x = step(i, x)` for the rows from `first` to before `end`.
Array over_rows(const Row& first, const Row& end, const Array& x,
                FunctionRef<Array(const Array& i, const Array& x)> step);
// Runs n steps, from the last one if `reverse`. `step` maps a number and the carried values to the
// new carried values, followed by results. Returns the last carried values and the results of all
// steps, stacked along a new leading axis. Few steps are written out: they need no loop, so that
// they can share a kernel with the equations around them.
Arrays over_steps(int64_t n, bool reverse, const Arrays& carry,
                  FunctionRef<Arrays(const Row& j, const Arrays& carry)> step);

// Runs f on each matrix in its own lane, so that loops of each lane end independently.
Arrays each_matrix(const Array& x, FunctionRef<Arrays(const Array&)> f);

// Numbers for tests. random: from -1 to 1. dominant: the same off the diagonal, and about n on it.
Array random(const Type& t, uint64_t seed);
Array dominant(const Type& t, uint64_t seed);
// The Hermitian part of such a matrix. Imaginary parts on the diagonal are dropped.
Array positive_definite(const Type& t, uint64_t seed);

}  // namespace weft::matrix
