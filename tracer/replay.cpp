// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/replay.cpp: the loop over the equations of a program.
#include "tracer/replay.h"

#include <utility>

#include "tracer/concrete.h"
#include "weft/error.h"

namespace weft {

namespace {
thread_local const Eqn* bound = nullptr;
}

ImplementationScope::ImplementationScope(const Eqn& e) : before_(std::exchange(bound, &e)) {}
ImplementationScope::~ImplementationScope() { bound = before_; }
std::string_view ImplementationScope::of(const Op& op) {
  return bound && bound->op == &op ? bound->implementation : std::string_view();
}

Arrays bind_equation(const Eqn& e, const Arrays& in, const AnyParams& params) {
  const ImplementationScope scope(e);
  return bind_op(*e.op, in, params);
}

Arrays replay(const Jaxpr& j, const Arrays& x, EqnRule rule) {
  std::vector<int32_t> last(j->types.size(), -1);
  for (size_t i = 0; i < j->eqns.size(); ++i)
    for (Atom a : j->eqns[i].in)
      if (!a.is_literal()) last[static_cast<size_t>(a.index)] = static_cast<int32_t>(i);
  for (Atom a : j->out)
    if (!a.is_literal()) last[static_cast<size_t>(a.index)] = static_cast<int32_t>(j->eqns.size());
  Arrays env(j->types.size());
  std::copy(x.begin(), x.end(), env.begin());
  const auto read = [&](Atom a) {
    return a.is_literal() ? literal_array(j->literals[static_cast<size_t>(a.literal())])
                          : env[static_cast<size_t>(a.index)];
  };
  for (size_t i = 0; i < j->eqns.size(); ++i) {
    const Eqn& e = j->eqns[i];
    const SourceScope source(e.source);
    Arrays in;
    for (Atom a : e.in) in.push_back(read(a));
    Arrays out = rule(e, in);
    for (Atom a : e.in)
      if (!a.is_literal() && last[static_cast<size_t>(a.index)] == static_cast<int32_t>(i))
        env[static_cast<size_t>(a.index)] = Array();
    for (size_t k = 0; k < out.size(); ++k)
      if (last[static_cast<size_t>(e.out) + k] >= 0)
        env[static_cast<size_t>(e.out) + k] = std::move(out[k]);
  }
  Arrays result;
  for (Atom a : j->out) result.push_back(read(a));
  return result;
}

Jaxpr rewrite(const Jaxpr& j, EqnRule rule) {
  const ClosedJaxpr c = record(j->in_types(), [&](const Arrays& x) { return replay(j, x, rule); });
  if (!c.consts.empty()) throw InternalError("a rewritten program depends on a value outside it");
  return dce(c.jaxpr);
}

}  // namespace weft
