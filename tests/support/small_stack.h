// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/small_stack.h: work done on a thread with a small stack.
#pragma once
#include <pthread.h>

#include <exception>
#include <functional>
#include <stdexcept>

namespace weft::test {

// Calls f on a thread whose stack has so many kilobytes; what f throws is thrown here.
inline void on_small_stack(size_t kilobytes, const std::function<void()>& f) {
  struct Work {
    const std::function<void()>& f;
    std::exception_ptr raised = {};
  } work{f};
  pthread_attr_t attributes;
  pthread_t thread{};
  pthread_attr_init(&attributes);
  const bool sized = pthread_attr_setstacksize(&attributes, kilobytes << 10) == 0;
  const bool runs = sized && pthread_create(
                                 &thread, &attributes,
                                 [](void* p) -> void* {
                                   auto& w = *static_cast<Work*>(p);
                                   try {
                                     w.f();
                                   } catch (...) {
                                     w.raised = std::current_exception();
                                   }
                                   return nullptr;
                                 },
                                 &work) == 0;
  pthread_attr_destroy(&attributes);
  if (!runs) throw std::runtime_error("no thread with a small stack");
  pthread_join(thread, nullptr);
  if (work.raised) std::rethrow_exception(work.raised);
}

}  // namespace weft::test
