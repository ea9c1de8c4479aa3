// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/stop.h: ending what runs: interrupt() from any thread, and time limits of calls.
#pragma once
#include <cstdint>
#include <string>

#include "weft/core/ref.h"

namespace weft {

// Ends the calls that run now, on all threads, with InterruptedError.
void interrupt();

namespace ir {
struct Watch;
// What a running call asks between tiles and trips; workers are handed the caller's.
class StopToken {
 public:
  // True once interrupt() was called after the token was made or the time is over.
  bool stop() const;
  // Raises InterruptedError if so, naming whose limit it is, or what ran.
  void check(const char* what) const;
  // What it says; "" if nothing is to stop.
  std::string reason(const char* what) const;
  // Of the innermost call on this thread that has one, else one that only interrupt() stops.
  static const StopToken& current();
  // The same check of the innermost scope, if there is one.
  static void check_scope(const char* what);

 private:
  friend class TimeLimit;
  friend struct Watch;
  int64_t deadline_ns_ = 0;        // steady clock; 0: none
  const char* limited_ = nullptr;  // who has set the deadline
  uint32_t seen_ = 0;              // interrupts before it was made
};

// A scope with a token of its own: a limit in seconds (0: none), within that of the enclosing
// scope. The name outlives it.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds, const char* name = nullptr);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  const StopToken& token() const { return token_; }

 private:
  StopToken token_;
  const StopToken* before_;
};

// A word that compiled loops look at, set when what runs has to end. It lives for one call of a
// program with loops; interrupt() sets it at once, a watching thread when the time is over.
// DeviceError if the system has no thread left to watch.
class StopFlag {
 public:
  // The word may be one elsewhere that outlives it, as where a device reads it.
  explicit StopFlag(int32_t* word = nullptr);
  ~StopFlag();
  StopFlag(const StopFlag&) = delete;
  const int32_t* word() const { return at_; }
  // Raises InterruptedError if the word was set.
  void check(const char* what) const;

 private:
  friend struct Watch;
  alignas(64) int32_t word_ = 0;
  int32_t* at_;
  StopToken token_;
  StopFlag* next_ = nullptr;
  const bool* thread_;  // an address that its thread alone has
};
}  // namespace ir

}  // namespace weft
