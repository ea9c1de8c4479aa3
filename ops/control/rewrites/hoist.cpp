// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/hoist.cpp: finds the equations of a loop that no step changes and that are
// worth storing, and moves them before the loop.
#include "ops/control/rewrites/hoist.h"

#include <algorithm>
#include <limits>

#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/work.h"
#include "tracer/replay.h"

namespace weft {
namespace {

using Form = Lowering::Form;

// The unit of work is one instruction for one element. The planner stores values by the same costs
// (jit/fuse/region.h, plan.cpp). Longer code than the first number is not computed where it is
// read. The others are the costs of a byte in memory and of one more kernel.
constexpr double max_recomputed_cost = 12, byte_cost = 8, kernel_cost = 1 << 18;
// A value of up to this many bytes stays in the cache between two steps.
constexpr double cached_bytes = 1 << 20;

// Returns true if the equation must run exactly where it stands, because it waits for other devices
// or may raise an error. Calls with a time limit or a check may; all other calls are inlined.
bool is_bound(const Eqn& e) {
  static const Op& call = *find_op("jit");
  const auto bound = [](const Eqn& x) { return x.op->collective() || x.op == &call; };
  return bound(e) || any_equation(inner_programs(e.params),
                                  [&](const JaxprData&, const Eqn& x) { return bound(x); });
}

// A program of a loop, and how often it runs.
struct LoopProgram {
  Jaxpr j;
  Arrays in;                // what its inputs are before the first step
  std::vector<bool> fixed;  // by input: no step changes it
  Ints lane_axes;           // by input
  ValueRange consts;        // the inputs that are constants of the loop
  int lanes = 0;
  bool takes_mask = false;  // the first input is the mask of the active lanes
  double trips = 0;
  bool surely_runs = false;
};

// Decides which equations of a program are moved before the loop.
class Finder {
 public:
  explicit Finder(const LoopProgram& p)
      : p_(p),
        j_(*p.j),
        work_(j_),
        fixed_(j_, false),
        moved_(j_, false),
        refused_(j_, false),
        chain_(j_, 0),
        source_(j_, 0),
        demand_(j_, 0),
        stored_(j_, false),
        copied_(j_, false) {
    std::copy(p.fixed.begin(), p.fixed.end(), fixed_.begin());
    for (const Eqn& e : j_.eqns) fixed_.set_results(e, may_move(e));
    if (!any_candidate()) return;
    note_steps();
    note_demand();
    for (size_t i = 0; i < j_.eqns.size(); ++i)
      if (is_fixed(j_.eqns[i])) note(i);
  }
  bool is_moved(const Eqn& e) const { return e.n_out > 0 && moved_[e.out]; }
  bool moves() const { return std::find(moved_.begin(), moved_.end(), true) != moved_.end(); }
  // The lane axes of a moved value.
  int64_t lane_axes_of(int32_t v) { return leading_lanes(v).value_or(0); }

 private:
  bool is_fixed(const Eqn& e) const { return e.n_out > 0 && fixed_[e.out]; }
  bool may_move(const Eqn& e) const {
    return e.n_out > 0 && std::ranges::all_of(e.in, [&](Atom a) { return fixed_.get(a, true); }) &&
           effect_of(e) == Effect::none && !is_barrier(e) && !is_bound(e) &&
           (p_.surely_runs || surely_ends(e));
  }
  double elements(Atom a) const { return static_cast<double>(j_.type(a).elements()); }
  double bytes(int32_t v) const {
    return elements(Atom{v}) * static_cast<double>(itemsize(j_.types[v].dtype()));
  }
  double result_bytes(const Eqn& e) const {
    double all = 0;
    for (int32_t v = e.out; v < e.out + e.n_out; ++v) all += bytes(v);
    return all;
  }
  bool is_pull(size_t i) { return work_.lowering(i).form == Form::pull; }
  bool any_candidate();
  void note_steps();
  void note_demand();
  void note(size_t i);
  void note_pull(size_t i);
  bool pays(size_t i);
  bool pull_pays(size_t i);
  bool changes(size_t i);
  std::optional<int64_t> leading_lanes(int32_t v);

