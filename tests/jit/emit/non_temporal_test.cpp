// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/non_temporal_test.cpp: outputs that are written with non-temporal stores, where
// vectors are whole and aligned and where they are not.
#include <cstdlib>
#include <memory>

#include "jit/emit/compare.h"
#include "support/check.h"

namespace weft::compiler {
namespace {

// Copies element i of the input to the element `after` + i of the output.
nest::Kernel copies(Storage s, bool large_output, int after, int extra) {
  Builder b("copies");
  const int in = b.buffer(s, false), out = b.buffer(s, true);
  const Id i = b.index(0), x = b.load(in, i);
  Id y = x;
  const Kind k = b.kind(x);
  // Long kernels use masked stores from the first vector on.
  for (int n = 0; n < extra; ++n)
    y = k == Kind::F32 || k == Kind::F64 ? b.pure(Opcode::FMax, k, {b.pure(Opcode::Neg, k, {y}), x})
                                         : b.pure(k == Kind::Mask ? Opcode::Or : Opcode::Xor, k,
                                                  {b.pure(Opcode::Not, k, {y}), x});
  b.store(out, b.pure(Opcode::Add, Kind::I64, {i, b.integer(after)}), y);
  nest::Kernel kernel = b.finish(1, 0, {});
  kernel.buffers[static_cast<size_t>(out)].large_output = large_output;
  return kernel;
}

struct Free {
  void operator()(unsigned char* p) const { std::free(p); }
};
using Bytes = std::unique_ptr<unsigned char, Free>;
Bytes aligned(size_t n) {
  void* p = nullptr;
  REQUIRE(posix_memalign(&p, 64, n) == 0);
  std::memset(p, 0xa5, n);
  return Bytes(static_cast<unsigned char*>(p));
}

}  // namespace

TEST_CASE("non-temporal stores write the same bits", "[jit][non_temporal]") {
  constexpr size_t room = 8 * 1100;
  for (Storage s : {Storage::Bool, Storage::I8, Storage::BF16, Storage::I32, Storage::F32,
                    Storage::I64, Storage::F64})
    for (int after : {0, 1, 16})
      for (int extra : {0, 40}) {
        const auto plain = compile(copies(s, false, after, extra));
        const auto non_temporal = compile(copies(s, true, after, extra));
        CAPTURE(static_cast<int>(s), after, extra);
        for (int64_t n : {0, 1, 15, 16, 64, 517, 1024}) {
          const Bytes in = aligned(room), want = aligned(room), got = aligned(room);
          for (size_t k = 0; k < room; ++k)
            in.get()[k] =
                static_cast<unsigned char>(s == Storage::Bool ? k % 3 == 0 : k * 37 % 101);
          int32_t stop = 0;
          const int64_t range[4] = {0, 1, 0, n};
          void* a[] = {&stop, in.get(), want.get()};
          void* b[] = {&stop, in.get(), got.get()};
          plain->run(a + 1, nullptr, range);
          non_temporal->run(b + 1, nullptr, range);
          CHECK(std::memcmp(want.get(), got.get(), room) == 0);
        }
#if defined(__x86_64__)
        CHECK(plain->assembly().find("movnt") == std::string::npos);
        CHECK(non_temporal->assembly().find("sfence") != std::string::npos);
        if (extra == 0 || host_target().mask_registers)
          CHECK(non_temporal->assembly().find("movnt") != std::string::npos);
#endif
      }
}

TEST_CASE("large results are written with non-temporal stores, and right", "[jit][non_temporal]") {
  const auto f = weft::jit([](weft::Array x) { return x * 2.0f; });
  // No extent of the second shape is a multiple of the vector width.
  for (const weft::Shape& s : {weft::Shape{2048, 2048}, weft::Shape{2051, 2049}}) {
    const weft::Array x = weft::broadcast_to(weft::arange(s[1]).astype(weft::F32), s);
    const weft::Array y = f(x);
    CHECK(weft::array_equal(y - x, x).item<bool>());
    CHECK(f.lower(x).kernels().find("non-temporal") != std::string::npos);
  }
  CHECK(f.lower(weft::ones({1000})).kernels().find("non-temporal") == std::string::npos);
  // A result that the kernel reads again stays in the cache.
  const auto rows = weft::jit([](weft::Array x) { return weft::nn::softmax(x); });
  const weft::Array x =
      weft::sin(weft::broadcast_to(weft::arange(2049).astype(weft::F32), {2049, 2049}));
  CHECK(weft::allclose(rows(x).sum(1), weft::ones({2049})).item<bool>());
}

}  // namespace weft::compiler
