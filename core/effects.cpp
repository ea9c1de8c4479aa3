// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/effects.cpp: effects of equations and of the programs that they hold.
#include "core/effects.h"

#include <algorithm>

namespace weft {
namespace {

// The search stops at `ordered`, the strongest effect.
Effect strongest(std::vector<Jaxpr> programs) {
  Effect found = Effect::none;
  any_equation(std::move(programs), [&](const JaxprData&, const Eqn& e) {
    found = std::max(found, e.op->effects(e.params));
    return found == Effect::ordered;
  });
  return found;
}

}  // namespace

Effect effect_of(const Op& op, const AnyParams& params) {
  const Effect own = op.effects(params);
  // Only ops with compile_eagerly hold programs.
  if (own == Effect::ordered || !op.compile_eagerly()) return own;
  return std::max(own, strongest(inner_programs(params)));
}

Effect effect_of(const Jaxpr& j) { return strongest({j}); }

bool is_barrier(const Eqn& e) {
  static const Op* const ops[] = {find_op("optimization_barrier"), find_op("schedule_after")};
  return std::find(std::begin(ops), std::end(ops), e.op) != std::end(ops);
}

AnyParams with_programs(const Op& op, const AnyParams& params, FunctionRef<Jaxpr(const Jaxpr&)> f) {
  std::vector<std::pair<std::string, ParamValue>> fields;
  bool changed = false;
  const auto replace = [&](Jaxpr& program) {
    if (!program) return;
    Jaxpr r = f(program);
    changed = changed || r != program;
    program = std::move(r);
  };
  for (auto& [name, value] : params->fields()) {
    if (auto* body = std::get_if<Jaxpr>(&value)) replace(*body);
    if (auto* many = std::get_if<std::vector<Jaxpr>>(&value))
      for (Jaxpr& b : *many) replace(b);
    fields.emplace_back(name, value);
  }
  return changed ? op.parse_params(fields) : params;
}

Jaxpr without_prints(const Jaxpr& j) {
  if (effect_of(j) != Effect::ordered) return j;
  // Variables keep their numbers, because the erased equations have no results.
  auto r = make_ref<JaxprData>(*j);
  r->interned = false;
  std::erase_if(r->eqns, [](const Eqn& e) {
    return e.n_out == 0 && e.op->effects(e.params) == Effect::ordered;
  });
  for (Eqn& e : r->eqns)
    if (e.op->compile_eagerly())
      e.params = with_programs(e, [](const Jaxpr& p) { return without_prints(p); });
  return intern(std::move(r));
}

}  // namespace weft
