// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/fallback.cpp: an op without a batching rule, one lane after another.
#include "weft/ops/control_flow.h"
#include "weft/transforms/chunk.h"

namespace weft {
namespace {

Batched loop_over_lanes(const Op& op, const Arrays& x, const MaybeAxes& axis, int64_t size,
                        const AnyParams& params) {
  Arrays rows;
  Types in;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!axis[i]) continue;
    rows.push_back(move_mapped(x[i], axis[i], 0, size));
    in.push_back(x[i].type().with_shape(x[i].shape().erased(*axis[i])));
  }
  const Closed body = record(in, [&](const Arrays& row) {
    Arrays all = x;
    for (size_t i = 0, next = 0; i < all.size(); ++i)
      if (axis[i]) all[i] = row[next++];
    return bind_op(op, all, params);
  });
  Arrays out = scan_flat(body, {}, rows, size);
  MaybeAxes where(out.size(), 0);
  return {std::move(out), std::move(where)};
}

[[maybe_unused]] const bool installed = [] {
  install_batch_fallback(loop_over_lanes);
  return true;
}();

}  // namespace
}  // namespace weft
