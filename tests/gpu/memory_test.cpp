// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/memory_test.cpp: arrays on GPUs: copies in both directions, their order, and errors
// when memory is full.
#include <thread>

#include "gpu/emulated.h"
#include "runtime/backend.h"
#include "weft/buffer.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns the number of blocks on a device, without those that the device itself uses.
int64_t blocks(int device = 0) {
  gpu(device).stream().synchronize();
  return fake_cuda_live(device).blocks;
}

std::vector<uint8_t> noise(size_t n) {
  std::vector<uint8_t> x(n);
  uint32_t s = 1;
  for (uint8_t& b : x) b = static_cast<uint8_t>((s = s * 1664525 + 1013904223) >> 24);
  return x;
}

}  // namespace

TEST_CASE("arrays go to a GPU and back whole", "[gpu]") {
  for (const DType d : {Bool, I8, I16, I32, I64, U8, U16, U32, U64, BF16, F16, F32, F64, C64, C128})
    for (const int64_t n : {0, 1, 7, 1000}) {
      const Array x = arange(n).astype(d), there = device_put(x, "cuda:0");
      INFO(short_name(d) << "[" << n << "]");
      CHECK(there.device() == "cuda:0");
      CHECK(there.dtype() == d);
      const Array back = device_put(there, "cpu");
      CHECK(back.device() == "cpu");
      CHECK(array_equal(back, x).item<bool>());
    }
  check_no_complaints();
}

TEST_CASE("bytes of any number pass through the staging", "[gpu]") {
  constexpr size_t half = 4 << 20;
  const int64_t before = blocks();
  for (const size_t n : {size_t{0}, size_t{1}, half - 1, half, half + 1, 2 * half, 5 * half + 3}) {
    const std::vector<uint8_t> x = noise(n);
    const There there(gpu(), x);
    INFO(n);
    CHECK((there.read<uint8_t>() == x));
  }
  CHECK(blocks() == before);
  check_no_complaints();
}

TEST_CASE("copies to a GPU return before they are made", "[gpu]") {
  gpu().stream().synchronize();
  CHECK(fake_cuda_queued(0) == 0);
  std::vector<uint8_t> x = noise(1000);
  const std::vector<uint8_t> was = x;
  const There a(gpu(), x), b(gpu(), 1000);
  x.assign(1000, 0);  // the copy has already read the bytes
  gpu().copy_within(b.data(), a.data(), 1000);
  gpu().clear(a.data(), 500);
  CHECK(fake_cuda_queued(0) >= 3);
  const std::vector<uint8_t> cleared = a.read<uint8_t>();
  CHECK(fake_cuda_queued(0) == 0);
  CHECK((b.read<uint8_t>() == was));
  for (size_t i = 0; i < 1000; ++i) REQUIRE(cleared[i] == (i < 500 ? 0 : was[i]));
  check_no_complaints();
}

TEST_CASE("released memory is not used again too early", "[gpu]") {
  const std::vector<uint8_t> x = noise(4096), y(4096, 7);
  const There to(gpu(), 4096);
  {
    const There from(gpu(), x);
    gpu().copy_within(to.data(), from.data(), 4096);
  }
  const There other(gpu(), y);  // may get the same address, but only after the copy
  CHECK((to.read<uint8_t>() == x));
  CHECK((other.read<uint8_t>() == y));
  check_no_complaints();
}

TEST_CASE("operands on two GPUs are an error", "[gpu]") {
  const Array a = device_put(arange(10.), "cuda:0"), b = device_put(arange(10.) * 2.f, "cuda:1");
  CHECK(a.device() == "cuda:0");
  CHECK(b.device() == "cuda:1");
  check_error<DeviceError>([&] { (void)(a + b); },
                           "two devices, 'cuda:0' and 'cuda:1'; move them to one with device_put");
  const Array moved = device_put(a, "cuda:1");
  CHECK(moved.device() == "cuda:1");
  CHECK(floats(moved) == floats(a));
  CHECK(floats(b)[9] == 18);
  check_no_complaints();
}

TEST_CASE("without a compiler for GPUs, computations on a GPU are refused", "[gpu]") {
  if (gpu_backend()) return;
  const Array a = device_put(ones({3}), "cuda:0");
  check_error<CompileError>([&] { (void)(a + 1.f); }, "there is no compiler for 'cuda:0'");
}

TEST_CASE("a full GPU: the host waits, trims the pool and tries again", "[gpu]") {
  const int64_t before = blocks(1), in_use = memory_in_use();
  detail::Device& d = gpu(1);
  d.release_idle();
  constexpr int64_t much = int64_t{600} << 20;  // of 1 GiB
  {
    const There first(d, much);
  }
  fake_cuda_fail(nullptr, 0, 0, false);
  {
    const There second(d, much);
  }  // the release of the first one is still queued
  CHECK(fake_cuda_calls("cuStreamSynchronize") > 0);
  d.stream().synchronize();
  {
    const There larger(d, much + (int64_t{200} << 20));  // larger than any block of the pool
    CHECK(fake_cuda_calls("cuMemPoolTrimTo") > 0);
    const std::string text = error_of<OutOfMemoryError>([&] { There(d, much); });
    CHECK(holds(text, fmt::format("cannot allocate {} bytes on 'cuda:1': it has {} bytes, and ",
                                  much, int64_t{1} << 30)));
    CHECK(holds(text, "are in use. Map in chunks (.chunk_size), or donate arguments."));
  }
  CHECK(blocks(1) == before);
  CHECK(memory_in_use() == in_use);  // this counts host memory only
  const There small(d, noise(100));  // the device still works
  CHECK((small.read<uint8_t>() == noise(100)));
  check_no_complaints();
}

TEST_CASE("idle memory of GPUs is given back", "[gpu]") {
  const There x(gpu(), noise(100));
  (void)x.read<uint8_t>();
  const std::vector<uint8_t> much(9 << 20);
  CHECK((There(gpu(), much).read<uint8_t>() == much));
  (void)gpu().start_readback(x.data(), 8)->wait();
  // The pinned buffers are two halves in each direction, the words, and the buffer for
  // start_readback().
  CHECK(fake_cuda_live(0).pinned == 6);
  fake_cuda_fail(nullptr, 0, 0, false);
  release_idle_memory();
  CHECK(fake_cuda_live(0).pinned == 1);
  CHECK(fake_cuda_live(0).events == 0);
  CHECK(fake_cuda_calls("cuMemPoolTrimTo") > 0);
  CHECK((x.read<uint8_t>() == noise(100)));
  check_no_complaints();
}

TEST_CASE("threads copy at once", "[gpu]") {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&good, t] {
      for (size_t k = 0; k < 20; ++k) {
        std::vector<uint8_t> x = noise(100'000 + t * 1000 + k);
        x[0] = static_cast<uint8_t>(t * 20 + k);
        const There there(gpu(static_cast<int>(k % 2)), x);
        good[t] += there.read<uint8_t>() == x;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(good == std::vector<int>(4, 20));
  check_no_complaints();
}
