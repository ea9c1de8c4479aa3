// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/op_rewrites.cpp: replaces equations by what the rules of their ops return.
#include "jit/rewrite/op_rewrites.h"

#include <algorithm>
#include <deque>

#include "core/effects.h"
#include "core/op.h"
#include "tracer/replay.h"
#include "tracer/trace.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

// Rewrites j by the rule. A rule that returns no results leaves its equation unchanged. An equation
// without results is therefore never passed to it.
template <class Rule>
Jaxpr rewritten_by(const Jaxpr& j, Op::Slot slot, Rule rule) {
  if (std::none_of(j->eqns.begin(), j->eqns.end(), [&](const Eqn& e) { return e.op->has(slot); }))
    return j;
  const Jaxpr r = rewrite(j, [&](const Eqn& e, const Arrays& in) {
    Arrays better = e.n_out == 0 ? Arrays() : rule(e, in);
    return better.empty() ? bind_equation(e, in, e.params) : better;
  });
  if (r->out_types() != j->out_types())
    throw InternalError("a rewrite changed the type of a result");
  return r;
}

}  // namespace

Jaxpr expand_ops(const Jaxpr& j) {
  const auto waits = [](const JaxprData&, const Eqn& e) { return e.implementation == expanded; };
  if (!any_equation({j}, waits)) return j;
  return rewrite(j, [](const Eqn& e, const Arrays& in) {
    if (e.implementation != expanded)
      return bind_equation(e, in,
                           with_programs(e, [](const Jaxpr& body) { return expand_ops(body); }));
    Arrays out = e.op->expand(in, e.params);
    if (std::ssize(out) != e.n_out)
      throw CompileError("'" + e.op->name() +
                         "' cannot be expanded here, because its lanes depend on one another; do "
                         "not demand its implementation 'expanded'");
    return out;
  });
}

Jaxpr split_ops(const Jaxpr& j) {
  return rewritten_by(j, Op::Slot::split, [](const Eqn& e, const Arrays& in) {
    return e.op->has(Op::Slot::split) ? e.op->split(in, e.params) : Arrays();
  });
}

Jaxpr fuse_ops(const Jaxpr& j) {
  std::deque<Producer> all;
  VarMap<const Producer*> producers(*j, nullptr);
  return rewritten_by(j, Op::Slot::fuse, [&](const Eqn& e, const Arrays& in) {
    std::vector<const Producer*> from;
    for (Atom a : e.in) from.push_back(producers.get(a, nullptr));
    const Producer& mine = all.emplace_back(Producer{*e.op, e.params, in, std::move(from)});
    producers.set_results(e, &mine);
    return e.op->has(Op::Slot::fuse) ? e.op->fuse(in, mine.from, e.params) : Arrays();
  });
}

}  // namespace weft::compiler
