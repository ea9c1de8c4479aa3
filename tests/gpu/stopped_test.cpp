// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/stopped_test.cpp: a time limit or interrupt() may stop work on a GPU. The memory that
// the stopped work should have written is never read as a result, whichever thread started the
// work.
#include <atomic>
#include <functional>
#include <thread>

#include "gpu/emulated.h"
#include "weft/stop.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

// The loop never ends by itself. Only the stop word ends it.
Array endless(const Array& x) {
  static const auto f = jit(
      [](Array v) {
        return vmap([](Array t) {
          return while_loop([](Array c) { return c < 1; }, [](Array c) { return c * 0.5; }, t);
        })(v);
      },
      {.device = "cuda:1"});
  return f(x);
}

// Exceeds the time limit of one call while the device runs work of other calls.
void run_out_of_time() {
  check_error<InterruptedError>(
      [] {
        const TimeLimit limit(0.05, "step");
        gpu(1).stream().synchronize();
      },
      "step: the time limit is over");
}

const char* const text =
    "cuda:1: what computes this was stopped before it ended: step: the time limit is over";

}  // namespace

TEST_CASE("results of stopped work raise at each read", "[gpu]") {
  const Array good = device_put(arange(3.), "cuda:1") + 1;
  good.block_until_ready();
  const Array y = endless(zeros({4}));
  run_out_of_time();
  for (int k = 0; k < 2; ++k) {
    check_error<InterruptedError>([&] { (void)floats(y); }, text);
    check_error<InterruptedError>([&] { y.block_until_ready(); }, text);
    check_error<InterruptedError>([&] { (void)device_put(y, "cuda:0"); }, text);
  }
  CHECK(floats(good) == Floats{1, 2, 3});
  CHECK(floats(good + 1) == Floats{2, 3, 4});
  check_no_complaints();
}

TEST_CASE("work that depends on stopped work raises, too", "[gpu]") {
  // Nothing below copies from the host to the device, because such a copy would wait for the
  // endless kernel.
  const auto more = jit([](Array v) { return v + 1; });
  const auto set = jit([](Array v, Array at) { return v.at(at).set(v.at(at).get() * 2); });
  const Array at = device_put(array({0}), "cuda:1"), x = device_put(arange(4.), "cuda:1");
  more(x), set(x, at);  // compiles both
  const Array y = endless(device_put(zeros({4}), "cuda:1"));
  // set() copies the elements that it does not set
  const Array before = more(y), copied = set(y, at);
  run_out_of_time();
  check_error<InterruptedError>([&] { (void)floats(before); }, text);
  check_error<InterruptedError>([&] { (void)floats(copied); }, text);
  check_error<InterruptedError>([&] { (void)floats(y * 2); }, text);
  check_error<InterruptedError>([&] { (void)floats(jit([](Array v) { return sort(v); })(y)); },
                                text);
  check_error<InterruptedError>([&] { (void)floats(set(y, at)); }, text);
  CHECK(floats(set(x, at)) == Floats{0, 1, 2, 3});
  check_no_complaints();
}

TEST_CASE("memory of stopped work can be used again", "[gpu]") {
  for (int round = 0; round < 3; ++round) {
    Floats right(1000), got;
    {
      const Array y = endless(zeros({1000}));
      run_out_of_time();
      check_error<InterruptedError>([&] { (void)floats(y); }, text);
    }
    for (size_t i = 0; i < right.size(); ++i) right[i] = static_cast<float>(i) * 2;
    CHECK(floats(device_put(arange(1000.), "cuda:1") * 2) == right);
  }
  // The memory was released while its kernel ran, and it is reused before the kernel was stopped.
  const Array x = arange(1000.);
  (void)endless(device_put(zeros({1000}), "cuda:1"));
  const Array put = device_put(x, "cuda:1");
  run_out_of_time();
  CHECK(floats(put)[999] == 999);
  check_no_complaints();
}

