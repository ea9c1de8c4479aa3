// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/masked_update.cpp: finds selects between an array and an update of it.
#include "ops/index/masked_update.h"

#include "core/param.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"

namespace weft {
namespace {

// Returns the array that was broadcast to this mask, and its axes in the mask.
UpdateMask source_of(const Array& mask, const Producer* made, bool applies) {
  UpdateMask m{mask, {}, applies};
  for (int64_t a = 0; a < mask.ndim(); ++a) m.axes.push_back(a);
  while (made && made->op.name() == "broadcast_in_dim") {
    const auto dims =
        param_field<std::vector<int64_t>>(made->params, "broadcast_dimensions").value();
    const Array& x = made->x[0];
    for (size_t a = 0; a < dims.size(); ++a)
      if (x.shape()[static_cast<int64_t>(a)] != m.mask.shape()[dims[a]]) return m;
    std::vector<int64_t> axes;
    for (int64_t d : dims) axes.push_back(m.axes[static_cast<size_t>(d)]);
    m.axes = std::move(axes);
    m.mask = x;
    made = made->from[0];
  }
  return m;
}

}  // namespace

Array UpdateMask::choose(const std::vector<int64_t>& along, const Array& updates,
                         const Array& otherwise) const {
  const Array m = mask.ndim() == 0 || mask.shape() == updates.shape()
                      ? mask
                      : broadcast_in_dim(mask, updates.shape(), along);
  return applies ? lax::select(m, updates, otherwise) : lax::select(m, otherwise, updates);
}

Arrays masked_update(const FuseArgs<None>& f) {
  if (f.x.size() != 3 || f.x[0].dtype() != Bool) return {};
  for (size_t updated : {2, 1}) {
    const Producer* made = f.producers[updated];
    if (!made || made->x.empty() || &made->x[0].node() != &f.x[3 - updated].node()) continue;
    const UpdateMask mask = source_of(f.x[0], f.producers[0], updated == 2);
    Arrays r;
    if (made->op.name() == "scatter") r = masked_scatter(*made, mask);
    if (made->op.name() == "dynamic_update_slice") r = masked_dynamic_update(*made, mask);
    if (r.empty()) continue;
    const bool weak = f.x[1].type().weak() && f.x[2].type().weak();
    return {base::convert(r[0], f.x[1].dtype(), weak)};
  }
  return {};
}

}  // namespace weft
