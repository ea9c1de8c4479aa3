// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/schedule/forced_test.cpp: schedules that the user demands, by compile() or by
// WEFT_SCHEDULE.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/check.h"
#include "weft/error.h"

using namespace weft;
using namespace weft::test;

namespace {

Array twice_sine(Array x) { return sin(x) * 2.f; }
auto lowered() { return jit(twice_sine).lower(arange(100).astype(F32)); }

// Returns the compiler's choice, the only entry in kernels().
std::string chosen() {
  const std::string text = lowered().kernels();
  return text.substr(text.find("\nschedule ") + 1);
}
const std::string other = "mode scalar  # one by one\n";
std::string heading() { return chosen().substr(0, chosen().find('\n') + 1); }

template <class E>
std::string refused(const std::string& schedules) {
  try {
    (void)lowered().compile({.schedules = schedules});
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a schedule can be forced", "[jit][schedule]") {
  const Array x = arange(100).astype(F32);
  const auto usual = lowered().compile();
  const auto forced = lowered().compile({.schedules = heading() + other});
  CHECK(forced.memory().code != usual.memory().code);
  CHECK(array_equal(forced(x), usual(x)).item<bool>());
  CHECK(lowered().compile({.schedules = chosen()}).memory().code == usual.memory().code);
  // The demand applied only to that compilation.
  CHECK(lowered().compile().memory().code == usual.memory().code);
  CHECK(chosen().find("mode grid") != std::string::npos);
}

TEST_CASE("kernels() shows numbers as numbers", "[jit][schedule]") {
  const std::string text =
      jit([](Array x) { return where(x > 0, x * 0.1, std::nanf("5")); }).lower(ones({3})).kernels();
  CHECK(text.find("const f32 0.1 \n") != std::string::npos);
  CHECK(text.find("const f32 nan:0x7fc00005 \n") != std::string::npos);
  CHECK(jit([](Array x) { return x * 1e300; })
            .lower(ones({3}, F64))
            .kernels()
            .find("const f64 1e+300 \n") != std::string::npos);
}

TEST_CASE("kernels() and report() show schedules", "[jit][schedule]") {
  const std::string hash = heading().substr(9, 16), report = lowered().report();
  CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(report.find("schedule " + hash + ": mode grid, vector_width ") != std::string::npos);
  CHECK(report.find(" schedules ") != std::string::npos);  // as one of the passes
}

TEST_CASE("schedules that cannot be forced", "[jit][schedule]") {
  const std::string nobody = "schedule 0123456789abcdef\nmode scalar\n";
  CHECK_THAT(refused<CompileError>("# none\n" + nobody + heading() + other),
             Catch::StartsWith("schedules of compile(): no kernel is one of these nests: "
                               "0123456789abcdef (line 2); kernels() shows the hashes"));
  CHECK_THAT(refused<CompileError>(heading() + "mode grid\nvector_width 4\ninterleave 9\n"),
             Catch::Contains("line 1: nest ") && Catch::Contains("interleave 9: has to be 1 to 4"));
  CHECK_THAT(refused<CompileError>(heading() + "mode scalar\nblock 64\n"),
             Catch::Contains("on a GPU (line 1)"));
  CHECK_THAT(
      refused<ParseError>("vector_width 4\n" + nobody),
      Catch::StartsWith("schedules of compile(), line 1: 'vector_width 4' stands in front of"));
  CHECK_THAT(refused<ParseError>("\nschedule 12\nmode scalar\n"),
             Catch::StartsWith("schedules of compile(), line 2: '12' is not a hash of a nest"));
  CHECK_THAT(refused<ParseError>(nobody + "vector_width x\n"),
             Catch::StartsWith("schedules of compile(), line 3: 'x' is not a number"));
  CHECK_THAT(refused<ParseError>(nobody + "speed 3\n"),
             Catch::StartsWith("schedules of compile(), line 3: 'speed' is not a choice"));
  CHECK_THAT(refused<ParseError>(nobody + nobody),
             Catch::StartsWith("schedules of compile(), line 3: a second schedule for nest "
                               "0123456789abcdef, the first is in line 1"));
  CHECK_THAT(
      refused<ParseError>("schedule 0123456789abcdef\n"),
      Catch::StartsWith("schedules of compile(), line 2: a schedule says at least its mode"));
}

TEST_CASE("process of the next test case", "[.][forced]") { std::printf("%s", chosen().c_str()); }

TEST_CASE("WEFT_SCHEDULE names a file of schedules", "[jit][schedule]") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("weft_schedule_" + std::to_string(std::hash<std::string>()(WEFT_TEST_DIR)));
  const auto child = [&](const std::string& text) {
    std::ofstream(file) << text;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::FILE* out = popen(
        ("WEFT_SCHEDULE='" + file.string() + "' '" + self + "' '[.][forced]' 2>&1").c_str(), "r");
    REQUIRE(out != nullptr);
    std::string said;
    for (int c = 0; (c = std::fgetc(out)) != EOF;) said += static_cast<char>(c);
    (void)pclose(out);
    return said;
  };
  CHECK_THAT(
      child(heading() + other),
      Catch::Contains(heading() + "mode scalar\nvector_width 1\n") && !Catch::Contains("warning"));
  CHECK_THAT(child("schedule 0123456789abcdef\n" + other),
             Catch::Contains(heading() + "mode grid\n") &&
                 Catch::Contains("weft: warning: WEFT_SCHEDULE (" + file.string() +
                                 "): no kernel is one of these nests: 0123456789abcdef (line 1)"));
  CHECK_THAT(child("mode"), Catch::Contains("WEFT_SCHEDULE (" + file.string() + "), line 1: "));
  std::filesystem::remove(file);
  CHECK_THAT(child(""), !Catch::Contains("warning"));
  std::filesystem::remove(file);
}
