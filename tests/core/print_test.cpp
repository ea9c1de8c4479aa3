// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/print_test.cpp: programs print as JAX prints them, character by character.
#include <bit>
#include <chrono>
#include <limits>
#include <sstream>

#include "runtime/thread_stack.h"
#include "support/catch.h"
#include "support/golden.h"
#include "tests/core/test_ops.h"
#include "weft/detail/jaxpr.h"

using namespace weft;
using namespace weft::testing;

namespace {

struct Case {
  std::string title, text;
};
// Reads the programs that JAX printed.
std::vector<Case> jax_programs() {
  std::vector<Case> cases;
  std::istringstream in(golden("jaxpr.txt"));
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# ", 0) == 0) continue;
    if (line.rfind("### ", 0) == 0)
      cases.push_back({line.substr(4), ""});
    else
      cases.back().text += (cases.back().text.empty() ? "" : "\n") + line;
  }
  return cases;
}

const Type f32 = Type(F32, {}), vec = Type(F32, {3});

Jaxpr body_of(int equations) {
  auto j = make_ref<JaxprData>();
  Atom a = input(*j, f32);
  for (int i = 0; i < equations; ++i) a = add_equation(*j, "test_next", {a});
  j->out = {a};
  return intern(j);
}

// Returns the text of one equation with these fields.
std::string printed(const FieldsOfAllKinds& p) {
  auto j = make_ref<JaxprData>();
  j->out = {add_equation(*j, "test_fields", {}, make_params(p))};
  return to_string(intern(j));
}

}  // namespace

TEST_CASE("programs of JAX print as JAX prints them", "[core][print]") {
  int seen = 0;
  for (const auto& [title, text] : jax_programs()) {
    INFO(title);
    std::string printed;
    try {
      printed = to_string(read_jaxpr(text));
    } catch (const ParseError& e) {
      // This build does not have the op.
      if (std::string(e.what()).find("unknown op") == std::string::npos) throw;
      WARN(title << ": " << e.what());
      continue;
    }
    CHECK(printed == text);
    ++seen;
  }
  CHECK(seen > 20);
}

TEST_CASE("fields of every kind have a text", "[core][print]") {
  FieldsOfAllKinds p;
  CHECK(printed(p) ==
        "{ lambda ; . let\n    a:f32[] = test_fields[\n      bools=()\n      dtype=float32\n      "
        "flag=False\n      ints=()\n      label=''\n"
        "      mode=0\n      number=0\n      real=0.0\n      strings=()\n      types=()\n    ] \n  "
        "in (a,) }");
  p = {true, -5,     Mode::high, 1e-7,          "ij,jk->ik",
       BF16, {1, 2}, {true},     {"i", "it's"}, {Type(I32, {2}, true), Type(Key, {})}};
  CHECK(printed(p) ==
        "{ lambda ; . let\n    a:f32[] = test_fields[\n      bools=(True,)\n      dtype=bfloat16\n "
        "     flag=True\n      ints=(1, 2)\n      label='ij,jk->ik'\n"
        "      mode=1\n      number=-5\n      real=1e-07\n      strings=('i', 'it\\'s')\n      "
        "types=(~i32[2], key<fry>[])\n    ] \n  in (a,) }");
  for (const char* bare : {"x", "<lambda>", "a.b:c", "3", "True", "None"}) {
    p.label = bare;
    CHECK(printed(p).find("label=" + p.label + "\n") != std::string::npos);
  }
  p.label = std::string("a b\n\t\x01\\]", 8);
  CHECK(printed(p).find("label='a b\\n\\t\\x01\\\\]'\n") != std::string::npos);
}

TEST_CASE("callbacks print as what they are", "[core][print]") {
  auto j = make_ref<JaxprData>();
  CallbackOfTests p;
  p.callback.object = body_of(0);
  add_equation(*j, "test_callback", {input(*j, f32)}, make_params(p));
  CHECK(to_string(intern(j)) ==
        "{ lambda ; a:f32[]. let test_callback[callback=<callback>] a in () }");
}

TEST_CASE("weak types carry JAX's tilde", "[core][print]") {
  auto j = make_ref<JaxprData>();
  const Atom a = input(*j, Type(F32, {}, true));
  j->literals.push_back({I32, true, {7, 0}});
  j->out = {add_equation(*j, "test_next", {a}), Atom{~0}};
  CHECK(to_string(intern(j)) ==
        "{ lambda ; a:~f32[]. let b:~f32[] = test_next a in (b, 7:~i32[]) }");
}

