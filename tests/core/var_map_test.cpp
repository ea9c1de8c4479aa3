// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/var_map_test.cpp: tables by variable.
#include "core/var_map.h"

#include "support/catch.h"
#include "tests/core/test_ops.h"

using namespace weft;
using namespace weft::testing;

TEST_CASE("a table is read by number and by operand", "[core][var_map]") {
  auto j = make_ref<JaxprData>();
  const Atom a = input(*j, Type(F32, {}));
  const Atom b = add_equation(*j, "test_many", {a});
  const Atom two = literal(*j, 2);
  VarMap<bool> seen(*j, false);
  CHECK(seen.size() == 4);
  seen[a] = true;
  CHECK(seen[0]);
  CHECK(seen.get(a, false));
  CHECK_FALSE(seen.get(b, true));
  CHECK(seen.get(two, true));
  CHECK_FALSE(seen.get(two, false));
  seen.set_results(j->eqns[0], true);
  CHECK(seen == VarMap<bool>(*j, true));
}
