// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/lanes.cpp: lane masks and the shared steps of batching control flow.
#include "ops/control/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/loops/axis_classes.h"
#include "ops/index/index.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"

namespace weft {

int lane_count(int64_t lane_axes) { return std::popcount(static_cast<uint64_t>(lane_axes)); }

Type add_axis(const Type& t, MaybeAxis axis, int64_t size) {
  return axis ? t.with_shape(t.shape().inserted(*axis, size)) : t;
}

Jaxpr program(const Types& in, FunctionRef<Arrays(const Arrays&)> f) {
  const ClosedJaxpr c = record(in, f);
  if (!c.consts.empty()) throw InternalError("a rewritten body depends on a value outside it");
  return c.jaxpr;
}

TracedBody trace_body(const Types& in, size_t at, FunctionRef<Arrays(const Arrays&)> f) {
  ClosedJaxpr c = record(in, f);
  if (c.consts.empty()) return {std::move(c), at};
  // A mask that no inner loop reads is not passed to the body.
  c.jaxpr = dce(c.jaxpr);
  std::vector<bool> read(c.consts.size(), false);
  const auto note = [&](Atom a) {
    if (!a.is_literal() && static_cast<size_t>(a.index) < read.size()) read[a.index] = true;
  };
  for (const Eqn& e : c.jaxpr->eqns)
    for (Atom a : e.in) note(a);
  for (Atom a : c.jaxpr->out) note(a);
  ClosedJaxpr kept{{}, filter_list(c.consts, read)};
  kept.jaxpr = program(concat_lists(types_of(kept.consts), in), [&](const Arrays& a) {
    const size_t n = kept.consts.size();
    return eval_jaxpr(open_constants(c.jaxpr),
                      concat_lists(scatter_list(sublist(a, 0, n), read), drop_first(a, n)));
  });
  return {std::move(kept), at};
}

std::vector<Jaxpr> hoist_captures(const std::vector<TracedBody>& bodies, Arrays* captured) {
  Arrays all;
  for (const TracedBody& b : bodies) append(all, b.program.consts);
  std::vector<Jaxpr> r;
  size_t first = 0;
  for (const TracedBody& b : bodies) {
    const size_t mine = b.program.consts.size();
    const Jaxpr j = open_constants(b.program.jaxpr);
    const Types own = j->in_types();
    const Types in = concat_lists(concat_lists(sublist(own, mine, b.at), types_of(all)),
                                  drop_first(own, mine + b.at));
    r.push_back(all.empty() ? j : program(in, [&](const Arrays& a) {
      return eval_jaxpr(
          j, concat_lists(concat_lists(sublist(a, b.at + first, mine), sublist(a, 0, b.at)),
                          drop_first(a, b.at + all.size())));
    }));
    first += mine;
  }
  append(*captured, all);
  return r;
}

Array align_mask(const LaneMask& m, const Ints& ids, const Ints& sizes) {
  const auto position = [](const Ints& v, int64_t id) {
    return std::find(v.begin(), v.end(), id) - v.begin();
  };
  Ints drop, kept;
  for (size_t i = 0; i < m.ids.size(); ++i)
    if (position(ids, m.ids[i]) == static_cast<std::ptrdiff_t>(ids.size()))
      drop.push_back(static_cast<int64_t>(i));
    else
      kept.push_back(m.ids[i]);
  Array x = drop.empty() ? m.active : base::reduce_any(m.active, drop);
  // Transposes into the order of ids, then broadcasts.
  Ints permutation, dims;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto k = position(kept, ids[i]);
    if (k == static_cast<std::ptrdiff_t>(kept.size())) continue;
    permutation.push_back(k);
    dims.push_back(static_cast<int64_t>(i));
  }
  if (!std::is_sorted(permutation.begin(), permutation.end())) x = transpose_axes(x, permutation);
  return dims.size() == ids.size() ? x : broadcast_in_dim(x, Shape(sizes), dims);
}

