// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/dlpack.cpp: converts tensors of DLPack to arrays, and arrays to tensors.
#include "weft/dlpack.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tracer/concrete.h"
#include "weft/buffer.h"
#include "weft/detail/foreign.h"
#include "weft/device.h"

namespace weft::dlpack {
namespace {

constexpr Version ours{1, 1};
constexpr int max_axes = 64;
constexpr const char* from = "from_dlpack";

// ---- element types

DataType data_type(DType d) {
  const auto bits = static_cast<uint8_t>(itemsize(d) * 8);
  const TypeCode code = d == Bool        ? code_bool
                        : d == BF16      ? code_bfloat
                        : is_signed(d)   ? code_int
                        : is_unsigned(d) ? code_uint
                        : is_floating(d) ? code_float
                                         : code_complex;
  return {code, bits, 1};
}

DType dtype_of_tensor(const DataType& t) {
  for (int i = 0; i < static_cast<int>(Key); ++i) {
    const auto d = static_cast<DType>(i);
    const DataType known = data_type(d);
    if (t.code == known.code && t.bits == known.bits && t.lanes == 1) return d;
  }
  throw DTypeError(
      fmt::format("{}: there are no elements of type code {}, {} bits, {} lanes here; "
                  "convert the tensor where it is made",
                  from, t.code, t.bits, t.lanes));
}

// ---- devices

const char* name_of(DeviceType t) {
  switch (t) {
    case opencl: return "OpenCL";
    case vulkan: return "Vulkan";
    case metal: return "Metal";
    case vpi: return "VPI";
    case rocm:
    case rocm_host: return "ROCm";
    case one_api: return "oneAPI";
    case web_gpu: return "WebGPU";
    default: return "unknown to Weft";
  }
}
// The name of the device, which is empty for the host.
std::string device_of(const Device& d) {
  switch (d.device_type) {
    case cpu:
    case cuda_host: return {};
    case cuda:
    case cuda_managed: return fmt::format("cuda:{}", d.device_id);
    default:
      throw DeviceError(
          fmt::format("{}: the tensor is on a device of type {} ({}); copy it to the "
                      "host or a CUDA device first",
                      from, static_cast<int32_t>(d.device_type), name_of(d.device_type)));
  }
}
Device device_for(const Array& x) {
  const std::string name = x.device();
  if (name == detail::host().name()) return {cpu, 0};
  const size_t colon = name.find(':');
  int32_t id = 0;
  if (colon != std::string::npos)
    std::from_chars(name.data() + colon + 1, name.data() + name.size(), id);
  if (!name.starts_with("cuda"))
    throw DeviceError(
        fmt::format("to_dlpack: DLPack has no name for the device '{}'; move the array "
                    "with device_put(x, \"cpu\")",
                    name));
  return {cuda, id};
}

// ---- from tensors to arrays

[[noreturn]] void malformed(const std::string& why) {
  throw FormatError(fmt::format("{}: {}; the tensor is not one that DLPack describes", from, why));
}

Shape shape_of(const Tensor& t) {
  if (t.ndim < 0 || t.ndim > max_axes) malformed(fmt::format("it has {} axes", t.ndim));
  if (t.ndim > 0 && !t.shape) malformed("its shape is null");
  std::vector<int64_t> sizes(t.shape, t.shape + t.ndim);
  for (const int64_t n : sizes)
    if (n < 0) malformed(fmt::format("it has the negative size {}", n));
  Shape s(std::move(sizes));
  try {
    (void)checked_mul(s.elements(), 16);
  } catch (const ShapeError&) {
    malformed("its shape " + to_string(s) + " is too big");
  }
  return s;
}

// Returns true if the strides are row-major. Strides along axes of size 1 do not matter.
bool same_places(const Shape& s, const std::vector<int64_t>& strides) {
  const std::vector<int64_t> dense = row_major(s);
  for (size_t i = 0; i < dense.size(); ++i)
    if (s.sizes()[i] > 1 && strides[i] != dense[i]) return false;
  return true;
}

// Owns a tensor and calls its deleter.
template <class T>
class Owner final : public RefCounted {
 public:
  explicit Owner(T* t) : t_(t) {}
  ~Owner() override {
    if (t_ && t_->deleter) t_->deleter(t_);
  }
  void disown() { t_ = nullptr; }

