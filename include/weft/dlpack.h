// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/dlpack.h: arrays shared with other libraries through DLPack, without a copy
// (docs/decisions/0045).
//
// `Array x = from_dlpack(tensor);` takes a `DLManagedTensor*` or a `DLManagedTensorVersioned*`.
// `auto* t = to_dlpack<DLManagedTensor>(x);` returns one. The receiver calls `t->deleter(t)` when
// it no longer needs the tensor.
//
// The structs below have the layout of those in dlpack.h, but their own namespace. A program may
// also include the original header, and may pass and receive its types.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "weft/array.h"

namespace weft {
namespace dlpack {

// The version of DLPack to which a tensor conforms.
struct Version {
  uint32_t major, minor;
};
// Kinds of devices, numbered as in dlpack.h. from_dlpack accepts cpu, cuda, cuda_host and
// cuda_managed.
enum DeviceType : int32_t {
  cpu = 1,
  cuda = 2,
  cuda_host = 3,  // pinned host memory
  opencl = 4,
  vulkan = 7,
  metal = 8,
  vpi = 9,
  rocm = 10,
  rocm_host = 11,
  ext_dev = 12,
  cuda_managed = 13,  // accessible from host and GPU
  one_api = 14,
  web_gpu = 15,
  hexagon = 16,
  maia = 17,
  trn = 18
};
// A device: its kind, and its index among the devices of that kind.
struct Device {
  DeviceType device_type;
  int32_t device_id;
};
// Kinds of elements, numbered as in dlpack.h.
enum TypeCode : uint8_t {
  code_int = 0,
  code_uint = 1,
  code_float = 2,
  code_opaque = 3,
  code_bfloat = 4,
  code_complex = 5,
  code_bool = 6
};
// The type of an element: its kind, which is a TypeCode, and its number of bits.
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;  // 1, or the number of vector elements
};
// An array in memory: its address, element type, sizes and strides. DLTensor of dlpack.h.
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape, *strides;  // in elements; null strides mean row-major
  uint64_t byte_offset;
};
// The tensor struct of versions below 1.0.
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};
// Bits of ManagedTensorVersioned::flags. The first forbids any write to the memory. The second says
// that the memory was copied for the receiver.
inline constexpr uint64_t flag_read_only = 1, flag_is_copied = 2;
// The tensor struct of version 1.0 and later.
struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;
  Tensor dl_tensor;
};

static_assert(sizeof(void*) == 8 && sizeof(DataType) == 4 && sizeof(Device) == 8);
static_assert(offsetof(Tensor, device) == 8 && offsetof(Tensor, ndim) == 16 &&
              offsetof(Tensor, dtype) == 20 && offsetof(Tensor, shape) == 24 &&
              offsetof(Tensor, strides) == 32 && offsetof(Tensor, byte_offset) == 40 &&
              sizeof(Tensor) == 48);
static_assert(offsetof(ManagedTensor, manager_ctx) == 48 &&
              offsetof(ManagedTensor, deleter) == 56 && sizeof(ManagedTensor) == 64);
static_assert(offsetof(ManagedTensorVersioned, manager_ctx) == 8 &&
              offsetof(ManagedTensorVersioned, deleter) == 16 &&
              offsetof(ManagedTensorVersioned, flags) == 24 &&
              offsetof(ManagedTensorVersioned, dl_tensor) == 32 &&
              sizeof(ManagedTensorVersioned) == 80);

// ManagedTensorVersioned, or another struct with its members and layout.
template <class T>
concept Versioned = requires(T t) {
  t.version;
  t.flags;
  t.dl_tensor.byte_offset;
} && sizeof(T) == sizeof(ManagedTensorVersioned) && offsetof(T, dl_tensor) == 32;
// ManagedTensor, or another struct with its members and layout.
template <class T>
concept Unversioned = !Versioned<T> && requires(T t) {
  t.manager_ctx;
  t.dl_tensor.byte_offset;
} && sizeof(T) == sizeof(ManagedTensor) && offsetof(T, deleter) == 56;

}  // namespace dlpack

namespace typing {
struct FromDlpackOptions {
  // true: the array always gets its own memory. false: raises DeviceError if a copy is necessary.
  // Not set: copies only if necessary.
  std::optional<bool> copy = {};
};
struct ToDlpackOptions {
  bool copy = false;  // memory of its own, to which the receiver may write
};
}  // namespace typing

namespace detail {
// Implements from_dlpack for a tensor of either version.
Array take_dlpack(dlpack::ManagedTensor* t, const typing::FromDlpackOptions& o,
                  typing::Location at);
Array take_dlpack(dlpack::ManagedTensorVersioned* t, const typing::FromDlpackOptions& o,
                  typing::Location at);
// Implements to_dlpack for a tensor of a version below 1.0.
dlpack::ManagedTensor* give_dlpack(const Array& x, const typing::ToDlpackOptions& o,
                                   typing::Location at);
// Implements to_dlpack for a tensor of version 1.
dlpack::ManagedTensorVersioned* give_dlpack_versioned(const Array& x,
                                                      const typing::ToDlpackOptions& o,
                                                      typing::Location at);
}  // namespace detail

// Returns an array over a tensor of DLPack, which the array owns from then on. The tensor's deleter
// runs when nothing reads the memory any more, or immediately if it was copied. If this function
// raises, the caller still owns the tensor. Nobody may write to the memory while the array exists.
// Weft does not write to it, so it accepts read-only tensors, and donating the array copies it.
//
// A tensor is not copied if it is dense, row-major and aligned to its elements, and is in host
// memory (also pinned memory). The same holds for a GPU that is among devices(), with an alignment
// of 64 bytes. Kernels that write to GPU memory must have finished. A tensor with other strides is
// copied to a dense array. Raises FormatError for a malformed tensor and for DLPack 2. Raises
// DTypeError for element types that Weft does not have, and DeviceError for other devices. Source:
// jax.dlpack.from_dlpack.
template <class T>
  requires dlpack::Versioned<T> || dlpack::Unversioned<T>
Array from_dlpack(T* tensor, const typing::FromDlpackOptions& o = {},
                  typing::Location at = typing::Location::here()) {
  if constexpr (dlpack::Versioned<T>)
    return detail::take_dlpack(reinterpret_cast<dlpack::ManagedTensorVersioned*>(tensor), o, at);
  else
    return detail::take_dlpack(reinterpret_cast<dlpack::ManagedTensor*>(tensor), o, at);
}

// Returns a tensor of DLPack over the elements of an array, in place. Its deleter must be called
// once. The tensor keeps the memory unchanged even after the array is destroyed. Arrays do not
// change, so the receiver must not write to the memory (flag_read_only). A donation of the array
// while the tensor exists copies it. T is the tensor type of either version. Waits until a GPU has
// computed the elements. Raises ConcretizationError for a traced array and DTypeError for Key.
// Source: jax.dlpack.to_dlpack.
template <class T = dlpack::ManagedTensorVersioned>
  requires dlpack::Versioned<T> || dlpack::Unversioned<T>
T* to_dlpack(const Array& x, const typing::ToDlpackOptions& o = {},
             typing::Location at = typing::Location::here()) {
  if constexpr (dlpack::Versioned<T>)
    return reinterpret_cast<T*>(detail::give_dlpack_versioned(x, o, at));
  else
    return reinterpret_cast<T*>(detail::give_dlpack(x, o, at));
}

}  // namespace weft
