// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/suite.h: suites of programs with known results, and what comes of a case.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft/tools/weft/command.h"
#include "weft/tracer/record_trace.h"

namespace weft::tools {

struct Verdict {
  enum class How { passed, failed, skipped };
  How how = How::passed;
  // Of the rule a file names and of the numeric rule, in suites that have both.
  bool numeric = false;
  // Beside those of the host; the worst of the programs that the case has.
  enum class Bits { not_compared, same, other_implementation };
  Bits bits = Bits::not_compared;
  std::string cause, text;
  double read = 0, trace = 0, compile = 0, run = 0, check = 0;  // seconds, see Stopwatch
  double seconds() const { return read + trace + compile + run + check; }
};
// For the pipe from a worker.
std::string to_text(const Verdict& v);
Verdict from_text(const std::string& s);

// The cause class of an error: "parse", "missing op", "rule missing", "compile", ….
std::string cause_of(const Error& e);
inline constexpr const char* wrong_result = "wrong result";

// Seconds of this process' processors, so that what else the machine does is left out.
class Stopwatch {
 public:
  double lap() {
    const double before = last_;
    last_ = now();
    return last_ - before;
  }

 private:
  static double now();
  double last_ = now();
};

// The results of a program for these arguments, compiled or by reference rules, where the options
// say; notes the times. OtherBits if they ask for a comparison and it fails.
Arrays results_of(const Closed& c, const Arrays& x, const ConformanceOptions& o, Verdict& v,
                  Stopwatch& watch);
struct OtherBits : Error {
  using Error::Error;
};

class Suite {
 public:
  virtual ~Suite() = default;
  virtual size_t size() const = 0;
  virtual const std::string& name(size_t i) const = 0;
  // Errors of Weft are for the caller to catch.
  virtual Verdict run(size_t i) = 0;
  // Tables for the end of the run; `which` are the cases that ran, verdicts[k] that of which[k].
  virtual std::string summary(const std::vector<size_t>& which,
                              const std::vector<Verdict>& verdicts) const = 0;
};
std::unique_ptr<Suite> jax_suite(const ConformanceOptions& o);
std::unique_ptr<Suite> stablehlo_suite(const ConformanceOptions& o);
std::unique_ptr<Suite> program_suite(const ConformanceOptions& o);

// Of a group of cases: how many passed, and the causes of the others.
struct Tally {
  int passed = 0, failed = 0, skipped = 0;
  std::map<std::string, int> causes;
  void add(const Verdict& v);
  int ran() const { return passed + failed; }
};
// "cause 3, other 1", the most frequent first.
std::string causes_text(const Tally& t);

}  // namespace weft::tools
