// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/device/calls.h: calls of GPU libraries for factorizations, systems, products and
// transforms, and the code generated around the calls (docs/decisions/0037).
#pragma once
#include "core/loops/implementation.h"
#include "runtime/cuda/libraries/blas.h"
#include "runtime/cuda/libraries/fft.h"
#include "runtime/native/linalg.h"
#include "weft/array.h"
#include "weft/detail/ref.h"

namespace weft::device_calls {

// Calls for operands of these types, which must not be empty. The results are those of the op with
// the same name.
NativeCall cholesky(const Type& x);
NativeCall lu(const Type& x);
NativeCall geqrf(const Type& x);
NativeCall householder_product(const Type& x, const Type& taus);
NativeCall eigh(const Type& x);
NativeCall svd(const Type& x, bool vectors);
NativeCall triangular_solve(const Type& a, const Type& b, const native::Triangular& t);
NativeCall product(const cuda::MatrixProduct& p);
NativeCall fft(const Type& x, const cuda::Transform& t);

// Records f, which must not capture arrays, as the program that is generated around a call.
Jaxpr program(const Types& in, FunctionRef<Arrays(const Arrays&)> f);

}  // namespace weft::device_calls
