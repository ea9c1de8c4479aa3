// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/choose.h: chooses the fastest schedule for a kernel on a target.
#pragma once
#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/options.h"
#include "weft/jit/schedule/schedule.h"
#include "weft/jit/schedule/target.h"

namespace weft::compiler {

// The kernel must be well formed. The result passes verify().
Schedule choose_schedule(const nest::Kernel& k, const TargetInfo& target,
                         const Options& options = {});

}  // namespace weft::compiler
