// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/order/by_destination.cpp: scatter by a stable sort of the updates.
#include "weft/ops/index/order/by_destination.h"

#include <bit>
#include <limits>

#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/elementwise/rounding.h"
#include "weft/ops/index/order/stable_order.h"
#include "weft/ops/kit/axes.h"
#include "weft/ops/kit/lists.h"
#include "weft/ops/structure/structure.h"

namespace weft::order {
namespace {

using namespace lax;
using index_map_detail::IndexMap;

// What the axes of the operand and of the updates are to each other. Rows are those of batching
// axes; places the axes that an index moves along or that windows cover in part; the rest, whole
// windows, is what stands at a place.
struct Layout {
  Ints rows, row_updates, places, whole, whole_updates;  // axes
  Ints meeting;  // axes of the updates along which two may go to the same place
};
Layout layout_of(const IndexMap& map, const Shape& operand, const Shape& updates) {
  Layout l;
  std::vector<bool> apart(updates.size(), false);
  for (size_t a = 0; a < map.axes.size(); ++a) {
    const IndexMap::Axis& x = map.axes[a];
    const auto axis = static_cast<int64_t>(a);
    const bool whole = x.whole_window() && updates[x.window] == operand[axis];
    if (x.batch >= 0 || whole) apart[static_cast<size_t>(x.apart())] = true;
    if (x.batch >= 0) {
      l.rows.push_back(axis);
      l.row_updates.push_back(x.batch);
    } else if (whole) {
      l.whole.push_back(axis);
      l.whole_updates.push_back(x.window);
    } else {
      l.places.push_back(axis);
    }
  }
  for (int a = 0; a < updates.ndim(); ++a)
    if (!apart[static_cast<size_t>(a)]) l.meeting.push_back(a);
  return l;
}

int64_t extent(const Shape& s, const Ints& axes) {
  int64_t n = 1;
  for (int64_t a : axes) n *= s[a];
  return n;
}
// [rows, middle, whole].
Array in_three(const Array& x, const Ints& rows, const Ints& middle, const Ints& whole) {
  const Shape& s = x.shape();
  return reshape_to(transpose_axes(x, joined(joined(rows, middle), whole)),
                    {extent(s, rows), extent(s, middle), extent(s, whole)});
}

// Component c of the indices as I64 along the axes of the updates that are no whole windows.
Array component(const Array& indices, int c, const Shape& s, const Ints& dims) {
  const int last = indices.ndim() - 1;
  Array x = base::slice_axis(indices, last, c, c + 1);
  if (x.dtype() == U64) x = min(x, scalar_of_int(U64, std::numeric_limits<int64_t>::max()));
  return broadcast_in_dim(reshape_to(base::convert(x, I64), indices.shape().erased(last)), s, dims);
}

// Where each update goes, as one number, and past all places if nowhere: [rows, meeting].
Array destinations(const Array& x, const Array& updates, const Array& indices, const IndexMap& map,
                   const Layout& l, bool moves) {
  Ints sizes, at(updates.shape().size(), -1), dims;
  for (int a = 0; a < updates.ndim(); ++a)
    if (!holds(l.whole_updates, a)) {
      at[static_cast<size_t>(a)] = std::ssize(sizes);
      sizes.push_back(updates.shape()[a]);
    }
  for (int a : map.batch) dims.push_back(at[static_cast<size_t>(a)]);
  const Shape s(sizes);
  const auto all = [&](int64_t v) { return broadcast_in_dim(scalar_of_int(I64, v), s, {}); };
  Array to = all(0), inside = broadcast_in_dim(scalar_of_int(Bool, 1), s, {});
  for (int64_t a = 0; a < x.ndim(); ++a) {
    const IndexMap::Axis& axis = map.axes[static_cast<size_t>(a)];
    Array p = all(0);
    if (axis.component >= 0) {
      const Array start = component(indices, axis.component, s, dims);
      inside = bitwise_and(inside, bitwise_and(ge(start, all(0)), le(start, all(axis.room))));
      p = max(min(start, all(axis.room)), all(0));
    }
    if (!holds(l.places, a)) continue;
    if (axis.window >= 0) p = add(p, iota(I64, s, at[static_cast<size_t>(axis.window)]));
    to = add(mul(to, all(x.shape()[a])), p);
  }
  if (!moves) to = select(inside, to, all(extent(x.shape(), l.places)));
  Ints order;
  for (const Ints* v : {&l.row_updates, &l.meeting})
    for (int64_t a : *v) order.push_back(at[static_cast<size_t>(a)]);
  return reshape_to(transpose_axes(to, order),
                    {extent(updates.shape(), l.row_updates), extent(updates.shape(), l.meeting)});
}

int64_t bits_of(int64_t places) {
  return std::bit_width(static_cast<uint64_t>(places));  // `places` itself is one more place
}

// value[r, i] at to[r, i] of n places where `which`, of which there is one a place; else 0.
Array put_once(const Array& which, const Array& to, const Array& value, int64_t n) {
  const Array nowhere = broadcast_in_dim(scalar_of_int(I32, n), to.shape(), {});
  const Array index = base::insert_axis(select(which, to, nowhere), 2, 1);
  return scatter_windows(base::zeros(Type(I32, {to.shape()[0], n})), index, value, along_dims(2, 1),
                         Update::set, OutOfBounds::zero, {.unique = true});
}

// rows[r, at[r, i]] of [rows, n, size].
Array taken(const Array& rows, const Array& at) {
  return gather_windows(rows, base::insert_axis(at, 2, 1), {{2}, {1}, {1}, {0}, {0}},
                        {1, 1, rows.shape()[2]});
}

// Sorted updates stand behind one another that go to the same place: where each of these begins
// and ends.
struct Ranges {
  Array first, last;
};
Ranges ranges_of(const Array& to, int64_t places) {
  const int64_t n = to.shape()[1];
  const Array ends = broadcast_in_dim(scalar_of_int(Bool, 1), {to.shape()[0], 1}, {});
  const Array change = ne(base::slice_axis(to, 1, 1, n), base::slice_axis(to, 1, 0, n - 1));
  const Array number = iota(I32, to.shape(), 1);
  const Array one = broadcast_in_dim(scalar_of_int(I32, 1), to.shape(), {});
  return {put_once(concatenate_arrays({ends, change}, 1), to, number, places),
          put_once(concatenate_arrays({change, ends}, 1), to, add(number, one), places)};
}

}  // namespace

double kernels_by_destination(const IndexMap& map, const Shape& x, const Shape& updates) {
  const Layout l = layout_of(map, x, updates);
  return 8 + kernels_of_order(extent(updates, l.meeting), bits_of(extent(x, l.places)));
}

Array scatter_by_destination(const Array& x, const Array& updates, const Array& indices,
                             const IndexMap& map, Update update, bool moves) {
  const Layout l = layout_of(map, x.shape(), updates.shape());
  const Array from = in_three(updates, l.row_updates, l.meeting, l.whole_updates),
              old = in_three(x, l.rows, l.places, l.whole);
  const int64_t places = old.shape()[1];
  const Array to = base::convert(destinations(x, updates, indices, map, l, moves), U32);
  const Array order = stable_order({to}, to.shape()[1], bits_of(places));
  const Ranges r = ranges_of(base::convert(gather_along(to, order, 1), I32), places);
  Array out;
  if (update == Update::set) {
    const Array none = base::zeros(r.last.type());
    const Array one = broadcast_in_dim(scalar_of_int(I32, 1), r.last.shape(), {});
    const Array winner = gather_along(order, sub(max(r.last, one), one), 1);
    out = select(broadcast_in_dim(gt(r.last, none), old.shape(), {0, 1}), taken(from, winner), old);
  } else {
    out = fold_ranges(old, taken(from, order), r.first, r.last, update);
  }
  const Ints axes = joined(joined(l.rows, l.places), l.whole);
  Ints sizes, back(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    sizes.push_back(x.shape()[axes[k]]);
    back[static_cast<size_t>(axes[k])] = static_cast<int64_t>(k);
  }
  return transpose_axes(reshape_to(out, Shape(sizes)), back);
}

}  // namespace weft::order
