// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/lapack.h: functions shared by the rules of the LAPACK calls that JAX
// writes on CPUs.
#pragma once
#include <string_view>

#include "interop/stablehlo/read/translate.h"

namespace weft::hlo::lapack {

// Raises FormatError if the number of operands is not n, or if the first operand has no matrices.
void require(Translator& t, const Op& op, const Arrays& x, size_t n);

// Returns an option: the number with this name in the call's dictionary. Raises FormatError if it
// is missing.
int64_t number(Translator& t, const Op& op, std::string_view name);
// The same for an option that is one of the letters `of`.
char letter(Translator& t, const Op& op, std::string_view name, std::string_view of);

// The state that LAPACK returns for each matrix: 0, or 1 if the last `axes` axes of `found` contain
// a NaN. NaN is how Weft's ops report that no result exists.
Array broken(const Array& found, int axes);

}  // namespace weft::hlo::lapack
