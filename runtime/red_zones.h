// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/red_zones.h: in builds with the address sanitizer, memory behind a value that nothing may
// touch. In all others there are none, and the functions are empty.
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
inline constexpr int64_t red_zone = 64;  // bytes of one
inline void forbid(const void* from, int64_t bytes) {
  __asan_poison_memory_region(from, static_cast<size_t>(bytes));
}
inline void permit(const void* from, int64_t bytes) {
  __asan_unpoison_memory_region(from, static_cast<size_t>(bytes));
}
// The first byte that may not be touched; nullptr: all may be.
inline const void* forbidden_in(const void* from, int64_t bytes) {
  return __asan_region_is_poisoned(const_cast<void*>(from), static_cast<size_t>(bytes));
}
#else
inline constexpr int64_t red_zone = 0;
inline void forbid(const void*, int64_t) {}
inline void permit(const void*, int64_t) {}
inline const void* forbidden_in(const void*, int64_t) { return nullptr; }
#endif

// What a value takes of memory that several share: whole cache lines, and its red zone.
constexpr int64_t room_of(int64_t bytes) { return ((bytes + 63) & ~int64_t{63}) + red_zone; }
// The room of a value of so many bytes that begins at `at`, for those who touch its bytes only.
inline void forbid_rest(const std::byte* at, int64_t bytes, int64_t room) {
  permit(at, bytes);
  forbid(at + bytes, room - bytes);
}

}  // namespace weft
