// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tracer/parse_jaxpr_test.cpp: prints traced programs, parses them, and runs the result.
#include <sstream>

#include "tests/support/catch.h"
#include "tracer/concrete.h"
#include "weft/error.h"
#include "weft/make_jaxpr.h"

using namespace weft;

namespace {

Array vector(std::vector<float> v) {
  return array_of_bytes(Type(F32, {static_cast<int64_t>(v.size())}), v.data());
}

}  // namespace

TEST_CASE("a traced program prints, is read back and runs", "[tracer][make_jaxpr]") {
  const Array c = vector({1, 2, 3});
  const auto f = [&](const Array& x) { return (x + c) * x; };
  const ClosedJaxpr j = make_jaxpr(f)(vector({4, 5, 6}));
  const std::string text =
      "{ lambda a:f32[3]; b:f32[3]. let\n    c:f32[3] = add b a\n    d:f32[3] = mul c b\n  in (d,) "
      "}";
  CHECK(to_string(j) == text);
  std::ostringstream out;
  out << j;
  CHECK(out.str() == text);
  const ClosedJaxpr back = parse_jaxpr(text, {c});
  CHECK((back.jaxpr == j.jaxpr));
  CHECK(to_string(back.in_types()) == "f32[3]");
  CHECK(to_string(back.out_types()) == "f32[3]");
  CHECK(eval_jaxpr(back, {vector({4, 5, 6})})[0].to_vector<float>() ==
        std::vector<float>{20, 35, 54});
}

TEST_CASE("constants of a text must be given", "[tracer][make_jaxpr]") {
  const std::string text = "{ lambda a:f32[3]; . let  in (a,) }";
  CHECK_THROWS_WITH(
      parse_jaxpr(text),
      Catch::StartsWith(
          "parse_jaxpr: the program has 1 constant, whose values its text does not hold; "
          "got 0. Pass them as parse_jaxpr(text, {…}) (at parse_jaxpr_test.cpp:"));
  CHECK_THROWS_WITH(parse_jaxpr(text, {vector({1})}),
                    Catch::StartsWith("parse_jaxpr: constant 0 must be f32[3], got f32[1] (at "));
  CHECK_THROWS_AS(parse_jaxpr("{ lambda"), ParseError);
}