 private:
  T* t_;
};

// Copies the bytes between the lowest and the highest address to the host, compacts them there, and
// copies the result to the device.
Array compacted_elsewhere(const Type& t, const std::byte* data, const std::vector<int64_t>& strides,
                          const std::string& device) {
  int64_t low = 0, high = 1;
  for (size_t i = 0; i < strides.size(); ++i) {
    const int64_t reach = checked_mul(strides[i], t.shape().sizes()[i] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const int64_t size = itemsize(t.dtype());
  detail::Device& d = detail::find_device(device, from);
  const Ref<Buffer> all = Buffer::allocate((high - low) * size);
  d.copy_out(all->data(), data + low * size, (high - low) * size);
  const Array here =
      detail::compacted(t, static_cast<const std::byte*>(all->data()) - low * size, strides);
  Ref<Buffer> there = Buffer::allocate(t.bytes(), d);
  d.copy_in(there->data(), concrete(here).data(), t.bytes());
  return Array{Ref<const Node>(new Concrete(t, SourceScope::current(), std::move(there)))};
}

template <class T>
Array taken(T* managed, const FromDlpackOptions& o) {
  const Tensor& t = managed->dl_tensor;
  const std::string device = device_of(t.device);
  const Type type(dtype_of_tensor(t.dtype), shape_of(t));
  const Shape& shape = type.shape();
  if (!device.empty()) (void)detail::find_device(device, from);
  if (type.bytes() > 0 && !t.data) malformed("its data is null");
  const std::byte* const data = static_cast<const std::byte*>(t.data) + t.byte_offset;
  const auto owner = make_ref<Owner<T>>(managed);
  try {
    if (type.bytes() == 0) return fresh_array(type).array;
    const std::vector<int64_t> strides =
        t.strides ? std::vector<int64_t>(t.strides, t.strides + t.ndim) : row_major(shape);
    const bool dense = same_places(shape, strides);
    if (o.copy == true || !dense) {
      if (o.copy == false)
        throw DeviceError(
            fmt::format("{}: a tensor of {} with other strides than those of row-major order is "
                        "copied, and .copy = false forbids it; make it contiguous first",
                        from, to_string(type)));
      return device.empty() ? detail::compacted(type, data, strides)
                            : compacted_elsewhere(type, data, strides, device);
    }
    Array r = detail::array_over(type, data, owner, device);
    if (o.copy == false && owner->use_count() == 1)
      throw DeviceError(
          fmt::format("{}: {} at this address is not aligned, or has bools other than "
                      "0 and 1: it is copied, and .copy = false forbids it",
                      from, to_string(type)));
    return r;
  } catch (...) {
    owner->disown();
    throw;
  }
}

// ---- from arrays to tensors

// The memory to which a tensor points: its shape, strides and the owner of its elements.
template <class T>
struct Given {
  T managed;
  std::vector<int64_t> shape, strides;
  Ref<const RefCounted> owner;
};

template <class T>
T* given(const Array& x, const ToDlpackOptions& o) {
  (void)concrete(x);
  if (is_key(x.dtype()))
    throw DTypeError("to_dlpack: DLPack has no keys; give random::key_data of it");
  Array source = x;
  if (o.copy) {
    const detail::View from_here = detail::view_in_place(x);
    detail::Device& d = x.device() == detail::host().name()
                            ? detail::host()
                            : detail::find_device(x.device(), "to_dlpack");
    Ref<Buffer> own = Buffer::allocate(x.type().bytes(), d);
    if (x.type().bytes() > 0) d.copy_within(own->data(), from_here.data, x.type().bytes());
    source = Array{Ref<const Node>(new Concrete(x.type(), SourceScope::current(), std::move(own)))};
  }
  const detail::View view = detail::view_in_place(source);
  const Device device = device_for(source);
  auto* g = new Given<T>{{}, x.shape().sizes(), row_major(x.shape()), view.owner};
  Tensor& t = g->managed.dl_tensor;
  t = {const_cast<void*>(view.data),
       device,
       x.shape().ndim(),
       data_type(x.dtype()),
       g->shape.data(),
       g->strides.data(),
       0};
  g->managed.manager_ctx = g;
  g->managed.deleter = [](T* self) { delete static_cast<Given<T>*>(self->manager_ctx); };
  return &g->managed;
}

}  // namespace

}  // namespace weft::dlpack

namespace weft::detail {

using namespace dlpack;

Array take_dlpack(ManagedTensor* t, const FromDlpackOptions& o, Location at) {
  const SourceScope source(at);
  if (!t) malformed("it is null");
  return taken(t, o);
}

Array take_dlpack(ManagedTensorVersioned* t, const FromDlpackOptions& o, Location at) {
  const SourceScope source(at);
  if (!t) malformed("it is null");
  if (t->version.major != ours.major)
    throw FormatError(
        fmt::format("{}: the tensor is of DLPack {}.{}, and 1 is read here; ask its "
                    "maker for max_version (1, 0)",
                    from, t->version.major, t->version.minor));
  return taken(t, o);
}

ManagedTensor* give_dlpack(const Array& x, const ToDlpackOptions& o, Location at) {
  const SourceScope source(at);
  return given<ManagedTensor>(x, o);
}

ManagedTensorVersioned* give_dlpack_versioned(const Array& x, const ToDlpackOptions& o,
                                              Location at) {
  const SourceScope source(at);
  ManagedTensorVersioned* t = given<ManagedTensorVersioned>(x, o);
  t->version = ours;
  t->flags = o.copy ? flag_is_copied : flag_read_only;
  return t;
}

}  // namespace weft::detail
