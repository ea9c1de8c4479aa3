// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/precompiled.h: the precompiled header of the tests. The templates that nearly all
// tests instantiate are compiled once, together with main(): they were two fifths of the code of
// all tests. Every test still includes all that it uses, because `./dev check` compiles without
// this header.
#include <weft/weft.h>

#include "support/catch.h"

#ifndef WEFT_SHARED_TEMPLATE
#define WEFT_SHARED_TEMPLATE extern template
#endif
WEFT_SHARED_TEMPLATE class std::basic_string<char>;
WEFT_SHARED_TEMPLATE class std::vector<bool>;
WEFT_SHARED_TEMPLATE class std::vector<float>;
WEFT_SHARED_TEMPLATE class std::vector<double>;
WEFT_SHARED_TEMPLATE class std::vector<int64_t>;
WEFT_SHARED_TEMPLATE class std::vector<uint64_t>;
WEFT_SHARED_TEMPLATE class std::vector<std::string>;
WEFT_SHARED_TEMPLATE class std::vector<weft::Array>;
WEFT_SHARED_TEMPLATE class std::vector<const weft::Array*>;
WEFT_SHARED_TEMPLATE class std::vector<weft::Axes>;
WEFT_SHARED_TEMPLATE class std::vector<weft::Nested>;
WEFT_SHARED_TEMPLATE class std::vector<weft::Type>;
WEFT_SHARED_TEMPLATE class std::vector<weft::tree::detail::Skeleton>;
