// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/effects.h: the effects of a program (Kind::effect), which are compared as if they
// were results. They are the lines that it prints, the functions that it calls and its checks that
// fail.
#pragma once
#include <iosfwd>
#include <sstream>

#include "programs/program.h"

namespace weft::programs {

struct EffectRecord {
  int number;  // of the step
  DType dtype;
  double value;
};
struct EffectRecords {
  std::vector<EffectRecord> printed, loose, failed;  // loose: not ordered between lanes
  EffectRecords& operator+=(const EffectRecords& d) {
    printed.insert(printed.end(), d.printed.begin(), d.printed.end());
    loose.insert(loose.end(), d.loose.begin(), d.loose.end());
    failed.insert(failed.end(), d.failed.begin(), d.failed.end());
    return *this;
  }
};

// Runs a step of Kind::effect on x, as the program would.
Arrays act(const Step& s, const Array& x);
// Runs the step by definition: it takes effect immediately, in `to` unless that is null.
Arrays act(const Step& s, const Array& x, EffectRecords* to);

// Collects the effects of programs during its lifetime.
class EffectCollector {
 public:
  EffectCollector();
  ~EffectCollector();
  EffectCollector(const EffectCollector&) = delete;
  // `failure` is the text of the CheckError that ended the program, or empty.
  EffectRecords records(const std::string& failure) const;

 private:
  std::ostringstream text_;
  std::streambuf* cout_;
  std::vector<EffectRecord> called_;
  std::vector<EffectRecord>* before_;
};

// Returns the effects as a fixed number of arrays. Prints are ordered. Calls and the prints of vmap
// rules have no order between lanes, so that they are sorted by step and value. The last
// `arrays_of_a_failure` arrays describe the first check that failed.
Arrays as_arrays(EffectRecords d);
constexpr size_t arrays_of_a_failure = 6;
// Returns the results of a program in which a check fails.
Arrays no_results(const Fn& f);

}  // namespace weft::programs
