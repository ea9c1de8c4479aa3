// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/lane_group.cpp: follows axes from equation to equation.
#include "jit/rewrite/lane_group.h"

#include <algorithm>
#include <map>

#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "jit/fuse/equation_alone.h"
#include "jit/fuse/region.h"

namespace weft::compiler {

using Form = Lowering::Form;
using Lane = LaneGroup::Lane;

bool LaneGroup::contains(size_t i) const {
  return std::binary_search(members.begin(), members.end(), i);
}

void LaneGroup::insert(size_t i) { members.insert(std::ranges::lower_bound(members, i), i); }

int64_t LaneGroup::points() const {
  int64_t n = 1;
  for (const Lane& l : lanes) n *= l.extent;
  return n;
}

int64_t LaneGroup::inner_elements(const Type& t, int32_t var) const {
  int64_t n = t.elements();
  for (const Lane& l : lanes)
    if (l.axis[var] >= 0) n /= l.extent;
  return n;
}

LaneAxes::LaneAxes(const Program& p, Within within) : p_(p) {
  for (size_t i = 0; i < p.j->eqns.size(); ++i)
    axes_.push_back(within == Within::kernel ? axes_of(i) : axes_apart(i));
}

// The numbers are the axes of the results.
LaneAxes::Axes LaneAxes::axes_of(size_t i) const {
  const Eqn& e = p_.j->eqns[i];
  const Lowering& l = p_.scope.lowering[i];
  const Access& access = p_.scope.access[i];
  if (!l.element || e.n_out == 0 || access.reads.size() != e.in.size()) return {};
  const Types out = p_.j->out_types(e);
  std::vector<int> number = result_axes(l, out);
  // An element of a running fold depends on others along its axis.
  if (l.form == Form::prefix)
    for (int& a : number)
      if (a == l.axes[0]) a = -1;
  // An update is tested in all lanes along an axis that it does not have.
  if (l.destination && access.reads.size() > 1)
    for (int& a : number)
      if (std::ranges::find(access.reads[1], a) == access.reads[1].end()) a = -1;
  Axes r{.in = {}, .out = {}, .extents = out[0].shape().sizes()};
  for (size_t k = 0; k < e.in.size(); ++k) {
    r.in.emplace_back();
    for (int a : access.reads[k]) r.in.back().push_back(a < 0 ? -1 : number[a]);
  }
  std::vector<int> all(r.extents.size(), -1);
  for (int a : number)
    if (a >= 0) all[a] = a;
  r.out.assign(e.n_out, all);
  return r;
}

// The numbers are the classes of the equation's axes in which it and its programs run apart.
LaneAxes::Axes LaneAxes::axes_apart(size_t i) const {
  const Eqn& e = p_.j->eqns[i];
  if (e.n_out == 0 || effect_of(e) != Effect::none) return {};
  const AxisClasses an(equation_alone(*p_.j, e));
  const Scope& top = an.top();
  const Eqn& alone = top.j->eqns[0];
  std::map<int, int> numbers;  // by class
  Axes r;
  const auto numbers_of = [&](Atom a) {
    std::vector<int> all;
    for (int b = 0; !a.is_literal() && b < top.j->type(a).ndim(); ++b) {
      const int c = an.find(top.axis(a.index, b));
      const auto [it, fresh] = numbers.try_emplace(c, -1);
      if (fresh && an.runs_apart(c)) {
        it->second = static_cast<int>(r.extents.size());
        r.extents.push_back(an.extent(c));
      }
      all.push_back(it->second);
    }
    return all;
  };
  for (Atom a : alone.in) r.in.push_back(numbers_of(a));
  for (Atom a : results_of(alone)) r.out.push_back(numbers_of(a));
  return r;
}

namespace {
// Returns the axis with this number: -1 if no axis has it, and nothing if several have it.
std::optional<int> only_axis(const std::vector<int>& numbers, int number) {
  int axis = -1;
  for (size_t a = 0; a < numbers.size(); ++a) {
    if (numbers[a] != number) continue;
    if (axis >= 0) return std::nullopt;
    axis = static_cast<int>(a);
  }
  return axis;
}

// Notes the axis that a lane has in a value. Returns false if it has another one already.
bool note_axis(Lane* lane, int32_t var, int axis) {
  int16_t& known = lane->axis[var];
  if (known == Lane::unread) known = static_cast<int16_t>(axis);
  return known == axis;
}

// Adds the axes of one lane to those of another. Returns false if they differ for some variable.
bool merge(const Lane& from, Lane* to) {
  for (int32_t v = 0; v < from.axis.size(); ++v)
    if (from.axis[v] != Lane::unread && !note_axis(to, v, from.axis[v])) return false;
  return true;
}

// Returns the lane of g that has one of these axes of variables.
const Lane* lane_of(const LaneGroup& g, const std::vector<std::pair<int32_t, int>>& axes) {
  for (const auto& [var, axis] : axes)
    for (const Lane& l : g.lanes)
      if (axis >= 0 && l.axis[var] == axis) return &l;
  return nullptr;
}
}  // namespace

// Returns the values of equation i with the axis of this number in each, or nothing if a value has
// it twice or no result has it.
std::optional<std::vector<LaneAxes::VarAxis>> LaneAxes::values_along(size_t i, int number) const {
  const Eqn& e = p_.j->eqns[i];
  const Axes& axes = axes_[i];
  std::vector<VarAxis> r;
  bool has = false;
  const auto add = [&](int32_t var, const std::vector<int>& numbers) {
    const std::optional<int> axis = only_axis(numbers, number);
    if (axis) r.emplace_back(var, *axis);
    return axis.has_value();
  };
  for (size_t k = 0; k < e.in.size(); ++k)
    if (!e.in[k].is_literal() && !add(e.in[k].index, axes.in[k])) return std::nullopt;
  for (int32_t o = 0; o < e.n_out; ++o) {
    if (!add(e.out + o, axes.out[o])) return std::nullopt;
    has = has || r.back().second >= 0;
  }
  if (!has) return std::nullopt;
  return r;
}

std::optional<LaneGroup> LaneAxes::joined(const std::vector<const LaneGroup*>& groups,
                                          size_t i) const {
  const Axes& axes = axes_[i];
  LaneGroup r;
  for (int c = 0; c < static_cast<int>(axes.extents.size()); ++c) {
    if (axes.extents[c] < 2) continue;
    const std::optional<std::vector<VarAxis>> values = values_along(i, c);
    if (!values) continue;
    Lane lane{.extent = axes.extents[c]};
    bool fits = true;
    for (const LaneGroup* g : groups) {
      const Lane* other = lane_of(*g, *values);
      fits = fits && other && (lane.axis.size() == 0 || merge(*other, &lane));
      if (fits && lane.axis.size() == 0) lane.axis = other->axis;
    }
    if (groups.empty()) lane.axis = VarMap<int16_t>(*p_.j, Lane::unread);
    for (const auto& [var, axis] : *values) fits = fits && note_axis(&lane, var, axis);
    if (fits) r.lanes.push_back(std::move(lane));
  }
  if (r.lanes.empty()) return std::nullopt;
  r.members = {i};
  for (const LaneGroup* g : groups)
    r.members.insert(r.members.end(), g->members.begin(), g->members.end());
  std::ranges::sort(r.members);
  return r;
}

std::optional<std::vector<LaneAxes::Noted>> LaneAxes::note(LaneGroup* group, size_t i) const {
  const Eqn& e = p_.j->eqns[i];
  const Axes& axes = axes_[i];
  std::vector<std::vector<VarAxis>> by_lane(group->lanes.size());
  bool any = false;
  for (int c = 0; c < static_cast<int>(axes.extents.size()); ++c) {
    if (axes.extents[c] < 2) continue;
    std::optional<std::vector<VarAxis>> values = values_along(i, c);
    const Lane* lane = values ? lane_of(*group, *values) : nullptr;
    if (!lane) continue;
    by_lane[static_cast<size_t>(lane - group->lanes.data())] = std::move(*values);
    any = true;
  }
  const Lowering& l = p_.scope.lowering[i];
  if (!any && l.form != Form::pull && !is_short_fold(l)) return std::nullopt;
  std::vector<VarAxis> alike;
  for (Atom a : e.in)
    if (!any && !a.is_literal()) alike.emplace_back(a.index, -1);
  for (Atom a : results_of(e))
    if (!any) alike.emplace_back(a.index, -1);
  std::vector<Noted> noted;
  for (size_t l = 0; l < by_lane.size(); ++l) {
    bool fits = !any || !by_lane[l].empty();
    for (const auto& [var, axis] : any ? by_lane[l] : alike) {
      const bool fresh = group->lanes[l].axis[var] == Lane::unread;
      fits = fits && note_axis(&group->lanes[l], var, axis);
      if (fits && fresh) noted.push_back({l, var});
    }
    if (fits) continue;
    forget(group, noted);
    return std::nullopt;
  }
  return noted;
}

void LaneAxes::forget(LaneGroup* group, const std::vector<Noted>& noted) {
  for (const Noted& n : noted) group->lanes[n.lane].axis[n.var] = Lane::unread;
}

}  // namespace weft::compiler
