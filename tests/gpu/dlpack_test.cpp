// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/dlpack_test.cpp: DLPack tensors in memory of a GPU.
#include "gpu/emulated.h"
#include "tracer/concrete.h"

using namespace weft;
using namespace weft::test;

namespace {

const void* address(const Array& x) { return concrete(x).buffer()->data(); }

// Memory of cuda:0 as another library exports it.
struct Made {
  There memory;
  dlpack::ManagedTensor managed = {};
  std::vector<int64_t> shape, strides;
  int deleted = 0;
  Made(const std::vector<float>& data, std::vector<int64_t> sizes, std::vector<int64_t> steps)
      : memory(gpu(), data), shape(std::move(sizes)), strides(std::move(steps)) {
    managed.dl_tensor = {memory.data(),
                         {dlpack::cuda, 0},
                         static_cast<int32_t>(shape.size()),
                         {2, 32, 1},
                         shape.data(),
                         strides.data(),
                         0};
    managed.manager_ctx = this;
    managed.deleter = [](dlpack::ManagedTensor* t) {
      ++static_cast<Made*>(t->manager_ctx)->deleted;
    };
  }
};
std::vector<float> counted(int n) {
  std::vector<float> v;
  for (int i = 0; i < n; ++i) v.push_back(static_cast<float>(i));
  return v;
}

}  // namespace

TEST_CASE("tensors on a GPU are taken where they lie", "[gpu]") {
  Made made(counted(1000), {10, 100}, {100, 1});
  Array x = from_dlpack(&made.managed);
  CHECK(x.device() == "cuda:0");
  CHECK(address(x) == made.memory.data());
  const Array y = jit([](Array a) { return (a * 2).sum(1); })(x);
  CHECK(y.device() == "cuda:0");
  CHECK(floats(y)[1] == 29900);
  // A donated DLPack tensor is copied.
  const Array z = jit([](Array a) { return a + 1; }, {.donate_argnums = {0}})(x);
  CHECK(address(z) != made.memory.data());
  CHECK(floats(z)[999] == 1000);
  CHECK(made.memory.read<float>() == counted(1000));
  CHECK(floats(x)[999] == 999);
  CHECK(made.deleted == 0);
  x = Array();
  CHECK(made.deleted == 1);
  check_no_complaints();
}

TEST_CASE("tensors on a GPU that are not dense are copied there", "[gpu]") {
  Made turned(counted(6), {2, 3}, {1, 2}), backwards(counted(100), {50}, {-2}),
      odd(counted(100), {50}, {1});
  const Array x = from_dlpack(&turned.managed);
  CHECK(x.device() == "cuda:0");
  CHECK(floats(x) == Floats{0, 2, 4, 1, 3, 5});
  CHECK(turned.deleted == 1);
  backwards.managed.dl_tensor.byte_offset = 99 * 4;
  CHECK(floats(from_dlpack(&backwards.managed))[1] == 97);
  // The address is not a multiple of 64 bytes.
  odd.managed.dl_tensor.byte_offset = 4;
  const Array y = from_dlpack(&odd.managed);
  CHECK(odd.deleted == 1);
  CHECK(y.device() == "cuda:0");
  CHECK(floats(y)[0] == 1);
  Made refused(counted(100), {50}, {1});
  refused.managed.dl_tensor.byte_offset = 4;
  check_error<DeviceError>([&] { (void)from_dlpack(&refused.managed, {.copy = false}); },
                           ".copy = false forbids it");
  refused.managed.dl_tensor.device.device_id = 77;
  check_error<DeviceError>([&] { (void)from_dlpack(&refused.managed); }, "cuda:77");
  CHECK(refused.deleted == 0);
  check_no_complaints();
}

TEST_CASE("arrays on a GPU are exported without a copy", "[gpu]") {
  const Array x = device_put(arange(1000.), "cuda:0");
  auto* t = to_dlpack(x);
  CHECK((t->dl_tensor.device.device_type == dlpack::cuda && t->dl_tensor.device.device_id == 0));
  CHECK(t->dl_tensor.data == address(x));
  const Array y = jit([](Array a) { return a + 1; }, {.donate_argnums = {0}})(x);
  CHECK(address(y) != t->dl_tensor.data);
  const Array back = from_dlpack(t);
  CHECK(back.device() == "cuda:0");
  CHECK(floats(back)[999] == 999);
  auto* copy = to_dlpack(y, {.copy = true});
  CHECK(copy->dl_tensor.data != address(y));
  CHECK(floats(from_dlpack(copy))[999] == 1000);
  check_no_complaints();
}
