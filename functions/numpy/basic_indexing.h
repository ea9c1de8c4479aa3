// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/basic_indexing.h: the implementation of x[…] and x.at(…). Not public.
#pragma once
#include "core/ir.h"
#include "ops/index/index.h"
#include "weft/array.h"
#include "weft/detail/ref.h"

namespace weft::fn {

// One checked entry of an index. `axis` is an axis of the operand, or empty for newaxis.
struct IndexItem {
  enum class Kind { integer, slice, newaxis, array } kind;
  int axis = -1;
  int64_t lo = 0, count = 1, step = 1;  // integer: lo; slice: `count` elements lo, lo + step, …
  Array array = {};
  bool whole(const Shape& s) const {
    return kind == Kind::slice && step == 1 && lo == 0 && count == s[axis];
  }
};
using IndexItems = std::vector<IndexItem>;

// Checks and normalizes an index by NumPy's rules. It expands the ellipsis and missing axes, clips
// slices to the axis and converts masks to indices. Raises IndexError for an index that does not
// match. An integer out of range raises IndexError unless a mode defines how to treat it.
IndexItems checked_index(const Array& x, const std::vector<Index>& index, bool with_mode = false);
bool any_array(const IndexItems& items);

// How to treat an index out of range. Negative indices are wrapped once unless `as_is` is set.
struct IndexMode {
  OutOfBounds bounds = OutOfBounds::clip;
  bool modulo = false;  // "wrap"
  bool as_is = false;   // the "clip" of take, which does not wrap negative indices
};
// Implements mode "check": raises CheckError after the run if an index computed by the program is
// out of range of an axis of n elements.
void check_index(const Array& index, int64_t n, int axis);
Array get_items(const Array& x, const IndexItems& items, const IndexMode& mode,
                const std::optional<Array>& fill = {}, IndexPromises promises = {});
// Returns x with `v`, broadcast to the shape of x[items], combined in. sole: nothing else uses x's
// buffer, so it may be updated in place.
Array update_items(const Array& x, const IndexItems& items, const Array& v, Update update,
                   const IndexMode& mode, IndexPromises promises, bool sole = false);
// Returns x with f applied to the elements of x[items]; f is applied once for each time an element
// is named.
Array apply_items(const Array& x, const IndexItems& items, FunctionRef<Array(Array)> f,
                  const IndexMode& mode, IndexPromises promises);
// Returns the shape of x[items].
Shape items_shape(const Array& x, const IndexItems& items);

// Reads x[items] for items that are only integers, slices and newaxis, without computed indices.
Array get_basic(const Array& x, const IndexItems& items);

}  // namespace weft::fn
