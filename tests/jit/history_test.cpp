// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/history_test.cpp: the reasons for which a function is compiled again, and the warning
// if static values are the only reason.
#include "jit/history.h"

#include "support/standard_error.h"
#include "tests/support/catch.h"
#include "weft/weft.h"

using namespace weft;
using weft::detail::History;
using weft::test::logged;

namespace {

size_t warnings(const std::string& text) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find("because of static values alone", at)) != std::string::npos;
       ++at)
    ++n;
  return n;
}

struct Rate {
  double rate = 0;
  Array x;
};

}  // namespace

TEST_CASE("a function that static values compile a fifth time warns once and names them") {
  const auto f = jit([](Array x, double rate) { return x * rate; }, {.name = "step"});
  const std::string four = logged([&] {
    for (int i = 0; i < 4; ++i) f(ones({2}), 0.1 * i);
  });
  CHECK(warnings(four) == 0);
  const std::string more = logged([&] {
    for (int i = 4; i < 9; ++i) f(ones({2}), 0.5 * i);
  });
  CHECK(warnings(more) == 1);
  CHECK(more.find("jit 'step'") != std::string::npos);
  CHECK(more.find("args[1] was 0, 0.1, 0.2") != std::string::npos);
  CHECK(more.find("`Array rate`") != std::string::npos);
}

TEST_CASE("other shapes and recurring static values do not warn") {
  const auto f = jit([](Array x, double rate) { return x * rate; }, {.name = "shapes"});
  const std::string text = logged([&] {
    for (int64_t n = 1; n < 8; ++n)
      for (double rate : {0.1, 0.2}) f(ones({n}), rate);
  });
  CHECK(warnings(text) == 0);
}

TEST_CASE("the cause of a compilation") {
  History h;
  const Location here = {};
  const auto add = [&](const Shape& s, double rate) {
    const Rate r{rate, zeros(s)};
    return h.add("f", here, {Type(F32, s)}, tree::detail::skeleton(std::tuple{r}));
  };
  CHECK(add({2}, 0.5) == "first call, with f32[2]");
  CHECK(add({3}, 0.5) == "new types f32[3], before f32[2]");
  CHECK(add({3}, 0.75) == "static value args[0].rate is 0.75, was 0.5");
  CHECK(add({3}, 0.75) == "another context: mapped axes, device or options");
}
