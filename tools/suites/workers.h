// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/workers.h: runs tasks in forked processes, so that a crash or a hang affects only
// one task.
#pragma once
#include <cstddef>
#include <string>

#include "core/ir.h"
#include "weft/detail/ref.h"

namespace weft::tools {

struct Outcome {
  enum class How { done, crashed, timed_out };
  How how = How::done;
  std::string answer;  // what the task returned, or how its process ended
};

// The limits of a task: CPU seconds, which do not depend on other load, and wall-clock seconds, for
// tasks that hang.
struct TaskLimits {
  double processor, clock;
};

// Runs work(i) in one of `jobs` processes for each i < n. `done` is called in this process, in the
// order of completion. No other thread of the caller may hold a lock.
void run_in_workers(size_t n, int jobs, const TaskLimits& limits,
                    FunctionRef<std::string(size_t)> work,
                    FunctionRef<void(size_t, const Outcome&)> done);

}  // namespace weft::tools
