// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/mutation_test.cpp: the laws detect errors. Every operation of the rules of some ops is
// replaced, one at a time, and a law must fail.
#include "laws.h"
#include "mutant.h"
#include "support/build.h"
#include "support/catch.h"

using namespace weft;
using namespace weft::laws;

namespace {

const char* const ops[] = {"sub",         "mul",           "max",        "sin",
                           "select_n",    "reduce_sum",    "cumsum",     "dot_general",
                           "concatenate", "dynamic_slice", "reduce_max", "pad"};
struct Slot {
  const char* name;
  Where where;
  Law law;
};
const Slot slots[] = {{"lower", Where::lower, compiled_is_reference},
                      {"jvp", Where::jvp, tangents_are_slopes},
                      {"batch", Where::batch, map_is_a_loop}};

}  // namespace

TEST_CASE("a flipped operation in a rule breaks a law", "[mutation]") {
  if (test::verifies) {
    WARN(
        "skipped: this build verifies what it traces, and refuses programs of ops that no table "
        "knows");
    return;
  }
  int mutants = 0, same_values = 0;
  for (const char* name : ops) {
    const Op& op = *find_op(name);
    for (const Slot& s : slots) {
      INFO(name << ", " << s.name);
      // The copy without a replacement obeys the law.
      const MutantOp& same = mutant(op, s.where, -1);
      CHECK(violations(s.law, same) == "");
      CHECK(same.operations() > 0);
      CHECK(same.flipped() == "");
      const int before = mutants;
      for (int which = 0; which < same.operations(); ++which) {
        const MutantOp& wrong = mutant(op, s.where, which);
        const std::string seen = violations(s.law, wrong);
        INFO("operation " << which << ", " << wrong.flipped());
        CHECK(wrong.flipped() != "");
        if (!wrong.changed()) ++same_values;
        if (!wrong.changed()) continue;
        CHECK(seen != "");
        ++mutants;
      }
      CHECK(mutants > before);
      CHECK(find_op(name) == &op);
    }
  }
  CHECK(mutants >= 30);
  WARN(mutants << " mutants; " << same_values << " more flips changed no value of any sample");
}
