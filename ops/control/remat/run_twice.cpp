// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/run_twice.cpp: finds which equations of a program each of two runs needs.
#include "ops/control/remat/run_twice.h"

#include <algorithm>
#include <map>

#include "core/effects.h"
#include "core/param.h"
#include "ops/control/body_op.h"
#include "ops/control/remat/remat.h"
#include "tracer/replay.h"

namespace weft {
namespace {

// An equation with programs, each of which runs twice.
struct Inside {
  std::vector<Twice> bodies;
  std::vector<bool> keep, want;  // results of the equation
  std::vector<bool> reads;       // operands that the second run needs
  Types saved = {};              // types of the values that the first run passes to the second
  // For cond: the index in `saved` of each saved value of a branch. Branches share entries of equal
  // types.
  std::vector<std::vector<size_t>> places = {};
};

Types saved_types(const Twice& t) {
  const Types out = t.first->out_types();
  return drop_first(out, out.size() - static_cast<size_t>(t.saved));
}

// The rule of an op that carries programs. `in` and `out` are the operands and results of the
// equation.
struct Rule {
  // Decides which results and operands each run has, and splits the programs.
  Inside (*divide)(const Eqn& e, std::vector<bool> keep, std::vector<bool> want,
                   const CheckpointPolicy& policy);
  // (kept results…, saved…)
  Arrays (*first)(const Eqn& e, const Inside& in, const Arrays& x);
  // Returns the wanted results. Operands that are not read may be empty handles.
  Arrays (*again)(const Eqn& e, const Inside& in, const Arrays& x, const Arrays& saved);
};

// ---- calls

const Jaxpr& program_of(const Eqn& e) {
  return e.op->name() == "jit" ? params_as<Call>(e.params).jaxpr : params_as<Remat>(e.params).jaxpr;
}
AnyParams params_of(const Eqn& e, const Jaxpr& j) {
  return e.op->name() == "jit" ? make_params(params_as<Call>(e.params).of(j))
                               : make_params(params_as<Remat>(e.params).of(j));
}

Inside divide_call(const Eqn& e, std::vector<bool> keep, std::vector<bool> want,
                   const CheckpointPolicy& policy) {
  Inside in{{run_twice(program_of(e), keep, want, policy)}, keep, want, {}};
  in.saved = saved_types(in.bodies[0]);
  in.reads = sublist(needed_inputs(in.bodies[0].again), 0, e.in.size());
  return in;
}
Arrays first_call(const Eqn& e, const Inside& in, const Arrays& x) {
  return bind_op(*e.op, x, params_of(e, in.bodies[0].first));
}
Arrays again_call(const Eqn& e, const Inside& in, const Arrays& x, const Arrays& saved) {
  const Arrays all = concat_lists(filter_list(x, in.reads), saved);
  const Jaxpr j = program(types_of(all), [&](const Arrays& a) {
    return eval_jaxpr(in.bodies[0].again, concat_lists(scatter_list(a, in.reads),
                                                       drop_first(a, a.size() - saved.size())));
  });
  return bind_op(*e.op, all, params_of(e, j));
}

// ---- branches: a value saved by one branch is zero if another branch runs

// Assigns each of these types a distinct index in `places`. It uses an entry of equal type, or
// appends one.
std::vector<size_t> places_for(const Types& types, Types* places) {
  std::vector<size_t> mine;
  for (const Type& t : types) {
    size_t at = 0;
    while (at < places->size() && (!((*places)[at].strong() == t.strong()) ||
                                   std::find(mine.begin(), mine.end(), at) != mine.end()))
      ++at;
    if (at == places->size()) places->push_back(t.strong());
    mine.push_back(at);
  }
  return mine;
}

Inside divide_cond(const Eqn& e, std::vector<bool> keep, std::vector<bool> want,
                   const CheckpointPolicy& policy) {
  Inside in{{}, keep, want, std::vector<bool>(e.in.size(), false)};
  in.reads[0] = true;
  for (const Jaxpr& branch : params_as<Cond>(e.params).branches) {
    in.bodies.push_back(run_twice(branch, keep, want, policy));
    const std::vector<bool> needs = needed_inputs(in.bodies.back().again);
    for (size_t k = 1; k < e.in.size(); ++k) in.reads[k] = in.reads[k] || needs[k - 1];
    in.places.push_back(places_for(saved_types(in.bodies.back()), &in.saved));
  }
  return in;
}
Arrays first_cond(const Eqn& e, const Inside& in, const Arrays& x) {
  Cond p{params_as<Cond>(e.params).branches, {}, {}, {}, false};
  for (size_t b = 0; b < p.branches.size(); ++b)
    p.branches[b] = program(types_of(drop_first(x, 1)), [&](const Arrays& a) {
      const Arrays own = eval_jaxpr(in.bodies[b].first, a);
      const size_t m = own.size() - static_cast<size_t>(in.bodies[b].saved);
      Arrays saved(in.saved.size());
      for (size_t k = 0; k < in.places[b].size(); ++k) saved[in.places[b][k]] = own[m + k];
      return concat_lists(sublist(own, 0, m), map_list(instantiate, saved, in.saved));
    });
  return bind_op(*e.op, x, make_params(p));
}
Arrays again_cond(const Eqn& e, const Inside& in, const Arrays& x, const Arrays& saved) {
  Cond p{params_as<Cond>(e.params).branches, {}, {}, {}, false};
  const std::vector<bool> reads = drop_first(in.reads, 1);
  const Arrays all = concat_lists(filter_list(drop_first(x, 1), reads), saved);
  const size_t first = all.size() - saved.size();
  for (size_t b = 0; b < p.branches.size(); ++b)
    p.branches[b] = program(types_of(all), [&](const Arrays& a) {
      const Arrays own = map_list([&](size_t place) { return a[first + place]; }, in.places[b]);
      return eval_jaxpr(in.bodies[b].again, concat_lists(scatter_list(a, reads), own));
    });
  return bind_op(*e.op, concat_lists({x[0]}, all), make_params(p));
}

// ---- scans: a value saved by a step is a row

// The second run has the carries that its wanted results need.
Inside divide_scan(const Eqn& e, std::vector<bool> keep, std::vector<bool> want,
                   const CheckpointPolicy& policy) {
  const BodyOp o = body_op(params_as<Scan>(e.params));
  const size_t nc = o.lane_axes.body_consts.size(), n = o.lane_axes.carry.size();
  std::fill_n(keep.begin(), n, true);
  Inside in{{}, keep, want, {}};
  for (bool grows = true; grows;) {
    in.bodies = {run_twice(o.bodies[0], keep, in.want, policy)};
    in.reads = sublist(needed_inputs(in.bodies[0].again), 0, e.in.size());
    std::vector<bool> carries = sublist(in.want, 0, n);
    grows = union_into(&carries, sublist(in.reads, nc, n));
    std::copy(carries.begin(), carries.end(), in.want.begin());
  }
  in.saved = map_list([&](const Type& t) { return stacked(t, params_as<Scan>(e.params).length); },
                      saved_types(in.bodies[0]));
  // The initial value of each carry of the second run.
  std::copy_n(in.want.begin(), n, in.reads.begin() + static_cast<std::ptrdiff_t>(nc));
  return in;
}
Arrays first_scan(const Eqn& e, const Inside& in, const Arrays& x) {
  BodyOp o = body_op(params_as<Scan>(e.params));
  o.result_lane_axes = Ints(in.bodies[0].first->out.size() - o.lane_axes.carry.size(), 0);
  o.bodies = {in.bodies[0].first};
  return o.bind(*e.op, o.operands(x));
}
Arrays again_scan(const Eqn& e, const Inside& in, const Arrays& x, const Arrays& saved) {
  const BodyOp o = body_op(params_as<Scan>(e.params));
  const LoopValues<bool> reads = o.operands(in.reads);
  BodyOp q = o;
  q.lane_axes = filter_list(o.lane_axes, reads);
  append(q.lane_axes.xs, Ints(saved.size(), 0));
  q.result_lane_axes =
      filter_list(o.result_lane_axes, drop_first(in.want, o.lane_axes.carry.size()));
  LoopValues<Array> all = filter_list(o.operands(x), reads);
  append(all.xs, saved);
  q.bodies = {program(q.takes(all), [&](const Arrays& a) {
    const LoopValues<Array> g = q.body_inputs(a);
    const size_t own = g.xs.size() - saved.size();
    Arrays args = scatter_list(g.body_consts, reads.body_consts);
    append(args, scatter_list(g.carry, reads.carry));
    append(args, scatter_list(sublist(g.xs, 0, own), reads.xs));
    return eval_jaxpr(in.bodies[0].again, concat_lists(args, drop_first(g.xs, own)));
  })};
  return q.bind(*e.op, all);
}

// Returns null for ops without programs, and for ops whose programs are not split; they run whole.
const Rule* rule_of(const Eqn& e) {
  static const Rule call{divide_call, first_call, again_call},
      cond{divide_cond, first_cond, again_cond}, scan{divide_scan, first_scan, again_scan};
  const std::string& op = e.op->name();
  if (op == "jit") return params_as<Call>(e.params).watched() ? nullptr : &call;
  if (op == "remat2") return &call;
  if (op == "cond") {
    const Cond& p = params_as<Cond>(e.params);
    return p.lanes.empty() && !p.entry_mask ? &cond : nullptr;
  }
  if (op == "scan") return params_as<Scan>(e.params).trip_counts ? nullptr : &scan;
  return nullptr;
}

bool has_effects(const Eqn& e) { return effect_of(e) == Effect::ordered; }

class Divider {
 public:
  Divider(const Jaxpr& program, const std::vector<bool>& keep, const std::vector<bool>& want,
          const CheckpointPolicy& policy)
      : program_(program),
        j_(*program),
        keep_(keep),
        want_(want),
        policy_(policy),
        now_(j_, false),
        later_(now_),
        saved_(now_),
        excluded_(now_) {
    for (const Eqn& e : j_.eqns)
      if (policy_.excludes(e)) mark(&excluded_, e.in[0]);
    for (size_t k = 0; k < j_.out.size(); ++k) {
      if (keep_[k]) mark(&now_, j_.out[k]);
      if (want_[k]) mark(&later_, j_.out[k]);
    }
    for (size_t i = j_.eqns.size(); i-- > 0;) visit(i);
  }

