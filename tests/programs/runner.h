// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/runner.h: checks programs in other processes, so that a crash or a hang is
// reported like other failures. The process that calls these functions runs no program itself.
#pragma once
#include <map>

#include "programs/oracles.h"
#include "support/build.h"

namespace weft::programs {

struct Tally {
  uint64_t next = 0;  // the number after the last program
  std::map<Verdict::Kind, int64_t> count;
  struct Failure {
    uint64_t seed;
    Verdict verdict;
    int stack = -1;
  };
  std::vector<Failure> failures;
};
// The seconds after which a program counts as hanging. Some programs compile for more than ten
// seconds if every access is tested.
inline const double patience = test::sanitized ? 160 : 60;
struct Range {
  uint64_t from = 0, to = 0;
  int jobs = 2;
  double seconds = 0;        // no new programs start after this time (0: no limit)
  double each = patience;    // seconds until a program counts as hanging
  size_t max_failures = 20;  // stop after this many
  // How many stacks of each program's function JAX runs; 0: the program itself, without JAX.
  int stacks = 0;
};
Tally check_range(const Range& r);

// Checks one program in a new process. If the verdict is not fine, `text` gets its description.
Verdict check_one(const Program& p, const Checking& how, double seconds,
                  std::string* text = nullptr);

}  // namespace weft::programs
