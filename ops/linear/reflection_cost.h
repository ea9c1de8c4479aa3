// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/reflection_cost.h: the time of QR factorizations and of products of reflections.
#pragma once
#include "ops/linear/implementations.h"
#include "runtime/native/linalg.h"

namespace weft {

// Nanoseconds per matrix among many (AVX-512, one thread), in the lane and by LAPACK. F32, 8 x 8,
// 16 x 16 and 32 x 32: factors 90 and 870, 830 and 2630, 6430 and 11500. With column exchanges 380
// and 1260, 3700 and 3800, 29700 and 15200. Products of reflections 64 and 640, 530 and 2150, 6700
// and 10300. A lane takes twice as long for F64, and LAPACK 1.1 times. Tall matrices have the same
// cost by element: 43 x 3 takes 720 by LAPACK.
struct ReflectionCost {
  native::Reflections what;

  double in_lane(const Use<None>& u) const {
    // Above so many rows, a single product of reflections takes 3 to 6 times as long in the lane.
    constexpr int64_t most_rows = 16;
    const bool product = what == native::Reflections::product;
    const double ns = what == native::Reflections::pivoted          ? 0.9
                      : product && longer_side<None>(u) > most_rows ? 0.75
                                                                    : 0.2;
    return ns * static_cast<double>(itemsize(u.in[0].dtype())) / 4 * work(u);
  }
  double library(const Use<None>& u) const {
    const matrix::Sizes s(u.in[0]);
    const auto elements = static_cast<double>(s.rows * s.columns);
    return what == native::Reflections::pivoted ? 400 + 14 * elements : 200 + 10 * elements;
  }
};

}  // namespace weft
