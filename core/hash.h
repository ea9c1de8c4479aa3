// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/hash.h: hashes of lists and of the fields of structs, for the keys of tables.
#pragma once
#include <cstddef>
#include <functional>

namespace weft {

// The hash of a sequence that has the hash h and is continued by an element with the hash x.
inline size_t mix_hash(size_t h, size_t x) {
  return (h ^ (x + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2))) * 0x100000001b3ULL;
}

// The hash of a value: its own function hash(), that of the standard library, or that of a list's
// elements.
template <class T>
size_t hash_value(const T& x) {
  if constexpr (requires { x.hash(); }) {
    return x.hash();
  } else if constexpr (requires { std::hash<T>()(x); }) {
    return std::hash<T>()(x);
  } else {
    size_t h = x.size();
    for (const auto& element : x) h = mix_hash(h, hash_value(element));
    return h;
  }
}

// The hash of these fields of a struct, in their order.
template <class... T>
size_t hash_fields(const T&... fields) {
  size_t h = 0;
  ((h = mix_hash(h, hash_value(fields))), ...);
  return h;
}

}  // namespace weft
