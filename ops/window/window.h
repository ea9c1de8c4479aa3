// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/window.h: folds of the windows that slide over an array, and the element of a window
// that a fold by maximum or minimum selects.
#pragma once
#include <vector>

#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/ref.h"
#include "weft/shape.h"

namespace weft {

// Each list has one entry for each axis. The operand is extended by base_dilation - 1 positions
// between its elements, and by low and high positions around them (negative: cropped). A window has
// window_dimensions elements that are window_dilation apart, and consecutive windows are
// window_strides apart. Positions without an element of the operand are in no window.
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

// Returns the shape with one element for each window. Parameters may come from text, so it throws
// ShapeError in the name of the op if the window does not fit the operand.
Shape windowed_shape(const char* op, const Type& operand, const Window& w);

Array reduce_window_sum(const Array& x, const Window& w);
Array reduce_window_max(const Array& x, const Window& w);
Array reduce_window_min(const Array& x, const Window& w);

// Selects an element of each window of `x` by a scan in row-major order. The scan keeps its element
// if it is >= the next one (`largest`), or <= otherwise, so it selects the first of equal elements.
// Returns the elements of `tangents` (of x's type) at the selected positions, and 0 for a window
// without an element.
Array select_and_gather_add(const Array& tangents, const Array& x, bool largest, const Window& w);
// Returns zeros of x's shape. To the position selected in each window, the element of `source` for
// this window is added.
Array select_and_scatter_add(const Array& source, const Array& x, bool largest, const Window& w);

// Joins two lists of arrays, all of one shape, elementwise.
using JoinArrays = FunctionRef<Arrays(const Arrays&, const Arrays&)>;
// Folds all windows of arrays of one shape by an associative join. Padding is `neutral`, the
// identity of the join.
Arrays fold_windows(const Arrays& x, const Arrays& neutral, const Window& w, JoinArrays join);
// Folds init and all elements of each window, in this order, by any associative join. init is
// joined once in each window, and padding is skipped. Source: XLA's ReduceWindow. StableHLO's
// specification allows padding to count as init, but XLA does not do so.
Arrays reduce_windows(const Arrays& x, const Arrays& init, const Window& w, JoinArrays join);

using JoinTwo = FunctionRef<Array(const Array&, const Array&)>;
// select_and_scatter_add with another selection and another sum. `select` returns true if the scan
// keeps its first argument rather than its second. `scatter` joins the elements of the source to
// init, in the order of their windows. Both are functions of scalars, but are called with arrays of
// one shape. The window does not have dilations.
Array select_and_scatter(const Array& x, const Array& source, const Array& init, const Window& w,
                         JoinTwo select, JoinTwo scatter);

}  // namespace weft
