// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/update_form.h: compares the two forms of an update. One copies the array and overwrites
// elements. The other searches the updates for each element that is read.
#pragma once
#include "jit/fuse/analysis.h"

namespace weft::compiler {

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
