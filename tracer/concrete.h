// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/concrete.h: arrays that hold numbers: their node, and making and reading them.
#pragma once
#include <cstring>

#include "weft/core/jaxpr.h"
#include "weft/runtime/buffer.h"
#include "weft/tracer/array.h"

namespace weft {

// A dense row-major array on the host. Up to 16 bytes lie in the node itself.
class Concrete final : public Node {
 public:
  Concrete(Type t, Location made, bool literal = false);  // uninitialised memory
  Concrete(Type t, Location made, Ref<Buffer> buffer)
      : Node(t, made), literal(false), buffer_(std::move(buffer)) {}
  bool concrete() const override { return true; }
  const void* data() const { return const_cast<Concrete*>(this)->mutable_data(); }
  // Only for whoever makes the array, before anybody else sees it.
  void* mutable_data() {
    if (donated_) raise_donated();
    return buffer_ ? buffer_->data() : inline_;
  }
  const Ref<Buffer>& buffer() const { return buffer_; }
  // The memory was given to a program called so (which lives as long as the process); later use is
  // a DeviceError.
  void donate(const char* to) const {
    donated_ = to;
    buffer_ = nullptr;
  }
  const bool literal;  // a C++ number: written into programs, not passed to them

 private:
  [[noreturn]] void raise_donated() const;
  alignas(16) std::byte inline_[16] = {};
  mutable Ref<Buffer> buffer_;
  mutable const char* donated_ = nullptr;
};

// The numbers behind x. ConcretizationError if x is traced; follows tracers that know their value.
const Concrete& concrete(const Array& x);
// The same, or null.
const Concrete* concrete_or_null(const Array& x);
template <class T>
const T* data_of(const Array& x) {
  return static_cast<const T*>(concrete(x).data());
}

// A new array and its memory, to be filled by the caller.
struct Fresh {
  Array array;
  void* data;
};
Fresh fresh_array(const Type& t);
Array array_of_bytes(const Type& t, const void* bytes);
// A scalar constant of a dtype: full precision integer or float value.
Array scalar_of(DType d, double value, bool weak = false);
Array scalar_of_int(DType d, int64_t value, bool weak = false);
Array literal_array(const Literal& l);
// The literal behind a C++ number.
Literal literal_of(const Concrete& c);
// x; where it is a weak number that was written as a double (docs/decisions/0010), that: F64.
Array as_written(const Array& x);
// The C++ numbers among x; empty handles for the rest.
Arrays numbers_among(const Arrays& x);
// The value of an array that is one number known now.
bool is_scalar_value(const Array& x, double value);

}  // namespace weft
