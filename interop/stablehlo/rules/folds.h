// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/folds.h: the bodies of one op that reductions and windows know.
#pragma once
#include "weft/interop/stablehlo/read/translate.h"

namespace weft::hlo {

struct Fold {
  Array (*over_axes)(const Arg&, const std::vector<int64_t>&) = nullptr;
  Array (*join)(const Arg&, const Arg&) = nullptr;
  Array (*running)(const Arg&, int64_t axis, bool reverse) = nullptr;  // may be absent
};
// By the op of the body ("stablehlo.add"); all null if there is none.
Fold fold_of(const std::string& op, DType d);
// Whether a constant scalar changes nothing when that op joins it to something.
bool is_neutral(const Array& init, const std::string& op);

}  // namespace weft::hlo
