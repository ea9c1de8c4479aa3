// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/environment_test.cpp: environment variables are parsed, and errors name the variable
// whose value is invalid.
#include "core/environment.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "weft/error.h"

using namespace weft;
using Catch::Contains;

namespace {

constexpr auto name = "WEFT_TEST_VARIABLE";
struct Set {
  explicit Set(const char* value) { setenv(name, value, 1); }
  ~Set() { unsetenv(name); }
};
std::string refusal(const char* value, bool number) {
  const Set variable(value);
  try {
    if (number)
      number_of_environment(name, 1, 4096);
    else
      switch_of_environment(name);
  } catch (const CompileError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("numbers of the environment", "[core][environment]") {
  CHECK_FALSE(number_of_environment(name, 1, 4096));
  const auto read = [](const char* value) {
    const Set variable(value);
    return number_of_environment(name, 1, 4096);
  };
  CHECK_FALSE(read(""));
  CHECK(read("1") == 1);
  CHECK(read("4096") == 4096);
  for (const char* wrong : {"abc", "4x", "x4", "-2", "0", "4097", "99999999999999999999", "1.5",
                            " 2", "2 ", "+2", "0x10"}) {
    INFO(wrong);
    CHECK_THAT(refusal(wrong, true), Contains("WEFT_TEST_VARIABLE is \"" + std::string(wrong) +
                                              "\"; choose a whole number from 1 to 4096"));
  }
}

TEST_CASE("switches of the environment", "[core][environment]") {
  CHECK_FALSE(switch_of_environment(name));
  CHECK(switch_of(name, nullptr, true));
  CHECK(switch_of(name, "", true));
  CHECK_FALSE(switch_of(name, "0", true));
  CHECK(switch_of(name, "1", false));
  for (const char* wrong : {"yes", "2", "true", "01", " 1"}) {
    INFO(wrong);
    CHECK_THAT(refusal(wrong, false),
               Contains("WEFT_TEST_VARIABLE is \"" + std::string(wrong) + "\"; choose 1 or 0"));
  }
}