TEST_CASE("an interrupt during one thread's wait invalidates the work of other threads", "[gpu]") {
  const Array y = endless(zeros({4}));
  std::atomic<bool> over{false};
  std::thread waits([&] {
    check_error<InterruptedError>([&] { gpu(1).stream().synchronize(); },
                                  "cuda:1: interrupted by weft::interrupt()");
    over = true;
  });
  while (!over) {
    interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  waits.join();
  check_error<InterruptedError>([&] { (void)floats(y); },
                                "was stopped before it ended: cuda:1: interrupted");
  check_no_complaints();
}

// ---- several threads that wait

namespace {

std::function<void(const int32_t*)> waits_for;  // runs before each wait for the stream
cuda::Gpu* watched = nullptr;

cuda::Gpu& watched_gpu() {
  static cuda::Driver d;
  if (const std::string missing = cuda::open_driver(d); !missing.empty())
    throw DeviceError(missing);
  d.stream_synchronize = [](cuda::StreamHandle s) {
    static cuda::Driver plain;
    static const std::string missing = cuda::open_driver(plain);
    if (waits_for) waits_for(watched->stop_word());
    return plain.stream_synchronize(s);
  };
  fake_cuda_reset(fake_cuda_spare());
  cuda::DeviceProperties f;
  f.ordinal = fake_cuda_spare();
  f.major = 9;
  f.memory_pools = true;
  f.memory = size_t{1} << 30;
  return *(watched = new cuda::Gpu(d, f));  // devices live as long as the process
}

int32_t value(const int32_t* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

}  // namespace

TEST_CASE("a thread that has finished waiting does not clear the stop of others", "[gpu]") {
  cuda::Gpu& d = watched_gpu();
  (void)d.stop_word();  // creates the word
  std::atomic<bool> first_waits{false}, stopped{false}, first_left{false};
  int32_t seen = -1;
  thread_local bool first = false;
  waits_for = [&](const int32_t* word) {
    if (first) {
      first_waits = true;
      while (!stopped) std::this_thread::yield();
      return;
    }
    while (!value(word)) std::this_thread::yield();  // until the time limit below sets it
    stopped = true;
    while (!first_left) std::this_thread::yield();
    seen = value(word);  // the value that a kernel would see at its next read of the word
  };
  std::thread other([&] {
    first = true;
    // This waits for the whole device, on which work was stopped.
    check_error<InterruptedError>([&] { d.stream().synchronize(); },
                                  "what ran there was stopped with the call of another thread");
    first_left = true;
  });
  while (!first_waits) std::this_thread::yield();
  check_error<InterruptedError>(
      [&] {
        const TimeLimit limit(0.05, "step");
        d.stream().synchronize();
      },
      "step: the time limit is over");
  other.join();
  waits_for = nullptr;
  CHECK(seen == 1);
  CHECK(value(d.stop_word()) == 0);
  d.stream().synchronize();
  check_no_complaints();
}

TEST_CASE("a time limit ends the wait for memory of a GPU", "[gpu]") {
  const Array y = endless(zeros({4}));
  check_error<InterruptedError>(
      [] {
        const TimeLimit limit(0.05, "step");
        const There most(gpu(1), int64_t{600} << 20), more(gpu(1), int64_t{600} << 20);
      },
      "step: the time limit is over");
  check_error<InterruptedError>([&] { (void)floats(y); }, text);
  check_no_complaints();
}

TEST_CASE("a copy that waits for the one before it keeps a time limit", "[gpu]") {
  const Array y = endless(zeros({4}));
  const std::vector<uint8_t> much(20 << 20);
  check_error<InterruptedError>(
      [&] {
        const TimeLimit limit(0.05, "step");
        const There there(gpu(1), much);
      },
      "step: the time limit is over");
  check_error<InterruptedError>([&] { (void)floats(y); }, text);
  check_no_complaints();
}
