// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/check_plan.cpp: compares the axes of each kernel's values with the kernel's grid.
#include "jit/fuse/check_plan.h"

#include <fmt/format.h>

#include "core/text/print.h"
#include "weft/error.h"

namespace weft::compiler {

void check_grid_axes(const Program& p, const KernelPlan& k) {
  const JaxprData& j = *p.j;
  const auto expect = [&](int lane, int64_t extent, size_t eqn, int axis) {
    if (lane < 0 || extent == k.grid.at(static_cast<size_t>(lane))) return;
    throw InternalError(fmt::format(
        "axis {} of {} elements is computed along axis {} of {} points of a kernel's grid: {}",
        axis, extent, lane, k.grid[lane],
        eqn == Program::none ? "an argument" : equation_text(j, eqn)));
  };
  for (const auto& [v, grid_axes] : k.grid_axes) {
    const Shape& shape = j.types[v].shape();
    if (grid_axes.size() != shape.size())
      throw InternalError("a kernel's plan does not know all axes of a value");
    for (int a = 0; a < shape.ndim(); ++a) expect(grid_axes[a], shape[a], p.defining_eqn[v], a);
  }
  for (const auto& [i, classes] : k.classes)
    for (const auto& [c, lane] : classes) expect(lane, p.analysis[i]->extent(c), i, c);
}

}  // namespace weft::compiler
