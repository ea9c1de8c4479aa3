// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/lane_set.h: which lanes a collective joins, and the batching rule that collectives
// share.
#pragma once
#include "weft/ops/collective/collective.h"
#include "weft/ops/kit/kit.h"

namespace weft::lanes {

// The lanes of the named axes, numbered with the last name fastest, all together or in groups. An
// axis that a map has reached already, where another has not, has the name "" and stands in front
// of the operand and of the result, with others of its kind in the order of the names.
struct LaneSet {
  Strings axes;
  Ints group_members = {};  // the lanes of one group after another; empty: all are one group
  Ints group_sizes = {};
  WEFT_FIELDS(axes, group_members, group_sizes)

  bool grouped() const { return !group_sizes.empty(); }
  int held() const { return static_cast<int>(std::count(axes.begin(), axes.end(), "")); }
  bool names(const BatchLevel& level) const {
    return !level.axis_name.empty() &&
           std::find(axes.begin(), axes.end(), level.axis_name) != axes.end();
  }
};
// The fields of a struct that derives from LaneSet, its own last.
#define WEFT_LANE_FIELDS(...) WEFT_FIELDS(axes, group_members, group_sizes, __VA_ARGS__)

using Maps = std::vector<std::pair<std::string, int64_t>>;

LaneSet lane_set(const Strings& names, const LaneGroups& groups);
// The type of one lane's operand, without the axes held in front of it; ShapeError if it has fewer.
// Groups that are no groups (what a text may say) are a ShapeError, too, and with `equal` those of
// different sizes.
Type own_type(const char* op, const Types& in, const LaneSet& s, bool equal);
// The result's type with the axes that the operand holds.
Types with_held(const Type& own, const Types& in, const LaneSet& s);
// BatchingError: lanes of one chunk cannot see those of another.
void require_whole(const BatchLevel& level, const std::string& op);
// AxisNameError, of the reference of all collectives: no map of that name is being applied.
[[noreturn]] void fail_unbound(const LaneSet& s);

// ---- all lanes along axis 0 of x

// Rows of x; those that it has not are zeros. Rows that follow each other are copied together.
Array rows(const Array& x, const Ints& which);
// (lanes, …) -> (groups, lanes of a group, …), and back. Groups have one size.
Array by_group(const Array& x, const LaneSet& s);
Array by_lane(const Array& x, const LaneSet& s);
// Of each lane the number of its group.
Ints group_of(const LaneSet& s);

namespace detail {
struct Held {
  Array x;
  int axis = 0;  // where the lanes of this map stand
};
Held hold(const Array& x, MaybeAxis axis, int64_t size, const std::string& name, LaneSet* s);
// The axes held in front as one, and as they were.
Array merged(const Array& x, int held);
Array parted(const Array& x, const Array& like, int held);
}  // namespace detail

// The rule of an op of one operand. `own` is the op on all lanes at once, along axis 0 of operand
// and result; `one_axis_more` the parameters for lanes in front of everything else.
template <class P>
Batched batch(const BatchArgs<P>& b, Array (*own)(const Array& x, const P& p),
              P (*one_axis_more)(P p)) {
  P p = b.params;
  const int held = p.held();
  if (!p.names(b.level)) {
    if (!b.axis[0]) return {b.op.bind(b.x, p), {std::nullopt}};
    return {b.op.bind({move_mapped(b.x[0], b.axis[0], held, b.size)}, one_axis_more(p)), {held}};
  }
  require_whole(b.level, b.op.name());
  const auto [x, axis] = detail::hold(b.x[0], b.axis[0], b.size, b.level.axis_name, &p);
  if (p.held() < static_cast<int>(p.axes.size())) return {b.op.bind({x}, p), {axis}};
  return {{detail::parted(own(detail::merged(x, held + 1), p), x, held + 1)}, {axis}};
}
template <class P>
P same_params(P p) {
  return p;
}

}  // namespace weft::lanes
