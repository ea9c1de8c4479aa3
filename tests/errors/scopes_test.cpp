// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/scopes_test.cpp: names of scopes in errors and reports.
#include <thread>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

void mistake() { (void)(zeros({2}) + zeros({3})); }

Array layer(const std::string& name, Array x) {
  const named_scope scope(name);
  return dot(ones({4, 4}), tanh(x));
}

}  // namespace

TEST_CASE("errors name the scope beside the line", "[errors][scopes]") {
  const named_scope network("network");
  {
    const named_scope first("first"), unnamed("");
    CHECK(holds(error_of<Error>(mistake), "in network/first)"));
    std::string elsewhere;
    std::thread([&] { elsewhere = error_of<Error>(mistake); }).join();
    CHECK(!holds(elsewhere, " in network"));
  }
  CHECK(holds(error_of<Error>(mistake), "in network)"));
}

TEST_CASE("equations of derivatives keep the scope of the differentiated operation",
          "[errors][scopes]") {
  const auto f = [](Array x) {
    const named_scope scope("loop");
    return while_loop([](Array c) { return c < 9; }, [](Array c) { return c * c; }, x);
  };
  const std::string text = error_of<Error>([&] {
    const named_scope scope("training");
    grad([&](Array x) { return f(x); })(2.);
  });
  CHECK(holds(text, "max_trips"));
  CHECK(holds(text, "scopes_test.cpp"));
  CHECK(holds(text, "in training/loop)"));
}

TEST_CASE("reports name the scopes of each step", "[errors][scopes]") {
  const auto f = [](Array x) {
    const Array y = layer("first", x);
    const named_scope scope("rest");
    return cond(
        y.sum() > 0, [](Array v) { return layer("second", v); }, [](Array v) { return v; }, y);
  };
  const std::string report = jit(f).lower(ones({4})).report();
  INFO(report);
  CHECK(holds(report, "of first"));
  CHECK(holds(report, "rest/second"));
  CHECK(!holds(jit([](Array x) { return tanh(x); }).lower(ones({4})).report(), ", of "));
}

TEST_CASE("a scope changes no program", "[errors][scopes]") {
  const auto f = [](Array x) { return tanh(x) * 2; };
  const auto g = [](Array x) {
    const named_scope scope("g");
    return tanh(x) * 2;
  };
  const std::string a = to_string(make_jaxpr(f)(ones({3}))),
                    b = to_string(make_jaxpr(g)(ones({3})));
  CHECK(a == b);
  CHECK(array_equal(jit(f)(ones({3})), jit(g)(ones({3}))));
}
