// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/index.h: ops that read and write at computed indices.
#pragma once
#include "weft/array.h"

namespace weft {

// Returns the window of `sizes` elements at `starts` (one integer scalar for each axis). A start is
// clamped so that the window fits. Negative starts do not count from the end here.
Array dynamic_slice_at(const Array& x, const Arrays& starts, const std::vector<int64_t>& sizes);
// Returns x with `update` written at `starts`, which are clamped in the same way.
Array dynamic_update_at(const Array& x, const Array& update, const Arrays& starts);

// The treatment of a window that is not entirely inside the operand. `clip` moves it inside. `fill`
// reads NaN (the lowest signed, the highest unsigned integer, or true). `zero` reads zero. Scatter
// moves the window inside (clip) or drops it (fill, zero).
enum class OutOfBounds : int { clip = 0, fill = 1, zero = 2 };
// The scalar that `fill` and `zero` read.
Array out_of_bounds_value(DType d, OutOfBounds mode);

// The roles of the axes, as in XLA. The last axis of `indices` holds the components of an index;
// its other axes are batch axes. window_dims are axes of the result (scatter: of the updates) that
// run inside a window. They are in the order of the operand axes that are neither collapsed nor
// batching axes.
struct WindowDims {
  std::vector<int64_t> window_dims;       // offset_dims, update_window_dims
  std::vector<int64_t> collapsed;         // collapsed_slice_dims, inserted_window_dims
  std::vector<int64_t> index_map;         // start_index_map, scatter_dims_to_operand_dims
  std::vector<int64_t> operand_batching;  // axes of the operand that are paired with …
  std::vector<int64_t> indices_batching;  // … these axes of the indices
};
// Promises of the caller about the indices.
struct IndexPromises {
  bool unique = false;  // no two windows share elements
  bool sorted = false;  // the indices ascend, in row-major order of their batch
};
Array gather_windows(const Array& x, const Array& indices, const WindowDims& dims,
                     const std::vector<int64_t>& slice_sizes, OutOfBounds mode = OutOfBounds::clip,
                     IndexPromises promises = {});

// out[…, i, …] = x[…, indices[…, i, …], …] along an axis. The other axes of indices have the sizes
// of x.
Array gather_along(const Array& x, const Array& indices, int axis,
                   OutOfBounds mode = OutOfBounds::clip);
// The dimension numbers of gather_along.
WindowDims along_dims(int rank, int axis);

enum class Update : int { set = 0, add = 1, mul = 2, min = 3, max = 4 };
// Duplicates are combined in row-major order of the updates; for `set` the last update wins.
Array scatter_windows(const Array& x, const Array& indices, const Array& updates,
                      const WindowDims& dims, Update update, OutOfBounds mode = OutOfBounds::zero,
                      IndexPromises promises = {});

}  // namespace weft
