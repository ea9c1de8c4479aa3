// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/stop.h: ending what runs: interrupt() from any thread, and time limits of calls.
#pragma once
#include <atomic>
#include <cstdint>

#include "weft/core/ref.h"

namespace weft {

// Ends the calls that run now, on all threads, with InterruptedError.
void interrupt();

// What a running call asks between tiles and trips; workers are handed the caller's.
class StopToken {
 public:
  // True once interrupt() was called after the token was made or the time is over.
  bool stop() const;
  // Raises InterruptedError if so, naming what ran.
  void check(const char* what) const;
  // Of the innermost call on this thread that has one, else one that only interrupt() stops.
  static const StopToken& current();

 private:
  friend class TimeLimit;
  int64_t deadline_ns_ = 0;              // steady clock; 0: none
  uint32_t seen_ = 0;                    // interrupts before it was made
};

// A scope with a token of its own: a limit in seconds (0: none), within that of the enclosing scope.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  const StopToken& token() const { return token_; }

 private:
  StopToken token_;
  const StopToken* before_;
};

}  // namespace weft
