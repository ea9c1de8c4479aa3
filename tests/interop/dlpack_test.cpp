// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/dlpack_test.cpp: imports and exports tensors of both versions of DLPack without a
// copy. The other side is written like a C library that has the original header.
#include <complex>
#include <memory>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

// The names of the original header, which coexist with those of include/weft/dlpack.h.
extern "C" {
struct DLPackVersion {
  uint32_t major, minor;
};
enum DLDeviceType : int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLMetal = 8 };
struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
};
}

namespace {

// A tensor of a library, and how often it was released.
template <class T>
struct Made {
  T managed = {};
  std::vector<int64_t> shape, strides;
  int deleted = 0;

  Made(void* data, std::vector<int64_t> sizes, DLDataType type, std::vector<int64_t> steps = {})
      : shape(std::move(sizes)), strides(std::move(steps)) {
    managed.dl_tensor = {data, {kDLCPU, 0},  static_cast<int32_t>(shape.size()),
                         type, shape.data(), strides.empty() ? nullptr : strides.data(),
                         0};
    managed.manager_ctx = this;
    managed.deleter = [](T* self) { ++static_cast<Made*>(self->manager_ctx)->deleted; };
    if constexpr (requires { managed.version; }) managed.version = {1, 0};
  }
  Made(const Made&) = delete;
};
constexpr DLDataType f32{2, 32, 1}, i8{0, 8, 1};
using Old = Made<DLManagedTensor>;
using New = Made<DLManagedTensorVersioned>;

std::vector<float> counted(int n) {
  std::vector<float> v;
  for (int i = 0; i < n; ++i) v.push_back(static_cast<float>(i));
  return v;
}

template <class M>
void check_taken_in_place() {
  std::vector<float> data = counted(12);
  M made(data.data(), {3, 4}, f32);
  {
    Array x = from_dlpack(&made.managed);
    CHECK(x.shape() == Shape{3, 4});
    CHECK(x.dtype() == F32);
    CHECK(x.device() == "cpu");
    CHECK(x.data<float>().data() == data.data());
    const Array y = jit([](Array a) { return a * 2; })(x);
    CHECK(floats(y)[11] == 22);
    CHECK(made.deleted == 0);
    const Array second = x;
    x = Array();
    CHECK(made.deleted == 0);
    CHECK(second[2].sum().item<float>() == 38);
  }
  CHECK(made.deleted == 1);
}

// Deletes a tensor at the end of a scope.
template <class T>
std::unique_ptr<T, void (*)(T*)> held(T* t) {
  return {t, [](T* p) { p->deleter(p); }};
}

}  // namespace

TEST_CASE("tensors of both versions are taken without a copy", "[interop][dlpack]") {
  check_taken_in_place<Old>();
  check_taken_in_place<New>();
  // A tensor may have no deleter.
  std::vector<float> data = counted(4);
  Old made(data.data(), {4}, f32);
  made.managed.deleter = nullptr;
  CHECK(from_dlpack(&made.managed).sum().item<float>() == 6);
  // The data may start at an offset, in pinned memory.
  New late(data.data(), {3}, f32, {1});
  late.managed.dl_tensor.byte_offset = 4;
  late.managed.dl_tensor.device.device_type = kDLCUDAHost;
  late.managed.flags = 3;
  const Array x = from_dlpack(&late.managed);
  CHECK(x.data<float>().data() == data.data() + 1);
  CHECK(floats(x) == Floats{1, 2, 3});
}

TEST_CASE("tensors of other strides are compacted", "[interop][dlpack]") {
  std::vector<float> data = counted(24);
  struct Case {
    std::vector<int64_t> shape, strides;
    uint64_t first;
    Floats want;
    bool in_place = false;
  };
  const std::vector<Case> cases = {
      {{2, 3}, {1, 2}, 0, {0, 2, 4, 1, 3, 5}},  // column-major
      {{2, 2}, {12, 2}, 1, {1, 3, 13, 15}},     // with gaps
      {{3}, {-2}, 5, {5, 3, 1}},                // backwards
      {{2, 3}, {0, 1}, 4, {4, 5, 6, 4, 5, 6}},  // broadcast
      {{2, 2, 2}, {1, 12, 2}, 0, {0, 2, 12, 14, 1, 3, 13, 15}},
      {{1, 3}, {77, 1}, 2, {2, 3, 4}, true},  // the stride of an axis of size 1 is not used
      {{2, 1, 2}, {2, -9, 1}, 0, {0, 1, 2, 3}, true},
      {{}, {}, 7, {7}, true},
      {{2, 0}, {5, 5}, 0, {}},
  };
  for (const Case& c : cases) {
    New made(data.data(), c.shape, f32, c.strides);
    made.managed.dl_tensor.byte_offset = 4 * c.first;
    const Array x = from_dlpack(&made.managed);
    INFO(to_string(x.shape()));
    CHECK(floats(x) == c.want);
    CHECK((x.data<float>().data() == data.data() + c.first) == c.in_place);
    CHECK(made.deleted == (c.in_place ? 0 : 1));
  }
}

