// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/implementations.cpp: compares the costs that the implementations of an op declare.
#include "jit/rewrite/implementations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/effects.h"
#include "core/loops/axis_classes.h"
#include "tracer/replay.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

// How much longer a step of a loop takes as a separate program than inside the lane. It includes
// some calls, and products count it (ops/linear/dot.cpp).
constexpr double lockstep_ns = 13'888;
// The extra cost of a call on the host in a program for a GPU: it waits for its operands, copies
// them, and copies its results back. Launches and copies take a few microseconds each. Not
// measured.
constexpr double host_call_ns = 20'000;
// No call is worth making the lanes of a mapped loop wait for each other.
constexpr double mapped_lockstep_ns = 1e18;

constexpr auto has_choice = [](const JaxprData&, const Eqn& e) {
  const auto& all = e.op->implementations();
  return all.size() > 1 || (all.size() == 1 && all[0].name != generated);
};

class Chooser {
 public:
  Chooser(const Target& target, Demands demands, bool in_expansion)
      : target_(target), demands_(demands), in_expansion_(in_expansion) {}

  // j is a body of a loop. Its steps cost `lockstep` more each once it contains a call.
  Jaxpr program(const Jaxpr& j, double lockstep) {
    if (!any_equation({j}, has_choice)) return j;
    const auto [it, fresh] = known_.try_emplace({j.get(), lockstep});
    if (!fresh) return it->second;
    auto r = make_ref<JaxprData>(*j);
    r->interned = false;
    for (Eqn& e : r->eqns) {
      if (e.op->compile_eagerly()) bodies(*j, e, lockstep);
      if (has_choice(*j, e)) e.implementation = name_for(*j, e, lockstep);
    }
    return it->second = intern(std::move(r));
  }

 private:
  void bodies(const JaxprData& j, Eqn& e, double lockstep) {
    const Lowering l = lower_equation(j, e);
    // A call that is not inlined is a separate program.
    if (l.form == Lowering::Form::opaque) return;
    if (l.form != Lowering::Form::inlined)
      lockstep = std::max(lockstep, l.loop.lanes.empty() ? lockstep_ns : mapped_lockstep_ns);
    e.params = with_programs(e, [&](const Jaxpr& b) { return program(b, lockstep); });
  }

  std::string_view name_for(const JaxprData& j, const Eqn& e, double lockstep) const {
    const Types in = j.in_types(e), out = j.out_types(e);
    const SourceScope place(e.source);  // for the errors of an implementation
    const AnyUse use{in, out, e.params, target_, lockstep > 0};
    if (const Demand* d = demands_(*e.op); d && (!in_expansion_ || applies(*d, e, use)))
      return demanded(*d, e, use);
    if (!e.implementation.empty()) return e.implementation;
    const AnyImplementation* best = nullptr;
    double least = 0;
    int applicable = 0;
    for (const AnyImplementation& i : e.op->implementations()) {
      if (!i.applies(use)) continue;
      ++applicable;
      const bool on_host = target_.gpu && i.library.empty();
      const double cost = i.cost(use) + (i.make ? lockstep + (on_host ? host_call_ns : 0) : 0);
      if (best && cost > least) continue;
      // Checked only for the candidate that would be chosen.
      if (!missing_library(i, target_).empty()) continue;
      best = &i;
      least = cost;
    }
    if (!best)
      throw CompileError(fmt::format("'{}' cannot be compiled: none of {} applies to {}",
                                     e.op->name(), implementation_names(*e.op), to_string(in)));
    // It is not yet known whether the lane holds the loop. If it does not, the choice is made
    // again.
    const bool open = best->name == generated && (applicable == 1 || lockstep > 0);
    return open ? std::string_view() : best->name;
  }

  static bool applies(const Demand& d, const Eqn& e, const AnyUse& use) {
    const AnyImplementation* i = find_implementation(*e.op, d.implementation);
    return i && is_usable(*i, use);
  }
  static std::string_view demanded(const Demand& d, const Eqn& e, const AnyUse& use) {
    const AnyImplementation* i = find_implementation(*e.op, d.implementation);
    if (i && i->applies(use) && use.target.gpu)
      if (const std::string missing = missing_library(*i, use.target); !missing.empty())
        throw CompileError(fmt::format("{}: '{}' of {} cannot be used: {}", d.where,
                                       d.implementation, e.op->name(), missing));
    if (!i || !is_usable(*i, use))
      throw CompileError(fmt::format("{}: '{}' does not apply to {} of {}; there is {}", d.where,
                                     d.implementation, e.op->name(), to_string(use.in),
                                     implementation_names(*e.op, &use)));
    return i->name;
  }

  const Target target_;
  const Demands demands_;
  const bool in_expansion_;
  std::map<std::pair<const JaxprData*, double>, Jaxpr> known_;
};

}  // namespace

Jaxpr choose_implementations(const Jaxpr& j, const Target& target, Demands demands,
                             bool in_expansion) {
  return Chooser(target, demands, in_expansion).program(j, 0);
}

}  // namespace weft::compiler
