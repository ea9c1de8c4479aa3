// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/distributed.h: the processes that run one program together. There is one.
#pragma once
#include <cstdint>

#include "weft/core/error.h"

namespace weft::distributed {

// Joins the processes that a program was started as. A mesh is of one process, so there is nobody
// to join, and a program that calls this runs as it is. DeviceError where it was started as one of
// several, by mpirun, srun or torchrun: each of them would compute everything. Source:
// jax.distributed.initialize.
void init(typing::Location at = typing::Location::here());
// The number of this process: 0. Source: jax.process_index.
int64_t rank();
// The number of processes: 1. Source: jax.process_count.
int64_t size();

}  // namespace weft::distributed