  const LoopProgram& p_;
  const JaxprData& j_;
  ProgramWork work_;
  bool lockstep_ = false;                                       // the steps run as separate kernels
  double most_work_ = std::numeric_limits<double>::infinity();  // of all that is moved
  double moved_work_ = 0;
  VarMap<bool> fixed_;    // no step changes it
  VarMap<bool> moved_;    // it is computed before the loop
  VarMap<bool> refused_;  // what it takes is too much for a loop that may make no trip
  // The instructions of an element, with those of the operands that are computed where they are
  // read. The bytes in memory from which the value is computed. The elements that a step reads.
  VarMap<double> chain_, source_, demand_;
  VarMap<bool> stored_;  // an equation of the steps needs it in memory
  VarMap<bool> copied_;  // the same, in its own order: a scatter without lanes
  std::optional<AxisClasses> axes_;
};

// Returns true if an equation may pay whatever reads it. Most loops hold only cheap constants, and
// their other equations are then not analysed.
bool Finder::any_candidate() {
  for (size_t i = 0; i < j_.eqns.size(); ++i) {
    const Eqn& e = j_.eqns[i];
    if (!is_fixed(e)) continue;
    if (!is_pull(i)) return true;
    note_pull(i);
    if (chain_[e.out] > max_recomputed_cost ||
        (bytes(e.out) <= source_[e.out] && (changes(i) || p_.lanes == 0)))
      return true;
  }
  return false;
}

// A loop that may make no trip may lose as much time as its steps take if it makes the usual number
// of them.
void Finder::note_steps() {
  double work = 0;
  for (size_t i = 0; i < j_.eqns.size(); ++i) {
    if (is_fixed(j_.eqns[i])) continue;
    lockstep_ = lockstep_ || work_.calls(i);
    if (!p_.surely_runs) work += work_.of(i);
  }
  if (!p_.surely_runs) most_work_ = p_.trips * work;
}

// A value that is computed where it is read may be read in part: a gather reads some elements of
// its operand. All other equations read all elements.
void Finder::note_demand() {
  for (Atom a : j_.out)
    if (!a.is_literal()) demand_[a] = elements(a);
  for (size_t i = j_.eqns.size(); i-- > 0;) {
    const Eqn& e = j_.eqns[i];
    const bool pull = is_pull(i);
    double read = 0;
    for (int32_t v = e.out; v < e.out + e.n_out; ++v) read += demand_[v];
    const std::vector<int>& times = work_.access(i).times;
    const Form form = work_.lowering(i).form;
    const bool in_memory = !is_fixed(e) && (form == Form::contract || form == Form::opaque);
    const bool copies = !is_fixed(e) && form == Form::scatter && p_.lanes == 0;
    for (size_t k = 0; k < e.in.size(); ++k) {
      if (e.in[k].is_literal()) continue;
      const double all = elements(e.in[k]), some = pull && k < times.size() ? times[k] * read : all;
      demand_[e.in[k]] = std::min(all, demand_[e.in[k]] + some);
      if (in_memory || copies) stored_[e.in[k]] = true;
      if (copies) copied_[e.in[k]] = true;
    }
  }
}

void Finder::note(size_t i) {
  const Eqn& e = j_.eqns[i];
  if (is_pull(i)) note_pull(i);
  const bool blocked = std::ranges::any_of(e.in, [&](Atom a) { return refused_.get(a, false); });
  if (!blocked) {
    if (!pays(i)) return;
    for (int32_t v = e.out; v < e.out + e.n_out; ++v)
      if (!leading_lanes(v)) return;
  }
  const double work = is_pull(i) ? chain_[e.out] * elements(Atom{e.out}) : work_.of(i);
  if (blocked || moved_work_ + work > most_work_) {
    refused_.set_results(e, true);
    return;
  }
  moved_work_ += work;
  moved_.set_results(e, true);
}

// Inputs and moved values are in memory.
void Finder::note_pull(size_t i) {
  const Eqn& e = j_.eqns[i];
  double chain = work_.access(i).cost, source = 0;
  for (Atom a : e.in) {
    if (a.is_literal()) continue;
    const bool stored = a.index < j_.n_in || moved_[a] || chain_[a] == 0;
    chain += stored ? 0 : chain_[a];
    source += stored ? bytes(a.index) : source_[a];
  }
  chain_.set_results(e, std::max(chain, 1.0));
  source_.set_results(e, source);
}

bool Finder::pays(size_t i) {
  const Eqn& e = j_.eqns[i];
  if (is_pull(i)) return e.n_out == 1 && pull_pays(i);
  const Form form = work_.lowering(i).form;
  if (form == Form::opaque || form == Form::scatter || lockstep_) return true;
  return work_.of(i) * (p_.trips - 1) > result_bytes(e) * byte_cost + kernel_cost;
}

// A value pays if reading it is cheaper than computing it, and if the steps read at least as many
// elements as it has. Large values may not grow: they may exist only where they are read.
bool Finder::pull_pays(size_t i) {
  const Eqn& e = j_.eqns[i];
  const double size = bytes(e.out), all = elements(Atom{e.out});
  if (all == 0 || p_.trips * demand_[e.out] < 2 * all) return false;
  const bool grows = size > source_[e.out];
  if (size > cached_bytes && grows) return false;
  const double read = size > cached_bytes ? byte_cost * size / all : max_recomputed_cost;
  if (chain_[e.out] > read) return true;
  return !grows && stored_[e.out] && (copied_[e.out] || changes(i));
}

// Returns false for elements of one value in memory in another order. Equations that read them find
// them there (XLA does not hoist them either).
bool Finder::changes(size_t i) {
  const Access& access = work_.access(i);
  return !access.moves || chain_[j_.eqns[i].out] > std::max(access.cost, 1);
}

// Returns the lane axes of a value, if they are its leading axes, as those of a constant must be.
std::optional<int64_t> Finder::leading_lanes(int32_t v) {
  if (p_.lanes == 0 || std::ranges::all_of(p_.lane_axes, [](int64_t a) { return a == 0; }))
    return 0;
  if (!p_.takes_mask) return {};
  if (!axes_) axes_.emplace(p_.j, p_.lanes, Ints(p_.lane_axes.begin() + 1, p_.lane_axes.end()));
  int64_t set = 0;
  int at = 0;
  const std::vector<int> places = axes_->places(Atom{v}, p_.lanes);
  for (int l = 0; l < p_.lanes; ++l) {
    if (places[l] < 0) continue;
    if (places[l] != at++) return {};
    set |= int64_t{1} << l;
  }
  return set;
}

// A program without the equations that are moved.
struct Cut {
  Jaxpr left;
  std::vector<bool> kept;       // by constant: the program still reads it
  std::vector<int32_t> values;  // variables of the program that become constants, after those
};

Cut cut_out(const JaxprData& j, const Finder& f, ValueRange consts) {
  VarMap<bool> read(j, false);
  std::vector<bool> live(j.eqns.size(), false);
  const auto note = [&](Atom a) {
    if (!a.is_literal()) read[a] = true;
  };
  std::ranges::for_each(j.out, note);
  for (size_t i = j.eqns.size(); i-- > 0;) {
    const Eqn& e = j.eqns[i];
    if (f.is_moved(e)) continue;
    live[i] = effect_of(e) == Effect::ordered;
    for (Atom a : results_of(e)) live[i] = live[i] || read[a];
    if (live[i]) std::ranges::for_each(e.in, note);
  }
  Cut c;
  for (const Eqn& e : j.eqns)
    if (f.is_moved(e))
      for (Atom a : results_of(e))
        if (read[a]) c.values.push_back(a.index);
  JaxprBuilder b(j);
  for (int32_t v = 0; v <= j.n_in; ++v) {
    if (v == consts.end())
      for (int32_t w : c.values) b.copy_input(w);
    if (consts.contains(v)) c.kept.push_back(read[v]);
    if (v < j.n_in && (!consts.contains(v) || read[v])) b.copy_input(v);
  }
  for (size_t i = 0; i < j.eqns.size(); ++i)
    if (live[i]) b.copy(j.eqns[i]);
  c.left = b.finish(j.out);
  return c;
}

// Binds the equations from which these values are computed. `in`: the inputs of the program, of
// which only fixed ones are read.
Arrays compute(const JaxprData& j, const std::vector<int32_t>& values, const Arrays& in) {
  VarMap<bool> needed(j, false);
  for (int32_t v : values) needed[v] = true;
  std::vector<bool> runs(j.eqns.size(), false);
  for (size_t i = j.eqns.size(); i-- > 0;) {
    for (Atom a : results_of(j.eqns[i])) runs[i] = runs[i] || needed[a];
    for (Atom a : j.eqns[i].in)
      if (runs[i] && !a.is_literal()) needed[a] = true;
  }
  Env env(j, in);
  for (size_t i = 0; i < j.eqns.size(); ++i) {
    if (!runs[i]) continue;
    const Eqn& e = j.eqns[i];
    const SourceScope source(e.source);
    env.write(e, bind_equation(e, env.read(e.in), e.params));
  }
  Arrays r;
  for (int32_t v : values) r.push_back(env[v]);
  return r;
}

// Moves what pays out of one program of the loop. Returns false if nothing pays.
bool move_out(const LoopProgram& p, Jaxpr* program, Arrays* consts, Ints* lane_axes) {
  Finder f(p);
  if (!f.moves()) return false;
  const Cut c = cut_out(*p.j, f, p.consts);
  if (c.values.empty()) return false;
  *program = c.left;
  *consts = concat_lists(filter_list(*consts, c.kept), compute(*p.j, c.values, p.in));
  *lane_axes = filter_list(*lane_axes, c.kept);
  for (int32_t v : c.values) lane_axes->push_back(f.lane_axes_of(v));
  return true;
}

// Constants do not change, and neither do carries that the body returns as they are.
LoopValues<bool> unchanged(const BodyOp& o) {
  LoopValues<bool> r;
  r.control.assign(o.lane_axes.control.size(), false);
  r.cond_consts.assign(o.lane_axes.cond_consts.size(), true);
  r.body_consts.assign(o.lane_axes.body_consts.size(), true);
  const ValueRange carry = o.body_inputs().carry;
  for (int t = 0; t < carry.size; ++t)
    r.carry.push_back(o.bodies[0]->out[static_cast<size_t>(t)] == Atom{carry.first + t});
  r.xs.assign(o.lane_axes.xs.size(), false);
  return r;
}

}  // namespace

std::optional<HoistedLoop> hoist_invariants(const BodyOp& o, const Arrays& operands) {
  HoistedLoop h{o, o.operands(operands)};
  const LoopValues<bool> fixed = unchanged(o);
  LoopProgram body{.j = o.bodies[0],
                   .in = o.to_body(h.x, Array()),
                   .fixed = o.to_body(fixed, false),
                   .lane_axes = o.to_body(o.lane_axes, full_set(o.lanes)),
                   .consts = o.body_inputs().body_consts,
                   .lanes = static_cast<int>(o.lanes.size()),
                   .takes_mask = o.active(),
                   .trips = trips_of_while};
  if (const Scan* p = std::get_if<Scan>(&o.like)) {
    const auto length = static_cast<double>(p->length);
    body.surely_runs = !o.trip_counts();
    body.trips = body.surely_runs ? length : std::min(length, trips_of_while);
    if (length < 2) return {};
  }
  bool any = move_out(body, &h.o.bodies[0], &h.x.body_consts, &h.o.lane_axes.body_consts);
  if (o.test) {
    // The condition runs once more than the body.
    const LoopProgram test{.j = o.test,
                           .in = o.to_cond(o.operands(operands)),
                           .fixed = o.to_cond(fixed),
                           .lane_axes = o.to_cond(o.lane_axes),
                           .consts = o.cond_inputs().cond_consts,
                           .lanes = static_cast<int>(o.lanes.size()),
                           .trips = trips_of_while + 1,
                           .surely_runs = true};
    any = move_out(test, &h.o.test, &h.x.cond_consts, &h.o.lane_axes.cond_consts) || any;
  }
  if (!any) return {};
  return h;
}

}  // namespace weft
