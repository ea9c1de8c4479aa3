// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/thread_stack_test.cpp: the remaining stack, and functions on separate threads.
#include "runtime/thread_stack.h"

#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/catch.h"

using namespace weft;

namespace {
// Returns the remaining stack `deep` frames of a kilobyte further down.
[[gnu::noinline]] int64_t left_below(int deep) {
  volatile char frame[1024];
  frame[0] = 0;
  const int64_t left = deep ? left_below(deep - 1) : stack_left();
  return left + frame[0];
}
}  // namespace

TEST_CASE("the remaining stack is the unused part", "[runtime][stack]") {
  for (const int64_t bytes : {int64_t{512} << 10, int64_t{2} << 20}) {
    int64_t here = 0, below = 0;
    run_on_large_stack(bytes, [&] {
      here = stack_left();
      below = left_below(100);
    });
    // The frames in between use some bytes. The memory that libraries keep for each thread is
    // additional.
    CHECK(here > bytes - (4 << 10));
    CHECK(here - below >= 100 << 10);
    CHECK(here - below < 130 << 10);
  }
  CHECK(stack_left() > 64 << 10);
}

TEST_CASE("exceptions pass from a large stack to the caller", "[runtime][stack]") {
  CHECK_THROWS_AS(run_on_large_stack(256 << 10, [] { throw std::runtime_error("there"); }),
                  std::runtime_error);
}

TEST_CASE("a detached thread is not the caller's", "[runtime][stack]") {
  auto done = std::make_shared<std::promise<std::thread::id>>();
  auto there = done->get_future();
  start_detached_thread([done = std::move(done)] { done->set_value(std::this_thread::get_id()); });
  CHECK(there.get() != std::this_thread::get_id());
}
