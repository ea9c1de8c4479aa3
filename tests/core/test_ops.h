// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/test_ops.h: ops that exist only in the tests of core/. They have every kind of field
// and any number of operands and results. They do not depend on ops/.
#pragma once
#include <string>

#include "core/op.h"
#include "core/param.h"

namespace weft::testing {

// "test_fields": any operands -> f32[]. It has one field of each kind that is printed on one line.
enum class Mode : uint8_t { low, high };
struct FieldsOfAllKinds {
  bool flag = false;
  int64_t number = 0;
  Mode mode = Mode::low;
  double real = 0;
  std::string label;
  DType dtype = F32;
  Ints ints;
  Bools bools;
  Strings strings;
  Types types;
  WEFT_FIELDS(flag, number, mode, real, label, dtype, ints, bools, strings, types)
};
// "test_loop": returns the results of `body`, which takes the operands.
struct LoopOfTests {
  Ref<const JaxprData> body;
  std::vector<Ref<const JaxprData>> others;
  Ints lanes;
  WEFT_FIELDS(body, others, lanes)
};
// "test_call": like "test_loop", with the fields of a jit.
struct CallOfTests {
  Ref<const JaxprData> jaxpr;
  std::string name;
  WEFT_FIELDS(jaxpr, name)
};
// "test_callback": any operands -> no results.
struct CallbackOfTests {
  Opaque callback;
  WEFT_FIELDS(callback)
};
// There are also "test_next", x -> x of the same type; "test_many", x -> three of x; "test_none",
// any -> no results.

// Returns the op of that name, which must exist.
const Op& op(const std::string& name);
// Adds an equation. Its results get the next free variable numbers, and their types come from the
// op's type rule.
Atom add_equation(JaxprData& j, const std::string& name, std::vector<Atom> in,
                  AnyParams params = {});
Atom input(JaxprData& j, const Type& t);
Atom literal(JaxprData& j, float x);

}  // namespace weft::testing
