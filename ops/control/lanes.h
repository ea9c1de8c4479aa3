// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/lanes.h: the parts that while, cond and scan share: lane masks, and rewriting of
// their bodies.
//
// An op with lanes [n1…nk] runs its body for many lanes together.
// - The bit set `lane_axes` of each operand, carry and result gives the lane axes that the value
//   has; they are its leading axes, in order.
// - A changed carry or a result has all lanes or no lanes (lane_axes = 0). A value without lanes
//   belongs to the op as a whole. An example is the cotangent of weights w[m,n] that all lanes
//   read: it is f32[m,n], the sum over the lanes. Another one is a residual.
// - A carry without lanes is updated whenever any lane is active.
// - Results of a cond without lanes are added over the branches that ran.
// - When another map becomes a lane, there is one such value for each of its lanes. The new axis is
//   an axis of the value itself: the cotangent of w becomes f32[k,m,n] for a map of size k. The
//   body keeps (or zeros) the value where no old lane is active.
#pragma once
#include "autodiff/autodiff.h"
#include "autodiff/partial_eval.h"
#include "ops/kit/kit.h"
#include "ops/kit/lists.h"

namespace weft {

// Returns the mask with its axes in the order of `ids`. Lanes that are not in `ids` are reduced
// with any; lanes that the mask does not have are broadcast. sizes[i] is the size of lane ids[i].
Array align_mask(const LaneMask& m, const Ints& ids, const Ints& sizes);
// The lanes that are active in both masks.
LaneMask both_masks(const LaneMask& a, const LaneMask& b);
// where(mask, a, b). The axes of the mask are the leading axes of a and b.
Array select_lanes(const Array& mask, const Array& a, const Array& b);
// True if any lane is active: bool[].
Array any_lane(const Array& mask);
// Zero in inactive lanes, x in the others.
Array mask_out(const Array& mask, const Array& x);
// The active lanes of the map that is being applied (lane 0). An empty handle means that all are
// active.
Array active_lanes(const LaneMask& m, int64_t size);

// ---- for the type rules. Parameters can come from text, so all of them are checked.
// Requires that the body takes values of these types (ignoring weak types).
void require_body(const char* op, const Jaxpr& body, const Types& takes, const Types& in);
// Requires that no count is negative, and that there are at least sum(counts) + fixed operands.
void require_counts(const char* op, const Ints& counts, size_t fixed, const Types& in);
// Requires that `lane_axes` is empty or contains n sets of the lanes. ids name the lanes.
void require_lanes(const char* op, const Ints& lanes, const Ints& ids, const Ints& lane_axes,
                   size_t n, const Types& in);
// Requires that a changed carry or a result has all lanes or no lanes, and that all lanes are its
// leading axes. Throws InternalError, because every rule that makes an op must ensure this.
void require_all_or_none(const char* op, const char* what, size_t k, const Ints& lanes,
                         int64_t lane_axes, const Type& t);
// The mask of active lanes, which is the first input of bodies if there are lanes.
inline Types mask_input(const Ints& lanes) {
  return lanes.empty() ? Types() : Types{Type(Bool, Shape(lanes))};
}

inline Ints all_lanes(const Ints& lane_axes, size_t n) {
  return lane_axes.empty() ? Ints(n, 0) : lane_axes;
}
int lane_count(int64_t lane_axes);
inline int64_t full_set(const Ints& lanes) { return (int64_t{1} << lanes.size()) - 1; }

// ---- for partial evaluation.
// An operand of the unknown part without all lanes gets a cotangent that is summed over lanes
// inside the transposed body. There an inactive lane adds 0 times its residual, which may be inf or
// NaN. The residuals of inactive lanes are therefore replaced by other numbers.

// The lanes whose residuals must be replaced: those that the body keeps apart (a collective needs
// all lanes unchanged). No lane needs it if all unknown operands have all lanes. lane_axes,
// unknown: of the inputs after the mask.
std::vector<bool> lanes_to_fill(const Jaxpr& body, const Ints& lanes, const Ints& lane_axes,
                                const std::vector<bool>& unknown);
// The replacement for residuals of inactive lanes. A linear part maps ones to finite numbers. Other
// functions need the residuals of the first active lane, with which they compute what they compute
// for that lane. Reading an active lane mixes lanes, so such a loop runs in lockstep.
class InactiveLanes {
 public:
  enum class Leave { ones, an_active_lane };
  // fill: the lanes of the mask to fill.
  InactiveLanes(const Array& active, std::vector<bool> fill, Leave leave);
  // Returns x with the inactive lanes filled. places[l] is the axis of x that is lane l, or -1. A
  // lane of the mask that x does not have counts as active if any of its elements is active.
  Array filled(const Array& x, const std::vector<int>& places) const;

 private:
  Array active_;
  std::vector<bool> fill_;
  Arrays first_;  // index of the first active lane, for each lane to fill (empty for ones)
};

// True if the equation ends for any operands: it contains no while loop. An equation that may not
// end runs only where the program runs it.
bool surely_ends(const Eqn& e);

// Records a program from a function of arrays. The function may not use arrays from outside.
Jaxpr program(const Types& in, FunctionRef<Arrays(const Arrays&)> f);
// A body as traced, or as rewritten by batching. It may read values from outside. These are arrays
// captured by the user's function or by a batching rule, or the mask of the enclosing body. Another
// one is the number of the first lane of a chunk.
struct TracedBody {
  ClosedJaxpr program;
  size_t at = 0;  // position at which inputs for such values are inserted
};
TracedBody trace_body(const Types& in, size_t at, FunctionRef<Arrays(const Arrays&)> f);
// Makes the bodies of one op independent of outside values. Each body takes all values that any of
// them reads; these are appended to `captured` and become constants of the op.
std::vector<Jaxpr> hoist_captures(const std::vector<TracedBody>& bodies, Arrays* captured);
// The type with one more axis of this size.
Type add_axis(const Type& t, MaybeAxis axis, int64_t size);

// Lane bookkeeping of one batching step. If the predicate of the op is mapped, the map becomes a
// new leading lane (the op is widened). Otherwise the lanes remain, and mapped values get an axis
// after them.
struct LaneStep {
  Ints lanes, ids;       // of the rewritten op
  bool widened = false;  // this map became a lane
  Array entry_mask;      // an empty handle means all lanes
  // The position of the new axis of a mapped value.
  int place(int64_t lane_axes) const { return widened ? 0 : lane_count(lane_axes); }
  // The lanes of an operand, or of a carry that is returned unchanged.
  int64_t lane_axes(int64_t old, bool mapped) const {
    return widened ? (old << 1 | (mapped ? 1 : 0)) : old;
  }
  // The lanes of a changed carry or a result.
  int64_t changed_lane_axes(int64_t old) const {
    return old == full_set(lanes) >> (widened ? 1 : 0) ? full_set(lanes) : 0;
  }
  // In the body: masks a value of the op as a whole, which is a changed carry (`before` is its old
  // value) or a result (no `before`: zero). If the op is widened, the value stays unchanged in each
  // new lane, its leading axis, in which no old lane is active. Values with all lanes are returned
  // unchanged, because the op itself selects their active lanes (as `stepped` in while.cpp).
  Array changed(int64_t old, const Array& active, const Array& x, const Array& before = {}) const;
};
// old_lanes, old_ids: before this map. entry_mask: the mask operand of the op, if it has one.
LaneStep lane_step(bool predicate_mapped, const Ints& old_lanes, const Ints& old_ids,
                   const Array& entry_mask, MaybeAxis entry_mask_axis, BatchTrace& trace);

}  // namespace weft
