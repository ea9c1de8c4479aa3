// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/indexing.h: what x[…] and x.at(…) are made of. Not public.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/ops/index/index.h"
#include "weft/tracer/array.h"

namespace weft::fn {

// One entry of an index, checked: `axis` of the operand, or none for newaxis.
struct IndexItem {
  enum class Kind { integer, slice, newaxis, array } kind;
  int axis = -1;
  int64_t lo = 0, count = 1, step = 1;  // integer: lo; slice: lo, lo + step, … count of them
  Array array = {};
  bool whole(const Shape& s) const {
    return kind == Kind::slice && step == 1 && lo == 0 && count == s[axis];
  }
};
using IndexItems = std::vector<IndexItem>;

// NumPy's rules: ellipsis and missing axes filled in, slices cut to the axis, masks made into
// indices, integers checked. IndexError for what does not fit.
// A number out of range raises IndexError, unless a mode says what becomes of such.
IndexItems checked_index(const Array& x, const std::vector<Index>& index, bool with_mode = false);
bool any_array(const IndexItems& items);

// How an index out of range is treated: negative ones are wrapped once unless `as_is`.
struct IndexMode {
  OutOfBounds bounds = OutOfBounds::clip;
  bool modulo = false;  // "wrap"
  bool as_is = false;   // take's "clip"
};
// Mode "check": CheckError after the run for an index, computed when the program runs, that is out
// of range of an axis of n elements.
void check_index(const Array& index, int64_t n, int axis);
Array get_items(const Array& x, const IndexItems& items, const IndexMode& mode,
                const std::optional<Array>& fill = {}, IndexPromises promises = {});
// x with `v`, broadcast to the shape of x[items], combined in; `sole`: where x lies, if it can be.
Array update_items(const Array& x, const IndexItems& items, const Array& v, Update update,
                   const IndexMode& mode, IndexPromises promises, bool sole = false);
// x with f of the elements of x[items] in their place, as often as each is named there.
Array apply_items(const Array& x, const IndexItems& items, FunctionRef<Array(Array)> f,
                  const IndexMode& mode, IndexPromises promises);
// The shape of x[items].
Shape items_shape(const Array& x, const IndexItems& items);

// Only integers, slices and newaxis: no computed index.
Array get_basic(const Array& x, const IndexItems& items);

}  // namespace weft::fn
