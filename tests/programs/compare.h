// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/compare.h: compares results, either to the bit or up to rounding. The program
// itself shows how much rounding changes its results.
#pragma once
#include "programs/program.h"

namespace weft::programs {

// Returns the distance from 1 to the next larger number.
double ulp_of(DType d);
// Returns that distance for the narrowest float dtype of a program.
double widest_ulp(const Fn& f);

// Returns "" if a equals b to the bit. Any NaN equals any other.
std::string bits_differ(const Arrays& a, const Arrays& b);

// The results of a program by definition, and how far rounding moves them.
class Expected {
 public:
  Expected(const Fn& f, Arrays x, uint64_t seed);
  const Arrays& values() const { return values_; }
  // Returns "" if they agree up to rounding. If simple tolerances fail, the program runs again with
  // noise.
  std::string differs(const Arrays& got);
  // Returns true if a check fails. The program then has no results.
  bool fails() const;
  struct Magnitudes {
    bool infinite = false;  // some value, or the slope of an operation, is infinite or NaN
    double largest = 0;     // of the finite values, in derivatives too
  };
  const Magnitudes& magnitudes();
  // Returns true if rounding explained a difference beyond the tolerances.
  bool ill() const { return ill_; }

 private:
  void spread();
  Arrays by_definition(Random* noise) const;
  // Returns true if rounding changes the number of effects (effects.h).
  bool turns_otherwise(size_t k);
  const Fn& f_;
  Arrays x_, values_;
  uint64_t seed_;
  bool acts_;
  std::vector<Arrays> noisy_;
  double unmeasured_ = 0;  // the rounding in derivatives, to which no noise is added
  bool spread_ = false, ill_ = false;
  std::optional<Magnitudes> magnitudes_;
};

}  // namespace weft::programs
