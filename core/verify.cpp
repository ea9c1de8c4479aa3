// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/verify.cpp: the rules of a well-formed program. Each rule has a label, ir.V1 …, that
// docs/ir.md and the tests also use.
#include <fmt/format.h>

#include "core/derivative_zero.h"
#include "core/op.h"
#include "core/text/print.h"
#include "core/weak_literal.h"

namespace weft {
namespace {

[[noreturn]] void violated(const char* rule, const std::string& why) {
  throw InternalError(fmt::format("jaxpr breaks rule {}: {}", rule, why));
}
// Reports a violation in equation i, with the text of the equation.
[[noreturn]] void violated(const char* rule, const std::string& why, const JaxprData& j, size_t i) {
  violated(rule, fmt::format("{}, in equation {}: {}", why, i, equation_text(j, i)));
}

bool fits(const Literal& l) {
  if (keeps_double(l)) return l == weak_literal(exact_value(l));
  if (is_derivative_zero(l)) return true;
  const int bytes = itemsize(l.dtype);
  if (bytes <= 8 && l.bits[1] != 0) return false;
  if (bytes < 8 && l.bits[0] >> (8 * bytes) != 0) return false;
  return l.dtype != Bool || l.bits[0] <= 1;
}

void verify_signature(const JaxprData& j) {
  if (j.n_const < 0 || j.n_const > j.n_in || static_cast<size_t>(j.n_in) > j.types.size())
    violated("ir.V1", fmt::format("{} constants, {} inputs, {} variables", j.n_const, j.n_in,
                                  j.types.size()));
  int64_t next = j.n_in;
  for (size_t i = 0; i < j.eqns.size(); ++i) {
    const Eqn& e = j.eqns[i];
    if (e.out != next || e.n_out < 0)
      violated("ir.V2", fmt::format("outputs are numbered from {} and not from {}", e.out, next), j,
               i);
    next += e.n_out;
  }
  if (next != static_cast<int64_t>(j.types.size()))
    violated("ir.V2", fmt::format("{} variables are defined, {} have types", next, j.types.size()));
  for (const Literal& l : j.literals)
    if (!fits(l))
      violated("ir.V4", fmt::format("bits {:#x}, {:#x} are no {}", l.bits[0], l.bits[1],
                                    short_name(l.dtype)));
}

// The reason why `a` cannot be read when the variables below `defined` have values, or null if it
// can.
const char* read_fault(const JaxprData& j, Atom a, int64_t defined) {
  if (a.is_literal())
    return static_cast<size_t>(a.literal()) < j.literals.size() ? nullptr
                                                                : "a literal that is not there";
  return a.index < defined ? nullptr : "a variable before it is defined";
}

struct HoldsNull {
  template <class T>
  bool operator()(const T&) const {
    return false;
  }
  bool operator()(const Jaxpr& j) const { return !j || !j->interned; }
  bool operator()(const std::vector<Jaxpr>& js) const {
    for (const Jaxpr& j : js)
      if ((*this)(j)) return true;
    return false;
  }
};

void verify_op(const JaxprData& j, size_t i) {
  const Eqn& e = j.eqns[i];
  if (!e.op) violated("ir.V5", "no op", j, i);
  if (find_op(e.op->name()) != e.op)
    violated("ir.V5", fmt::format("op '{}' is not registered", e.op->name()), j, i);
  if (!e.params) violated("ir.V6", "no parameters", j, i);
  if (e.params->type() != e.op->parse_params({})->type())
    violated("ir.V6", "parameters of another op", j, i);
  for (const auto& [name, value] : e.params->fields())
    if (std::visit(HoldsNull{}, value))
      violated("ir.V9", fmt::format("field {} holds no interned program", name), j, i);
}

void verify_types(const JaxprData& j, size_t i) {
  const Eqn& e = j.eqns[i];
  const Types in = j.in_types(e);
  Types out;
  try {
    out = e.op->type(in, e.params);
  } catch (const Error& error) {
    violated("ir.V7",
             fmt::format("the op refuses its operands ({}): {}", to_string(in), error.what()), j,
             i);
  }
  if (out.size() != static_cast<size_t>(e.n_out))
    violated("ir.V8", fmt::format("the op has {} results and not {}", out.size(), e.n_out), j, i);
  for (size_t k = 0; k < out.size(); ++k)
    if (const Type& t = j.types[e.out + k]; out[k] != t)
      violated("ir.V8",
               fmt::format("result {} is {} and not {}", k, program_type(out[k]), program_type(t)),
               j, i);
}

}  // namespace

void ir::verify_equations(const JaxprData& j) {
  verify_signature(j);
  for (size_t i = 0; i < j.eqns.size(); ++i) {
    for (Atom a : j.eqns[i].in)
      if (const char* fault = read_fault(j, a, j.eqns[i].out))
        violated("ir.V3", fmt::format("reads {}", fault), j, i);
    verify_op(j, i);
    verify_types(j, i);
  }
  for (size_t i = 0; i < j.out.size(); ++i)
    if (const char* fault = read_fault(j, j.out[i], static_cast<int64_t>(j.types.size())))
      violated("ir.V3", fmt::format("result {} reads {}", i, fault));
}

void ir::verify(const Jaxpr& j) {
  for_each_program({j}, [](const JaxprData& p) { verify_equations(p); });
}

}  // namespace weft
