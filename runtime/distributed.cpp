// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/distributed.cpp: detects whether a launcher started several processes.
#include "weft/device/distributed.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/ir.h"

namespace weft::distributed {

void init(Location at) {
  const ir::SourceScope source(at);
  // The variables through which OpenMPI, MPICH, srun and torchrun tell a process the number of
  // processes.
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "WORLD_SIZE"}) {
    const char* value = std::getenv(name);
    if (value && std::atoll(value) > 1)
      throw DeviceError(fmt::format(
          "distributed::init: this is one of {} processes ({}), and Weft runs programs of one: a "
          "Mesh has its lanes in it. Start the program once",
          value, name));
  }
}
int64_t rank() { return 0; }
int64_t size() { return 1; }

}  // namespace weft::distributed
