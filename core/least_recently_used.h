// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/least_recently_used.h: the choice of the entries that a cache drops when it is too large.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft {

// Sorts the entries of a cache by their last use and returns the first ones. The others together
// have at most `limit` bytes. An Entry has the fields `used` (times of last uses have an order) and
// `bytes`.
template <class Entry>
std::span<const Entry> least_recently_used(std::vector<Entry>& entries, int64_t limit) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  int64_t bytes = 0;
  for (const Entry& e : entries) bytes += e.bytes;
  size_t n = 0;
  for (; n < entries.size() && bytes > limit; ++n) bytes -= entries[n].bytes;
  return {entries.data(), n};
}

}  // namespace weft
