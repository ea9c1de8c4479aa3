// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/effects/traceback_test.cpp: with WEFT_TRACEBACK=1 errors show the functions of the user.
#include <cstdlib>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

[[gnu::noinline]] Array user_function_with_a_mistake(const Array& x) {
  const Array y = reshape(x, {7});
  return y + 1.;
}
[[gnu::noinline]] Array user_function_around_it(const Array& x) {
  const Array y = grad([](Array v) { return user_function_with_a_mistake(v).sum(); })(x);
  return y * 2.;
}

TEST_CASE("WEFT_TRACEBACK=1 shows the functions of the program", "[errors]") {
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) {
    WARN("skipped: addr2line is not installed, so only exported functions have names");
    return;
  }
  const auto text = [] { return error_of<ShapeError>([] { user_function_around_it(ones({3})); }); };
  CHECK(!holds(text(), "called from"));
  setenv("WEFT_TRACEBACK", "1", 1);
  const std::string shown = text();
  setenv("WEFT_TRACEBACK", "0", 1);
  CHECK(!holds(text(), "called from"));
  unsetenv("WEFT_TRACEBACK");
  INFO(shown);
  const size_t inner = shown.find("user_function_with_a_mistake(weft::Array const&)"),
               outer = shown.find("user_function_around_it(weft::Array const&)");
  CHECK(holds(shown, "(at traceback_test.cpp:"));
  CHECK(inner != std::string::npos);
  CHECK(outer != std::string::npos);
  CHECK(inner < outer);
  CHECK(!holds(shown, "weft::detail::"));
}
