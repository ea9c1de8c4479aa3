// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/arg_reduction.h: reductions of pairs that are argmax or argmin.
#pragma once
#include <optional>

#include "interop/stablehlo/read/translate.h"

namespace weft::hlo {

// Returns the value and the position of the largest or smallest element along a long axis, if the
// reduction of these operands computes that. The operands are values, their positions, and the
// initial values of both. The body may have any form.
std::optional<Arrays> arg_reduction(Translator& t, const Op& op, const Arrays& x, int64_t axis);

}  // namespace weft::hlo
