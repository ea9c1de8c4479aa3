// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/command.h: the subcommands of weft. Each returns the exit code or throws weft::Error,
// which weft.cpp converts to an exit code.
#pragma once
#include <string>

#include "weft/error.h"

namespace weft::tools {

// Exit codes; a run that Ctrl-C ended has 130.
inline constexpr int ok = 0, failed = 1, bad_usage = 2, bad_file = 3, interrupted = 130;

// A mistake in the command line; exit code 2.
struct UsageError : Error {
  using Error::Error;
};

struct RunOptions {
  std::string program, apply = "f", inputs, out, device = "cpu", show;
  bool time = false;
};
int run_command(const RunOptions& o);

struct ConformanceOptions {
  std::string dir, filter, known, device = "cpu";
  bool stablehlo = false, programs = false, reference = false;
  bool bits = false;    // compare the bits on a device with the host
  int every = 1;        // run one of this many cases
  int jobs = 0;         // 0: one per core
  double seconds = 10;  // of CPU time per case
};
int conformance_command(const ConformanceOptions& o);

int info_command();

}  // namespace weft::tools
