// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/replay.cpp: the loop over the equations of a program.
#include "tracer/replay.h"

#include <iterator>
#include <utility>

#include "core/defining_eqns.h"
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

Array Env::read(Atom a) const {
  return a.is_literal() ? literal_array(j_.literals[a.literal()]) : values_[a];
}

Arrays Env::read(const std::vector<Atom>& atoms) const {
  Arrays r;
  for (Atom a : atoms) r.push_back(read(a));
  return r;
}

void Env::write(const Eqn& e, Arrays out) {
  std::move(out.begin(), out.end(), values_.begin() + e.out);
}

Arrays replay(const Jaxpr& j, const Arrays& x, EqnRule rule) {
  const VarMap<size_t> last = last_readers(*j);
  Env env(*j, x);
  for (size_t i = 0; i < j->eqns.size(); ++i) {
    const Eqn& e = j->eqns[i];
    const SourceScope source(e.source);
    const Arrays in = env.read(e.in);
    Arrays out = rule(e, in);
    for (Atom a : e.in)
      if (last.get(a, no_equation) == i) env[a.index] = Array();
    for (int32_t k = 0; k < std::ssize(out); ++k)
      if (last[e.out + k] != no_equation) env[e.out + k] = std::move(out[k]);
  }
  return env.read(j->out);
}

Jaxpr rewrite(const Jaxpr& j, EqnRule rule) {
  const ClosedJaxpr c = record(j->in_types(), [&](const Arrays& x) { return replay(j, x, rule); });
  if (!c.consts.empty()) throw InternalError("a rewritten program depends on a value outside it");
  return dce(c.jaxpr);
}

}  // namespace weft
