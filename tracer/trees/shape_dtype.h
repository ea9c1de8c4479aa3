// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/trees/shape_dtype.h: ShapeDtypeStruct: what is known of an Array before it has a value.
#pragma once
#include <iosfwd>
#include <string>

#include "weft/tracer/tree.h"

namespace weft {

// The shape and the dtype of an Array without its value: an argument of eval_shape, make_jaxpr(f)
// and jit(f).lower, which need no more, and what eval_shape returns. It converts to an Array that
// says its shape and dtype; a computation with that, or a call of jit(f), is a ConcretizationError.
//   jit(f).lower(ShapeDtypeStruct{{1024, 1024}, F32}).compile()
// Source: jax.ShapeDtypeStruct.
struct ShapeDtypeStruct {
  Shape shape;
  DType dtype = F32;
  operator Array() const;
  friend bool operator==(const ShapeDtypeStruct&, const ShapeDtypeStruct&) = default;
};
std::string to_string(const ShapeDtypeStruct& s);  // "ShapeDtypeStruct(shape=(3,), dtype=float32)"
// What to_string says of it, on a stream.
std::ostream& operator<<(std::ostream& o, const ShapeDtypeStruct& s);

// For `auto` parameters it stands for an Array.
template <>
struct tree::AutoOf<ShapeDtypeStruct> {
  using type = Array;
};

namespace detail {
// An Array of that type without a value.
Array without_value(const typing::Type& t);
// ConcretizationError where x is one of those: `who` needs its value.
void require_value(const std::string& who, const Array& x);
}  // namespace detail

}  // namespace weft
