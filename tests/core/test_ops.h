// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/test_ops.h: ops that exist in the tests of core/ alone: every kind of field, any
// number of operands and results. They need nothing of ops/.
#pragma once
#include <string>

#include "weft/core/op.h"
#include "weft/core/param.h"

namespace weft::testing {

// "test_fields": any operands -> f32[]. One field of each kind that is printed on one line.
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
// "test_loop": the results of `body`, which takes the operands.
struct LoopOfTests {
  Ref<const JaxprData> body;
  std::vector<Ref<const JaxprData>> others;
  Ints lanes;
  WEFT_FIELDS(body, others, lanes)
};
// "test_call": the same with the fields of a jit.
struct CallOfTests {
  Ref<const JaxprData> jaxpr;
  std::string name;
  WEFT_FIELDS(jaxpr, name)
};
// "test_callback": any operands -> nothing.
struct CallbackOfTests {
  Opaque callback;
  WEFT_FIELDS(callback)
};
// Further: "test_next", x -> x of the same type; "test_many", x -> three of x; "test_none", any ->
// nothing.

// The op of that name, which must be there.
const Op& op(const std::string& name);
// An equation; its outputs are numbered from what is there. Types come from the rule of the op.
Atom add_equation(JaxprData& j, const std::string& name, std::vector<Atom> in,
                  AnyParams params = {});
Atom input(JaxprData& j, const Type& t);
Atom literal(JaxprData& j, float x);

}  // namespace weft::testing
