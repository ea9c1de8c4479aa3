// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/kernels_test.cpp: kernels written by hand, loaded and launched on emulated GPUs.
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "gpu/emulated.h"
#include "weft/stop.h"

using namespace weft;
using namespace weft::test;

namespace {

// The kernel block_sums(x, y) sums blocks of 64, by shuffles in each warp and then through shared
// memory.
std::string block_sums() {
  std::string text = R"(
declare i32 @weft_emulated_block_index()
declare i32 @weft_emulated_thread_index()
declare void @weft_emulated_barrier()
declare i32 @weft_emulated_shuffle(i32, i32)
declare ptr @weft_emulated_shared(i64)
define void @sums(ptr %p) {
  %b = call i32 @weft_emulated_block_index()
  %t = call i32 @weft_emulated_thread_index()
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %x.at = load ptr, ptr %p
  %x = load ptr, ptr %x.at
  %first = mul i32 %b, 64
  %at = add i32 %first, %t
  %i = zext i32 %at to i64
  %xi.at = getelementptr i32, ptr %x, i64 %i
  %v0 = load i32, ptr %xi.at
)";
  for (int k = 0, step = 16; step; ++k, step /= 2)
    text += fmt::format(
        "  %from{0} = xor i32 %lane, {2}\n"
        "  %other{0} = call i32 @weft_emulated_shuffle(i32 %v{0}, i32 %from{0})\n"
        "  %v{1} = add i32 %v{0}, %other{0}\n",
        k, k + 1, step);
  return text + R"(
  %w = zext i32 %warp to i64
  %byte = mul i64 %w, 4
  %mine = call ptr @weft_emulated_shared(i64 %byte)
  store i32 %v5, ptr %mine
  call void @weft_emulated_barrier()
  %leads = icmp eq i32 %t, 0
  br i1 %leads, label %last, label %end
last:
  %s0 = call ptr @weft_emulated_shared(i64 0)
  %s1 = call ptr @weft_emulated_shared(i64 4)
  %a = load i32, ptr %s0
  %c = load i32, ptr %s1
  %sum = add i32 %a, %c
  %y.slot = getelementptr i8, ptr %p, i64 8
  %y.at = load ptr, ptr %y.slot
  %y = load ptr, ptr %y.at
  %yb = zext i32 %b to i64
  %y.b = getelementptr i32, ptr %y, i64 %yb
  store i32 %sum, ptr %y.b
  br label %end
end:
  ret void
}
)";
}

// The kernel runs until the word at its argument is not 0.
const char* const waiting_text = R"(
define void @wait(ptr %p) {
  %at = load ptr, ptr %p
  %word = load ptr, ptr %at
  br label %loop
loop:
  %v = load atomic i32, ptr %word monotonic, align 4
  %go = icmp eq i32 %v, 0
  br i1 %go, label %loop, label %end
end:
  ret void
}
)";

std::shared_ptr<const cuda::Function> one(cuda::Device& d, const std::string& text,
                                          const std::string& name) {
  return d.load(text, {name}).at(0);
}

}  // namespace

TEST_CASE("a kernel reads and writes arrays of a GPU", "[gpu]") {
  for (const int64_t n : {1, 127, 128, 1000}) {
    std::vector<float> x(static_cast<size_t>(n)), want(x.size(), 1);
    std::iota(x.begin(), x.end(), 0.F);
    const There there(gpu(), x), y(gpu(), want);
    const auto f = one(gpu(), axpy_text(), "axpy");
    CHECK(f->registers == 32);
    CHECK(f->max_threads == 1024);
    for (int k = 0; k < 3; ++k) launch_axpy(gpu().launcher(), *f, n, 0.5F, there, y);
    CHECK(fake_cuda_queued(0) >= 6);  // each launch and the write of its number
    for (size_t i = 0; i < x.size(); ++i) want[i] += 1.5F * x[i];
    CHECK(y.read<float>() == want);
  }
  check_no_complaints();
}