LaneMask both_masks(const LaneMask& a, const LaneMask& b) {
  if (a.active.empty_handle()) return b;
  if (b.active.empty_handle()) return a;
  LaneMask r;
  r.ids = a.ids;
  Ints sizes = a.active.shape().sizes();
  for (size_t i = 0; i < b.ids.size(); ++i)
    if (std::find(r.ids.begin(), r.ids.end(), b.ids[i]) == r.ids.end()) {
      r.ids.push_back(b.ids[i]);
      sizes.push_back(b.active.shape()[static_cast<int64_t>(i)]);
    }
  r.active = lax::bitwise_and(align_mask(a, r.ids, sizes), align_mask(b, r.ids, sizes));
  return r;
}

Array select_lanes(const Array& mask, const Array& a, const Array& b) {
  Array m = mask;
  if (m.ndim() != a.ndim() && m.ndim() != 0)
    m = broadcast_in_dim(m, a.shape(), axis_range(m.ndim()));
  return lax::select(m, a, b);
}

Array any_lane(const Array& mask) {
  return mask.ndim() == 0 ? mask : base::reduce_any(mask, axis_range(mask.ndim()));
}

Array mask_out(const Array& mask, const Array& x) {
  return select_lanes(mask, x, base::zeros(x.type()));
}

Array active_lanes(const LaneMask& m, int64_t size) {
  if (std::find(m.ids.begin(), m.ids.end(), 0) == m.ids.end()) return Array();
  return align_mask(m, {0}, {size});
}

std::vector<bool> lanes_to_fill(const Jaxpr& body, const Ints& lanes, const Ints& lane_axes,
                                const std::vector<bool>& unknown) {
  bool summed = false;
  for (size_t i = 0; i < unknown.size(); ++i)
    summed = summed || (unknown[i] && lane_axes[i] != full_set(lanes));
  if (lanes.empty() || !summed) return std::vector<bool>(lanes.size(), false);
  const int n = static_cast<int>(lanes.size());
  return AxisClasses(body, n, lane_axes).independent_lanes(n);
}

InactiveLanes::InactiveLanes(const Array& active, std::vector<bool> fill, Leave leave)
    : active_(active), fill_(std::move(fill)) {
  Ints kept, others;
  for (size_t l = 0; l < fill_.size(); ++l)
    (fill_[l] ? kept : others).push_back(static_cast<int64_t>(l));
  if (leave == Leave::ones || kept.empty() || active.size() == 0) return;
  const Array any = others.empty() ? active : base::reduce_any(active, others);
  Array place = lax::argmax(base::convert(reshape_to(any, {any.size()}), I32), 0);
  first_.resize(fill_.size());
  for (size_t k = kept.size(); k-- > 1;) {
    const Array size = scalar_of_int(I32, active.shape()[kept[k]]);
    first_[kept[k]] = lax::rem(place, size);
    place = lax::div(place, size);
  }
  first_[kept[0]] = place;
}

Array InactiveLanes::filled(const Array& x, const std::vector<int>& places) const {
  // A lane that is not filled, or that x does not have, gets a number that no axis has.
  LaneMask m{active_, {}};
  bool any = false;
  for (size_t l = 0; l < places.size(); ++l) {
    const bool on = fill_[l] && places[l] >= 0;
    m.ids.push_back(on ? places[l] : -1);
    any = any || on;
  }
  if (!any || (first_.empty() && !is_inexact(x.dtype()))) return x;
  const Array mask = align_mask(m, axis_range(x.ndim()), x.shape().sizes());
  if (first_.empty()) return lax::select(mask, x, base::ones(x.type()));
  Arrays starts(x.ndim(), scalar_of_int(I32, 0));
  Ints sizes = x.shape().sizes();
  for (size_t l = 0; l < places.size(); ++l) {
    if (!fill_[l] || places[l] < 0) continue;
    starts[places[l]] = first_[l];
    sizes[places[l]] = 1;
  }
  const Array lane = dynamic_slice_at(x, starts, sizes);
  return lax::select(mask, x, broadcast_in_dim(lane, x.shape(), axis_range(x.ndim())));
}

bool surely_ends(const Eqn& e) {
  const auto loops = [](const Eqn& x) { return x.op->name() == "while"; };
  return !loops(e) && !any_equation(inner_programs(e.params),
                                    [&](const JaxprData&, const Eqn& x) { return loops(x); });
}

