// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/device/distributed.h: the processes that run one program together: always exactly
// one.
#pragma once
#include <cstdint>

#include "weft/error.h"

namespace weft::distributed {

// Joins the processes that a program was started as. A mesh is confined to one process, so this
// does nothing and the program runs unchanged. Throws DeviceError if mpirun, srun or torchrun
// started several processes, because each of them would compute everything. Source:
// jax.distributed.initialize.
void init(typing::Location at = typing::Location::here());
// The index of this process: 0. Source: jax.process_index.
int64_t rank();
// The number of processes: 1. Source: jax.process_count.
int64_t size();

}  // namespace weft::distributed
