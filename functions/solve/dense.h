// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/dense.h: linear systems solved with dense matrices of linear functions. Not
// public.
#pragma once
#include "core/ir.h"
#include "weft/array.h"

namespace weft::detail {

// Return the matrix of a linear function of vectors [n], and the x with g(x) = b.
Array matrix_of(FunctionRef<Array(const Array&)> g, int64_t n, DType d);
Array solve_dense(FunctionRef<Array(const Array&)> g, const Array& b);
// Solves g(x) = b for flat lists of arrays, with the signature that custom_root expects.
Arrays dense_tangent_solve(FunctionRef<Arrays(const Arrays&)> g, const Arrays& b, Arrays* aux);

}  // namespace weft::detail
