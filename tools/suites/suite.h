// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/suite.h: suites of programs with known results, and the verdict of a case.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/weft/command.h"
#include "tracer/record_trace.h"

namespace weft::tools {

struct Verdict {
  enum class How { passed, failed, skipped };
  How how = How::passed;
  // True if the results also pass the numeric rule, in suites whose files have their own rules.
  bool numeric = false;
  // Comparison with the host's bits; the worst over the programs of the case.
  enum class Bits { not_compared, same, other_implementation };
  Bits bits = Bits::not_compared;
  std::string cause, text;
  double read = 0, trace = 0, compile = 0, run = 0, check = 0;  // seconds, see Stopwatch
  double seconds() const { return read + trace + compile + run + check; }
};
// Serialization for the pipe from a worker.
std::string to_text(const Verdict& v);
Verdict from_text(const std::string& s);

// The cause class of an error: "parse", "missing op", "rule missing", "compile", ….
std::string cause_of(const Error& e);
inline constexpr const char* wrong_result = "wrong result";

// CPU seconds of this process, so that other load on the machine does not count.
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

// The results of a program for these arguments, compiled or by reference rules as the options
// select. Records the times. Throws OtherBits if the options request a comparison of bits and it
// fails.
Arrays results_of(const ClosedJaxpr& c, const Arrays& x, const ConformanceOptions& o, Verdict& v,
                  Stopwatch& watch);
struct OtherBits : Error {
  using Error::Error;
};

class Suite {
 public:
  virtual ~Suite() = default;
  virtual size_t size() const = 0;
  virtual const std::string& name(size_t i) const = 0;
  // Lets errors of Weft propagate to the caller.
  virtual Verdict run(size_t i) = 0;
  // Tables for the end of the run; `which` are the cases that ran, and verdicts[k] belongs to
  // which[k].
  virtual std::string summary(const std::vector<size_t>& which,
                              const std::vector<Verdict>& verdicts) const = 0;
};
std::unique_ptr<Suite> jax_suite(const ConformanceOptions& o);
std::unique_ptr<Suite> stablehlo_suite(const ConformanceOptions& o);
std::unique_ptr<Suite> program_suite(const ConformanceOptions& o);

// Statistics of a group of cases: how many passed, and the causes of failures.
struct Tally {
  int passed = 0, failed = 0, skipped = 0;
  std::map<std::string, int> causes;
  void add(const Verdict& v);
  int ran() const { return passed + failed; }
};
// "cause 3, other 1", the most frequent first.
std::string causes_text(const Tally& t);

}  // namespace weft::tools
