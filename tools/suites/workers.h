// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/workers.h: tasks done by forked processes, so that a crash or a hang ends one task
// alone.
#pragma once
#include <cstddef>
#include <string>

#include "weft/core/ir.h"
#include "weft/core/ref.h"

namespace weft::tools {

struct Outcome {
  enum class How { done, crashed, timed_out };
  How how = How::done;
  std::string answer;  // what the task returned, or how its process ended
};

// What a task may take: seconds of its processor, which a busy machine does not use up, and of the
// clock, for those that wait for ever.
struct TaskLimits {
  double processor, clock;
};

// work(i) in one of `jobs` processes for each i < n; `done` is called here, in the order in which
// they finish. The caller must have no thread that holds a lock.
void run_in_workers(size_t n, int jobs, const TaskLimits& limits,
                    FunctionRef<std::string(size_t)> work,
                    FunctionRef<void(size_t, const Outcome&)> done);

}  // namespace weft::tools
