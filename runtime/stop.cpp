// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/stop.cpp: interrupts and deadlines.
#include "weft/stop.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>

#include "core/ir.h"
#include "runtime/fork.h"
#include "runtime/thread_stack.h"
#include "weft/error.h"

namespace weft {
namespace {
std::atomic<uint32_t> interrupts{0};
thread_local const StopToken* innermost = nullptr;
thread_local const bool this_thread = true;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
}  // namespace

// The flags of running calls. The watching thread is started by the first call with a deadline and
// runs until the process ends.
struct ir::Watch {
  ForkMutex guard;
  std::condition_variable_any* changed = new std::condition_variable_any;
  StopFlag* first = nullptr;
  bool running = false;

  static Watch& instance() {
    static auto* w = new Watch;
    return *w;
  }
  Watch() { after_fork_in_child(forked); }
  // The child has neither the watching thread nor the calls of other threads.
  static void forked() {
    Watch& w = instance();
    w.changed = new std::condition_variable_any;  // a thread of the parent may sleep on the old one
    w.running = false;
    bool timed = false;
    for (StopFlag** p = &w.first; *p;)
      if ((*p)->thread_ != &this_thread) {
        *p = (*p)->next_;
      } else {
        timed = timed || (*p)->token_.deadline_ns_;
        p = &(*p)->next_;
      }
    if (timed) w.start();
  }
  void start() {
    if (running) return;
    try {
      start_detached_thread([this] { watch(); });
    } catch (const std::system_error& e) {
      throw DeviceError(fmt::format("a time limit needs a thread that watches it: {}", e.what()));
    }
    running = true;
  }
  static void set(StopFlag& f) { __atomic_store_n(f.at_, 1, __ATOMIC_RELAXED); }
  void add(StopFlag& f) {
    const std::lock_guard lock(guard);
    if (f.token_.deadline_ns_) start();
    f.next_ = first;
    first = &f;
    if (f.token_.stop()) set(f);
    if (f.token_.deadline_ns_) changed->notify_one();
  }
  void remove(StopFlag& f) {
    const std::lock_guard lock(guard);
    for (StopFlag** p = &first; *p; p = &(*p)->next_)
      if (*p == &f) {
        *p = f.next_;
        return;
      }
  }
  void set_stopped() {
    const std::lock_guard lock(guard);
    for (StopFlag* f = first; f; f = f->next_)
      if (f->token_.stop()) set(*f);
  }
  void watch() {
    std::unique_lock lock(guard);
    for (;;) {
      int64_t earliest = 0;
      for (StopFlag* f = first; f; f = f->next_) {
        if (f->token_.stop())
          set(*f);
        else if (const int64_t d = f->token_.deadline_ns_; d && (!earliest || d < earliest))
          earliest = d;
      }
      if (earliest)
        changed->wait_for(lock,
                          std::chrono::nanoseconds(std::max<int64_t>(earliest - now_ns(), 0)));
      else
        changed->wait(lock);
    }
  }
};

StopFlag::StopFlag(int32_t* word)
    : at_(word ? word : &word_), token_(StopToken::current()), thread_(&this_thread) {
  Watch::instance().add(*this);
}
StopFlag::~StopFlag() { Watch::instance().remove(*this); }
void StopFlag::check(const char* what) const {
  if (__atomic_load_n(at_, __ATOMIC_RELAXED)) token_.check(what);
}

void interrupt() {
  interrupts.fetch_add(1, std::memory_order_relaxed);
  Watch::instance().set_stopped();
}

bool StopToken::stop() const {
  return interrupts.load(std::memory_order_relaxed) != seen_ ||
         (deadline_ns_ && now_ns() >= deadline_ns_);
}

void StopToken::check(const char* what) const {
  if (stop()) throw InterruptedError(reason(what));
}
std::string StopToken::reason(const char* what) const {
  if (!stop()) return {};
  const bool late = deadline_ns_ && now_ns() >= deadline_ns_;
  if (late) return fmt::format("{}: the time limit is over", limited_ ? limited_ : what);
  return fmt::format("{}: interrupted by weft::interrupt()", what);
}

const StopToken& StopToken::current() {
  if (innermost) return *innermost;
  thread_local StopToken outside;
  outside.seen_ = interrupts.load(std::memory_order_relaxed);
  return outside;
}

void StopToken::check_scope(const char* what) {
  if (innermost) innermost->check(what);
}

TimeLimit::TimeLimit(double seconds, const char* name) : before_(innermost) {
  token_.seen_ = interrupts.load(std::memory_order_relaxed);
  if (before_) token_ = *before_;
  if (seconds > 0) {
    // Longer limits than about three hundred years are clamped, to avoid overflow.
    const int64_t end =
        now_ns() + (seconds < 9e9 ? static_cast<int64_t>(seconds * 1e9) : int64_t{1} << 62);
    if (!token_.deadline_ns_ || end < token_.deadline_ns_) {
      token_.deadline_ns_ = end;
      token_.limited_ = name;
    }
  }
  innermost = &token_;
}
TimeLimit::~TimeLimit() { innermost = before_; }

}  // namespace weft
