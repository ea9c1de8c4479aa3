// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/forced.h: schedules, by the hashes of nests, and implementations, by ops, that are demanded
// of the compiler; the others it chooses.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/jit/rewrite/choose.h"
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

// Names of implementations, by ops.
class ForcedImplementations {
 public:
  // Pairs (op, implementation). Raises CompileError for a name that there is not.
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

// What this thread compiles is forced by these, where they have an entry, until the scope ends.
class ForcedScope {
 public:
  explicit ForcedScope(const Forced& f);
  ~ForcedScope();
  ForcedScope(const ForcedScope&) = delete;
  static bool entered();  // this thread is in such a scope

 private:
  const Forced* before_;
};

// The schedule that the kernel gets: that of the innermost scope, else that of the file that
// WEFT_SCHEDULE names, else the one that pays.
Schedule schedule_of(const nest::Kernel& k, const TargetInfo& target,
                     const std::vector<int64_t>& grid);
// The implementation that the innermost scope demands, else that of WEFT_IMPL (op=name,…), else
// null.
const Demand* demanded_implementation(const Op& op);

// Raises CompileError naming the entries of WEFT_SCHEDULE that no kernel of this process had. A
// process that does not ask is told when it ends, by the log.
void require_forced_schedules_used();

}  // namespace weft::compiler
