// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/basis.cpp: vectors of a basis, computed by comparing indices.
#include "transforms/basis.h"

#include "ops/elementwise/seed.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/types_of.h"
#include "transforms/chunk.h"

namespace weft::detail {

Basis unit_vectors(Types types) {
  const int64_t n = elements_of(types);
  return {std::move(types), n};
}

Array vector_of(const std::vector<int32_t>& numbers) {
  return array_of_bytes(Type(I32, {static_cast<int64_t>(numbers.size())}), numbers.data());
}

Arrays vectors(const Basis& basis, const Array& lo, int64_t n, std::optional<DType> dtype) {
  Arrays r;
  int64_t first = 0;
  for (const Type& t : basis.types) {
    const int64_t size = t.elements();
    const auto filled = [&](const Array& x) {
      return base::insert_axis(base::insert_axis(x, 0, size), 0, n);
    };
    const Array number = base::add(base::iota(Type(I32, Shape{n, size}), 0), filled(lo));
    const auto from = basis.vector.begin() + (basis.vector.empty() ? 0 : first);
    const Array element =
        basis.vector.empty()
            ? base::add(base::iota(Type(I32, Shape{n, size}), 1), filled(lane_number(first)))
            : base::insert_axis(vector_of({from, from + size}), 0, n);
    r.push_back(base::reshape(base::convert(seed_eq(number, element), dtype.value_or(t.dtype())),
                              t.shape().inserted(0, n)));
    first += size;
  }
  return r;
}

}  // namespace weft::detail
