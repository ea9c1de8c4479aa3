// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/forced.h: schedules and implementations that the user forces on the compiler. Schedules are
// found by the hash of the loop nest, implementations by the op. The compiler chooses the others.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/loops/nest.h"
#include "jit/rewrite/implementations.h"
#include "jit/schedule/schedule.h"
#include "jit/schedule/target.h"

namespace weft::compiler {

// Schedules that a text lists. An entry is a line "schedule HASH", followed by the lines of a
// schedule (jit/schedule/schedule.h). An entry with a line `block` is for a GPU. '#' begins a
// comment.
class ForcedSchedules {
 public:
  // Raises ParseError naming `where` and the line.
  ForcedSchedules(const std::string& text, const std::string& where);
  // Returns null if there is no entry. Raises CompileError if the kernel cannot have the schedule.
  const Schedule* find(const nest::Kernel& k, const TargetInfo& target) const;
  // Raises CompileError naming the entries that matched no kernel, if there are any. Only the first
  // call raises it.
  void require_used() const;

 private:
  struct Entry {
    Schedule schedule;
    int line = 0;
    mutable std::atomic<bool> used = false;
  };
  void add(const std::string& text, const std::string& hash, int line);
  std::string where_;
  // The key is the hash, and true if it is for a GPU.
  std::map<std::pair<std::string, bool>, Entry> entries_;
  mutable std::atomic<bool> told_ = false;
};

// The forced implementations, by op.
class ForcedImplementations {
 public:
  // `entries` holds pairs (op, implementation). Raises CompileError for an unknown name.
  ForcedImplementations(const std::vector<std::pair<std::string, std::string>>& entries,
                        const std::string& where);
  const Demand* find(const Op& op) const;

 private:
  std::map<const Op*, Demand> entries_;
};

struct Forced {
  ForcedSchedules schedules;
  ForcedImplementations implementations;
};

// Forces these schedules and implementations on all that this thread compiles, until the scope
// ends.
class ForcedScope {
 public:
  explicit ForcedScope(const Forced& f);
  ~ForcedScope();
  ForcedScope(const ForcedScope&) = delete;
  static bool entered();  // true if this thread is in such a scope

 private:
  const Forced* before_;
};

// Returns the schedule of the kernel: that of the innermost scope, else that of the file that
// WEFT_SCHEDULE names, else the one that the compiler chooses.
Schedule schedule_of(const nest::Kernel& k, const TargetInfo& target,
                     const std::vector<int64_t>& grid);
// Returns the implementation that the innermost scope forces, else that of WEFT_IMPL (op=name,…),
// else null.
const Demand* demanded_implementation(const Op& op);

// Raises CompileError naming the entries of WEFT_SCHEDULE that matched no kernel of this process.
// If a process never calls it, the log reports those entries when the process ends.
void require_forced_schedules_used();

}  // namespace weft::compiler
