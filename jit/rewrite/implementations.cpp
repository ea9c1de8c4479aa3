// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/implementations.cpp: compares the costs that the implementations of an op declare.
#include "jit/rewrite/implementations.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/effects.h"
#include "core/loops/axis_classes.h"
#include "jit/fuse/loop_grid.h"
#include "tracer/replay.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

// How much longer a step of a loop takes as a separate program than inside the lane. Measured for
// recurrent networks of 4 to 64 features and 1 to 1024 lanes (docs/decisions/0002).
constexpr double lockstep_ns = 500;
// The same as lockstep_ns on a GPU, where a step has several launches. Not measured.
constexpr double gpu_lockstep_ns = 13'888;
// The same for a loop in a loop that would run in the lane: both leave it. Not measured.
constexpr double nested_lockstep_ns = 13'888;
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
  // `open`: leaves equations without a name that cost less as parts of kernels of lanes.
  Chooser(const Target& target, Demands demands, bool in_expansion, bool open)
      : target_(target), demands_(demands), in_expansion_(in_expansion), open_(open) {}

  // Gives names to the equations of j that were left open, but not to those in its bodies.
  Jaxpr open_equations(const Jaxpr& j) {
    auto r = make_ref<JaxprData>(*j);
    r->interned = false;
    bool any = false;
    for (Eqn& e : r->eqns) {
      if (!e.implementation.empty() || !has_choice(*j, e)) continue;
      const std::string_view name = name_for(*j, e, 0, false);
      const AnyImplementation* i = name.empty() ? nullptr : find_implementation(*e.op, name);
      if (!i || !i->make || !is_cheaper_in_lane(*j, e, *i)) continue;
      e.implementation = name;
      any = true;
    }
    return any ? intern(std::move(r)) : j;
  }

  // in_loop: j is a body of a loop that each lane can run itself. Its steps cost `lockstep` more
  // each once it contains a call. All calls that save time share this cost.
  Jaxpr program(const Jaxpr& j, double lockstep, bool in_loop) {
    if (!any_equation({j}, has_choice)) return j;
    if (lockstep == lockstep_ns && saving(*j) > lockstep) lockstep = 0;
    const auto [it, fresh] = known_.try_emplace({j.get(), lockstep, in_loop});
    if (!fresh) return it->second;
    auto r = make_ref<JaxprData>(*j);
    r->interned = false;
    for (Eqn& e : r->eqns) {
      if (e.op->compile_eagerly()) bodies(*j, e, lockstep, in_loop);
      if (has_choice(*j, e)) e.implementation = name_for(*j, e, lockstep, in_loop);
    }
    return it->second = intern(std::move(r));
  }

 private:
  void bodies(const JaxprData& j, Eqn& e, double lockstep, bool in_loop) {
    const Lowering l = lower_equation(j, e);
    // A call that is not inlined is a separate program.
    if (l.form == Lowering::Form::opaque) return;
    if (l.form != Lowering::Form::inlined) {
      lockstep = std::max(lockstep, leaving(l, lockstep > 0));
      in_loop = true;
    }
    e.params = with_programs(e, [&](const Jaxpr& b) { return program(b, lockstep, in_loop); });
  }

  // The cost of a step of this loop or branch outside of the lane.
  double leaving(const Lowering& l, bool in_lane) const {
    if (!l.loop.lanes.empty()) return mapped_lockstep_ns;
    if (target_.gpu) return gpu_lockstep_ns;
    return in_lane && repeats(l) ? nested_lockstep_ns : lockstep_ns;
  }
  static bool repeats(const Lowering& l) { return l.form == Lowering::Form::loop; }
  double cost_of(const AnyImplementation& i, const AnyUse& use) const {
    const bool on_host = target_.gpu && i.make && i.library.empty();
    return i.cost(use) + (on_host ? host_call_ns : 0);
  }
  // The nanoseconds of a step that calls of native code save.
  double saving(const JaxprData& j) const {
    double all = 0;
    for (const Eqn& e : j.eqns) {
      if (e.op->compile_eagerly()) all += saving_inside(j, e);
      if (has_choice(j, e)) all += saving(j, e);
    }
    return all;
  }
  // A while may make a few trips, so it does not count.
  double saving_inside(const JaxprData& j, const Eqn& e) const {
    const Lowering l = lower_equation(j, e);
    const bool scan = repeats(l) && l.loop.kind == LoopForm::Kind::scan;
    if (l.form == Lowering::Form::opaque || !l.loop.lanes.empty() || (repeats(l) && !scan))
      return 0;
    double all = 0;
    for (const Jaxpr& b : inner_programs(e.params)) all += saving(*b);
    return scan ? static_cast<double>(l.loop.length) * std::max(0., all - lockstep_ns) : all;
  }
  double saving(const JaxprData& j, const Eqn& e) const {
    const Types in = j.in_types(e), out = j.out_types(e);
    const AnyUse use{in, out, e.params, target_, true};
    constexpr double none = std::numeric_limits<double>::infinity();
    double in_lane = none, native = none;
    for (const AnyImplementation& i : e.op->implementations())
      if (!i.make && i.applies(use)) in_lane = std::min(in_lane, cost_of(i, use));
    if (in_lane == none) return 0;  // it is never in a lane
    for (const AnyImplementation& i : e.op->implementations()) {
      if (!i.make || !i.applies(use)) continue;
      const double cost = cost_of(i, use);
      if (cost < std::min(in_lane, native) && missing_library(i, target_).empty()) native = cost;
    }
    return native < in_lane ? in_lane - native : 0;
  }

  std::string_view name_for(const JaxprData& j, const Eqn& e, double lockstep, bool in_loop) const {
    const Types in = j.in_types(e), out = j.out_types(e);
    const SourceScope place(e.source);  // for the errors of an implementation
    const AnyUse use{in, out, e.params, target_, in_loop};
    if (const Demand* d = demands_(*e.op); d && (!in_expansion_ || applies(*d, e, use)))
      return demanded(*d, e, use);
    if (!e.implementation.empty()) return e.implementation;
    const AnyImplementation* best = nullptr;
    double least = 0;
    int applicable = 0;
    for (const AnyImplementation& i : e.op->implementations()) {
      if (!i.applies(use)) continue;
      ++applicable;
      const double cost = cost_of(i, use) + (i.make ? lockstep : 0);
      if (best && cost > least) continue;
      // Checked only for the candidate that would be chosen.
      if (!missing_library(i, target_).empty()) continue;
      best = &i;
      least = cost;
    }
    if (best && best->make && !in_loop && open_ && is_cheaper_in_lane(j, e, *best)) return {};
    if (!best)
      throw CompileError(fmt::format("'{}' cannot be compiled: none of {} applies to {}",
                                     e.op->name(), implementation_names(*e.op), to_string(in)));
    // It is not yet known whether the lane holds the loop. If it does not, the choice is made
    // again.
    const bool open = best->name == generated && (applicable == 1 || in_loop);
    return open ? std::string_view() : best->name;
  }

  // Returns true if generated code costs less than this native code where it is a part of a kernel
  // of lanes. Later passes decide if there will be such a kernel.
  bool is_cheaper_in_lane(const JaxprData& j, const Eqn& e, const AnyImplementation& native) const {
    const AnyImplementation* nest = find_implementation(*e.op, generated);
    if (target_.gpu || !nest) return false;
    const Types in = j.in_types(e), out = j.out_types(e);
    // Without an axis of lanes, each lane would compute the whole result.
    const Shape& result = out[0].shape();
    if (std::none_of(result.begin(), result.end(), [](int64_t n) { return n >= points_of_call; }))
      return false;
    const AnyUse lane{in, out, e.params, target_, true}, alone{in, out, e.params, target_};
    return nest->applies(lane) && nest->cost(lane) < native.cost(alone);
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
  const bool in_expansion_, open_;
  std::map<std::tuple<const JaxprData*, double, bool>, Jaxpr> known_;
};

}  // namespace

Jaxpr choose_implementations(const Jaxpr& j, const Target& target, Demands demands,
                             bool in_expansion) {
  return Chooser(target, demands, in_expansion, true).program(j, 0, false);
}

bool is_open(const JaxprData& j, const Eqn& e, const Target& target) {
  if (!e.implementation.empty()) return false;
  const Types in = j.in_types(e), out = j.out_types(e);
  const AnyUse use{in, out, e.params, target};
  return std::ranges::any_of(e.op->implementations(), [&](const AnyImplementation& i) {
    return i.make && i.applies(use) && missing_library(i, target).empty();
  });
}

Jaxpr choose_outside_of_lanes(const Jaxpr& j, const Target& target, Demands demands) {
  return Chooser(target, demands, true, false).open_equations(j);
}

}  // namespace weft::compiler
