// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/standard.h: requirements on compiler flags, checked before any other header
// is read (docs/decisions/0048).
#pragma once
#if __cplusplus < 202002L
#error \
    "Weft needs C++20: compile with -std=c++20, or target_compile_features(TARGET PRIVATE cxx_std_20) in CMake"
#include <weft, which needs -std=c++20>  // not there: nothing else is compiled
#endif
#ifdef _GLIBCXX_DEBUG
#ifdef _GLIBCXX_RELEASE  // a standard header came first and has used the macro
#error \
    "Weft is compiled without _GLIBCXX_DEBUG, which has made std::vector another type: include <weft/weft.h> before standard headers, or take -D_GLIBCXX_ASSERTIONS"
#include <weft, which needs no -D_GLIBCXX_DEBUG>  // not there: nothing else is compiled
#endif
#pragma message( \
    "Weft is compiled without _GLIBCXX_DEBUG, so this file is, too, with _GLIBCXX_ASSERTIONS in its place")
#undef _GLIBCXX_DEBUG
#undef _GLIBCXX_DEBUG_PEDANTIC
#ifndef _GLIBCXX_ASSERTIONS
#define _GLIBCXX_ASSERTIONS 1
#endif
#endif
