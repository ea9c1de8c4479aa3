// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/work.h: estimates how many instructions the equations of a program take.
#pragma once
#include <optional>
#include <vector>

#include "core/loops/axis_classes.h"

namespace weft {

// The trips of a while, which the estimate does not know.
inline constexpr double trips_of_while = 16;
// The trips of a loop; 1 for a branch or a call.
double trips_of(const LoopForm& v);

class ProgramWork {
 public:
  explicit ProgramWork(const JaxprData& j) : j_(j), known_(j.eqns.size()) {}
  const Lowering& lowering(size_t i) { return known(i).lowering; }
  const Access& access(size_t i) { return known(i).access; }
  // The instructions of equation i, for all elements of its results.
  double of(size_t i);
  double of_all();
  // Returns true if equation i, or one of its programs, calls native code or writes to computed
  // places. A loop around it runs its steps as separate kernels.
  bool calls(size_t i);

 private:
  struct Known {
    Lowering lowering;
    Access access;
  };
  const Known& known(size_t i);

  const JaxprData& j_;
  std::vector<std::optional<Known>> known_;
};

// The elements of all results of an equation.
int64_t result_elements(const JaxprData& j, const Eqn& e);

}  // namespace weft
