// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/lapack.h: what the calls of LAPACK that JAX writes on CPUs have in
// common.
#pragma once
#include <string_view>

#include "weft/interop/stablehlo/read/translate.h"

namespace weft::hlo::lapack {

// FormatError for another number of operands, or a first one that holds no matrices.
void require(Translator& t, const Op& op, const Arrays& x, size_t n);

// An option: a number of this name in the call's dictionary; FormatError if there is none.
int64_t number(Translator& t, const Op& op, std::string_view name);
// The same as one of these letters.
char letter(Translator& t, const Op& op, std::string_view name, std::string_view of);

// What LAPACK returns besides: 0 for each matrix, or 1 where a number on the last `axes` axes of
// what was found is NaN, which is how ours say that there is nothing to be found.
Array broken(const Array& found, int axes);

}  // namespace weft::hlo::lapack
