// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/choose.h: chooses the fastest schedule for a kernel on a target.
#pragma once
#include "core/loops/nest.h"
#include "jit/schedule/options.h"
#include "jit/schedule/schedule.h"
#include "jit/schedule/target.h"

namespace weft::compiler {

// The kernel must be well formed. The result passes verify().
Schedule choose_schedule(const nest::Kernel& k, const TargetInfo& target,
                         const Options& options = {});

}  // namespace weft::compiler
