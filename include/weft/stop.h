// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/stop.h: stops running calls: interrupt() from any thread, and time limits of calls.
#pragma once
#include <cstdint>
#include <string>

#include "weft/detail/ref.h"

namespace weft {

// Ends all calls that are running now, on all threads, with InterruptedError.
void interrupt();

namespace ir {
struct Watch;
// A StopToken is the condition to stop. A TimeLimit is the scope that sets it for a thread. A
// StopFlag is the word in memory that machine code reads in place of the token.

// A running call checks its token between tiles and between trips. Worker threads use the token of
// the calling thread.
class StopToken {
 public:
  // Returns true if interrupt() was called after the token was made, or if the deadline has passed.
  bool stop() const;
  // Throws InterruptedError in that case. The error names the function that set the time limit, or
  // `what`, the work that is running.
  void check(const char* what) const;
  // The text of that error; "" if nothing is to be stopped.
  std::string reason(const char* what) const;
  // The token of the innermost TimeLimit on this thread. Without one, a token that only interrupt()
  // stops.
  static const StopToken& current();
  // Checks the token of the innermost TimeLimit, if there is one.
  static void check_scope(const char* what);

 private:
  friend class TimeLimit;
  friend struct Watch;
  int64_t deadline_ns_ = 0;        // steady clock; 0: no deadline
  const char* limited_ = nullptr;  // the function that set the deadline
  uint32_t seen_ = 0;              // number of interrupts before the token was made
};

// A scope with its own token. Its limit in seconds (0: none) cannot exceed that of the enclosing
// scope. The name must outlive the scope.
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

// A word that compiled loops read; it is set when they must end. It exists for one call of a
// program with loops. interrupt() sets it directly; a watching thread sets it when the deadline
// passes. Throws DeviceError if the watching thread cannot be created.
class StopFlag {
 public:
  // The word may be elsewhere, for example in memory that a device reads. It must outlive this
  // object.
  explicit StopFlag(int32_t* word = nullptr);
  ~StopFlag();
  StopFlag(const StopFlag&) = delete;
  const int32_t* word() const { return at_; }
  // Throws InterruptedError if the word is set.
  void check(const char* what) const;

 private:
  friend struct Watch;
  alignas(64) int32_t word_ = 0;
  int32_t* at_;
  StopToken token_;
  StopFlag* next_ = nullptr;
  const bool* thread_;  // an address that is unique to the thread
};
}  // namespace ir

}  // namespace weft
