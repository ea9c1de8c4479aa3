// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/program.h: the programs that are measured: functions of one lane, with arguments
// for any number of lanes.
#pragma once
#include <weft/weft.h>

#include <functional>
#include <string>
#include <vector>

namespace weft::speed {

using Function = std::function<Arrays(const Arrays&)>;

struct Program {
  Function lane;
  typing::Types in;          // of one lane
  std::vector<bool> mapped;  // false: all lanes share this argument
  // The arguments of so many lanes. Mapped arguments have their lanes on axis 0.
  std::function<Arrays(int64_t lanes)> arguments;
};

// A program that is made when it is measured.
struct Source {
  std::string name;  // "function/wave", "module/jaxopt_osqp" or "random/17"
  std::function<Program()> make;
  // For a program with a size: the same program of another size. The work of a lane grows with at
  // most this power of the size.
  std::function<Program(int64_t size)> sized = {};
  int64_t size = 0;
  double power = 1;
};
using Sources = std::vector<Source>;

// The kinds of functions that examples/ and benchmarks/programs.h have.
Sources functions();
// The StableHLO modules of a folder with one folder for each program: one.mlir, which meta.json's
// `apply` maps, or whole.mlir, which is then a lane itself. in.npz has the arguments. Throws
// FormatError if the folder cannot be read.
Sources modules(const std::string& dir);
// The first `count` random programs of tests/programs without effects, from that number on.
Sources random_programs(uint64_t from, int64_t count);

}  // namespace weft::speed
