// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/build.h: what tests have to know of the build.
#pragma once
#include <dlfcn.h>

namespace weft::test {

// Whether the library is compiled for the sanitizer of addresses, or for one; tests may be without.
inline const bool with_red_zones = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
inline const bool sanitized = with_red_zones || dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;

// Whether it verifies what it traces: it has assertions then, as it has for sanitizers.
#ifdef NDEBUG
inline const bool verifies = sanitized;
#else
inline const bool verifies = true;
#endif

}  // namespace weft::test
