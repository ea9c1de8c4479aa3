// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/programs/makers.cpp: which equation defines a variable.
#include "weft/core/programs/makers.h"

#include <algorithm>

#include "weft/core/ir.h"

namespace weft {

std::vector<size_t> makers(const JaxprData& j) {
  std::vector<size_t> r(j.types.size(), no_equation);
  for (size_t i = 0; i < j.eqns.size(); ++i)
    std::fill_n(r.begin() + j.eqns[i].out, j.eqns[i].n_out, i);
  return r;
}

}  // namespace weft