TEST_CASE("unusual NaNs print as bits", "[core][print]") {
  auto j = make_ref<JaxprData>();
  const uint64_t quiet = std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN());
  for (uint64_t bits : {quiet, quiet | 0x80000000u, quiet + 1}) {
    j->out.push_back({~static_cast<int32_t>(j->literals.size())});
    j->literals.push_back({F32, false, {bits, 0}});
  }
  const std::string text = to_string(intern(j));
  CHECK(text ==
        "{ lambda ; . let\n    \n  in (nan:f32[], bits(0xffc00000, 0x0):f32[], bits(0x7fc00001, "
        "0x0):f32[]) }");
  CHECK(to_string(read_jaxpr(text)) == text);
}

TEST_CASE("lane fields print only if they are not the default", "[core][print]") {
  const auto text = [&](Ints lanes) {
    auto j = make_ref<JaxprData>();
    j->out = {add_equation(*j, "test_loop", {input(*j, f32)},
                           make_params(LoopOfTests{body_of(0), {}, lanes}))};
    return to_string(intern(j));
  };
  CHECK(text({}).find("lanes") == std::string::npos);
  CHECK(text({4}).find("lanes=(4,)") != std::string::npos);
}

TEST_CASE("names of shared programs are unique words and no variables", "[core][print]") {
  auto j = make_ref<JaxprData>();
  Atom a = input(*j, f32);
  for (const char* name : {"<lambda>", "<lambda>", "lambda1", "b", "my f!", "", "3"})
    for (int i = 0; i < 2; ++i)
      a = add_equation(
          *j, "test_call", {a},
          make_params(CallOfTests{body_of(1 + static_cast<int>(j->eqns.size()) / 2), name}));
  j->out = {a};
  const Jaxpr made = intern(j);
  const std::string text = to_string(made);
  for (const char* name : {"lambda", "lambda1", "lambda11", "b", "my_f_", "_", "_3"})
    CHECK(text.find("let " + std::string(name) + " = {") != std::string::npos);
  CHECK(text.find(" b:f32") == std::string::npos);
  CHECK(read_jaxpr(text) == made);
}

TEST_CASE("programs held many times are printed once", "[core][print]") {
  // Each program contains the one below it twice: 2^60 uses, but only 60 texts.
  Jaxpr j = body_of(1);
  for (int i = 0; i < 60; ++i) {
    auto next = make_ref<JaxprData>();
    const auto p = make_params(LoopOfTests{j, {j}, {}});
    next->out = {add_equation(*next, "test_loop", {input(*next, f32)}, p)};
    j = intern(next);
  }
  CHECK(to_string(j).size() < 20000);
  CHECK(read_jaxpr(to_string(j)) == j);
  CHECK(count_equations(j) == (int64_t{1} << 61) - 1);
  verify(j);
}

TEST_CASE("a long chain lives in a stack of 256 KB", "[core][print]") {
  constexpr int n = 100000;
  bool same = false;
  run_on_large_stack(256 << 10, [&] {
    auto j = make_ref<JaxprData>();
    Atom a = input(*j, vec);
    for (int i = 0; i < n; ++i) a = add_equation(*j, i % 3 ? "test_next" : "test_many", {a});
    j->out = {a};
    const Jaxpr first = intern(std::move(j));
    const std::string text = to_string(first);
    same = read_jaxpr(text) == first && count_equations(first) == n;
    verify(first);
  });
  CHECK(same);
}

TEST_CASE("a million equations print and parse in seconds", "[core][print][slow]") {
  const Jaxpr j = body_of(1000000);
  const auto start = std::chrono::steady_clock::now();
  const std::string text = to_string(j);
  const auto printed = std::chrono::steady_clock::now();
  CHECK(read_jaxpr(text) == j);
  const auto seconds = [](auto d) { return std::chrono::duration<double>(d).count(); };
  WARN("printed in " << seconds(printed - start) << " s, parsed in "
                     << seconds(std::chrono::steady_clock::now() - printed) << " s");
  CHECK(seconds(printed - start) < 20);
}
