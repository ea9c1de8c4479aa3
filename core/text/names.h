// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/names.h: the names of a program's variables, as JAX prints them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// a, b, …, z, ba, bb, …, zz, baa, …: n in base 26 with a for zero. n is not negative.
std::string variable_name(int64_t n);
// The number of such a name, or -1 if the text is not one (empty, other characters, a leading a as
// in "ab", or beyond int64).
int64_t parse_variable_name(std::string_view name);

}  // namespace weft
