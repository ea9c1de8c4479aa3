// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/line_search.h: lengths of steps that meet the strong Wolfe conditions. Not
// public.
#pragma once
#include "weft/core/ir.h"
#include "weft/tracer/array.h"

namespace weft::detail {

struct LineSearch {
  Array length, f, g;  // and the value and the gradient there
  Array failed;
  Array status;  // 0 found, 1 the zoom failed, 3 too many lengths
  Array evaluations;
};
// Where to search from, along what, and the value there, that a step before and the gradient.
struct Ray {
  Array x, p, f, before, g;
};
LineSearch line_search(FunctionRef<Array(const Array&)> fun, const Ray& ray, int64_t maxiter);

}  // namespace weft::detail