TEST_CASE("threads of a block meet, and share memory", "[gpu]") {
  std::vector<int32_t> x(64 * 9), want(9);
  std::iota(x.begin(), x.end(), 1);
  for (size_t i = 0; i < x.size(); ++i) want[i / 64] += x[i];
  const There there(gpu(1), x), y(gpu(1), 9 * 4);
  const auto f = one(gpu(1), block_sums(), "sums");
  Arguments arguments(there.data(), y.data());
  gpu(1).launcher().launch(*f, {.blocks = 9, .threads = 64, .shared = 8}, arguments.data(), "sums");
  CHECK(y.read<int32_t>() == want);
  check_no_complaints();
  // The kernel needs more shared memory than a launch gets by default.
  gpu(1).launcher().launch(*f, {.blocks = 9, .threads = 64, .shared = 100 << 10}, arguments.data(),
                           "sums");
  CHECK(y.read<int32_t>() == want);
  check_no_complaints();
  gpu(1).launcher().launch(*f, {.blocks = 0, .threads = 64}, arguments.data(), "sums");
  CHECK(fake_cuda_queued(1) == 0);
}

TEST_CASE("occupancy is what the driver says of a launch", "[gpu]") {
  const auto f = one(gpu(), block_sums(), "sums");
  const auto of = [&](int threads, int64_t shared) {
    return gpu().occupancy(*f, {.threads = threads, .shared = shared});
  };
  CHECK(of(64, 0).blocks == 32);
  CHECK(of(64, 0).share == 1);
  CHECK(of(1024, 0).blocks == 2);
  CHECK(of(32, 0).share == 0.5);
  CHECK(of(64, 40 << 10).blocks == 5);
  CHECK(of(64, 40 << 10).share == 5 * 64 / 2048.);
  check_error<DeviceError>(
      [&] { of(2048, 0); },
      "cuOccupancyMaxActiveBlocksPerMultiprocessor failed: CUDA_ERROR_INVALID");
  check_no_complaints();
}

TEST_CASE("arguments are read before a launch returns", "[gpu]") {
  const There x(gpu(), std::vector<float>{2}), y(gpu(), std::vector<float>{1});
  const auto f = one(gpu(), axpy_text(), "axpy");
  {
    Arguments arguments(int64_t{1}, 3.F, x.data(), y.data());
    gpu().launcher().launch(*f, {.blocks = 1, .threads = 128}, arguments.data(), "axpy");
    std::memset(arguments.data()[1], 0xff, 8);
  }
  CHECK(y.read<float>()[0] == 7);
}

TEST_CASE("a program that the driver refuses is a CompileError with its log", "[gpu]") {
  const std::string text = error_of<CompileError>(
      [] { gpu().load("define void @f(ptr %p) {\n  nonsense\n}\n", {"f"}); });
  CHECK(holds(text, "device 'cuda:0' (sm_90) refuses the program: CUDA_ERROR_INVALID_PTX ("));
  CHECK(holds(text, "nonsense"));
  CHECK(holds(error_of<CompileError>([] {
                gpu().load(
                    "declare void @g()\ndefine void @f(ptr %p) {\n  call void @g()\n"
                    "  ret void\n}\n",
                    {"f"});
              }),
              "g"));
  const int64_t before = fake_cuda_live(0).modules;
  check_error<CompileError>([] { gpu().load(axpy_text(), {"axpy", "other"}); },
                            "the program has no kernel 'other': CUDA_ERROR_NOT_FOUND");
  CHECK(fake_cuda_live(0).modules == before);
  check_no_complaints();
}

