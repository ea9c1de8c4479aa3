// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/shape_dtype.h: ShapeDtypeStruct: the shape and dtype of an Array without a value.
#pragma once
#include <iosfwd>
#include <string>

#include "weft/tree.h"

namespace weft {

// The shape and the dtype of an Array without its value. eval_shape returns it; eval_shape,
// make_jaxpr(f) and jit(f).lower accept it as an argument. It converts to an Array with this shape
// and dtype. A computation with that Array, or a call of jit(f), is a ConcretizationError.
//     jit(f).lower(ShapeDtypeStruct{{1024, 1024}, F32}).compile()
// Source: jax.ShapeDtypeStruct.
struct ShapeDtypeStruct {
  Shape shape;
  DType dtype = F32;
  operator Array() const;
  friend bool operator==(const ShapeDtypeStruct&, const ShapeDtypeStruct&) = default;
};
std::string to_string(const ShapeDtypeStruct& s);  // "ShapeDtypeStruct(shape=(3,), dtype=float32)"
// Writes to_string(s) to a stream.
std::ostream& operator<<(std::ostream& o, const ShapeDtypeStruct& s);

// For `auto` parameters it counts as an Array.
template <>
struct tree::detail::AutoOf<ShapeDtypeStruct> {
  using type = Array;
};

namespace detail {
// An Array of that type without a value.
Array without_value(const typing::Type& t);
// ConcretizationError if x is an Array without a value; `who` needs the value.
void require_value(const std::string& who, const Array& x);
}  // namespace detail

}  // namespace weft
