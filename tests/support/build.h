// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/build.h: what tests have to know of the build.
#pragma once
#include <cstdint>

namespace weft::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// How many of n alike programs are compiled. The thread sanitizer makes compiling twenty times as
// slow, and each of them crosses threads in the same places.
#ifdef __SANITIZE_THREAD__
constexpr uint32_t programs_of(uint32_t n) { return n / 5; }
#else
constexpr uint32_t programs_of(uint32_t n) { return n; }
#endif

}  // namespace weft::test
