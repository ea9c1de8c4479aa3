// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/line_search.h: searches for step lengths that meet the strong Wolfe conditions.
// Not public.
#pragma once
#include "core/ir.h"
#include "weft/array.h"

namespace weft::detail {

struct LineSearch {
  Array length, f, g;  // the length, and the value and the gradient there
  Array failed;
  Array status;  // 0: found, 1: the zoom failed, 3: too many lengths were tried
  Array evaluations;
};
// The starting point and the direction of the search; the value at the start and at the step
// before, and the gradient.
struct Ray {
  Array x, p, f, before, g;
};
LineSearch line_search(FunctionRef<Array(const Array&)> fun, const Ray& ray, int64_t maxiter);

}  // namespace weft::detail
