// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/stages.h: reductions of many elements in two stages, so that all threads take part.
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// Rewrites sums, products, maxima and minima of at least 2^17 terms: the blocks of their order
// (core/loops/fold_order.h), or their last axes, are reduced by themselves, then the results. No
// bit changes.
Jaxpr reduce_in_stages(const Jaxpr& j);

}  // namespace weft::compiler
