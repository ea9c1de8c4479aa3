// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/build.h: what tests have to know of the build.
#pragma once

namespace weft::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace weft::test
