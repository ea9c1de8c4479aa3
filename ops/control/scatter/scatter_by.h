// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/scatter/scatter_by.h: writing at computed indices by any function of what is there.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/ops/index/index.h"

namespace weft {

// Arrays of one shape, with join(what is there, updates) written to their windows, both lists of
// arrays of the shape of one window or of all updates. Windows come one after another in row-major
// order of the indices, each of them once where the indices are unique, then all at once.
Arrays scatter_by(const Arrays& x, const Array& indices, const Arrays& updates,
                  const WindowDims& dims, OutOfBounds mode, IndexPromises promises,
                  FunctionRef<Arrays(const Arrays&, const Arrays&)> join);

}  // namespace weft
