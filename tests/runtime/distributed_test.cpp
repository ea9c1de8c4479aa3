// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/distributed_test.cpp: a program of one process, and the environment that launchers
// of several processes set.
#include <cstdlib>

#include "support/check.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

TEST_CASE("one process is the whole program", "[distributed]") {
  distributed::init();
  CHECK(distributed::rank() == 0);
  CHECK(distributed::size() == 1);
}

TEST_CASE("a process of several processes raises", "[distributed]") {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "WORLD_SIZE"}) {
    setenv(name, "1", 1);
    CHECK_NOTHROW(distributed::init());
    setenv(name, "4", 1);
    check_error<DeviceError>([] { distributed::init(); },
                             std::string("this is one of 4 processes (") + name + ")");
    unsetenv(name);
  }
}
