// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/runner.h: programs judged in processes of their own, so that one that crashes or
// hangs is a finding like others. The process that calls these runs no program itself.
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
// Seconds until a program counts as hanging. Some compile for more than ten where every access is
// tested.
inline const double patience = test::sanitized ? 160 : 60;
struct Range {
  uint64_t from = 0, to = 0;
  int jobs = 2;
  double seconds = 0;         // stop asking for new ones then (0: never)
  double each = patience;     // seconds until a program counts as hanging
  size_t most_failures = 20;  // stop then
  int stacks = 0;  // that JAX is asked of each program's function; 0: the program itself, not JAX
};
Tally judge(const Range& r);

// One program in a process of its own. `text` gets its description if it is not fine.
Verdict judge_one(const Program& p, const Checking& how, double seconds,
                  std::string* text = nullptr);

}  // namespace weft::programs
