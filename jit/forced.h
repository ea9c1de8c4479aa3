// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/forced.h: schedules that are demanded of the compiler, by the hashes of nests; the others it
// chooses.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <utility>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/schedule.h"
#include "weft/jit/schedule/target.h"

namespace weft::compiler {

// A text of entries: a line "schedule HASH", and behind it those of a schedule
// (jit/schedule/schedule.h), which is for a GPU if it says `block`. '#' begins a comment.
class ForcedSchedules {
 public:
  // Raises ParseError naming `where` and the line.
  ForcedSchedules(const std::string& text, const std::string& where);
  // Null if there is none. Raises CompileError if it is not one that the kernel can have.
  const Schedule* find(const nest::Kernel& k, const TargetInfo& target) const;
  // Raises CompileError naming the entries that were for no kernel, if there are such. Only the
  // first call does.
  void require_used() const;

 private:
  struct Entry {
    Schedule schedule;
    int line = 0;
    mutable std::atomic<bool> used = false;
  };
  void add(const std::string& text, const std::string& hash, int line);
  std::string where_;
  std::map<std::pair<std::string, bool>, Entry> entries_;  // by nest, and whether for a GPU
  mutable std::atomic<bool> told_ = false;
};

// What this thread compiles is forced by these, where they have an entry, until the scope ends.
class ScheduleScope {
 public:
  explicit ScheduleScope(const ForcedSchedules& s);
  ~ScheduleScope();
  ScheduleScope(const ScheduleScope&) = delete;
  static bool entered();  // this thread is in such a scope

 private:
  const ForcedSchedules* before_;
};

// The schedule that the kernel gets: that of the innermost scope, else that of the file that
// WEFT_SCHEDULE names, else the one that pays.
Schedule schedule_of(const nest::Kernel& k, const TargetInfo& target);

// Raises CompileError naming the entries of WEFT_SCHEDULE that no kernel of this process had. A
// process that does not ask is told when it ends, by the log.
void require_forced_schedules_used();

}  // namespace weft::compiler
