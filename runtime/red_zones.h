// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/red_zones.h: in builds with the address sanitizer, a poisoned zone after each value. In
// other builds there are no zones and the functions do nothing.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_RED_ZONES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_RED_ZONES 1
#endif
#endif
#ifdef WEFT_RED_ZONES
#include <sanitizer/asan_interface.h>
#endif

namespace weft {

#ifdef WEFT_RED_ZONES
inline constexpr int64_t red_zone = 64;  // bytes per zone
inline void forbid(const void* from, int64_t bytes) {
  __asan_poison_memory_region(from, static_cast<size_t>(bytes));
}
inline void permit(const void* from, int64_t bytes) {
  __asan_unpoison_memory_region(from, static_cast<size_t>(bytes));
}
// The address of the first poisoned byte; nullptr if all bytes may be accessed.
inline const void* forbidden_in(const void* from, int64_t bytes) {
  return __asan_region_is_poisoned(const_cast<void*>(from), static_cast<size_t>(bytes));
}
#else
inline constexpr int64_t red_zone = 0;
inline void forbid(const void*, int64_t) {}
inline void permit(const void*, int64_t) {}
inline const void* forbidden_in(const void*, int64_t) { return nullptr; }
#endif

// The bytes of a value in a block that several values share: whole cache lines, and the red zone.
constexpr int64_t padded_bytes(int64_t bytes) { return ((bytes + 63) & ~int64_t{63}) + red_zone; }
// Makes `bytes` bytes from `at` accessible and poisons the rest of the `padded` bytes.
inline void forbid_rest(const std::byte* at, int64_t bytes, int64_t padded) {
  permit(at, bytes);
  forbid(at + bytes, padded - bytes);
}

}  // namespace weft
