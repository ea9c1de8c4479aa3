// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/programs_test.cpp: random programs with fixed numbers have all properties.
// WEFT_PROGRAM=17 test_programs "one random program" shows one program and makes it smaller.
// WEFT_PROGRAM_STACK=3 uses its function under that stack of transforms, and JAX runs it too. ./dev
// fuzz programs SECONDS makes new ones.
#include <cstdlib>
#include <set>

#include "programs/jax_side.h"
#include "programs/reduce.h"
#include "programs/runner.h"
#include "support/catch.h"
#include "support/share.h"

using namespace weft::programs;

namespace {

uint64_t number(const char* variable, uint64_t otherwise) {
  const char* s = std::getenv(variable);
  return s ? std::stoull(s) : otherwise;
}
std::string text(const Tally& t) {
  std::string s;
  for (const Tally::Failure& f : t.failures)
    s += fmt::format("program {}{}: {}: {}\n", f.seed,
                     f.stack < 0 ? "" : fmt::format(" under stack {}", f.stack), f.verdict.oracle,
                     f.verdict.what);
  return s;
}
std::string counts(Tally t) {
  return fmt::format("{} fine, {} refused, {} ill-conditioned, {} failed", t.count[Verdict::fine],
                     t.count[Verdict::refused], t.count[Verdict::ill], t.count[Verdict::failed]);
}

void all_obey(const Range& r) {
  const Tally t = check_range(r);
  INFO(counts(t));
  CHECK(text(t) == "");
}

}  // namespace

TEST_CASE("random programs obey all oracles", "[programs]") {
  all_obey({.from = 0, .to = weft::share_of(600)});
}
TEST_CASE("many random programs obey all oracles", "[programs][slow]") {
  // An emulated GPU checks about four of them per second.
  const uint64_t n = std::getenv("WEFT_PROGRAMS_DEVICE") ? 6000 : 20000;
  all_obey({.from = 1000, .to = 1000 + n});
}
TEST_CASE("random programs under ten stacks of transforms compute what JAX does",
          "[programs][slow]") {
  if (jax_python().empty()) {
    WARN("skipped: there is no JAX in build/venv; ./dev test --slow installs it");
    return;
  }
  all_obey({.from = 0, .to = 300, .each = 120, .stacks = 10});
}

TEST_CASE("workers that cannot begin are not started again for ever", "[programs]") {
  const char* const variable = "WEFT_PROGRAMS_DEVICE";
  const char* const before = std::getenv(variable);
  const std::string was = before ? before : "";
  setenv(variable, "nowhere:3", 1);
  const auto said = [](auto f) {
    try {
      f();
    } catch (const std::runtime_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string all = said([] { check_range({.from = 0, .to = 10}); }),
                    one = said([] { check_one(generate(0), {}, patience); });
  before ? setenv(variable, was.c_str(), 1) : unsetenv(variable);
  for (const std::string& text : {all, one}) {
    CHECK(text.find("before it took a program: ") != std::string::npos);
    CHECK(text.find("there is no device 'nowhere:3'") != std::string::npos);
  }
}

// ---- for ./dev fuzz programs

TEST_CASE("new random programs", "[.programs]") {
  Range r;
  r.from = number("WEFT_PROGRAMS_FROM", 1000000);
  r.to = number("WEFT_PROGRAMS_TO", ~uint64_t{0} / 2);
  r.seconds = static_cast<double>(number("WEFT_PROGRAMS_SECONDS", 60));
  r.max_failures = number("WEFT_PROGRAMS_FAILURES", 20);
  r.jobs = static_cast<int>(number("WEFT_PROGRAMS_JOBS", 2));
  if (number("WEFT_PROGRAMS_JAX", 0)) {
    REQUIRE(jax_python() != "");
    r.stacks = 10;
    r.each = 120;
  }
  const Tally t = check_range(r);
  std::printf("programs %lu to %lu: %s\n%s", static_cast<unsigned long>(r.from),
              static_cast<unsigned long>(t.next), counts(t).c_str(), text(t).c_str());
  CHECK(t.failures.empty());
}

TEST_CASE("one random program", "[.programs]") {
  const bool stack = std::getenv("WEFT_PROGRAM_STACK");
  Program p = generate(number("WEFT_PROGRAM", 0),
                       stack ? static_cast<int>(number("WEFT_PROGRAM_STACK", 0)) : -1);
  Checking how;
  how.rare = true;
  how.jax = stack && !jax_python().empty();
  std::string what;
  const Verdict v = check_one(p, how, patience, &what);
  if (v.kind == Verdict::failed && number("WEFT_PROGRAM_REDUCE", 1)) {
    p = reduced(p, v, how, static_cast<double>(number("WEFT_PROGRAMS_SECONDS", 60)));
    what.clear();
    check_one(p, how, patience, &what);
  }
  if (what.empty()) what = cpp_text(p.f, p.arguments());
  std::printf("%s\n", what.c_str());
  CHECK(v.kind != Verdict::failed);
}

// Writes programs for texts.py: a given number, or a few that together have all kinds of steps.
TEST_CASE("texts of random programs", "[.programs]") {
  const auto show = [](const Program& p) {
    std::printf("// program %lu\n%s", static_cast<unsigned long>(p.seed),
                cpp_text(p.f, p.arguments()).c_str());
  };
  const uint64_t some = number("WEFT_PROGRAMS_TEXTS", 0);
  for (uint64_t seed = 0; seed < some; ++seed) show(generate(seed));
  std::set<Kind> missing;
  for (size_t k = 0; some == 0 && k < kinds_of_steps; ++k) missing.insert(static_cast<Kind>(k));
  while (!missing.empty()) {
    Program best;
    std::set<Kind> left = missing;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      Program p = generate(seed);
      std::set<Kind> without = missing;
      for_each_step(p.f, [&](const Step& s) { without.erase(s.kind); });
      if (without.size() >= left.size() || count_steps(p.f) > 80) continue;
      left = std::move(without);
      best = std::move(p);
    }
    REQUIRE(left.size() < missing.size());
    missing = std::move(left);
    show(best);
  }
}
