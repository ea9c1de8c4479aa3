// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/update_form.h: compares the two forms of an update. One copies the array and overwrites
// elements. The other searches the updates for each element that is read.
#pragma once
#include "jit/fuse/analysis.h"

namespace weft::compiler {

// Returns true if equation i is the last to read the variable, and reads it once. `last`: the last
// equation that reads a variable, the number of equations for results, -1 for what nothing reads.
bool is_last_use(const Program& p, const VarMap<int>& last, Atom a, size_t i);
// Returns true if v is a result, or becomes one through updates or loops.
bool ends_as_carry(const Program& p, const VarMap<int>& last, int32_t v);

// The costs of the updates of a program. Updates of one array, one after the other, need one copy
// of it. So the forms of all of them are compared together.
class UpdateForms {
 public:
  explicit UpdateForms(const Program& p);
  // Returns true if equation i has both forms and the copy costs less. `dies`: the memory of the
  // array may be overwritten, so nothing is copied.
  bool is_cheaper_as_update(size_t i, bool dies) const;

 private:
  // The costs of an equation and of the updates that follow it.
  struct Costs {
    double update = 0;  // it writes to the array, without the copy
    double search = 0;  // elements that are read search it
    double copy = 0;
    bool updates = false;
  };
  std::vector<Costs> costs_;  // by equation
};

}  // namespace weft::compiler
