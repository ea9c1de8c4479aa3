// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/verify_test.cpp: each test breaks one rule of a well-formed program.
#include <functional>

#include "support/catch.h"
#include "support/golden.h"
#include "tests/core/test_ops.h"
#include "tracer/trace.h"
#include "weft/detail/jaxpr.h"
#include "weft/error.h"

using namespace weft;
using namespace weft::testing;

namespace {

const Type f32 = Type(F32, {}), vec = Type(F32, {3});

// { lambda ; a:f32[] b:f32[3]. let c:f32[] = test_next a; d:f32[] = test_next c in (d, 2.0:f32[]) }
Ref<JaxprData> good() {
  auto j = make_ref<JaxprData>();
  const Atom a = input(*j, f32);
  input(*j, vec);
  const Atom c = add_equation(*j, "test_next", {a});
  j->out = {add_equation(*j, "test_next", {c}), literal(*j, 2)};
  return j;
}

std::string complaint(const std::function<void(JaxprData&)>& spoil) {
  auto j = good();
  spoil(*j);
  try {
    verify_equations(*j);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "no complaint";
}

struct Broken {
  const char* rule;
  const char* text;
  std::function<void(JaxprData&)> spoil;
};

const std::vector<Broken>& all_broken() {
  static const std::vector<Broken> all = {
      {"ir.V1", "3 constants, 2 inputs, 4 variables", [](JaxprData& j) { j.n_const = 3; }},
      {"ir.V1", "-1 constants", [](JaxprData& j) { j.n_const = -1; }},
      {"ir.V1", "0 constants, 5 inputs", [](JaxprData& j) { j.n_in = 5; }},
      {"ir.V2", "outputs are numbered from 2 and not from 3, in equation 1: c:f32[] = test_next c",
       [](JaxprData& j) { j.eqns[1].out = 2; }},
      {"ir.V2", "4 variables are defined, 5 have types",
       [](JaxprData& j) { j.types.push_back(f32); }},
      {"ir.V3", "reads a variable before it is defined, in equation 0: c:f32[] = test_next c",
       [](JaxprData& j) { j.eqns[0].in[0] = {2}; }},
      {"ir.V3", "reads a variable before it is defined, in equation 0: c:f32[] = test_next d",
       [](JaxprData& j) { j.eqns[0].in[0] = {3}; }},
      {"ir.V3", "reads a literal that is not there, in equation 1: d:f32[] = test_next ?",
       [](JaxprData& j) { j.eqns[1].in[0] = {~1}; }},
      {"ir.V3", "result 0 reads a variable before it is defined",
       [](JaxprData& j) { j.out[0] = {4}; }},
      {"ir.V3", "result 1 reads a literal that is not there",
       [](JaxprData& j) { j.out[1] = {~7}; }},
      {"ir.V4", "bits 0x100000000, 0x0 are no f32",
       [](JaxprData& j) { j.literals[0].bits[0] = uint64_t{1} << 32; }},
      {"ir.V4", "bits 0x0, 0x2 are no f32",
       [](JaxprData& j) { j.literals[0] = {F32, false, {0, 2}}; }},
      {"ir.V4", "bits 0x2, 0x0 are no bool",
       [](JaxprData& j) { j.literals[0] = {Bool, false, {2, 0}}; }},
      {"ir.V5", "no op, in equation 0: c:f32[] = ? a",
       [](JaxprData& j) { j.eqns[0].op = nullptr; }},
      {"ir.V5", "op 'stranger' is not registered",
       [](JaxprData& j) {
         static const Primitive<None> stranger(
             {.name = "stranger", .doc = "", .type = [](const Types& in, const None&) {
                return in;
              }});
         j.eqns[0].op = &stranger;
       }},
      {"ir.V6", "no parameters", [](JaxprData& j) { j.eqns[0].params = AnyParams(); }},
      {"ir.V6", "parameters of another op, in equation 0: c:f32[] = test_next[callback=None] a",
       [](JaxprData& j) { j.eqns[0].params = make_params(CallbackOfTests{}); }},
      {"ir.V7", "the op refuses its operands (f32[], f32[3]): takes one operand, in equation 0",
       [](JaxprData& j) { j.eqns[0].in.push_back({1}); }},
      {"ir.V8", "result 0 is f32[] and not f32[3], in equation 0",
       [](JaxprData& j) { j.types[2] = vec; }},
      {"ir.V8", "result 0 is f32[] and not ~f32[], in equation 1",
       [](JaxprData& j) { j.types[3] = Type(F32, {}, true); }},
      {"ir.V8", "the op has 1 results and not 2, in equation 1",
       [](JaxprData& j) {
         j.eqns[1].n_out = 2;
         j.types.push_back(f32);
       }},
      {"ir.V9", "field body holds no interned program",
       [](JaxprData& j) {
         j.eqns[0].op = &op("test_loop");
         j.eqns[0].params = make_params(LoopOfTests{});
       }},
      {"ir.V9", "field others holds no interned program",
       [](JaxprData& j) {
         j.eqns[0].op = &op("test_loop");
         j.eqns[0].params = make_params(LoopOfTests{intern(good()), {Jaxpr(good())}, {}});
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("a well-formed program passes", "[core][verify]") {
  CHECK(complaint([](JaxprData&) {}) == "no complaint");
  verify(intern(good()));
}

TEST_CASE("every rule of programs is checked", "[core][verify]") {
  for (const auto& [rule, text, spoil] : all_broken()) {
    const std::string what = complaint(spoil);
    INFO(what);
    CHECK(what.find("jaxpr breaks rule " + std::string(rule) + ": ") != std::string::npos);
    CHECK(what.find(text) != std::string::npos);
    CHECK(what.find("This is a bug in Weft") != std::string::npos);
  }
}

TEST_CASE("the documentation lists exactly the rules of programs", "[core][verify]") {
  const std::string doc = read_file(golden_path("../../docs/ir.md"));
  for (int i = 1; i <= 9; ++i) {
    const std::string rule = "ir.V" + std::to_string(i);
    INFO(rule);
    CHECK(doc.find("| " + rule + " |") != std::string::npos);
    CHECK(std::any_of(all_broken().begin(), all_broken().end(),
                      [&](const Broken& b) { return b.rule == rule; }));
  }
  CHECK(doc.find("| ir.V10 |") == std::string::npos);
}

TEST_CASE("inner programs are verified", "[core][verify]") {
  auto inner = make_ref<JaxprData>();
  inner->out = {input(*inner, f32)};
  const Jaxpr bad = intern(inner);
  auto j = make_ref<JaxprData>();
  j->out = {add_equation(*j, "test_loop", {input(*j, f32)}, make_params(LoopOfTests{bad, {}, {}}))};
  const Jaxpr outer = intern(j);
  verify(outer);
  inner->literals.push_back({Bool, false, {2, 0}});  // changed after it was interned
  CHECK_THROWS_WITH(verify(outer), Catch::Matchers::Contains("ir.V4"));
  inner->literals.clear();
}
