// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/names/names.h: calls of public functions, each with its text.
#pragma once
#include "support/check.h"

namespace weft::test {

struct Named {
  const char* name;
  Array value;
};
// Checks that each call returns an array. The golden tests check the numbers.
inline void check_all(const std::vector<Named>& all) {
  for (const auto& [name, value] : all) {
    INFO(name);
    CHECK_FALSE(value.empty_handle());
    CHECK(value.block_until_ready().size() > 0);
  }
}
#define CALL(...) {#__VA_ARGS__, __VA_ARGS__}

}  // namespace weft::test
