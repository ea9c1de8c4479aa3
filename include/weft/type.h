// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/type.h: the type of a value: dtype, shape, weak. Types are interned, so equal types
// have equal pointers.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "weft/dtype.h"
#include "weft/shape.h"

namespace weft {

namespace typing {
// The type of a value in a program: dtype, shape, and whether it is weak. A C++ number has a weak
// type, which adopts the dtype of the other operand. Type() is the type of an F32 scalar. Source:
// jax.core.ShapedArray.
class Type {
 public:
  Type() : Type(F32, Shape{}) {}
  Type(DType dtype, const Shape& shape, bool weak = false);
  DType dtype() const { return p_->dtype; }
  const Shape& shape() const { return p_->shape; }
  bool weak() const { return p_->weak; }
  int ndim() const { return p_->shape.ndim(); }
  int64_t elements() const { return p_->elements; }
  int64_t bytes() const;  // ShapeError if it overflows
  Type with_shape(const Shape& s) const { return Type(dtype(), s, weak()); }
  Type with_dtype(DType d) const { return Type(d, shape(), weak()); }
  Type strong() const { return Type(dtype(), shape(), false); }
  size_t hash() const { return reinterpret_cast<size_t>(p_) >> 4; }
  friend bool operator==(const Type&, const Type&) = default;

 private:
  struct Data {
    DType dtype;
    bool weak;
    Shape shape;
    int64_t elements;
  };
  const Data* p_;
};

// The types of several values, in their order.
using Types = std::vector<Type>;
std::string to_string(const Type& t);    // "f32[3,4]"
std::string to_string(const Types& ts);  // "f32[3], i32[]"
}  // namespace typing
using typing::to_string;

namespace ir {
// The dtype to which operands of these types are converted, regardless of shape: `promote` applied
// from left to right. F32 if there are no types.
Promoted common_type(const typing::Types& all);
}  // namespace ir

}  // namespace weft
