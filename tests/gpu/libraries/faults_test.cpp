// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/faults_test.cpp: every entry point of the libraries fails, at every call of
// it. The error is the right one, nothing leaks, and the next calls succeed.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include "gpu/emulated.h"
#include "gpu/libraries/fake_libraries.h"
#include "runtime/cuda/libraries/blas.h"
#include "runtime/cuda/libraries/dnn.h"
#include "runtime/cuda/libraries/fft.h"
#include "runtime/cuda/libraries/solver.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr int64_t n = 4;

// Returns the bytes of a positive definite matrix, which is symmetric: row-major and column-major
// order are equal.
template <class T>
std::vector<std::byte> matrices(int64_t batch) {
  std::vector<T> x;
  for (int64_t i = 0; i < batch * n * n; ++i) {
    const int64_t row = i / n % n, column = i % n;
    x.push_back(static_cast<T>(row == column ? 9 : 1. / static_cast<double>(1 + row + column)));
  }
  std::vector<std::byte> bytes(x.size() * sizeof(T));
  std::memcpy(bytes.data(), x.data(), bytes.size());
  return bytes;
}
std::vector<std::byte> matrices_of(DType d, int64_t batch) {
  if (d == F32 || d == C64) return matrices<float>(d == C64 ? 2 * batch : batch);
  return matrices<double>(d == C128 ? 2 * batch : batch);
}

// A call whose operands have that many matrices and whose results have so many bytes. It returns
// the memory of both.
class Try {
 public:
  explicit Try(cuda::Gpu& d) : device_(d) {}
  void operator()(const std::vector<std::vector<std::byte>>& operands,
                  const std::vector<int64_t>& results, bool own, const NativeFn& f) {
    std::vector<std::unique_ptr<There>> memory;
    std::vector<std::span<const std::byte>> in;
    std::vector<std::span<std::byte>> out;
    for (const auto& x : operands) {
      memory.push_back(std::make_unique<There>(device_, x));
      in.emplace_back(static_cast<const std::byte*>(memory.back()->data()), x.size());
    }
    for (const int64_t bytes : results) {
      memory.push_back(std::make_unique<There>(device_, bytes));
      device_.clear(memory.back()->data(), bytes);
      out.emplace_back(static_cast<std::byte*>(memory.back()->data()), static_cast<size_t>(bytes));
    }
    f({in, out, &device_, own});
    for (const auto& m : memory)
      for (const std::byte b : m->read<std::byte>()) all.push_back(b);
  }
  std::vector<std::byte> all;

 private:
  cuda::Gpu& device_;
};

void factor(Try& call, DType d, int64_t batch) {
  const cuda::Columns a{d, batch, n, n};
  const auto x = matrices_of(d, batch);
  const int64_t item = itemsize(d), real = itemsize(real_part(d)), info = 4 * batch;
  call({x}, {info}, true, [&](const NativeArgs& args) { cuda::cholesky(a, args); });
  const std::vector<std::byte> order(static_cast<size_t>(8 * batch * n));
  call({x, order}, {4 * batch * n, info}, true, [&](const NativeArgs& args) { cuda::lu(a, args); });
  call({x}, {batch * n * item, info}, true,
       [&](const NativeArgs& args) { cuda::reflections(a, args); });
  call({x, x}, {info}, true,
       [&](const NativeArgs& args) { cuda::product_of_reflections(a, 1, args); });
  call({x}, {batch * n * real, info}, true, [&](const NativeArgs& args) { cuda::eigh(a, args); });
  const int64_t square = batch * n * n * item;
  call({x}, {batch * n * real, square, square, info}, true,
       [&](const NativeArgs& args) { cuda::svd(a, true, args); });
  const cuda::TriangularSystem t{.type = d, .batch = batch, .n = n, .columns = n};
  call({x, x}, {square}, false, [&](const NativeArgs& args) { cuda::solve_triangular(t, args); });
}

// Uses every feature of the libraries.
std::vector<std::byte> small_program(cuda::Gpu& d) {
  Try call(d);
  for (const DType t : {F32, F64, C64, C128})
    for (const int64_t batch : {1, 2}) factor(call, t, batch);
  const auto multiplier = cuda::make_multiplier({.m = n, .n = n, .k = n});
  const auto x = matrices_of(F32, 1);
  for (int k = 0; k < 2; ++k)
    call({x, x}, {4 * n * n}, false, [&](const NativeArgs& args) { multiplier->run(args); });
  const auto convolver = cuda::make_convolver({.image = {1, n, n},
                                               .filter = {1, 1, n, n},
                                               .result = {1, 1, 1},
                                               .padding = {0, 0},
                                               .strides = {1, 1},
                                               .dilation = {1, 1}});
  for (int k = 0; k < 2; ++k)
    call({x, x}, {4}, false, [&](const NativeArgs& args) { convolver->run(args); });
  using Kind = cuda::Transform::Kind;
  for (const DType parts : {F32, F64})
    for (const Kind kind : {Kind::forward, Kind::from_real, Kind::to_real}) {
      const auto transformer = cuda::make_transformer({kind, parts, 1, {n}});
      const std::vector<std::byte> zeros(static_cast<size_t>(n * 2 * itemsize(parts)));
      for (int k = 0; k < 2; ++k)
        call({zeros}, {n * 2 * itemsize(parts)}, true,
             [&](const NativeArgs& args) { transformer->run(args); });
    }
  return std::move(call.all);
}