TEST_CASE("copies are made and refused as asked", "[interop][dlpack]") {
  std::vector<float> data = counted(6);
  New dense(data.data(), {6}, f32), turned(data.data(), {2, 3}, f32, {1, 2});
  const Array x = from_dlpack(&dense.managed, {.copy = true});
  CHECK(x.data<float>().data() != data.data());
  CHECK(dense.deleted == 1);
  data[0] = 9;
  CHECK(floats(x)[0] == 0);
  check_error<DeviceError>([&] { (void)from_dlpack(&turned.managed, {.copy = false}); },
                           "is copied, and .copy = false forbids it");
  CHECK(turned.deleted == 0);
  const Array again = from_dlpack(&dense.managed, {.copy = false});
  CHECK(again.data<float>().data() == data.data());
  // The address is not aligned for a float, or bools are neither 0 nor 1.
  New odd(reinterpret_cast<char*>(data.data()) + 1, {2}, f32);
  check_error<DeviceError>([&] { (void)from_dlpack(&odd.managed, {.copy = false}); },
                           "not aligned");
  CHECK(odd.deleted == 0);
  CHECK(from_dlpack(&odd.managed).shape() == Shape{2});
  CHECK(odd.deleted == 1);
  std::vector<uint8_t> truth = {0, 1, 1, 0};
  New good(truth.data(), {4}, {6, 8, 1}), bad(truth.data(), {4}, {6, 8, 1});
  const Array y = from_dlpack(&good.managed);
  CHECK(good.deleted == 0);
  truth[0] = 255;
  const Array z = from_dlpack(&bad.managed);
  CHECK(bad.deleted == 1);
  CHECK(z.dtype() == Bool);
  CHECK(z.astype(I32).to_vector<int>() == std::vector<int>{1, 1, 1, 0});
}

TEST_CASE("all element types go out and in", "[interop][dlpack]") {
  const std::map<DType, DLDataType> types = {
      {Bool, {6, 8, 1}}, {I8, {0, 8, 1}},    {I16, {0, 16, 1}},  {I32, {0, 32, 1}},
      {I64, {0, 64, 1}}, {U8, {1, 8, 1}},    {U16, {1, 16, 1}},  {U32, {1, 32, 1}},
      {U64, {1, 64, 1}}, {BF16, {4, 16, 1}}, {F16, {2, 16, 1}},  {F32, {2, 32, 1}},
      {F64, {2, 64, 1}}, {C64, {5, 64, 1}},  {C128, {5, 128, 1}}};
  for (const auto& [d, type] : types) {
    INFO(short_name(d));
    const Array x = arange(6).reshape({2, 3}).astype(d);
    auto* t = to_dlpack<DLManagedTensorVersioned>(x);
    CHECK(t->version.major == 1);
    CHECK(t->flags == 1);
    const DLTensor& l = t->dl_tensor;
    CHECK((l.dtype.code == type.code && l.dtype.bits == type.bits && l.dtype.lanes == 1));
    CHECK((l.ndim == 2 && l.shape[0] == 2 && l.shape[1] == 3));
    CHECK((l.strides[0] == 3 && l.strides[1] == 1 && l.byte_offset == 0));
    CHECK((l.device.device_type == kDLCPU && l.device.device_id == 0));
    const Array y = from_dlpack(t);
    CHECK(y.dtype() == d);
    CHECK(array_equal(x, y).item<bool>());
    DLManagedTensor* old = to_dlpack<DLManagedTensor>(y);
    CHECK(old->dl_tensor.data == l.data);
    CHECK(array_equal(from_dlpack(old), x).item<bool>());
  }
  // The arrays are a scalar and empty ones. The struct has Weft's own name.
  dlpack::ManagedTensorVersioned* t = to_dlpack(Array(0.5));
  CHECK(*static_cast<float*>(t->dl_tensor.data) == 0.5f);
  CHECK(t->dl_tensor.ndim == 0);
  CHECK(from_dlpack(t).item<float>() == 0.5f);
  CHECK(from_dlpack(to_dlpack(zeros({3, 0}))).shape() == Shape{3, 0});
}