TEST_CASE("a module is unloaded when its last launch is over", "[gpu]") {
  gpu().stream().synchronize();
  const int64_t before = fake_cuda_live(0).modules;
  const There x(gpu(), std::vector<float>{2}), y(gpu(), std::vector<float>{1});
  {
    const auto idle = one(gpu(), axpy_text(), "axpy");
    const auto f = one(gpu(), axpy_text(), "axpy");
    launch_axpy(gpu().launcher(), *f, 1, 1, x, y);
  }  // one module is left: that of f, whose launch still runs
  CHECK(fake_cuda_live(0).modules == before + 1);
  gpu().stream().synchronize();
  CHECK(fake_cuda_live(0).modules == before);
  {
    const auto f = one(gpu(), axpy_text(), "axpy");
  }  // never launched
  CHECK(fake_cuda_live(0).modules == before);
  CHECK(y.read<float>()[0] == 3);
  check_no_complaints();
}

TEST_CASE("an invalid launch is a DeviceError that names the kernel", "[gpu]") {
  const There x(gpu(), std::vector<float>{2}), y(gpu(), std::vector<float>{1});
  const auto f = one(gpu(), axpy_text(), "axpy");
  Arguments arguments(int64_t{1}, 3.F, x.data(), y.data());
  check_error<DeviceError>(
      [&] {
        gpu().launcher().launch(*f, {.blocks = 1, .threads = 2048}, arguments.data(), "axpy");
      },
      "device 'cuda:0': the launch of kernel 'axpy' failed: CUDA_ERROR_INVALID_VALUE");
  check_error<InternalError>(
      [&] {
        gpu().launcher().launch(*f, {.blocks = int64_t{1} << 31, .threads = 1}, arguments.data(),
                                "axpy");
      },
      "kernel 'axpy' in 2147483648 blocks");
  CHECK(y.read<float>()[0] == 1);  // the device still works
  check_no_complaints();
}

TEST_CASE("a kernel that checks the stop word is stopped", "[gpu]") {
  const auto f = one(gpu(), waiting_text, "wait");
  const auto run = [&] {
    Arguments arguments(gpu().stop_word());
    gpu().launcher().launch(*f, {}, arguments.data(), "wait");
    gpu().stream().synchronize();
  };
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  check_error<InterruptedError>(
      [&] {
        const TimeLimit limit(0.05, "step");
        run();
      },
      "step: the time limit is over");
  CHECK(Clock::now() - begin < std::chrono::seconds(5));
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  check_error<InterruptedError>(run, "cuda:0: interrupted by weft::interrupt()");
  over = true;
  other.join();
  // Later work still runs.
  const There x(gpu(), std::vector<float>{2});
  CHECK(x.read<float>()[0] == 2);
  check_no_complaints();
}

// ---- errors that the emulation detects

TEST_CASE("the emulated driver reports wrong kernels", "[gpu]") {
  const auto blamed = [&](const char* what) {
    const std::string complaints = fake_cuda_complaints();
    fake_cuda_forget_complaints();
    INFO(complaints);
    CHECK(holds(complaints, what));
  };
  const There x(gpu(), std::vector<float>(64, 1));
  std::vector<float> elsewhere(64);
  {
    const There y(gpu(), std::vector<float>(64, 1));
    const auto f = one(gpu(), axpy_text(), "axpy");
    launch_axpy(gpu().launcher(), *f, 65, 1, y, y);  // one element too many
  }
  gpu().stream().synchronize();
  blamed("a kernel wrote behind the end of a block");
  const void* gone = nullptr;
  {
    const There y(gpu(), 256);
    gone = y.data();
  }
  check_error<DeviceError>([&] { gpu().copy_out(elsewhere.data(), gone, 256); }, "INVALID_VALUE");
  blamed("that is not allocated");
  const There z(gpu(1), 256);
  check_error<DeviceError>([&] { gpu().copy_within(x.data(), z.data(), 256); }, "INVALID_VALUE");
  blamed("that is not allocated");
  const auto f = one(gpu(), axpy_text(), "axpy");
  check_error<DeviceError>([&] { launch_axpy(gpu().launcher(), *f, 1, 1, x, z); }, "INVALID_VALUE");
  blamed("kernel 'axpy': memory of another device");
}
