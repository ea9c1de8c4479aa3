// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/loop_signature.h: the operands of a loop, branch or call by role, and how its programs
// take them.
#pragma once
#include <vector>

#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// Consecutive values of a list.
struct ValueRange {
  int first = 0, size = 0;
  int end() const { return first + size; }
  bool contains(int64_t k) const { return k >= first && k < end(); }
};

// One part for each role of an operand of the op, or of an input of its programs. Operands and
// inputs have the order of these members.
template <class Part>
struct LoopRoles {
  Part control = {};  // of the op: [index] [entry mask], or [trip counts]; of a body: [active mask]
  Part cond_consts = {};  // constants of the condition of a while
  Part body_consts = {};  // constants of the body; for cond and calls, all that the bodies read
  Part carry = {};
  Part xs = {};  // of a scan: each step reads one row, without the leading axis
};
using LoopRanges = LoopRoles<ValueRange>;
// One value for each operand or input: an array, a type, a mapped axis, a flag.
template <class T>
using LoopValues = LoopRoles<std::vector<T>>;

// Returns consecutive ranges of these sizes.
inline LoopRanges consecutive_ranges(const LoopRoles<size_t>& sizes) {
  int next = 0;
  const auto take = [&](size_t n) {
    const ValueRange r{next, static_cast<int>(n)};
    next = r.end();
    return r;
  };
  return {take(sizes.control), take(sizes.cond_consts), take(sizes.body_consts), take(sizes.carry),
          take(sizes.xs)};
}
// The values of all roles in one list, and the ranges that the roles have in it.
template <class T>
std::vector<T> in_order(const LoopValues<T>& x) {
  std::vector<T> r = x.control;
  for (const auto* part : {&x.cond_consts, &x.body_consts, &x.carry, &x.xs})
    r.insert(r.end(), part->begin(), part->end());
  return r;
}
template <class T>
LoopRanges ranges_of(const LoopValues<T>& x) {
  return consecutive_ranges(
      {x.control.size(), x.cond_consts.size(), x.body_consts.size(), x.carry.size(), x.xs.size()});
}
// The inverse of in_order, for a list with these ranges.
template <class T>
LoopValues<T> by_role(const std::vector<T>& list, const LoopRanges& at) {
  const auto part = [&](ValueRange r) {
    return std::vector<T>(list.begin() + r.first, list.begin() + r.end());
  };
  return {part(at.control), part(at.cond_consts), part(at.body_consts), part(at.carry),
          part(at.xs)};
}

// The operands and results of a while, scan, cond or call. A body takes the active mask,
// body_consts, carry and xs. The condition of a while takes cond_consts and carry. The op and its
// bodies return the carries and then the other results.
struct LoopSignature {
  enum class Kind { loop_while, scan, cond, call };
  Kind kind = Kind::call;
  Ints lanes = {};  // sizes of the lane axes
  // The lane axes of each operand and of each result that is not a carry, as bit sets. They are not
  // used for control operands.
  LoopValues<int64_t> lane_axes = {};
  Ints result_lane_axes = {};

  // True if a body takes the mask of the active lanes.
  bool active() const { return !lanes.empty() && kind != Kind::call; }
  // True if xs and results have a leading axis of steps.
  bool stacks() const { return kind == Kind::scan; }
  bool trip_counts() const { return stacks() && !lane_axes.control.empty(); }
  // True if the last control operand is the mask of the lanes that run the op at all.
  bool entry_mask() const {
    return !stacks() && lane_axes.control.size() > (kind == Kind::cond ? 1U : 0U);
  }

  LoopRanges operands() const { return ranges_of(lane_axes); }
  LoopRanges body_inputs() const {
    return consecutive_ranges(
        {active(), 0, lane_axes.body_consts.size(), lane_axes.carry.size(), lane_axes.xs.size()});
  }
  LoopRanges cond_inputs() const {
    return consecutive_ranges({0, lane_axes.cond_consts.size(), 0, lane_axes.carry.size(), 0});
  }
  // The results that are not carries.
  ValueRange results() const {
    return {static_cast<int>(lane_axes.carry.size()), static_cast<int>(result_lane_axes.size())};
  }

  template <class T>
  LoopValues<T> operands(const std::vector<T>& list) const {
    return by_role(list, operands());
  }
  template <class T>
  LoopValues<T> body_inputs(const std::vector<T>& list) const {
    return by_role(list, body_inputs());
  }
  // The inputs of a body if these are the operands of the op.
  template <class T>
  std::vector<T> to_body(const LoopValues<T>& x, const T& active_mask) const {
    return in_order(LoopValues<T>{
        std::vector<T>(size_t{active()}, active_mask), {}, x.body_consts, x.carry, x.xs});
  }
  // The inputs of the condition of a while.
  template <class T>
  std::vector<T> to_cond(const LoopValues<T>& x) const {
    return in_order(LoopValues<T>{{}, x.cond_consts, {}, x.carry, {}});
  }
};

// A loop, branch or call as the compiler reads it.
struct LoopForm : LoopSignature {
  // while: {cond, body}; scan: {body}; cond: branches; call: {body}
  std::vector<Jaxpr> bodies = {};
  int64_t length = 0;  // of a scan
  bool reverse = false;
};

}  // namespace weft
