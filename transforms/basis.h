// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/basis.h: the vectors in whose directions derivatives are computed.
#pragma once
#include <optional>

#include "core/ir.h"
#include "weft/array.h"

namespace weft::detail {

// Vectors that are sums of unit vectors of several arrays; each unit vector belongs to exactly one
// of them.
struct Basis {
  Types types;
  int64_t count = 0;                 // the number of vectors
  std::vector<int32_t> vector = {};  // the vector that contains unit vector k; empty: vector k
};
Basis unit_vectors(Types types);

// Returns these numbers as i32[n].
Array vector_of(const std::vector<int32_t>& numbers);
// Returns n vectors from number lo (i32[]) on: [n, shape…] for each array, in its dtype or the
// given one.
Arrays vectors(const Basis& basis, const Array& lo, int64_t n, std::optional<DType> dtype = {});

}  // namespace weft::detail