  Twice divided() {
    Twice t;
    t.first = program(j_.in_types(), [&](const Arrays& x) { return run_first(x); });
    t.first = dce(t.first);
    size_t kept = 0;
    for (bool k : keep_) kept += k;
    t.saved = static_cast<int64_t>(t.first->out.size() - kept);
    const Types in = concat_lists(j_.in_types(), saved_types(t));
    t.again = program(in, [&](const Arrays& x) { return run_again(x); });
    t.again = dce(t.again);
    return t;
  }

 private:
  static void mark(VarMap<bool>* set, Atom a) {
    if (!a.is_literal()) (*set)[a] = true;
  }
  std::vector<bool> flags(const VarMap<bool>& of, const Eqn& e) const {
    return std::vector<bool>(of.begin() + e.out, of.begin() + e.out + e.n_out);
  }
  bool any(const VarMap<bool>& of, const Eqn& e) const {
    const std::vector<bool> f = flags(of, e);
    return std::find(f.begin(), f.end(), true) != f.end();
  }

  // Visits equation i. All uses of its results have been visited.
  void visit(size_t i) {
    const Eqn& e = j_.eqns[i];
    const bool effects = has_effects(e);
    if (const Rule* rule = rule_of(e); rule && (effects || any(now_, e) || any(later_, e))) {
      const Inside in =
          inside_.emplace(i, rule->divide(e, flags(now_, e), flags(later_, e), policy_))
              .first->second;
      const bool runs_now = effects || any(now_, e) || !in.saved.empty();
      for (size_t k = 0; k < e.in.size(); ++k) {
        if (runs_now) mark(&now_, e.in[k]);
        if (any(later_, e) && in.reads[k]) mark(&later_, e.in[k]);
      }
      return;
    }
    const bool excluded = e.n_out == 1 && excluded_[e.out];
    // A value that depends on no variable is recomputed, not saved.
    const bool varies =
        std::any_of(e.in.begin(), e.in.end(), [](Atom a) { return !a.is_literal(); });
    const bool saves = effects || (varies && policy_.saves(e, excluded));
    for (int32_t v = e.out; saves && v < e.out + e.n_out; ++v)
      if (later_[v]) saved_[v] = now_[v] = true;
    for (Atom a : e.in) {
      if (effects || any(now_, e)) mark(&now_, a);
      if (!saves && any(later_, e)) mark(&later_, a);
    }
  }

