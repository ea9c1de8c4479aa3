// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/least_recently_used_test.cpp: the choice of the entries that a cache drops
// (core/least_recently_used.h).
#include "core/least_recently_used.h"

#include "support/catch.h"

using namespace weft;

namespace {
struct Entry {
  int used;
  int64_t bytes;
};
std::vector<int> dropped(std::vector<Entry> entries, int64_t limit) {
  std::vector<int> r;
  for (const Entry& e : least_recently_used(entries, limit)) r.push_back(e.used);
  return r;
}
}  // namespace

TEST_CASE("a cache drops its oldest entries until the others fit the limit", "[cache]") {
  const std::vector<Entry> entries{{3, 30}, {1, 10}, {4, 40}, {2, 20}};
  CHECK(dropped(entries, 100) == std::vector<int>{});
  CHECK(dropped(entries, 99) == std::vector<int>{1});
  CHECK(dropped(entries, 90) == std::vector<int>{1});
  CHECK(dropped(entries, 70) == std::vector<int>{1, 2});
  CHECK(dropped(entries, 39) == std::vector<int>{1, 2, 3, 4});
  CHECK(dropped({}, 0) == std::vector<int>{});
}
