// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/folds.h: the bodies of one op that the rules of reductions and windows
// recognize.
#pragma once
#include "interop/stablehlo/read/translate.h"

namespace weft::hlo {

struct Fold {
  Array (*over_axes)(const Arg&, const std::vector<int64_t>&) = nullptr;
  Array (*join)(const Arg&, const Arg&) = nullptr;
  Array (*running)(const Arg&, int64_t axis, bool reverse) = nullptr;  // may be null
};
// Returns the functions for the op of a body, such as "stablehlo.add". All are null if the op is
// not recognized.
Fold fold_of(const std::string& op, DType d);
// Returns true if joining this constant scalar to any value by that op leaves the value unchanged.
bool is_neutral(const Array& init, const std::string& op);

}  // namespace weft::hlo
