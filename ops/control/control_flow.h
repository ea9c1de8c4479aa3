// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/control_flow.h: while, cond, scan and call on flat lists of arrays and recorded
// bodies.
#pragma once
#include <optional>

#include "tracer/record_trace.h"

namespace weft {

// Constants of the bodies become operands. cond: carry -> bool[]; body: carry -> carry, of equal
// types. max_trips: the loop ends after this many trips, even if the condition still holds. Such a
// loop can be differentiated in reverse mode.
Arrays while_flat(const ClosedJaxpr& cond, const ClosedJaxpr& body, const Arrays& init,
                  std::optional<int64_t> max_trips = {});
// The same for a loop that may have been mapped by another system (separate_lanes.h). in_loop: it
// is in the body of a loop.
Arrays mapped_while_flat(const ClosedJaxpr& cond, const ClosedJaxpr& body, const Arrays& init,
                         bool in_loop);
// Returns the results of branches[clamp(index)]. The index is I32.
Arrays cond_flat(const Array& index, const std::vector<ClosedJaxpr>& branches,
                 const Arrays& operands);
// Returns the results of the branch for the platform for which the program is compiled. Throws
// DeviceError for an unknown platform name.
Arrays platform_cond_flat(const Strings& platforms, const std::vector<ClosedJaxpr>& branches,
                          const Arrays& operands);
// body: (carry…, x…) -> (carry…, y…). The leading axis of each of xs has size `length`.
Arrays scan_flat(const ClosedJaxpr& body, const Arrays& init, const Arrays& xs, int64_t length,
                 bool reverse = false, int64_t unroll = 1);

// The parameters of the loop ops; the jit reads them. lanes: the sizes of the lane axes. lane_ids:
// the number of each lane axis among the maps around the op, from the outside (LaneMask).
struct While {
  Ref<const JaxprData> cond_jaxpr, body_jaxpr;
  int64_t cond_nconsts = 0, body_nconsts = 0;
  Ints lanes, lane_ids;
  Ints lane_axes;  // of cond consts, body consts, carry
  bool entry_mask = false;
  int64_t max_trips = -1;  // if given, carry 0 counts the trips
  WEFT_FIELDS(cond_jaxpr, body_jaxpr, cond_nconsts, body_nconsts, lanes, lane_ids, lane_axes,
              entry_mask, max_trips)
};
struct Cond {
  std::vector<Ref<const JaxprData>> branches;
  Ints lanes, lane_ids;
  Ints lane_axes;  // of operands, results
  bool entry_mask = false;
  // The platform of each branch, if the device of the compiled program selects the branch instead
  // of the index. A name is "cpu", "cuda", or "default" for the last branch.
  Strings branches_platforms = {};
  WEFT_FIELDS(branches, lanes, lane_ids, lane_axes, entry_mask, branches_platforms)
};
struct Scan {
  Ref<const JaxprData> jaxpr;
  int64_t length = 0;
  bool reverse = false;
  int64_t num_consts = 0, num_carry = 0;
  Ints lanes, lane_ids;
  Ints lane_axes;  // of consts, carry, xs, ys
  bool trip_counts = false;
  int64_t unroll = 1;
  WEFT_FIELDS(jaxpr, length, reverse, num_consts, num_carry, lanes, lane_ids, lane_axes,
              trip_counts, unroll)
};
struct Call {
  Ref<const JaxprData> jaxpr;
  std::string name;
  // Options of the call itself, which hold in any program that contains it. time_limit is in
  // seconds (0: none). check_nans throws an error if a result contains a NaN.
  double time_limit = 0;
  bool check_nans = false;
  // The op that the call runs lane by lane, because the op does not have a batching rule.
  std::string lane_loop_of = {};
  // If `block` is not 0, the call runs so many lanes at a time. Lanes are the leading axis of all
  // results and of the operands that are marked in `in_blocks`. The compiler chooses it.
  int64_t block = 0;
  Bools in_blocks = {};
  // Operand 0 is the number of lanes, I32[], whose results are read. The other lanes need not run:
  // their results may hold anything.
  bool counted = false;
  WEFT_FIELDS(jaxpr, name, time_limit, check_nans, lane_loop_of, block, in_blocks, counted)
  bool watched() const { return time_limit > 0 || check_nans; }
  // Returns the same call of another program, which replaces this program under a transform.
  Call of(Ref<const JaxprData> j) const {
    return {std::move(j), name, time_limit, check_nans, lane_loop_of, 0, {}, false};
  }
};

}  // namespace weft
