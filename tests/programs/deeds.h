// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/deeds.h: what a program does besides giving results: the lines that it prints, the
// functions that it calls and the checks of it that fail (Kind::effect), compared as if they were
// results.
#pragma once
#include <iosfwd>
#include <sstream>

#include "programs/program.h"

namespace weft::programs {

struct Deed {
  int number;  // of the step
  DType dtype;
  double value;
};
struct Deeds {
  std::vector<Deed> printed, loose, failed;  // loose: without an order between lanes
  Deeds& operator+=(const Deeds& d) {
    printed.insert(printed.end(), d.printed.begin(), d.printed.end());
    loose.insert(loose.end(), d.loose.begin(), d.loose.end());
    failed.insert(failed.end(), d.failed.begin(), d.failed.end());
    return *this;
  }
};

// Runs a step of Kind::effect on x, as the program would.
Arrays act(const Step& s, const Array& x);
// By definition: at once, into `to` unless that is null.
Arrays act(const Step& s, const Array& x, Deeds* to);

// Gathers what programs do while it lives.
class Gathering {
 public:
  Gathering();
  ~Gathering();
  Gathering(const Gathering&) = delete;
  // `failure`: the text of the CheckError that ended the program, or empty.
  Deeds deeds(const std::string& failure) const;

 private:
  std::ostringstream text_;
  std::streambuf* cout_;
  std::vector<Deed> called_;
  std::vector<Deed>* before_;
};

// Always so many arrays. What is printed has an order; calls and what rules for maps print have
// none between lanes, so they stand by step and value. The last `arrays_of_a_failure` are of the
// first check that failed.
Arrays as_arrays(Deeds d);
constexpr size_t arrays_of_a_failure = 6;
// The results of a program of which a check fails.
Arrays no_results(const Fn& f);

}  // namespace weft::programs
