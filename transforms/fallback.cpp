// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/fallback.cpp: an op without a batching rule, one lane after another.
#include "weft/core/names.h"
#include "weft/ops/control_flow.h"
#include "weft/ops/lanes.h"
#include "weft/transforms/chunk.h"

namespace weft {
namespace {

Batched loop_over_lanes(const Op& op, const Arrays& x, const MaybeAxes& axis, int64_t size,
                        const AnyParams& params) {
  const Closed loop = record(types_of(x), [&](const Arrays& a) {
    Arrays rows;
    Types in;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!axis[i]) continue;
      rows.push_back(move_mapped(a[i], axis[i], 0, size));
      in.push_back(a[i].type().with_shape(a[i].shape().erased(*axis[i])));
    }
    const Closed body = record(in, [&](const Arrays& row) {
      Arrays all = a;
      for (size_t i = 0, next = 0; i < all.size(); ++i)
        if (axis[i]) all[i] = row[next++];
      return bind_op(op, all, params);
    });
    return scan_flat(body, {}, rows, size);
  });
  Arrays operands = loop.consts;
  append(operands, x);
  Arrays out = base::call(loop.jaxpr, operands, std::string(lane_loop_prefix) + op.name());
  MaybeAxes where(out.size(), 0);
  return {std::move(out), std::move(where)};
}

[[maybe_unused]] const bool installed = [] {
  install_batch_fallback(loop_over_lanes);
  return true;
}();

}  // namespace
}  // namespace weft
