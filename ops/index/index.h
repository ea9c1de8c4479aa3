// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/index.h: ops that read and write at computed indices.
#pragma once
#include "weft/tracer/array.h"

namespace weft {

// The window of `sizes` elements at `starts` (one integer scalar an axis). A start is clamped so
// that the window fits; negative ones are not wrapped here.
Array dynamic_slice_at(const Array& x, const Arrays& starts, const std::vector<int64_t>& sizes);
// x with `update` written at `starts`, clamped likewise.
Array dynamic_update_at(const Array& x, const Array& update, const Arrays& starts);

// What happens to a window that does not lie inside the operand as a whole: it is moved inside,
// reads as NaN (integers: the lowest signed, the highest unsigned; bool: true), or reads as zero.
// Scatter moves it inside (clip) or drops it (the other two).
enum class OutOfBounds : int { clip = 0, fill = 1, zero = 2 };
// The scalar that fill and zero read.
Array out_of_bounds_value(DType d, OutOfBounds mode);

// Which axes do what, as in XLA. The last axis of `indices` holds the components of an index; its
// other axes are the batch. window_dims: axes of the result (scatter: of the updates) that run
// inside a window, in the order of the operand's axes that are neither collapsed nor batching.
struct WindowDims {
  std::vector<int64_t> window_dims;       // offset_dims, update_window_dims
  std::vector<int64_t> collapsed;         // collapsed_slice_dims, inserted_window_dims
  std::vector<int64_t> index_map;         // start_index_map, scatter_dims_to_operand_dims
  std::vector<int64_t> operand_batching;  // axes of the operand that go with …
  std::vector<int64_t> indices_batching;  // … these axes of the indices
};
// What whoever asks knows of the indices.
struct IndexPromises {
  bool unique = false;  // no two windows share elements
  bool sorted = false;  // the indices ascend, in row-major order of their batch
};
Array gather_windows(const Array& x, const Array& indices, const WindowDims& dims,
                     const std::vector<int64_t>& slice_sizes, OutOfBounds mode = OutOfBounds::clip,
                     IndexPromises promises = {});

// out[…, i, …] = x[…, indices[…, i, …], …] along an axis; indices has x's other sizes.
Array gather_along(const Array& x, const Array& indices, int axis,
                   OutOfBounds mode = OutOfBounds::clip);
// The dimension numbers of that.
WindowDims along_dims(int rank, int axis);

enum class Update : int { set = 0, add = 1, mul = 2, min = 3, max = 4 };
// Duplicates combine in row-major order of the updates; of `set` the last one stays.
Array scatter_windows(const Array& x, const Array& indices, const Array& updates,
                      const WindowDims& dims, Update update, OutOfBounds mode = OutOfBounds::zero,
                      IndexPromises promises = {});

}  // namespace weft
