// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/jaxpr_builder_test.cpp: programs made of inputs and equations of another one.
#include "core/jaxpr_builder.h"

#include "support/catch.h"
#include "tests/core/test_ops.h"

using namespace weft;
using namespace weft::testing;

namespace {

const Type f32 = Type(F32, {}), vec = Type(F32, {3});

// { lambda a:f32[3] ; b:f32[]. let c d e = test_many b; f = test_next d in (f, c, 2.0) }
Ref<JaxprData> old_program() {
  auto j = make_ref<JaxprData>();
  input(*j, vec);
  const Atom b = input(*j, f32);
  j->n_const = 1;
  const Atom c = add_equation(*j, "test_many", {b});
  const Atom f = add_equation(*j, "test_next", {{c.index + 1}});
  j->out = {f, c, literal(*j, 2)};
  return j;
}

}  // namespace

TEST_CASE("a copy of all inputs and equations is the same program", "[core][jaxpr_builder]") {
  const Jaxpr old = intern(old_program());
  JaxprBuilder b(*old);
  b.copy_inputs();
  for (const Eqn& e : old->eqns) b.copy(e);
  CHECK(b.finish(old->out).get() == old.get());
}

TEST_CASE("variables are numbered in the order of the new program", "[core][jaxpr_builder]") {
  const Ref<JaxprData> old = old_program();
  JaxprBuilder b(*old);
  CHECK(b.add_input(vec) == Atom{0});
  CHECK_FALSE(b.is_replaced(1));
  b.copy_input(1);
  CHECK(b.is_replaced(1));
  for (const Eqn& e : old->eqns) b.copy(e);
  Ref<JaxprData> want = old_program();
  want->n_const = 0;
  CHECK(b.finish(old->out) == intern(want));
}

TEST_CASE("a variable that is replaced is not read", "[core][jaxpr_builder]") {
  const Ref<JaxprData> old = old_program();
  JaxprBuilder b(*old);
  b.copy_inputs();
  b.copy(old->eqns[0]);
  b.replace(3, {1});
  b.copy(old->eqns[1]);
  Ref<JaxprData> want = old_program();
  want->eqns[1].in[0] = {1};
  CHECK(b.finish(old->out) == intern(want));
}

TEST_CASE("an equation of its own gets results of the old program", "[core][jaxpr_builder]") {
  const Ref<JaxprData> old = old_program();
  JaxprBuilder b(*old);
  b.copy_input(1);
  Eqn e = old->eqns[1];
  e.in = {{1}};
  b.add(e, {{3}});
  e.in = {{1}};  // the result of the equation before it
  b.append(e, {{5}});
  auto want = make_ref<JaxprData>();
  Atom x = input(*want, f32);
  for (int i = 0; i < 2; ++i) x = add_equation(*want, "test_next", {x});
  want->out = {x};
  CHECK(b.finish({{5}}) == intern(want));
}

TEST_CASE("the results of an equation are consecutive variables", "[core][jaxpr_builder]") {
  const Ref<JaxprData> old = old_program();
  CHECK(results_of(old->eqns[0]) == std::vector<Atom>{{2}, {3}, {4}});
}