LaneStep lane_step(bool predicate_mapped, const Ints& old_lanes, const Ints& old_ids,
                   const Array& entry_mask, MaybeAxis entry_mask_axis, BatchTrace& trace) {
  LaneStep s;
  s.widened = predicate_mapped;
  s.lanes = old_lanes;
  for (int64_t id : old_ids) s.ids.push_back(id + 1);
  if (predicate_mapped) {
    s.lanes.insert(s.lanes.begin(), trace.size);
    s.ids.insert(s.ids.begin(), 0);
  }
  if (s.lanes.empty()) {
    s.entry_mask = entry_mask;
    return s;
  }
  LaneMask mine;
  if (!entry_mask.empty_handle()) {
    mine.active =
        entry_mask_axis ? move_mapped(entry_mask, entry_mask_axis, 0, trace.size) : entry_mask;
    if (entry_mask_axis) mine.ids.push_back(0);
    for (int64_t id : old_ids) mine.ids.push_back(id + 1);
  }
  // Only masks over these lanes are used. A mask over other lanes does not restrict a lane here.
  LaneMask from_outside;
  for (int64_t id : trace.mask.ids)
    if (std::find(s.ids.begin(), s.ids.end(), id) != s.ids.end()) from_outside = trace.mask;
  for (const LaneMask& m : {mine, from_outside}) {
    if (m.active.empty_handle()) continue;
    const Array full = align_mask(m, s.ids, s.lanes);
    s.entry_mask = s.entry_mask.empty_handle() ? full : lax::bitwise_and(s.entry_mask, full);
  }
  return s;
}

Array LaneStep::changed(int64_t old, const Array& active, const Array& x,
                        const Array& before) const {
  if (!widened || changed_lane_axes(old) != 0) return x;
  Ints others;
  for (int64_t l = 1; l < static_cast<int64_t>(lanes.size()); ++l) others.push_back(l);
  const Array any = base::reduce_any(active, others);
  return before.empty_handle() ? mask_out(any, x) : select_lanes(any, x, before);
}

void require_body(const char* op, const Jaxpr& body, const Types& takes, const Types& in) {
  if (strong(body->in_types()) != strong(takes))
    reject_shape(op,
                 fmt::format("the body takes ({}) and is given ({})", to_string(body->in_types()),
                             to_string(takes)),
                 in);
}

void require_counts(const char* op, const Ints& counts, size_t fixed, const Types& in) {
  size_t left = in.size() < fixed ? 0 : in.size() - fixed;
  bool ok = in.size() >= fixed;
  for (int64_t n : counts) {
    ok = ok && n >= 0 && static_cast<uint64_t>(n) <= left;
    if (ok) left -= static_cast<size_t>(n);
  }
  if (!ok) reject_shape(op, "too few operands", in);
}

void require_lanes(const char* op, const Ints& lanes, const Ints& ids, const Ints& lane_axes,
                   size_t n, const Types& in) {
  bool ok = lanes.size() < 62 && ids.size() == lanes.size() &&
            (lane_axes.empty() || lane_axes.size() == n);
  for (size_t i = 0; ok && i < lane_axes.size(); ++i)
    ok = lane_axes[i] >= 0 && lane_axes[i] <= full_set(lanes);
  for (size_t i = 0; ok && i < ids.size(); ++i) ok = ids[i] >= 0 && lanes[i] >= 0;
  if (!ok) reject_shape(op, "lanes, lane_ids and lane_axes do not go together", in);
}

void require_all_or_none(const char* op, const char* what, size_t k, const Ints& lanes,
                         int64_t lane_axes, const Type& t) {
  const bool all = lane_axes == full_set(lanes);
  bool ok = lane_axes == 0 || (all && t.ndim() >= static_cast<int>(lanes.size()));
  for (size_t l = 0; ok && all && l < lanes.size(); ++l)
    ok = t.shape()[static_cast<int64_t>(l)] == lanes[l];
  if (!ok)
    throw InternalError(
        fmt::format("{}: {} {} of type {} has the set {:#b} of the lanes [{}], and not all of them "
                    "in front or none",
                    op, what, k, to_string(t), lane_axes, fmt::join(lanes, ", ")));
}

}  // namespace weft
