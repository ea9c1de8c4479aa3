// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_random_test.cpp: random numbers in a range. StableHLO specifies only
// their distribution.
#include <catch2/catch.hpp>

#include "interop/run_stablehlo.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

TEST_CASE("numbers of a range are drawn anew by each op", "[interop][stablehlo]") {
  const auto drawn = [](const std::string& t, const std::string& how, const Array& a,
                        const Array& b) {
    const std::string out = "tensor<1000x2x" + t + ">";
    const std::string line = " = stablehlo.rng %a, %b, %n, distribution = " + how + " : (tensor<" +
                             t + ">, tensor<" + t + ">, tensor<2xi64>) -> " + out + "\n";
    const std::string text = "func.func @main(%a: tensor<" + t + ">, %b: tensor<" + t + ">) -> (" +
                             out + ", " + out +
                             ") {\n%n = stablehlo.constant dense<[1000, 2]> : tensor<2xi64>\n%r" +
                             line + "%s" + line + "return %r, %s : " + out + ", " + out + "\n}\n";
    const Arrays first = run(text, {a, b}), again = run(text, {a, b});
    CHECK(array_equal(first[0], again[0]).item<bool>());
    CHECK(!array_equal(first[0], first[1]).item<bool>());
    CHECK(!array_equal(first[0][{slice(), 0}], first[0][{slice(), 1}]).item<bool>());
    return first[0];
  };
  for (const auto& [name, d] :
       {std::pair("f32", F32), {"f64", F64}, {"f16", F16}, {"bf16", BF16}}) {
    INFO(name);
    const Array lo = array(-1.5).astype(d), hi = array(2.5).astype(d);
    const Array u = drawn(name, "UNIFORM", lo, hi);
    CHECK(u.dtype() == d);
    CHECK((u >= lo).all().item<bool>());
    CHECK((u < hi).all().item<bool>());
    CHECK(mean(u.astype(F64)).item<double>() == Approx(0.5).margin(0.1));
    CHECK(var(u.astype(F64)).item<double>() == Approx(16. / 12).epsilon(0.1));
    const Array z = drawn(name, "NORMAL", array(3.).astype(d), array(2.).astype(d));
    CHECK(isfinite(z).all().item<bool>());
    CHECK(mean(z.astype(F64)).item<double>() == Approx(3).margin(0.15));
    CHECK(var(z.astype(F64)).item<double>() == Approx(4).epsilon(0.1));
  }
  const Array whole = drawn("i32", "UNIFORM", array(-3), array(4));
  CHECK(min(whole).item<int>() == -3);
  CHECK(max(whole).item<int>() == 3);
  const Array wide = drawn("i8", "UNIFORM", array(-128).astype(I8), array(127).astype(I8));
  CHECK(min(wide).item<int>() < -100);
  CHECK(max(wide).item<int>() > 100);
  CHECK(max(drawn("ui64", "UNIFORM", array(1).astype(U64), array(3).astype(U64))).item<int>() == 2);
  CHECK_THAT(error_of<FormatError>([&] {
               parse_stablehlo(
                   "func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> tensor<2xi32> {\n"
                   "%n = stablehlo.constant dense<[2]> : tensor<1xi64>\n%r = "
                   "stablehlo.rng %a, %b, %n, distribution = NORMAL : "
                   "(tensor<i32>, tensor<i32>, tensor<1xi64>) -> "
                   "tensor<2xi32>\nreturn %r : tensor<2xi32>\n}\n");
             }),
             Catch::Contains("rng: draws normal numbers as floats"));
}
