// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/kit.h: helpers that the functions of matrices share. Not public.
#pragma once
#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/ref.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/svd.h"

namespace weft::linalg::kit {

// Raise ShapeError, naming the function, unless a is an array of matrices, or of square ones.
void require_matrices(const char* name, const Array& a);
void require_square(const char* name, const Array& a);
// Return the leading axes before the matrices, and x with these axes broadcast in front of its last
// `kept` axes.
Shape batch_of(const Array& x);
Array with_batch(const Array& x, const Shape& batch, int kept);
// Both operands of a linear system as matrices of one dtype and batch. The right-hand side matches
// the rows of a. `vector`: b had one axis.
struct System {
  Array a, b;
  bool vector = false;
  Array result(const Array& x) const;  // returns x in the form in which b was given
};
System system(const char* name, const Array& a, const Array& b);

using Flat = FunctionRef<Arrays(const Arrays&)>;
// Returns f(x) with the derivative rule `rule`: (x…, dx…) -> (out…, tangents of the inexact out…).
Arrays with_rule(const char* name, const Arrays& x, Flat f, Flat rule);

// Returns the determinants of the permutations of the factors, in their dtype: 1, or -1 where an
// odd number of rows was exchanged.
Array parity(const lax::LU& f);
// Returns u, s and vh of (a + a^H) / 2, computed from its eigenvectors.
lax::SVD hermitian_values(const Array& a);
// Returns rtol in the real dtype, with the axes of `batch`.
Array tolerances(const char* name, const Array& rtol, DType real, const Shape& batch);

// Returns the distance from 1 to the next number of the real dtype.
double epsilon(DType d);

}  // namespace weft::linalg::kit
