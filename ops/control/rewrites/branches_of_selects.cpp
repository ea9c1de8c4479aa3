// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/branches_of_selects.cpp: finds selects by one mask, and the equations that
// only these selects need.
#include "ops/control/rewrites/branches_of_selects.h"

#include <algorithm>
#include <map>

#include "core/defining_eqns.h"
#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/axis_classes.h"
#include "core/loops/platform.h"
#include "core/loops/work.h"
#include "core/op.h"
#include "ops/control/body_op.h"
#include "ops/control/rewrites/separate_lanes.h"
#include "tracer/base_ops.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using Form = Lowering::Form;

// The least work of a lane, in instructions, and the least number of terms of its longest fold or
// product. With fewer, vectors along the lanes are faster than a branch of each lane.
constexpr double least_work = 1024;
constexpr int64_t least_terms = 256;

// Returns true if the axes of `part` are the axes in front of `whole`.
bool is_front(const Shape& part, const Shape& whole) {
  const Ints &a = part.sizes(), &b = whole.sizes();
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

class Selects {
 public:
  explicit Selects(const Jaxpr& body) : body_(body), j_(*body), of_(defining_eqns(j_)), work_(j_) {}

  // Replaces the first group of selects that cost enough. `apart`: whether the lanes of a mask run
  // apart in the loop.
  Jaxpr replaced(FunctionRef<bool(Atom)> apart) {
    std::map<int32_t, std::vector<size_t>> by_mask;
    for (size_t i = 0; i < j_.eqns.size(); ++i)
      if (const std::optional<Atom> m = mask_of(j_.eqns[i])) by_mask[m->index].push_back(i);
    if (by_mask.empty()) return body_;
    readers_.resize(j_.types.size());
    for (size_t i = 0; i < j_.eqns.size(); ++i)
      for (const Atom a : j_.eqns[i].in)
        if (!a.is_literal()) readers_[a.index].push_back(i);
    for (const auto& [mask, selects] : by_mask)
      if (find(Atom{mask}, selects) && is_costly() && apart(Atom{mask}))
        if (const std::optional<Jaxpr> r = rewritten()) return *r;
    return body_;
  }

 private:
  // The mask of a select: what the predicate repeats along further axes.
  std::optional<Atom> mask_of(const Eqn& e) const {
    if (e.op->name() != "select_n" || e.in.size() != 3) return {};
    std::optional<Atom> mask;
    for (Atom m = e.in[0]; !m.is_literal();) {
      if (j_.type(m).ndim() > 0 && j_.type(m).dtype() == Bool &&
          is_front(j_.type(m).shape(), j_.type(Atom{e.out}).shape()))
        mask = m;
      const Eqn* from = repeats(m);
      if (!from) break;
      m = from->in[0];
    }
    return mask;
  }
  // The equation that computes `a` by repeating its operand along axes of size 1 and further axes.
  const Eqn* repeats(Atom a) const {
    if (a.is_literal() || of_.get(a, no_equation) == no_equation) return nullptr;
    const Eqn& e = j_.eqns[of_.get(a, no_equation)];
    if (e.op->name() != "broadcast_in_dim" || e.in.size() != 1 || e.in[0].is_literal())
      return nullptr;
    const Access access = access_of(lower_equation(j_, e), j_.in_types(e), j_.out_types(e));
    for (int k = 0; k < static_cast<int>(access.reads[0].size()); ++k)
      if (access.reads[0][k] != k && j_.type(e.in[0]).shape()[k] != 1) return nullptr;
    return &e;
  }

  // Finds the selects by this mask that do not depend on one another, and the equations that
  // only their operands on one side need.
  bool find(Atom mask, const std::vector<size_t>& selects) {
    mask_ = mask;
    lanes_ = j_.type(mask).shape();
    const size_t n = j_.eqns.size();
    selects_.clear();
    behind_.assign(n, false);
    std::vector<bool> depends(j_.types.size(), false);
    for (size_t i = 0; i < n; ++i) {
      const Eqn& e = j_.eqns[i];
      behind_[i] =
          std::ranges::any_of(e.in, [&](Atom a) { return !a.is_literal() && depends[a.index]; });
      const bool added = !behind_[i] && std::ranges::binary_search(selects, i);
      if (added) selects_.push_back(i);
      if (added || behind_[i]) std::fill_n(depends.begin() + e.out, e.n_out, true);
    }
    branch_.assign(n, unknown);
    for (const size_t i : selects_) branch_[i] = outside;
    for (const Atom a : j_.out)
      if (!a.is_literal() && of_.get(a, no_equation) != no_equation)
        branch_[of_.get(a, no_equation)] = outside;
    for (size_t i = n; i-- > 0;)
      if (!behind_[i]) branch_[i] = branch_of(i);
    const auto takes_part = [&](size_t i) {
      const Eqn& e = j_.eqns[i];
      return defined_in(e.in[1], 0) || defined_in(e.in[2], 1);
    };
    std::erase_if(selects_, [&](size_t i) { return !takes_part(i); });
    return !selects_.empty();
  }
  bool is_select(size_t i) const { return std::ranges::binary_search(selects_, i); }
  bool in_branch(size_t i) const { return branch_[i] == 0 || branch_[i] == 1; }
  bool defined_in(Atom a, int branch) const {
    return !a.is_literal() && of_.get(a, no_equation) != no_equation &&
           branch_[of_.get(a, no_equation)] == branch;
  }
  // The branch, 0 or 1, that alone needs equation i; otherwise `outside`.
  int branch_of(size_t i) const {
    if (branch_[i] == outside) return outside;
    int branch = unknown;
    const Eqn& e = j_.eqns[i];
    for (int32_t v = e.out; v < e.out + e.n_out; ++v)
      for (const size_t reader : readers_[v]) {
        const Eqn& r = j_.eqns[reader];
        if (is_select(reader)) {
          for (int k = 0; k < 3; ++k)
            if (r.in[static_cast<size_t>(k)] == Atom{v} && !joins(branch, k - 1)) return outside;
        } else if (behind_[reader] || !joins(branch, branch_[reader])) {
          return outside;
        }
      }
    return branch == unknown ? outside : branch;
  }
  static bool joins(int& branch, int more) {
    if ((more != 0 && more != 1) || (branch != unknown && branch != more)) return false;
    branch = more;
    return true;
  }

  bool is_costly() {
    // A product of all lanes with one matrix is faster than one of each lane.
    const auto has_lanes = [&](Atom a) { return is_front(lanes_, j_.type(a).shape()); };
    double work = 0;
    int64_t terms = 0;
    for (size_t i = 0; i < j_.eqns.size(); ++i) {
      if (!in_branch(i)) continue;
      work += work_.of(i);
      const Lowering& l = work_.lowering(i);
      if (l.form == Form::contract && !std::ranges::all_of(j_.eqns[i].in, has_lanes)) return false;
      if (l.form == Form::reduce || l.form == Form::contract)
        terms = std::max(terms, l.space.elements());
    }
    const int64_t lanes = lanes_.elements();
    return work >= least_work * static_cast<double>(lanes) && terms >= least_terms * lanes;
  }

  // The values that the branches and the selects read and that are computed outside.
  std::vector<Atom> operands() const {
    std::vector<Atom> r;
    const auto add = [&](Atom a) {
      if (a.is_literal() || defined_in(a, 0) || defined_in(a, 1)) return;
      if (std::ranges::find(r, a) == r.end()) r.push_back(a);
    };
    for (size_t i = 0; i < j_.eqns.size(); ++i) {
      const Eqn& e = j_.eqns[i];
      if (in_branch(i))
        for (const Atom a : e.in) add(a);
      else if (is_select(i))
        for (const Atom a : {e.in[1], e.in[2]}) add(a);
    }
    return r;
  }

  // A program of the mask and the operands, with the equations that `want` returns true for.
  Jaxpr part(const std::vector<Atom>& operands, FunctionRef<bool(size_t)> want,
             const std::vector<Atom>& out) const {
    JaxprBuilder b(j_);
    b.copy_input(mask_.index);
    for (const Atom a : operands) b.copy_input(a.index);
    for (size_t i = 0; i < j_.eqns.size(); ++i)
      if (want(i)) b.copy(j_.eqns[i]);
    return b.finish(out);
  }
  std::vector<Atom> selected(size_t k) const {
    return map_list([&](size_t i) { return j_.eqns[i].in[k]; }, selects_);
  }

  // The lane axes of the operands, if no equation of the branches combines different lanes.
  std::optional<Ints> lane_axes(const std::vector<Atom>& operands) const {
    if (std::ranges::find(operands, mask_) != operands.end()) return {};
    std::vector<bool> repeats_mask(j_.eqns.size(), false);
    for (const size_t i : selects_)
      for (const Eqn* e = repeats(j_.eqns[i].in[0]); e; e = repeats(e->in[0]))
        repeats_mask[of_.get(Atom{e->out}, no_equation)] = true;
    const auto want = [&](size_t i) { return in_branch(i) || repeats_mask[i] || is_select(i); };
    const std::vector<Atom> out =
        map_list([&](size_t i) { return Atom{j_.eqns[i].out}; }, selects_);
    return lane_axes_of(part(operands, want, out), lanes_.ndim(), Ints(operands.size(), 0));
  }

  std::optional<Jaxpr> rewritten() const {
    const std::vector<Atom> x = operands();
    const std::optional<Ints> axes = lane_axes(x);
    if (!axes) return {};
    Cond p;
    for (const int side : {0, 1})
      p.branches.push_back(part(
          x, [&](size_t i) { return branch_[i] == side; },
          selected(1 + static_cast<size_t>(side))));
    p.lanes = lanes_.sizes();
    p.lane_ids = axis_range(lanes_.ndim());
    p.lane_axes = concat_lists(*axes, Ints(selects_.size(), full_set(p.lanes)));

    JaxprBuilder first(j_), last(j_);
    first.copy_inputs();
    for (size_t i = 0; i < j_.eqns.size(); ++i)
      if (!behind_[i] && branch_[i] == outside && !is_select(i)) first.copy(j_.eqns[i]);
    // The second part reads inputs, results of the first part, and results of the cond.
    std::vector<Atom> kept;
    const auto keep = [&](Atom a) {
      if (a.is_literal()) return;
      const size_t i = of_.get(a, no_equation);
      if (i != no_equation && (behind_[i] || is_select(i))) return;
      if (std::ranges::find(kept, a) == kept.end()) kept.push_back(a);
    };
    for (size_t i = 0; i < j_.eqns.size(); ++i)
      if (behind_[i])
        for (const Atom a : j_.eqns[i].in) keep(a);
    for (const Atom a : j_.out) keep(a);
    for (const Atom a : kept) last.copy_input(a.index);
    for (const size_t i : selects_) last.copy_input(j_.eqns[i].out);
    for (size_t i = 0; i < j_.eqns.size(); ++i)
      if (behind_[i]) last.copy(j_.eqns[i]);

    std::vector<Atom> results = concat_lists(std::vector<Atom>{mask_}, x);
    append(results, kept);
    const Jaxpr before = first.finish(results), after = last.finish(j_.out);
    const Types selected_types =
        map_list([&](size_t i) { return j_.type(Atom{j_.eqns[i].out}); }, selects_);
    const auto n = static_cast<std::ptrdiff_t>(1 + x.size());
    return program(body_->in_types(), [&](const Arrays& in) {
      const Arrays r = eval_jaxpr(before, in);
      Arrays operand(r.begin(), r.begin() + n);
      operand[0] = base::convert(operand[0], I32, false);
      const Arrays chosen = bind_op(*find_op("cond"), operand, make_params(p));
      Arrays more(r.begin() + n, r.end());
      for (size_t k = 0; k < chosen.size(); ++k)
        more.push_back(
            base::convert(chosen[k], selected_types[k].dtype(), selected_types[k].weak()));
      return eval_jaxpr(after, more);
    });
  }

  static constexpr int unknown = -1, outside = 2;
  const Jaxpr& body_;
  const JaxprData& j_;
  const VarMap<size_t> of_;
  ProgramWork work_;
  std::vector<std::vector<size_t>> readers_;  // by variable
  // The members below describe one group of selects.
  Atom mask_ = {};
  Shape lanes_;
  std::vector<size_t> selects_;
  std::vector<bool> behind_;  // by equation: it depends on a select
  std::vector<int> branch_;   // by equation: the branch that alone needs it, or `outside`
};

}  // namespace

Jaxpr with_branches(const Jaxpr& body, const char* loop, const AnyParams& params,
                    const Arrays& operands) {
  if (effect_of(body) != Effect::none || !is_host_platform()) return body;
  return Selects(body).replaced([&](Atom mask) {
    return axes_run_apart(loop, params, types_of(operands), mask.index, body->type(mask).ndim());
  });
}

}  // namespace weft
