// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/own_stack.cpp: a thread for one call.
#include "weft/runtime/own_stack.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <climits>
#include <exception>

#include "weft/core/error.h"

namespace weft {
namespace {

struct Work {
  FunctionRef<void()> f;
  std::exception_ptr raised = {};
};
void* run(void* p) {
  auto& work = *static_cast<Work*>(p);
  try {
    work.f();
  } catch (...) {
    work.raised = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void on_own_stack(int64_t bytes, FunctionRef<void()> f) {
  constexpr int64_t page = 4096;
  const auto size =
      static_cast<size_t>(std::max<int64_t>((bytes + page - 1) & ~(page - 1), PTHREAD_STACK_MIN));
  Work work{f};
  pthread_t thread{};
  pthread_attr_t attributes;
  bool runs = pthread_attr_init(&attributes) == 0;
  if (runs) {
    runs = pthread_attr_setstacksize(&attributes, size) == 0 &&
           pthread_create(&thread, &attributes, run, &work) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (!runs)
    throw OutOfMemoryError(fmt::format(
        "there is no thread to be had with a stack of {} bytes, which a kernel needs", size));
  pthread_join(thread, nullptr);
  if (work.raised) std::rethrow_exception(work.raised);
}

}  // namespace weft
