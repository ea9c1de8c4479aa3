// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/dlpack.h: arrays shared with other libraries by DLPack, without a copy
// (docs/decisions/0045).
//
//   Array x = from_dlpack(tensor);              // DLManagedTensor* or DLManagedTensorVersioned*
//   auto* t = to_dlpack<DLManagedTensor>(x);    // t->deleter(t) when it is not needed any more
//
// The structs below have the layout of dlpack.h, in a namespace of their own: the original header
// may be included, too, and its types be given and asked for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "weft/tracer/array.h"

namespace weft {
namespace dlpack {

// The version of DLPack that a tensor keeps to.
struct Version {
  uint32_t major, minor;
};
// Kinds of devices, numbered as in dlpack.h. from_dlpack takes cpu, cuda, cuda_host and
// cuda_managed.
enum DeviceType : int32_t {
  cpu = 1,
  cuda = 2,
  cuda_host = 3,  // of the host, pinned
  opencl = 4,
  vulkan = 7,
  metal = 8,
  vpi = 9,
  rocm = 10,
  rocm_host = 11,
  ext_dev = 12,
  cuda_managed = 13,  // of both
  one_api = 14,
  web_gpu = 15,
  hexagon = 16,
  maia = 17,
  trn = 18
};
// A device: its kind, and which of them it is.
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
// The type of an element: its kind, a TypeCode, and how many bits it has.
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;  // 1, or of vectors
};
// Elements in memory: where they lie, their type, sizes and strides. DLTensor of dlpack.h.
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape, *strides;  // in elements; null strides: row-major
  uint64_t byte_offset;
};
// Of versions below 1.0.
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};
// Bits of ManagedTensorVersioned::flags: nobody may write to the memory; it was copied for the
// receiver.
inline constexpr uint64_t flag_read_only = 1, flag_is_copied = 2;
// From version 1.0 on.
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

// The structs above, or others of the same names and layout.
template <class T>
concept Versioned = requires(T t) {
  t.version;
  t.flags;
  t.dl_tensor.byte_offset;
} && sizeof(T) == sizeof(ManagedTensorVersioned) && offsetof(T, dl_tensor) == 32;
// ManagedTensor, or another struct of its members and layout.
template <class T>
concept Unversioned = !Versioned<T> && requires(T t) {
  t.manager_ctx;
  t.dl_tensor.byte_offset;
} && sizeof(T) == sizeof(ManagedTensor) && offsetof(T, deleter) == 56;

}  // namespace dlpack

namespace typing {
struct FromDlpackOptions {
  // true: the array has memory of its own in any case. false: DeviceError where it would need a
  // copy. Left out: a copy where one is needed.
  std::optional<bool> copy = {};
};
struct ToDlpackOptions {
  bool copy = false;  // memory that the receiver may write to, and nobody else reads
};
}  // namespace typing

namespace dlpack {
// from_dlpack of a tensor of either version.
Array take(ManagedTensor* t, const typing::FromDlpackOptions& o, typing::Location at);
Array take(ManagedTensorVersioned* t, const typing::FromDlpackOptions& o, typing::Location at);
// to_dlpack as a tensor of a version below 1.0.
ManagedTensor* give(const Array& x, const typing::ToDlpackOptions& o, typing::Location at);
// to_dlpack as a tensor of version 1.
ManagedTensorVersioned* give_versioned(const Array& x, const typing::ToDlpackOptions& o,
                                       typing::Location at);
}  // namespace dlpack

// The array behind a tensor of DLPack, which is the array's from here on: its deleter is called
// when nothing reads the memory any more, at once where it was copied. If this raises, the tensor
// is still the caller's. Nobody may write to the memory while the array lives; Weft does not, so
// that tensors that are read-only are taken, and a donation of the array copies it.
//
// Not copied is what is dense, row-major and aligned to its elements, on the host (pinned memory,
// too) or on a GPU that is among devices(), to 64 bytes there. What was launched to write to memory
// of a GPU must be done. Strides of other kinds are compacted, with a copy. FormatError for a
// tensor that makes no sense, or of DLPack 2; DTypeError for elements that Weft has not;
// DeviceError for other devices. Source: jax.dlpack.from_dlpack.
template <class T>
  requires dlpack::Versioned<T> || dlpack::Unversioned<T>
Array from_dlpack(T* tensor, const typing::FromDlpackOptions& o = {},
                  typing::Location at = typing::Location::here()) {
  if constexpr (dlpack::Versioned<T>)
    return dlpack::take(reinterpret_cast<dlpack::ManagedTensorVersioned*>(tensor), o, at);
  else
    return dlpack::take(reinterpret_cast<dlpack::ManagedTensor*>(tensor), o, at);
}

// A tensor of DLPack over the elements of an array, where they lie; its deleter must be called
// once. It keeps the memory as it is, whatever becomes of the array: arrays do not change, so that
// the receiver may not write there (flag_read_only), and a donation meanwhile copies. T is the type
// of a tensor of either version. It waits until a GPU has computed them. ConcretizationError for a
// traced array; DTypeError for Key. Source: jax.dlpack.to_dlpack.
template <class T = dlpack::ManagedTensorVersioned>
  requires dlpack::Versioned<T> || dlpack::Unversioned<T>
T* to_dlpack(const Array& x, const typing::ToDlpackOptions& o = {},
             typing::Location at = typing::Location::here()) {
  if constexpr (dlpack::Versioned<T>)
    return reinterpret_cast<T*>(dlpack::give_versioned(x, o, at));
  else
    return reinterpret_cast<T*>(dlpack::give(x, o, at));
}

}  // namespace weft
