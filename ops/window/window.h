// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/window.h: folds of the windows that slide over an array, and the element of a window
// that a fold by maximum or minimum chooses.
#pragma once
#include <vector>

#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/core/shape.h"
#include "weft/tracer/array.h"

namespace weft {

// One entry an axis. The operand with base_dilation - 1 between its elements, and low and high
// around them (negative: cropped), holds windows of `dimensions` elements that are window_dilation
// apart, `strides` from one window to the next. What is not of the operand is in no window.
// Source: XLA's ReduceWindow.
struct Window {
  std::vector<int64_t> window_dimensions, window_strides, low, high, base_dilation, window_dilation;
  template <class V>
  void fields(V&& v) {
    v("window_dimensions", window_dimensions);
    v("window_strides", window_strides);
    v("low", low);
    v("high", high);
    v("base_dilation", base_dilation);
    v("window_dilation", window_dilation);
  }
};

// Parameters may come from text: ShapeError in the name of the op for what is no window of such an
// operand; the shape that has an element a window.
Shape windowed_shape(const char* op, const Type& operand, const Window& w);

Array reduce_window_sum(const Array& x, const Window& w);
Array reduce_window_max(const Array& x, const Window& w);
Array reduce_window_min(const Array& x, const Window& w);

// Of each window the element of `x` that a scan in row-major order ends with which keeps what it
// has where that is >= (`largest`; else <=) the next one: of equals the first.
// The elements of `tangents` (of x's type) at these places; 0 of a window without an element.
Array select_and_gather_add(const Array& tangents, const Array& x, bool largest, const Window& w);
// Zeros of x's shape, to whose places of these elements those of `source`, one a window, are added.
Array select_and_scatter_add(const Array& source, const Array& x, bool largest, const Window& w);

// What joins two lists of arrays, all of one shape, element by element.
using JoinArrays = FunctionRef<Arrays(const Arrays&, const Arrays&)>;
// Folds of all windows of arrays of one shape, by an associative join. What is padded is `neutral`,
// which must change nothing.
Arrays fold_windows(const Arrays& x, const Arrays& neutral, const Window& w, JoinArrays join);
// The folds of init and of all elements of a window, in this order, by any associative join. init
// takes part once in each window; what is padded takes no part. Source: XLA's ReduceWindow.
// StableHLO's text lets padding count as init, which XLA does not do.
Arrays reduce_windows(const Arrays& x, const Arrays& init, const Window& w, JoinArrays join);

using JoinTwo = FunctionRef<Array(const Array&, const Array&)>;
// select_and_scatter_add with another choice and another sum: `select` says whether the scan keeps
// its first argument rather than its second; to init, `scatter` joins the elements of the source in
// the order of their windows. Both are of scalars, and called with arrays of one shape; the window
// has no dilations.
Array select_and_scatter(const Array& x, const Array& source, const Array& init, const Window& w,
                         JoinTwo select, JoinTwo scatter);

}  // namespace weft
