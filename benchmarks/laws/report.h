// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/report.h: the results as text and as JSON.
#pragma once
#include <string>

#include "benchmarks/laws/laws.h"

namespace weft::speed {

struct Run {
  Measured measured;
  std::vector<std::string> laws;     // the names of those measured
  size_t programs = 0, skipped = 0;  // skipped: the time was over before they began
  double seconds = 0, most_seconds = 0;
};

// All comparisons as JSON, and the reverse.
std::string to_text(const Measured& m);
Measured from_text(const std::string& text);

size_t count_broken(const Run& r);
// One line for each broken law, the largest ratio first; then a summary for each law.
std::string report_text(const Run& r);
std::string report_json(const Run& r);

}  // namespace weft::speed
