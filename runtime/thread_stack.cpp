// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/thread_stack.cpp: finds the limits of a stack, and starts threads for single functions.
#include "runtime/thread_stack.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <exception>
#include <latch>
#include <memory>
#include <thread>
#include <utility>

#include "weft/error.h"

namespace weft {
namespace {

struct Work {
  FunctionRef<void()> f;
  int64_t least = 0, missing = 0;  // bytes; missing: shortfall of stack when f could begin
  std::exception_ptr raised = {};
};
void* run(void* p) {
  auto& work = *static_cast<Work*>(p);
  const int64_t left = stack_left();
  work.missing = left > 0 ? std::max<int64_t>(0, work.least - left) : 0;
  if (work.missing > 0) return nullptr;
  try {
    work.f();
  } catch (...) {
    work.raised = std::current_exception();
  }
  return nullptr;
}

// The lowest and highest address of this thread's stack; equal if they are unknown.
struct Stack {
  const char *low = nullptr, *high = nullptr;
  Stack() {
    pthread_attr_t attributes;
    void* at = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    if (pthread_attr_getstack(&attributes, &at, &bytes) == 0) {
      low = static_cast<const char*>(at);
      high = low + bytes;
    }
    pthread_attr_destroy(&attributes);
  }
  // Bytes below the caller's frame; 0 if the frame is not on this stack.
  int64_t left() const {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)),
               from = reinterpret_cast<uintptr_t>(low), to = reinterpret_cast<uintptr_t>(high);
    return here > from && here < to ? static_cast<int64_t>(here - from) : 0;
  }
};

constexpr int64_t page = 4096;

// Returns false if no thread could be created.
bool call_on_thread(int64_t bytes, Work& work) {
  pthread_t thread{};
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  const size_t size = std::max<int64_t>((bytes + page - 1) & -page, PTHREAD_STACK_MIN);
  const bool runs = pthread_attr_setstacksize(&attributes, size) == 0 &&
                    pthread_create(&thread, &attributes, run, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (runs) pthread_join(thread, nullptr);
  return runs;
}

const Stack& this_stack() {
  thread_local const Stack stack;
  return stack;
}

}  // namespace

int64_t stack_left() { return this_stack().left(); }

bool is_stack_nearly_exhausted() {
  constexpr int64_t max_in_use = 64 << 20;
  const Stack& stack = this_stack();
  const int64_t left = stack.left(), bytes = stack.high - stack.low;
  return left > 0 && (left < bytes / 8 || bytes - left > max_in_use);
}

// The C library and others keep data on each thread's stack. Its size is known only inside a
// thread: if too little stack is left, a second thread gets a larger one.
void run_on_large_stack(int64_t bytes, FunctionRef<void()> f) {
  Work work{f, bytes};
  int64_t size = bytes;
  do {
    size += work.missing;
    if (!call_on_thread(size, work))
      throw OutOfMemoryError(fmt::format(
          "a thread with a stack of {} bytes, which a kernel needs, cannot be started", size));
  } while (work.missing > 0);
  if (work.raised) std::rethrow_exception(work.raised);
}

void start_detached_thread(std::function<void()> f) {
  const auto runs = std::make_shared<std::latch>(1);
  std::thread([runs, f = std::move(f)] {
    runs->count_down();
    f();
  }).detach();
  runs->wait();
}

}  // namespace weft