bool is_for_opening(const std::string& entry) { return entry.ends_with("GetProperty"); }
// Returns true for entry points whose failure is not an error, because the object is not used any
// more.
bool is_for_ending(const std::string& entry) { return entry.find("Destroy") != entry.npos; }
// Returns the status that means "out of memory" for this entry point.
int no_memory_of(const std::string& entry) { return entry.starts_with("cublas") ? 3 : 2; }

struct Outcome {
  std::string kind, text;
  std::vector<std::byte> result;
};
Outcome outcome(cuda::Gpu& d) {
  Outcome o;
  try {
    o.result = small_program(d);
  } catch (const OutOfMemoryError& e) {
    o.kind = "OutOfMemoryError";
    o.text = e.what();
  } catch (const DeviceError& e) {
    o.kind = "DeviceError";
    o.text = e.what();
  }
  return o;
}

void check_nothing_left(cuda::Gpu& d) {
  d.release_idle();
  d.stream().synchronize();
  CHECK(fake_cuda_live(fake_cuda_spare()).blocks == 0);
  CHECK(fake_libraries_live().descriptions == 0);
  CHECK(fake_libraries_live().plans == 0);
}

bool fails_well(const std::string& entry, int nth, bool no_memory,
                const std::vector<std::byte>& right) {
  INFO(entry << " call " << nth << (no_memory ? ": no memory" : ""));
  cuda::Gpu& d = fresh_gpu();
  const int code = no_memory ? no_memory_of(entry) : 6;
  fake_cuda_fail(entry.c_str(), nth, code, false);
  const Outcome o = outcome(d);
  const bool reached = fake_cuda_calls(entry.c_str()) >= nth;
  fake_cuda_fail(nullptr, 0, 0, false);
  INFO(o.text);
  const bool is_error = reached && !is_for_ending(entry);
  CHECK(o.kind == (!is_error ? "" : no_memory ? "OutOfMemoryError" : "DeviceError"));
  if (is_error) {
    const std::string named = entry.substr(0, entry.find("_v2"));
    CHECK(holds(o.text, "device 'cuda:2': " + named + " of cu"));
    CHECK(holds(o.text, fmt::format("failed with status {} (", code)));
  }
  // The emulated library may or may not count the object as destroyed.
  if (is_for_ending(entry)) return reached;
  CHECK(outcome(d).result == right);
  check_nothing_left(d);
  CHECK(std::string(fake_cuda_complaints()) == "");
  fake_cuda_forget_complaints();
  return reached;
}

}  // namespace

TEST_CASE("a small program uses every entry point of the libraries", "[.][libraries]") {
  cuda::Gpu& d = fresh_gpu();
  fake_cuda_fail(nullptr, 0, 0, false);
  CHECK(small_program(d) == small_program(d));
  for (const char* const* e = fake_libraries_entries(); *e; ++e) {
    INFO(*e);
    CHECK((is_for_opening(*e) || fake_cuda_calls(*e) > 0));
  }
  check_nothing_left(d);
  check_no_complaints();
}

TEST_CASE("every call of a library may fail", "[.][libraries]") {
  const std::vector<std::byte> right = small_program(fresh_gpu());
  for (const char* const* e = fake_libraries_entries(); *e; ++e) {
    if (is_for_opening(*e)) continue;
    for (const bool no_memory : {false, true}) {
      int nth = 1;
      while (fails_well(*e, nth, no_memory, right)) ++nth;
      CHECK(nth > 1);
    }
  }
}

TEST_CASE("an error of a library has the line that asked for it", "[.][libraries]") {
  cuda::Gpu& d = fresh_gpu();
  (void)small_program(d);
  fake_cuda_fail("cusolverDnDpotrf", 1, 6, false);
  const SourceScope source(Location{"model.cpp", 7});
  check_error<DeviceError>([&] { (void)small_program(d); },
                           "device 'cuda:2': cusolverDnDpotrf of cuSOLVER failed with status 6 "
                           "(execution failed) (at model.cpp:7)");
  fake_cuda_fail(nullptr, 0, 0, false);
  check_no_complaints();
}

TEST_CASE("a fault after a call of a library names the call", "[.][libraries]") {
  cuda::Gpu& d = fresh_gpu();
  const cuda::Columns a{F32, 1, n, n};
  const There x(d, matrices_of(F32, 1)), info(d, 4);
  {
    const SourceScope source(Location{"model.cpp", 8});
    const std::vector<std::span<const std::byte>> in = {
        {static_cast<const std::byte*>(x.data()), 64}};
    const std::vector<std::span<std::byte>> out = {{static_cast<std::byte*>(info.data()), 4}};
    cuda::cholesky(a, {in, out, &d, true});
  }
  fake_cuda_fail("cuStreamSynchronize", 1, 700, true);
  check_error<DeviceError>([&] { d.stream().synchronize(); },
                           "device 'cuda:2' is lost: kernel 'cusolverDnSpotrf' (at model.cpp:8) "
                           "failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  fake_cuda_fail(nullptr, 0, 0, false);
  fake_cuda_forget_complaints();
}
