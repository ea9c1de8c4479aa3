// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/command.h: the subcommands of weft. Each returns the exit code or raises weft::Error,
// which weft.cpp turns into one.
#pragma once
#include <string>

#include "weft/core/error.h"

namespace weft::tools {

// Exit codes: also 130 for a run that Ctrl-C ended.
inline constexpr int ok = 0, failed = 1, bad_usage = 2, bad_file = 3, interrupted = 130;

// A mistake in how the command was called; exit code 2.
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
  bool bits = false;    // compare a device with the host
  int every = 1;        // one case of so many
  int jobs = 0;         // 0: one a core
  double seconds = 10;  // of the processor for one case
};
int conformance_command(const ConformanceOptions& o);

int info_command();

}  // namespace weft::tools
