// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/fallback.cpp: maps an op without a batching rule by a loop over lanes.
#include "ops/control/lane_by_lane.h"
#include "ops/control/lanes.h"
#include "transforms/chunk.h"

namespace weft {
namespace {

Batched loop_over_lanes(const Op& op, const Arrays& x, const MaybeAxes& axis,
                        const BatchTrace& trace, const AnyParams& params) {
  const ClosedJaxpr loop = record(types_of(x), [&](const Arrays& a) {
    return lane_by_lane([&](const Arrays& row) { return bind_op(op, row, params); }, a, axis, trace,
                        false)
        .out;
  });
  Arrays operands = loop.consts;
  append(operands, x);
  Arrays out = lane_loop(loop.jaxpr, operands, op.name());
  MaybeAxes where(out.size(), 0);
  return {std::move(out), std::move(where)};
}

[[maybe_unused]] const bool installed = [] {
  install_batch_fallback(loop_over_lanes);
  return true;
}();

}  // namespace
}  // namespace weft
