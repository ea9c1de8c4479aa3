// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/prune.cpp: finds what a program needs, from its last equation to its first. A result that
// equals an operand is replaced by it, so only the operand is needed.
#include "tracer/prune.h"

#include <algorithm>

#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/op.h"
#include "core/var_map.h"

namespace weft {
namespace {

struct Needs {
  VarMap<bool> vars;
  std::vector<bool> equations;
  std::vector<std::optional<Pruned>> parts;  // by equation, where a part is enough
  // By variable: the operand of its equation that it equals, or itself.
  VarMap<Atom> equal;
};

Needs needs_of(const JaxprData& j, const std::vector<bool>& outputs) {
  Needs n{VarMap<bool>(j, false), std::vector<bool>(j.eqns.size(), false),
          std::vector<std::optional<Pruned>>(j.eqns.size()), VarMap<Atom>(j)};
  for (int32_t v = 0; v < n.equal.size(); ++v) n.equal[v] = Atom{v};
  for (const Eqn& e : j.eqns) {
    const std::vector<int> from = e.op->forwards(e.params);
    for (size_t k = 0; k < from.size(); ++k) {
      const Atom result{e.out + static_cast<int32_t>(k)};
      if (from[k] < 0 || j.type(e.in[from[k]]) != j.type(result)) continue;
      const Atom operand = e.in[from[k]];
      n.equal[result] = operand.is_literal() ? operand : n.equal[operand];
    }
  }
  const auto mark = [&](Atom a) {
    if (!a.is_literal()) a = n.equal[a];
    if (!a.is_literal()) n.vars[a] = true;
  };
  for (size_t i = 0; i < j.out.size(); ++i)
    if (outputs[i]) mark(j.out[i]);
  for (size_t i = j.eqns.size(); i-- > 0;) {
    const Eqn& e = j.eqns[i];
    std::vector<bool> read;
    for (int32_t k = 0; k < e.n_out; ++k) read.push_back(n.vars[e.out + k]);
    const bool any = std::ranges::find(read, true) != read.end();
    if (!any && effect_of(e) != Effect::ordered) continue;
    n.equations[i] = true;
    n.parts[i] = e.op->prune(read, e.params);
    for (size_t k = 0; k < e.in.size(); ++k)
      if (!n.parts[i] || n.parts[i]->operands[k]) mark(e.in[k]);
  }
  return n;
}

Eqn part_of(Eqn e, const Pruned& p) {
  std::vector<Atom> in;
  for (size_t k = 0; k < e.in.size(); ++k)
    if (p.operands[k]) in.push_back(e.in[k]);
  e.in = std::move(in);
  e.params = p.params;
  e.n_out = static_cast<int32_t>(std::ranges::count(p.results, true));
  return e;
}

}  // namespace

Jaxpr prune(const Jaxpr& j, const std::vector<bool>& outputs) {
  const Needs n = needs_of(*j, outputs);
  JaxprBuilder b(*j);
  b.copy_inputs();
  for (size_t i = 0; i < j->eqns.size(); ++i) {
    const Eqn& e = j->eqns[i];
    if (n.equations[i] && !n.parts[i]) {
      b.copy(e);
    } else if (n.equations[i]) {
      std::vector<Atom> results;
      for (int32_t k = 0; k < e.n_out; ++k)
        if (n.parts[i]->results[k]) results.push_back(Atom{e.out + k});
      b.add(part_of(e, *n.parts[i]), results);
    }
    for (const Atom v : results_of(e))
      if (n.equal[v] != v) b.replace_by_equal(v, n.equal[v]);
  }
  std::vector<Atom> out;
  for (size_t i = 0; i < j->out.size(); ++i)
    if (outputs[i]) out.push_back(j->out[i]);
  return b.finish(out);
}

std::vector<bool> inputs_needed(const Jaxpr& j, const std::vector<bool>& outputs) {
  const Needs n = needs_of(*j, outputs);
  return {n.vars.begin(), n.vars.begin() + j->n_in};
}

}  // namespace weft
