// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/jacobian/basis.h: the vectors along which a derivative is taken.
#pragma once
#include <optional>

#include "weft/core/ir.h"
#include "weft/tracer/array.h"

namespace weft::detail {

// Sums of the unit vectors of some arrays taken together, each unit vector in one of them.
struct Basis {
  Types types;
  int64_t count = 0;                 // of vectors
  std::vector<int32_t> vector = {};  // that unit vector number k is in; empty: in the k-th
};
Basis unit_vectors(Types types);

// i32[n] of these numbers.
Array vector_of(const std::vector<int32_t>& numbers);
// n vectors from number lo (i32[]) on: for each array [n, shape…], of its dtype or of that one.
Arrays vectors(const Basis& basis, const Array& lo, int64_t n, std::optional<DType> dtype = {});

}  // namespace weft::detail
