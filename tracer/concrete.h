// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/concrete.h: concrete arrays: their node, and functions that make and read them.
#pragma once
#include <atomic>
#include <cstring>

#include "core/ir.h"
#include "weft/array.h"
#include "weft/buffer.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// A dense row-major array. Up to 16 bytes on the host are stored in the node itself.
class Concrete final : public Node {
 public:
  Concrete(Type t, Location made, bool literal = false);  // uninitialized memory on the host
  Concrete(Type t, Location made, Ref<Buffer> buffer);
  bool concrete() const override { return true; }
  // The elements in host memory. Elements on another device are copied once.
  const void* data() const {
    require_not_donated();
    return elsewhere_ ? buffer_->host_data() : memory();
  }
  // The address on the array's device, only for the code that makes the array, before it is
  // published.
  void* mutable_data() { return buffer_ ? buffer_->data() : inline_; }
  const Ref<Buffer>& buffer() const { return buffer_; }
  // Null for the host. DeviceError for an array that was donated.
  detail::Device* elsewhere() const {
    require_not_donated();
    return elsewhere_;
  }
  // The device on which it was made, even if it is claimed; null for the host.
  detail::Device* made_on() const { return elsewhere_; }
  // Donation to a program with that name (a string that lives as long as the process). After
  // claim(), every use raises DeviceError, including a concurrent second claim. The claimant may
  // still read the array. It either takes the memory or returns the array unchanged.
  void claim(const char* to) const;
  bool claimed_by(const char* to) const { return donated_to() == to; }
  const void* claimed_data() const { return memory(); }
  Ref<Buffer> take() const { return std::move(buffer_); }
  void unclaim() const { donated_to_ = nullptr; }
  const bool literal;  // a C++ number: programs contain it as a literal, not as an argument
  // True if others own the memory, so it is never taken. In contrast to buffer(), this may be read
  // while another thread donates the array.
  const bool foreign;

 private:
  const char* donated_to() const { return donated_to_.load(std::memory_order_acquire); }
  // The name is read only once, because another thread may return the array in the meantime.
  void require_not_donated() const {
    if (const char* const to = donated_to()) raise_donated(to);
  }
  const void* memory() const { return const_cast<Concrete*>(this)->mutable_data(); }
  [[noreturn]] void raise_donated(const char* to) const;
  // Null: on the host. It is not read from the buffer, which another thread may take.
  detail::Device* const elsewhere_;
  alignas(16) std::byte inline_[16] = {};
  mutable Ref<Buffer> buffer_;
  // The name of the program to which it was donated; null: it was not donated.
  mutable std::atomic<const char*> donated_to_{nullptr};
};

// The error for the use of an empty handle: a user's mistake, or a value that a transposition rule
// does not have.
struct EmptyArrayError final : ShapeError {
  using ShapeError::ShapeError;
};

// The concrete array of x, also through tracers with a known value. ConcretizationError if x is
// traced.
const Concrete& concrete(const Array& x);
// The node of x if it is concrete, else null.
const Concrete* concrete_or_null(const Array& x);
template <class T>
const T* data_of(const Array& x) {
  return static_cast<const T*>(concrete(x).data());
}

// A new array and its memory, which the caller fills.
struct Fresh {
  Array array;
  void* data;
};
Fresh fresh_array(const Type& t);
Array array_of_bytes(const Type& t, const void* bytes);
// A scalar constant of a dtype, from a double or an integer with full precision.
Array scalar_of(DType d, double value, bool weak = false);
Array scalar_of_int(DType d, int64_t value, bool weak = false);
Array literal_array(const Literal& l);
// The literal of a C++ number.
Literal literal_of(const Concrete& c);
// True if x is a single known number with this value.
bool is_scalar_value(const Array& x, double value);

}  // namespace weft
