// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/stages.h: reductions of many elements in two stages, so that all threads take part.
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// Rewrites sums, products, maxima and minima of at least 2^17 terms: parts are reduced by
// themselves, then their results. The parts are a function of the reduced extents alone
// (Decided 6): neither threads nor axes that are not reduced change the order.
Jaxpr reduce_in_stages(const Jaxpr& j);

}  // namespace weft::compiler
