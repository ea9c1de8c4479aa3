// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/lane_set.h: the set of lanes that a collective combines, and the batching rule of
// collectives.
#pragma once
#include "ops/collective/collective.h"
#include "ops/kit/kit.h"

namespace weft::lanes {

// The lanes of the named axes, numbered with the last name varying fastest, all together or in
// groups. If one of several maps has already been applied, its axis has the name "". That axis is a
// leading axis of the operand and the result, in the order of the names.
struct LaneSet {
  Strings axes;
  // the lanes of all groups, one group after another; empty: all lanes are one group
  Ints group_members = {};
  Ints group_sizes = {};
  WEFT_FIELDS(axes, group_members, group_sizes)

  bool grouped() const { return !group_sizes.empty(); }
  int held() const { return static_cast<int>(std::count(axes.begin(), axes.end(), "")); }
  bool names(const BatchTrace& trace) const {
    return !trace.axis_name.empty() &&
           std::find(axes.begin(), axes.end(), trace.axis_name) != axes.end();
  }
};
// The fields of a struct that derives from LaneSet. Its own fields come last.
#define WEFT_LANE_FIELDS(...) WEFT_FIELDS(axes, group_members, group_sizes, __VA_ARGS__)

using Maps = std::vector<std::pair<std::string, int64_t>>;

LaneSet lane_set(const Strings& names, const LaneGroups& groups);
// Returns the type of one lane's operand, without its leading held axes. Throws ShapeError if the
// operand has fewer axes, or if the groups are invalid (they may come from text). With `equal`,
// groups of different sizes also throw.
Type own_type(const char* op, const Types& in, const LaneSet& s, bool equal);
// Returns the type of the result, with the held axes of the operand.
Types with_held(const Type& own, const Types& in, const LaneSet& s);
// Throws BatchingError for a map in chunks: lanes of one chunk cannot read those of another.
void require_whole(const BatchTrace& trace, const std::string& op);
// Throws AxisNameError: no map with such a name is being applied. All collectives use it as their
// reference.
[[noreturn]] void fail_unbound(const LaneSet& s);

// ---- all lanes are along axis 0 of x

// Returns these rows of x. Rows out of range are zeros. Consecutive rows are copied together.
Array rows(const Array& x, const Ints& which);
// by_group: (lanes, …) -> (groups, lanes of a group, …); by_lane is its inverse. Groups have equal
// size.
Array by_group(const Array& x, const LaneSet& s);
Array by_lane(const Array& x, const LaneSet& s);
// Returns the group number of each lane.
Ints group_of(const LaneSet& s);

namespace detail {
struct Held {
  Array x;
  int axis = 0;  // the axis of this map's lanes
};
Held hold(const Array& x, MaybeAxis axis, int64_t size, const std::string& name, LaneSet* s);
// merged makes one axis of the leading held axes, and parted splits it again.
Array merged(const Array& x, int held);
Array parted(const Array& x, const Array& like, int held);
}  // namespace detail

// The batching rule of an op with one operand. `own` computes the op for all lanes together, along
// axis 0 of operand and result. `one_axis_more` returns the parameters for an operand with one more
// leading axis.
template <class P>
Batched batch(const BatchArgs<P>& b, Array (*own)(const Array& x, const P& p),
              P (*one_axis_more)(P p)) {
  P p = b.params;
  const int held = p.held();
  if (!p.names(b.trace)) {
    if (!b.axis[0]) return {b.op.bind(b.x, p), {std::nullopt}};
    return {b.op.bind({move_mapped(b.x[0], b.axis[0], held, b.size)}, one_axis_more(p)), {held}};
  }
  require_whole(b.trace, b.op.name());
  const auto [x, axis] = detail::hold(b.x[0], b.axis[0], b.size, b.trace.axis_name, &p);
  if (p.held() < static_cast<int>(p.axes.size())) return {b.op.bind({x}, p), {axis}};
  return {{detail::parted(own(detail::merged(x, held + 1), p), x, held + 1)}, {axis}};
}
template <class P>
P same_params(P p) {
  return p;
}

}  // namespace weft::lanes
