// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/scatter_by.h: scatter with any function of the present values and the
// updates.
#pragma once
#include "core/ir.h"
#include "ops/index/index.h"
#include "weft/detail/ref.h"

namespace weft {

// Takes arrays x of one shape and writes join(present values, updates) to their windows. Both lists
// have arrays of the shape of one window, or of all updates. Windows are processed one after
// another, in row-major order of the indices. If the indices are unique, each window is written
// once, so all windows are processed together.
Arrays scatter_by(const Arrays& x, const Array& indices, const Arrays& updates,
                  const WindowDims& dims, OutOfBounds mode, IndexPromises promises,
                  FunctionRef<Arrays(const Arrays&, const Arrays&)> join);

}  // namespace weft
