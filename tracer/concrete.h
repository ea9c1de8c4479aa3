// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/concrete.h: arrays that hold numbers: their node, and making and reading them.
#pragma once
#include <atomic>
#include <cstring>

#include "weft/core/ir.h"
#include "weft/core/jaxpr.h"
#include "weft/runtime/buffer.h"
#include "weft/tracer/array.h"

namespace weft {

// A dense row-major array. Up to 16 bytes on the host lie in the node itself.
class Concrete final : public Node {
 public:
  Concrete(Type t, Location made, bool literal = false);  // uninitialised memory on the host
  Concrete(Type t, Location made, Ref<Buffer> buffer);
  bool concrete() const override { return true; }
  // Where the host can read it; what lies elsewhere is copied, once.
  const void* data() const { return state() ? special_data() : memory(); }
  // Only for whoever makes the array, before anybody else sees it: an address of its device.
  void* mutable_data() { return buffer_ ? buffer_->data() : inline_; }
  const Ref<Buffer>& buffer() const { return buffer_; }
  // Null: the host. DeviceError for an array that was donated.
  detail::Device* elsewhere() const { return state() ? special_device() : nullptr; }
  // Where it was made, null: the host, whoever has claimed it.
  detail::Device* made_on() const { return elsewhere_; }
  // Donation to a program called so (which lives as long as the process). From claim() on any use
  // is a DeviceError, also that of a second one that claims it at the same time; whoever has
  // claimed it reads it still, takes its memory, or gives it back as it was.
  void claim(const char* to) const;
  bool claimed_by(const char* to) const { return state() == to; }
  const void* claimed_data() const { return memory(); }
  Ref<Buffer> take() const { return std::move(buffer_); }
  void unclaim() const { state_ = elsewhere_ ? lies_elsewhere : nullptr; }
  const bool literal;  // a C++ number: written into programs, not passed to them
  // Its memory is somebody else's, which is never taken. Other than buffer(), this may be asked of
  // an array that another thread donates.
  const bool foreign;

 private:
  static constexpr char lies_elsewhere[] = "elsewhere";  // a state
  detail::Device* const elsewhere_;  // not asked of the buffer: another thread may take it
  const char* state() const { return state_.load(std::memory_order_acquire); }
  const void* memory() const { return const_cast<Concrete*>(this)->mutable_data(); }
  const void* special_data() const;
  detail::Device* special_device() const;
  [[noreturn]] void raise_donated(const char* to) const;
  alignas(16) std::byte inline_[16] = {};
  mutable Ref<Buffer> buffer_;
  // Null: on the host, not donated. Else where it lies, or to whom it was donated.
  mutable std::atomic<const char*> state_{nullptr};
};

// What the use of an empty handle raises: a user's mistake, or a value that a rule of transposition
// lacks.
struct EmptyArrayError final : ShapeError {
  using ShapeError::ShapeError;
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
