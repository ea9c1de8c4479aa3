// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tools/suite_test.cpp: the base of the suites: lists of cases, comparison, worker processes.
#include "tools/suites/suite.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "support/catch.h"
#include "tools/suites/workers.h"
#include "tools/weft/compare.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::tools;

namespace {
// Returns the error for a suite with these cases.
std::string refused(const std::string& cases) {
  char dir[] = "/tmp/weft_suite_XXXXXX";
  REQUIRE(mkdtemp(dir));
  const std::string file = std::string(dir) + "/cases.json";
  std::ofstream(file) << cases;
  std::string said;
  try {
    ConformanceOptions o;
    o.dir = dir;
    (void)jax_suite(o);
  } catch (const FormatError& e) {
    said = e.what();
  }
  std::filesystem::remove_all(dir);
  return said;
}
const double inf = std::numeric_limits<double>::infinity(), not_a_number = std::nan("");
}  // namespace

TEST_CASE("an invalid list of cases raises with the line", "[tools][json]") {
  const std::string whole =
      R"({"case": "a", "program": "f/a.mlir", "apply": "f", "inputs": 1, "outputs": 1, "rtol": 0)";
  for (const std::string& bad :
       {std::string(), std::string("["), std::string("[1,]"), "[" + whole + ", \"atol\": 1e999}]",
        std::string(100000, '['), std::string("[{\"case\": \"\\ud800\"}]")}) {
    CAPTURE(bad.substr(0, 200));
    CHECK(refused(bad).find("cases.json: case number 0: ") != std::string::npos);
  }
  CHECK(refused("[\n {x}]").find("line 2, column 3") != std::string::npos);
  CHECK(refused("[" + whole + "}]").find("'atol'") != std::string::npos);
  CHECK(refused("[" + whole + ", \"atol\": \"no\"}]").find("must be number") != std::string::npos);
}

TEST_CASE("results are compared by the rule", "[tools][compare]") {
  const auto same = [](const Array& a, const Array& e, const Rule& r) {
    return difference(a, e, r).empty();
  };
  const Rule tolerance{Rule::Kind::tolerance, 0.1, 0.01}, equal{}, close{Rule::Kind::ulp},
      almost{Rule::Kind::almost, 0, 1e-3}, numeric{Rule::Kind::numeric};
  CHECK(same(array({1., not_a_number, inf}), array({1.05, not_a_number, inf}), tolerance));
  CHECK_FALSE(same(array({1.}), array({1.3}), tolerance));
  CHECK_FALSE(same(array({1.}), array({inf}), tolerance));  // though inf <= rtol * inf
  CHECK_FALSE(same(array({inf}), array({-inf}), tolerance));
  CHECK_FALSE(same(array({not_a_number}), array({1.}), tolerance));
  CHECK_FALSE(same(array({1.}), array({not_a_number}), tolerance));
  CHECK(same(array({0.}), array({-0.}), equal));
  CHECK(same(array({not_a_number}), array({not_a_number}), equal));
  const Rule bits{Rule::Kind::bits};
  CHECK_FALSE(same(array({0.}), array({-0.}), bits));
  CHECK(same(array({not_a_number, inf, -0.}), array({-not_a_number, inf, -0.}), bits));
  CHECK_FALSE(
      same(lax::complex(array({1.}), array({0.})), lax::complex(array({1.}), array({-0.})), bits));
  CHECK_FALSE(same(array({1, 2}), array({1, 3}), bits));
  CHECK_FALSE(same(array({1, 2}), array({1, 3}), tolerance));  // integers must be equal
  CHECK_FALSE(same(array({1.}), array({1}), tolerance));       // another dtype
  CHECK_FALSE(same(array({1.}), array({{1.}}), tolerance));    // another shape
  CHECK(same(zeros({0}), zeros({0}), equal));
  const float one = 1, next = std::nextafterf(one, 2), fourth = 1 + 4 * (next - 1);
  CHECK(same(Array(next), Array(one), close));
  CHECK_FALSE(same(Array(fourth), Array(one), close));
  CHECK(same(Array(1e-45f), Array(-1e-45f), close));  // they differ by two steps, across zero
  CHECK_FALSE(same(Array(std::numeric_limits<float>::max()), Array(float(inf)), close));
  CHECK_FALSE(same(array({1e308}, F64), array({-1e308}, F64), close));
  CHECK_FALSE(same(array({1.}), array({1.}), {Rule::Kind::ulp, 0, 0, 3, 1}));
  CHECK(same(array({1.0005}), array({1.}), almost));
  CHECK_FALSE(same(array({1.002}), array({1.}), almost));
  CHECK(same(array({1e-8, 1.}), array({2e-8, 1.}), numeric));
  CHECK_FALSE(same(array({1e-6, 1.}), array({4e-6, 1.}), numeric));
  const Array z = lax::complex(array({1.}), array({inf}));
  CHECK(same(z, z, tolerance));
  CHECK_FALSE(same(z, lax::complex(array({1.}), array({-inf})), tolerance));
  CHECK(difference(array({{1, 2}, {3, 4}}), array({{1, 2}, {7, 4}}), equal) ==
        "element [1, 0] is 3, expected 7; 1 of 4 elements are wrong");
}

TEST_CASE("a task that crashes or hangs fails alone", "[tools][workers]") {
  const auto work = [](size_t i) -> std::string {
    if (i == 2) std::raise(SIGKILL);
    if (i == 4) std::this_thread::sleep_for(std::chrono::seconds(60));
    for (volatile size_t spin = i; spin == 7;) {
    }
    if (i == 5) _exit(7);
    return std::string(i * 30000, 'x');
  };
  std::vector<Outcome> got(9);
  run_in_workers(9, 3, {0.5, 5}, work, [&](size_t i, const Outcome& o) { got[i] = o; });
  for (size_t i = 0; i < got.size(); ++i) {
    INFO(i);
    if (i == 2 || i == 5)
      CHECK(got[i].how == Outcome::How::crashed);
    else if (i == 4 || i == 7)
      CHECK(got[i].how == Outcome::How::timed_out);
    else
      CHECK(got[i].answer == std::string(i * 30000, 'x'));
  }
  CHECK(got[2].answer.find("signal 9") != std::string::npos);
  CHECK(got[5].answer.find("code 7") != std::string::npos);
}

TEST_CASE("verdicts pass through a pipe", "[tools][workers]") {
  Verdict v;
  v.how = Verdict::How::failed;
  v.cause = "missing op";
  v.text = "two\nlines";
  v.compile = 0.25;
  const Verdict w = from_text(to_text(v));
  CHECK(w.how == v.how);
  CHECK(w.cause == v.cause);
  CHECK(w.text == v.text);
  CHECK(w.compile == v.compile);
  CHECK(cause_of(ParseError("x")) == "parse");
  CHECK(cause_of(FormatError("a.mlir: missing op 'stablehlo.fft'")) == "missing op");
  CHECK(cause_of(BatchingError("vmap: 'x' has no batching rule")) == "rule missing");
  CHECK(cause_of(CompileError("x")) == "compile");
  CHECK(cause_of(ShapeError("x")) == "error");
}
