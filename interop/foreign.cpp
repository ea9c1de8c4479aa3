// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/foreign.cpp: memory that arrays share with other code.
#include "weft/detail/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tracer/concrete.h"
#include "weft/buffer.h"
#include "weft/device.h"

namespace weft::detail {
namespace {

// The alignment that generated code and C++ require. GPUs read 16 bytes or more at a time.
size_t alignment_of(DType d, bool on_host) {
  const int unit = is_key(d) ? 4 : is_complex(d) ? itemsize(d) / 2 : itemsize(d);
  return on_host ? static_cast<size_t>(unit) : 64;
}
bool aligned(const void* data, size_t to) { return reinterpret_cast<uintptr_t>(data) % to == 0; }
bool plain_bools(const Type& t, const void* data) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  return std::all_of(bytes, bytes + t.elements(), [](uint8_t b) { return b <= 1; });
}
Array made_of(const Type& t, Ref<Buffer> b) {
  return Array{Ref<const Node>(new Concrete(t, SourceScope::current(), std::move(b)))};
}

// Copies the elements along one axis and all later axes.
void compact(std::byte** to, const std::byte* from, const Shape& shape,
             const std::vector<int64_t>& strides, size_t axis, int64_t size) {
  if (axis == shape.size()) {
    std::memcpy(*to, from, static_cast<size_t>(size));
    *to += size;
    return;
  }
  const int64_t n = shape.sizes()[axis];
  if (axis + 1 == shape.size() && strides[axis] == 1) {
    std::memcpy(*to, from, static_cast<size_t>(n * size));
    *to += n * size;
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    compact(to, from + i * strides[axis] * size, shape, strides, axis + 1, size);
}

}  // namespace

Array compacted(const Type& t, const void* data, const std::vector<int64_t>& strides) {
  Fresh r = fresh_array(t);
  auto* to = static_cast<std::byte*>(r.data);
  if (t.elements() > 0)
    compact(&to, static_cast<const std::byte*>(data), t.shape(), strides, 0, itemsize(t.dtype()));
  if (t.dtype() == Bool) {
    auto* const bytes = static_cast<uint8_t*>(r.data);
    std::transform(bytes, bytes + t.elements(), bytes, [](uint8_t b) { return b != 0; });
  }
  return r.array;
}

Array array_over(const Type& t, const void* data, Ref<const RefCounted> owner,
                 const std::string& device) {
  Device& d = device.empty() ? host() : find_device(device, "from_dlpack");
  const bool here = &d == &host();
  const bool readable = aligned(data, alignment_of(t.dtype(), here)) &&
                        (!here || t.dtype() != Bool || plain_bools(t, data));
  void* const at = const_cast<void*>(data);  // nothing writes to foreign memory
  if (t.bytes() > 0 && readable)
    return made_of(t, Buffer::foreign(at, t.bytes(), std::move(owner), d));
  if (here) return compacted(t, data, row_major(t.shape()));
  Ref<Buffer> own = Buffer::allocate(t.bytes(), d);
  d.copy_within(own->data(), data, t.bytes());
  d.stream().synchronize();
  return made_of(t, std::move(own));
}

View view_in_place(const Array& x) {
  const Concrete& c = concrete(x);
  (void)c.elsewhere();  // raises DeviceError for a donated array
  x.block_until_ready();
  if (c.buffer()) return {c.buffer()->data(), c.buffer()};
  // The value is stored in the node itself, to which nothing ever writes.
  return {c.data(), Ref<const RefCounted>(&c)};
}

View view_of(const Array& x, DType d) {
  const Concrete& c = concrete(x);
  if (x.dtype() != d)
    throw DTypeError(
        fmt::format("as_eigen: an array of {} has no elements of {}; convert it with "
                    "astype first",
                    to_string(x.type()), short_name(d)));
  const void* const data = c.data();
  if (c.buffer()) return {data, c.buffer()};
  return {data, Ref<const RefCounted>(&c)};
}

EigenSizes eigen_sizes(const Shape& s, EigenSizes fixed, bool row) {
  if (s.size() > 2)
    throw ShapeError(
        fmt::format("as_eigen: a matrix has two axes, and the array shape {}; reshape it, "
                    "or take x[i]",
                    to_string(s)));
  const int64_t n = s.elements();
  const EigenSizes r = s.size() == 2 ? EigenSizes{s[0], s[1]}
                       : row         ? EigenSizes{1, n}
                                     : EigenSizes{n, 1};
  const auto fits = [](int64_t want, int64_t got) { return want < 0 || want == got; };
  if (!fits(fixed.rows, r.rows) || !fits(fixed.columns, r.columns)) {
    const auto text = [](int64_t want) {
      return want < 0 ? std::string("n") : std::to_string(want);
    };
    throw ShapeError(fmt::format("as_eigen: an array of shape {} is not a matrix of shape ({}, {})",
                                 to_string(s), text(fixed.rows), text(fixed.columns)));
  }
  return r;
}

}  // namespace weft::detail
