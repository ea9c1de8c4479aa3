// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/build.h: properties of the build that tests depend on.
#pragma once
#include <dlfcn.h>

namespace weft::test {

// True if the library is compiled with AddressSanitizer, or with either sanitizer. The tests
// themselves may be compiled without.
inline const bool with_red_zones = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
inline const bool sanitized = with_red_zones || dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;

// True if the library verifies the programs it traces: it does so with assertions and under
// sanitizers.
#ifdef NDEBUG
inline const bool verifies = sanitized;
#else
inline const bool verifies = true;
#endif

}  // namespace weft::test
