// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/compare.h: whether results agree: to the bit, or but for rounding, of which the
// program itself says how much it does.
#pragma once
#include "programs/program.h"

namespace weft::programs {

// How far 1 is from the next number.
double ulp_of(DType d);
// That of the narrowest floats of a program.
double widest_ulp(const Fn& f);

// "" if a is b to the bit (one NaN is as good as another).
std::string bits_differ(const Arrays& a, const Arrays& b);

// What a program computes by definition, and how far rounding moves it.
class Expected {
 public:
  Expected(const Fn& f, Arrays x, uint64_t seed);
  const Arrays& values() const { return values_; }
  // "" if they agree but for rounding. Where simple tolerances do not hold, the program is run with
  // noise.
  std::string differs(const Arrays& got);
  // Whether a check fails. Then there are no results.
  bool fails() const;
  // Whether some value, or the slope of an operation, is infinite or NaN.
  bool infinite();
  // Whether rounding explained what tolerances did not.
  bool ill() const { return ill_; }

 private:
  void spread();
  Arrays by_definition(Random* noise) const;
  // Whether rounding changes how much there is of what is done (deeds.h).
  bool turns_otherwise(size_t k);
  const Fn& f_;
  Arrays x_, values_;
  uint64_t seed_;
  bool acts_;
  std::vector<Arrays> noisy_;
  double unmeasured_ = 0;  // the rounding within derivatives, where nothing is noisy
  bool spread_ = false, ill_ = false;
  std::optional<bool> infinite_;
};

}  // namespace weft::programs
