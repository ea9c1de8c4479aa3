// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/test_ops.cpp: the ops of the tests, and helpers that build programs by hand.
#include "tests/core/test_ops.h"

#include <cstring>

#include "tracer/trace.h"
#include "weft/error.h"

namespace weft::testing {
namespace {

Types one_operand(const Types& in, size_t results) {
  if (in.size() != 1) throw ShapeError("takes one operand");
  return Types(results, in[0]);
}
Types results_of(const Types& in, const Ref<const JaxprData>& body) {
  if (in != body->in_types()) throw ShapeError("the body takes other operands");
  return body->out_types();
}

const auto& fields_op [[maybe_unused]] = define<FieldsOfAllKinds>({
    .name = "test_fields",
    .doc = "Fields of all kinds.",
    .type = [](const Types&, const FieldsOfAllKinds&) { return Types{Type(F32, {})}; },
});
const auto& loop_op [[maybe_unused]] = define<LoopOfTests>({
    .name = "test_loop",
    .doc = "Programs in fields.",
    .type = [](const Types& in, const LoopOfTests& p) { return results_of(in, p.body); },
});
const auto& call_op [[maybe_unused]] = define<CallOfTests>({
    .name = "test_call",
    .doc = "A program with a name.",
    .type = [](const Types& in, const CallOfTests& p) { return results_of(in, p.jaxpr); },
});
const auto& callback_op [[maybe_unused]] = define<CallbackOfTests>({
    .name = "test_callback",
    .doc = "What cannot be printed.",
    .type = [](const Types&, const CallbackOfTests&) { return Types(); },
});
const auto& next_op [[maybe_unused]] = define<None>({
    .name = "test_next",
    .doc = "One result.",
    .type = [](const Types& in, const None&) { return one_operand(in, 1); },
});
const auto& many_op [[maybe_unused]] = define<None>({
    .name = "test_many",
    .doc = "Three results.",
    .type = [](const Types& in, const None&) { return one_operand(in, 3); },
});
const auto& none_op [[maybe_unused]] = define<None>({
    .name = "test_none",
    .doc = "No result.",
    .type = [](const Types&, const None&) { return Types(); },
});

}  // namespace

const Op& op(const std::string& name) {
  const Op* found = find_op(name);
  if (!found) throw std::runtime_error("no op " + name);
  return *found;
}

Atom input(JaxprData& j, const Type& t) {
  j.types.push_back(t);
  return {j.n_in++};
}

Atom literal(JaxprData& j, float x) {
  Literal l;
  std::memcpy(l.bits, &x, sizeof x);
  j.literals.push_back(l);
  return {~static_cast<int32_t>(j.literals.size() - 1)};
}

Atom add_equation(JaxprData& j, const std::string& name, std::vector<Atom> in, AnyParams params) {
  Eqn e;
  e.op = &op(name);
  e.params = params ? params : e.op->parse_params({});
  Types types;
  for (Atom a : in) types.push_back(j.type(a));
  e.in = std::move(in);
  e.out = static_cast<int32_t>(j.types.size());
  const Types out = e.op->type(types, e.params);
  e.n_out = static_cast<int32_t>(out.size());
  j.types.insert(j.types.end(), out.begin(), out.end());
  const Atom first{e.out};
  j.eqns.push_back(std::move(e));
  return first;
}

}  // namespace weft::testing
