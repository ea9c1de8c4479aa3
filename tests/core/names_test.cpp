// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/names_test.cpp: variable names, compared with those that JAX printed, and their
// parsing.
#include "core/text/names.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "weft/error.h"

using namespace weft;

TEST_CASE("variables are named as in JAX", "[core][names]") {
  // These names appeared in the output of jax.make_jaxpr (0.10.2).
  CHECK(variable_name(0) == "a");
  CHECK(variable_name(25) == "z");
  CHECK(variable_name(26) == "ba");
  CHECK(variable_name(60) == "ci");
  CHECK(variable_name(26 * 26 - 1) == "zz");
  CHECK(variable_name(26 * 26) == "baa");
  CHECK_THROWS_AS(variable_name(-1), InternalError);
}

TEST_CASE("variable names are read back", "[core][names]") {
  for (int64_t n = 0; n < 20000; ++n)
    if (parse_variable_name(variable_name(n)) != n) FAIL(n);
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    auto n = static_cast<int64_t>(random() >> (1 + i % 60));
    if (parse_variable_name(variable_name(n)) != n) FAIL(n);
  }
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(parse_variable_name(variable_name(most)) == most);
  for (const char* bad : {"", "aa", "ab", "A", "b1", "b_", "zzzzzzzzzzzzzzzzzz", "b "})
    CHECK(parse_variable_name(bad) == -1);
}
