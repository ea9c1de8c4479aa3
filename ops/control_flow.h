// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control_flow.h: loops and branches over programs. Constants of the bodies become operands.
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft {

// cond: carry -> bool[]; body: carry -> carry. With max_trips the loop stops there.
Arrays while_flat(const Closed& cond, const Closed& body, const Arrays& init, std::optional<int64_t> max_trips = {});
// The branch of that number (i32[], clamped) on the operands. All branches return the same types.
Arrays cond_flat(const Array& index, const std::vector<Closed>& branches, const Arrays& operands);
// body: (carry…, row of each xs…) -> (carry…, row of each ys…). Returns (carry…, ys…); rows are
// along axis 0. unroll 0 means all of them.
Arrays scan_flat(const Closed& body, const Arrays& init, const Arrays& xs, int64_t length, bool reverse = false,
                 int64_t unroll = 1);

}  // namespace weft