  Arrays run_first(const Arrays& x) {
    Env env(j_, x);
    Arrays saved;
    for (size_t i = 0; i < j_.eqns.size(); ++i) {
      const Eqn& e = j_.eqns[i];
      const SourceScope source(e.source);
      const auto in = inside_.find(i);
      if (in == inside_.end()) {
        if (!has_effects(e) && !any(now_, e)) continue;
        env.write(e, bind_op(*e.op, env.read(e.in), e.params));
        for (int32_t v = e.out; v < e.out + e.n_out; ++v)
          if (saved_[v]) saved.push_back(env[v]);
        continue;
      }
      if (!has_effects(e) && !any(now_, e) && in->second.saved.empty()) continue;
      const Arrays out = rule_of(e)->first(e, in->second, env.read(e.in));
      const size_t m = out.size() - in->second.saved.size();
      env.write(e, scatter_list(sublist(out, 0, m), in->second.keep));
      append(saved, drop_first(out, m));
    }
    return concat_lists(filter_list(env.read(j_.out), keep_), saved);
  }

  Arrays run_again(const Arrays& x) {
    Env env(j_, sublist(x, 0, j_.n_in));
    size_t next = j_.n_in;
    for (size_t i = 0; i < j_.eqns.size(); ++i) {
      const Eqn& e = j_.eqns[i];
      const SourceScope source(e.source);
      if (const auto in = inside_.find(i); in != inside_.end()) {
        const size_t n = in->second.saved.size();
        if (any(later_, e))
          env.write(
              e, scatter_list(rule_of(e)->again(e, in->second, env.read(e.in), sublist(x, next, n)),
                              in->second.want));
        next += n;
        continue;
      }
      if (any(saved_, e)) {
        for (int32_t v = e.out; v < e.out + e.n_out; ++v)
          if (saved_[v]) env[v] = x[next++];
      } else if (any(later_, e)) {
        env.write(e, bind_op(*e.op, env.read(e.in), e.params));
      }
    }
    return filter_list(env.read(j_.out), want_);
  }

  const Jaxpr program_;
  const JaxprData& j_;
  const std::vector<bool>&keep_, &want_;
  const CheckpointPolicy& policy_;
  // Variables that the first run needs, that the second run needs, and that are saved.
  VarMap<bool> now_, later_, saved_;
  VarMap<bool> excluded_;
  std::map<size_t, Inside> inside_;  // by equation
};

}  // namespace

Twice run_twice(const Jaxpr& j, const std::vector<bool>& keep, const std::vector<bool>& want,
                const CheckpointPolicy& policy) {
  return Divider(j, keep, want, policy).divided();
}

std::optional<Jaxpr> second_run(const Jaxpr& j) {
  if (effect_of(j) != Effect::ordered) return j;
  const size_t m = j->out.size();
  const Twice t = run_twice(j, std::vector<bool>(m, false), std::vector<bool>(m, true), {});
  return t.saved == 0 ? std::optional(t.again) : std::nullopt;
}

std::vector<bool> needed_inputs(const Jaxpr& j) { return inputs_read(*dce(j)); }

}  // namespace weft
