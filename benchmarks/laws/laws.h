// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/laws.h: the laws of speed, and what a program's measurements say about them.
#pragma once
#include <set>

#include "benchmarks/laws/measure.h"

namespace weft::speed {

struct Law {
  const char* name;
  const char* what;
  double limit;  // of the ratio of two times
};
// docs/testing.md describes them.
inline constexpr Law all_laws[] = {
    {"map", "vmap(f) beside lax::map(f)", 1.05},
    {"chunk", "vmap(f) beside vmap(f) with .chunk_size", 1.05},
    {"together", "one jit beside one for each part", 1.05},
    {"flat", "a lane beside a lane, from 1,000 to 1,000,000 lanes", 1.15},
    {"sizes", "sizes 2^n - 1, 2^n and 2^n + 1 beside one another", 1.15},
};

// A program that may follow others.
struct Partner {
  std::string name;
  Program program;
};
struct Settings {
  std::set<std::string> laws;        // names
  int64_t bytes = int64_t{1} << 30;  // the most memory of a call
  std::vector<Partner> partners = {};
};

// One comparison. It breaks the law if the whole interval is beyond the limit.
struct Finding {
  std::string program;
  const Law* law = nullptr;
  std::string what;
  Comparison times;
  std::string lockstep;  // why its loops run in lockstep, if the law is broken
  bool broken() const { return times.decided() && times.ratio.low > law->limit; }
};
struct Measured {
  std::vector<Finding> findings;
  std::vector<std::string> refused;  // "program, law: the error"
};

// Measures one program for about so many seconds.
Measured measure(const Source& source, const Settings& settings, double seconds);
// The same in a new process, so that a crash or a hang is reported and the memory is freed. The
// process that calls it must not have run a compiled program.
Measured measure_apart(const Source& source, const Settings& settings, double seconds);

}  // namespace weft::speed