TEST_CASE("a tensor keeps the memory of its array", "[interop][dlpack]") {
  Array x = arange(1000.) * 1;
  const float* const at = x.data<float>().data();
  const auto t = held(to_dlpack<DLManagedTensor>(x));
  CHECK(t->dl_tensor.data == at);
  const auto first = [&] { return static_cast<const float*>(t->dl_tensor.data)[1]; };
  // A donated array is copied.
  const auto add = jit([](Array a) { return a + 1; }, {.donate_argnums = {0}, .name = "add"});
  const Array y = add(x);
  CHECK(y.data<float>().data() != at);
  CHECK(first() == 1);
  check_error<DeviceError>([&] { floats(x); }, "donated to 'add'");
  // An in-place update through the only handle copies it, too.
  Array z = arange(1000.) * 1;
  const auto u = held(to_dlpack<DLManagedTensor>(z));
  z = std::move(z).at(1).set(5.);
  CHECK(static_cast<const float*>(u->dl_tensor.data)[1] == 1);
  CHECK(z[1].item<float>() == 5);
  // Without a tensor both happen in place.
  Array w = arange(1000.) * 1;
  const float* const there = w.data<float>().data();
  held(to_dlpack<DLManagedTensor>(w)).reset();
  w = std::move(w).at(1).set(5.);
  CHECK(w.data<float>().data() == there);
  const Array v = add(w);
  CHECK(v.data<float>().data() == there);
  // The array may go out of scope, and small arrays may be stored in their node.
  DLManagedTensor* last = to_dlpack<DLManagedTensor>(array({1., 2.}));
  CHECK(static_cast<const float*>(last->dl_tensor.data)[1] == 2);
  last->deleter(last);
  // A copy belongs to the receiver.
  const auto mine = held(to_dlpack<DLManagedTensorVersioned>(y, {.copy = true}));
  CHECK(mine->flags == 2);
  static_cast<float*>(mine->dl_tensor.data)[0] = 7;
  CHECK(floats(y)[0] == 1);
}

TEST_CASE("a foreign array is never written to", "[interop][dlpack]") {
  std::vector<float> data = counted(100);
  New made(data.data(), {100}, f32);
  Array x = from_dlpack(&made.managed);
  const Array y = jit([](Array a) { return a + 1; }, {.donate_argnums = {0}})(x);
  CHECK(data == counted(100));
  CHECK(floats(x)[0] == 0);  // its memory was not reused
  x = std::move(x).at(0).set(5.);
  CHECK(data == counted(100));
  CHECK(floats(x)[0] == 5);
  CHECK(made.deleted == 1);
  CHECK(floats(y)[99] == 100);
}

TEST_CASE("invalid tensors are refused and stay the caller's", "[interop][dlpack]") {
  std::vector<float> data = counted(4);
  const auto refused = [&]<class E>(E*, auto change, const std::string& text) {
    New made(data.data(), {4}, f32, {1});
    change(made.managed);
    check_error<E>([&] { (void)from_dlpack(&made.managed); }, text);
    check_error<E>([&] { (void)from_dlpack(&made.managed); }, "dlpack_test.cpp:");
    CHECK(made.deleted == 0);
  };
  FormatError* const format = nullptr;
  DTypeError* const dtype = nullptr;
  DeviceError* const device = nullptr;
  using T = DLManagedTensorVersioned;
  refused(format, [](T& t) { t.version.major = 2; }, "the tensor is of DLPack 2.0");
  refused(format, [](T& t) { t.dl_tensor.ndim = -1; }, "it has -1 axes");
  refused(format, [](T& t) { t.dl_tensor.ndim = 65; }, "it has 65 axes");
  refused(format, [](T& t) { t.dl_tensor.shape = nullptr; }, "its shape is null");
  refused(format, [](T& t) { t.dl_tensor.data = nullptr; }, "its data is null");
  refused(format, [](T& t) { t.dl_tensor.shape[0] = -4; }, "it has the negative size -4");
  refused(format, [](T& t) { t.dl_tensor.shape[0] = INT64_MAX; }, "is too big");
  refused(dtype, [](T& t) { t.dl_tensor.dtype = {2, 32, 4}; }, "type code 2, 32 bits, 4 lanes");
  refused(dtype, [](T& t) { t.dl_tensor.dtype = {10, 8, 1}; }, "type code 10, 8 bits");
  refused(device, [](T& t) { t.dl_tensor.device.device_type = kDLMetal; }, "type 8 (Metal)");
  refused(device, [](T& t) { t.dl_tensor.device = {kDLCUDA, 77}; }, "from_dlpack");
  check_error<FormatError>([] { (void)from_dlpack(static_cast<DLManagedTensor*>(nullptr)); },
                           "it is null");
  check_error<DTypeError>([] { (void)to_dlpack(random::key(0)); }, "random::key_data");
  check_error<ConcretizationError>(
      [] { jit([](Array x) { return (void)to_dlpack(x), x; })(ones({2})); }, "is not known here");
  New made(data.data(), {2, 2, 0}, i8, {1, 1, 1});
  made.shape = {int64_t{1} << 40, 0, 2};
  CHECK(from_dlpack(&made.managed).size() == 0);
}
