// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/defining_eqns.cpp: which equation defines a variable.
#include "core/defining_eqns.h"

#include <algorithm>

#include "core/ir.h"

namespace weft {

std::vector<size_t> defining_eqns(const JaxprData& j) {
  std::vector<size_t> r(j.types.size(), no_equation);
  for (size_t i = 0; i < j.eqns.size(); ++i)
    std::fill_n(r.begin() + j.eqns[i].out, j.eqns[i].n_out, i);
  return r;
}

}  // namespace weft
