// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/lanes.h: what while, cond and scan share: lane masks, and rewriting the bodies they
// carry.
//
// An op with lanes [n1…nk] runs its body for many lanes at once. Every operand, carry and result
// says by a bit set `has` which lane axes it carries; they stand in front, in order. A changed
// carry or a result has all lanes, or none (has = 0): such a value belongs to the op as a whole
// (the cotangent of a shared operand, a residual): a carry without lanes is updated whenever any
// lane is active, results of a cond without lanes are added over the branches that ran. Where a
// further map becomes a lane, there is such a value for each of its lanes: the new axis is one of
// the value's own, and the body keeps (or zeros) it where none of the old lanes is active.
#pragma once
#include "weft/autodiff/autodiff.h"
#include "weft/autodiff/partial_eval.h"
#include "weft/ops/kit/kit.h"
#include "weft/ops/kit/lists.h"

namespace weft {

// mask with axes in the order of `ids`: any over the lanes that ids lacks, broadcast along those it
// lacks. sizes[i] is the size of lane ids[i].
Array align_mask(const LaneMask& m, const Ints& ids, const Ints& sizes);
// Lanes active in both.
LaneMask both_masks(const LaneMask& a, const LaneMask& b);
// where(mask, a, b) with the mask's axes leading.
Array select_lanes(const Array& mask, const Array& a, const Array& b);
// Whether any lane is active: bool[].
Array any_lane(const Array& mask);
// zero where the lane is not active.
Array mask_out(const Array& mask, const Array& x);
// Which of the lanes of the map that is being applied (lane 0) are active; empty handle: all.
Array active_lanes(const LaneMask& m, int64_t size);

// ---- for the type rules. Programs come from text, too, so nothing of the parameters is taken for
// granted. The body must take these values (weakness aside).
void require_body(const char* op, const Jaxpr& body, const Types& takes, const Types& in);
// At least as many operands as `counts` (none negative) and `fixed` add up to.
void require_counts(const char* op, const Ints& counts, size_t fixed, const Types& in);
// `has` is empty or has n sets of the lanes; ids name the lanes.
void require_lanes(const char* op, const Ints& lanes, const Ints& ids, const Ints& has, size_t n,
                   const Types& in);
// A changed carry or a result has all lanes or none, and with all of them their axes in front; an
// InternalError, as every rule that makes an op has to see to it.
void require_all_or_none(const char* op, const char* what, size_t k, const Ints& lanes, int64_t has,
                         const Type& t);
// The active mask that bodies take first where there are lanes.
inline Types mask_input(const Ints& lanes) {
  return lanes.empty() ? Types() : Types{Type(Bool, Shape(lanes))};
}

inline Ints all_lanes(const Ints& has, size_t n) { return has.empty() ? Ints(n, 0) : has; }
int lane_count(int64_t has);
inline int64_t full_set(const Ints& lanes) { return (int64_t{1} << lanes.size()) - 1; }

// ---- for partial evaluation. An operand of the unknown part without all lanes gets a cotangent
// that is summed over lanes inside the transposed body, where an inactive lane adds 0 times what it
// left behind. That may be inf or NaN, so inactive lanes are made to leave other numbers.

// Which lanes need it: those that the body keeps apart (a collective wants all lanes as they are),
// none if all unknown operands have all lanes. has, unknown: of the inputs behind the mask.
std::vector<bool> lanes_to_fill(const Jaxpr& body, const Ints& lanes, const Ints& has,
                                const std::vector<bool>& unknown);
// What inactive lanes leave behind: ones, of which a linear part makes finite numbers; or what the
// first active lane leaves, of which any function makes what it makes for a lane that takes part.
// That mixes lanes, so such a loop runs in lockstep.
class InactiveLanes {
 public:
  enum class Leave { ones, an_active_lane };
  // fill: which lanes of the mask.
  InactiveLanes(const Array& active, std::vector<bool> fill, Leave leave);
  // x as it is to be left. places[l] is the axis of x that is lane l, or -1; a lane of the mask
  // that x has not counts as active if it is for any of its lanes.
  Array filled(const Array& x, const std::vector<int>& places) const;

 private:
  Array active_;
  std::vector<bool> fill_;
  Arrays first_;  // the first active lane, by the lanes to fill (ones: none)
};

// Whether the equation ends, whatever its operands are: it holds no while loop. What may not end is
// run only where the program runs it.
bool surely_ends(const Eqn& e);

// One program from a function of arrays; it may use no arrays from outside.
Jaxpr program(const Types& in, FunctionRef<Arrays(const Arrays&)> f);
// A body as it was traced or as batching has rewritten it. It may read values from outside: arrays
// that the user's function or a batching rule holds, the mask of the enclosing body, the number of
// the first lane of a chunk.
struct Rewritten {
  Closed program;
  size_t at = 0;  // where inputs for such values go
};
Rewritten rewritten(const Types& in, size_t at, FunctionRef<Arrays(const Arrays&)> f);
// The bodies of one op as programs that depend on nothing outside: each takes all values that any
// of them reads, which are appended to `captured` and become constants of the op.
std::vector<Jaxpr> opened(const std::vector<Rewritten>& bodies, Arrays* captured);
// The type with one more axis.
Type widened(const Type& t, MaybeAxis axis, int64_t size);

// Lane bookkeeping of one batching step (DESIGN, "Mapped control flow: Batching").
struct LaneStep {
  Ints lanes, ids;       // of the rewritten op
  bool widened = false;  // this map became a lane
  Array enter;           // empty handle: all
  // Where the new axis of a mapped value goes.
  int place(int64_t has) const { return widened ? 0 : lane_count(has); }
  // The lanes of an operand, or of a carry that passes through.
  int64_t has(int64_t old, bool mapped) const {
    return widened ? (old << 1 | (mapped ? 1 : 0)) : old;
  }
  // Those of a changed carry or a result.
  int64_t has_changed(int64_t old) const {
    return old == full_set(lanes) >> (widened ? 1 : 0) ? full_set(lanes) : 0;
  }
  // In the body: a changed carry (`before` it changes), or a result (no `before`: zero), its mapped
  // axis in front if the op is widened. A value of the op as a whole stays as it was for the new
  // lanes of which no old lane is active.
  Array changed(int64_t old, const Array& active, const Array& x, const Array& before = {}) const;
};
// old_lanes/ids: before this map; enter: the op's own mask, if it has one.
LaneStep lane_step(bool predicate_mapped, const Ints& old_lanes, const Ints& old_ids,
                   const Array& enter, MaybeAxis enter_axis, BatchLevel& level);

}  // namespace weft
