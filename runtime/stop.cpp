// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/stop.cpp: interrupts and deadlines.
#include "weft/runtime/stop.h"

#include <fmt/format.h>

#include <chrono>

#include "weft/core/error.h"

namespace weft {
namespace {
std::atomic<uint32_t> interrupts{0};
thread_local const StopToken* innermost = nullptr;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace

void interrupt() { interrupts.fetch_add(1, std::memory_order_relaxed); }

bool StopToken::stop() const {
  return interrupts.load(std::memory_order_relaxed) != seen_ || (deadline_ns_ && now_ns() >= deadline_ns_);
}

void StopToken::check(const char* what) const {
  if (!stop()) return;
  const bool late = deadline_ns_ && now_ns() >= deadline_ns_;
  throw InterruptedError(fmt::format("{}: {}", what, late ? "the time limit is over" : "interrupted by weft::interrupt()"));
}

const StopToken& StopToken::current() {
  if (innermost) return *innermost;
  thread_local StopToken outside;
  outside.seen_ = interrupts.load(std::memory_order_relaxed);
  return outside;
}

TimeLimit::TimeLimit(double seconds) : before_(innermost) {
  token_.seen_ = before_ ? before_->seen_ : interrupts.load(std::memory_order_relaxed);
  token_.deadline_ns_ = before_ ? before_->deadline_ns_ : 0;
  if (seconds > 0) {
    // Nobody waits for three hundred years.
    const int64_t end = now_ns() + (seconds < 9e9 ? static_cast<int64_t>(seconds * 1e9) : int64_t{1} << 62);
    if (!token_.deadline_ns_ || end < token_.deadline_ns_) token_.deadline_ns_ = end;
  }
  innermost = &token_;
}
TimeLimit::~TimeLimit() { innermost = before_; }

}  // namespace weft
