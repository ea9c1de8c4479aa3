// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/kit.h: what the functions of matrices share. Not public.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/ops/linear/lu.h"
#include "weft/ops/linear/spectral/svd.h"
#include "weft/tracer/array.h"

namespace weft::linalg::kit {

// Raise ShapeError naming the function unless argument 0 has matrices, or square ones.
void require_matrices(const char* name, const Array& a);
void require_square(const char* name, const Array& a);
// The axes in front of the matrices; x with these in front of its last `kept`.
Shape batch_of(const Array& x);
Array with_batch(const Array& x, const Shape& batch, int kept);
// Both as matrices of one dtype and batch, with a right side that fits the rows of a; `vector`: b
// had one axis.
struct System {
  Array a, b;
  bool vector = false;
  Array result(const Array& x) const;  // as b was given
};
System system(const char* name, const Array& a, const Array& b);

using Flat = FunctionRef<Arrays(const Arrays&)>;
// f, whose derivative is `rule`: (x…, dx…) -> (out…, tangents of the inexact out…).
Arrays with_rule(const char* name, const Arrays& x, Flat f, Flat rule);

// The determinants of the permutations of factors: 1, or -1 where an odd number of rows changed
// places; of the dtype of the factors.
Array parity(const lax::LU& f);
// u, s and vh of (a + a^H) / 2 by its eigenvectors.
lax::SVD hermitian_values(const Array& a);
// rtol as numbers of the real type, with the axes of `batch`.
Array tolerances(const char* name, const Array& rtol, DType real, const Shape& batch);

// The distance from 1 to the next number of the real type.
double epsilon(DType d);

}  // namespace weft::linalg::kit
