// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/by_destination.cpp: scatter by a stable sort of the updates.
#include "ops/index/by_destination.h"

#include <bit>
#include <limits>

#include "ops/index/sort.h"
#include "ops/index/stable_order.h"
#include "ops/kit/axes.h"
#include "ops/kit/lists.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"

namespace weft::order {
namespace {

using namespace lax;
using index_map_detail::IndexMap;

// The roles of the axes of the operand and of the updates. Rows are batching axes. Places are axes
// along which an index moves, or which windows cover in part. The other axes are covered by whole
// windows; they are the value at a place.
struct Layout {
  Ints rows, row_updates, places, whole, whole_updates;  // axes
  Ints colliding;  // axes of the updates along which two updates may have the same destination
};
Layout layout_of(const IndexMap& map, const Shape& operand, const Shape& updates) {
  Layout l;
  std::vector<bool> unique(updates.size(), false);
  for (size_t a = 0; a < map.axes.size(); ++a) {
    const IndexMap::Axis& x = map.axes[a];
    const auto axis = static_cast<int64_t>(a);
    const bool whole = x.whole_window() && updates[x.window] == operand[axis];
    if (x.batch >= 0 || whole) unique[x.unique_axis()] = true;
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
    if (!unique[a]) l.colliding.push_back(a);
  return l;
}

int64_t extent(const Shape& s, const Ints& axes) {
  int64_t n = 1;
  for (int64_t a : axes) n *= s[a];
  return n;
}
// Transposes and reshapes to [rows, middle, whole].
Array in_three(const Array& x, const Ints& rows, const Ints& middle, const Ints& whole) {
  const Shape& s = x.shape();
  return reshape_to(transpose_axes(x, concat_lists(concat_lists(rows, middle), whole)),
                    {extent(s, rows), extent(s, middle), extent(s, whole)});
}

// The inverse: back to an array of this shape.
Array out_of_three(const Array& x, const Shape& s, const Ints& rows, const Ints& middle,
                   const Ints& whole) {
  const Ints axes = concat_lists(concat_lists(rows, middle), whole);
  Ints sizes, back(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    sizes.push_back(s[axes[k]]);
    back[axes[k]] = static_cast<int64_t>(k);
  }
  return transpose_axes(reshape_to(x, Shape(sizes)), back);
}

// Component c of the indices as I64, along the axes of the updates that are not whole windows.
Array component(const Array& indices, int c, const Shape& s, const Ints& dims) {
  const int last = indices.ndim() - 1;
  Array x = base::slice_axis(indices, last, c, c + 1);
  if (x.dtype() == U64) x = min(x, scalar_of_int(U64, std::numeric_limits<int64_t>::max()));
  return broadcast_in_dim(reshape_to(base::convert(x, I64), indices.shape().erased(last)), s, dims);
}

// The destination of each update as one number, and out of range if it is dropped: [rows,
// colliding].
Array destinations(const Shape& operand, const Array& updates, const Array& indices,
                   const IndexMap& map, const Layout& l, bool moves) {
  Ints sizes, at(updates.shape().size(), -1), dims;
  for (int a = 0; a < updates.ndim(); ++a)
    if (!holds(l.whole_updates, a)) {
      at[a] = std::ssize(sizes);
      sizes.push_back(updates.shape()[a]);
    }
  for (int a : map.batch) dims.push_back(at[a]);
  const Shape s(sizes);
  const auto all = [&](int64_t v) { return broadcast_in_dim(scalar_of_int(I64, v), s, {}); };
  Array to = all(0), inside = broadcast_in_dim(scalar_of_int(Bool, 1), s, {});
  for (int64_t a = 0; a < operand.ndim(); ++a) {
    const IndexMap::Axis& axis = map.axes[a];
    Array p = all(0);
    if (axis.component >= 0) {
      const Array start = component(indices, axis.component, s, dims);
      inside = bitwise_and(inside, bitwise_and(ge(start, all(0)), le(start, all(axis.max_start))));
      p = max(min(start, all(axis.max_start)), all(0));
    }
    if (!holds(l.places, a)) continue;
    if (axis.window >= 0) p = add(p, iota(I64, s, at[axis.window]));
    to = add(mul(to, all(operand[a])), p);
  }
  if (!moves) to = select(inside, to, all(extent(operand, l.places)));
  Ints order;
  for (const Ints* v : {&l.row_updates, &l.colliding})
    for (int64_t a : *v) order.push_back(at[a]);
  return reshape_to(transpose_axes(to, order),
                    {extent(updates.shape(), l.row_updates), extent(updates.shape(), l.colliding)});
}

int64_t bits_of(int64_t places) {
  return std::bit_width(static_cast<uint64_t>(places));  // `places` itself is one more place
}

// Writes value[r, i] to position to[r, i] of n where `which` is true, which holds once for each
// position. The others are 0.
Array put_once(const Array& which, const Array& to, const Array& value, int64_t n) {
  const Array nowhere = broadcast_in_dim(scalar_of_int(I32, n), to.shape(), {});
  const Array index = base::insert_axis(select(which, to, nowhere), 2, 1);
  return scatter_windows(base::zeros(Type(I32, {to.shape()[0], n})), index, value, along_dims(2, 1),
                         Update::set, OutOfBounds::zero, {.unique = true});
}

// Returns rows[r, at[r, i]] of [rows, n, size].
Array taken(const Array& rows, const Array& at, IndexPromises promises = {}) {
  return gather_windows(rows, base::insert_axis(at, 2, 1), {{2}, {1}, {1}, {0}, {0}},
                        {1, 1, rows.shape()[2]}, OutOfBounds::clip, promises);
}

// After sorting, updates with the same destination are adjacent. These are the first and last
// positions of each such range.
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

// The slot of each of [rows, n] updates, and the destination of each slot.
struct Taken {
  Array of_update, place;
};
Taken taken_slots(const Array& to, int64_t places) {
  const int64_t n = to.shape()[1];
  const Array nowhere = broadcast_in_dim(scalar_of_int(I32, places), to.shape(), {});
  const Arrays sorted = sort_arrays({to, iota(I32, to.shape(), 1)}, 1);
  const Array one = broadcast_in_dim(scalar_of_int(I32, 1), {to.shape()[0], 1}, {});
  const Array change =
      ne(base::slice_axis(sorted[0], 1, 1, n), base::slice_axis(sorted[0], 1, 0, n - 1));
  const Array zero = base::zeros(one.type());
  const Array number = cumsum(concatenate_arrays({zero, base::convert(change, I32)}, 1), 1, false);
  const Array first = concatenate_arrays({ne(one, zero), change}, 1);
  const Array all = broadcast_in_dim(scalar_of_int(Bool, 1), to.shape(), {}),
              past = broadcast_in_dim(scalar_of_int(I32, n), to.shape(), {});
  const Array index = base::insert_axis(select(first, number, past), 2, 1);
  return {put_once(all, sorted[1], number, n),
          scatter_windows(nowhere, index, sorted[0], along_dims(2, 1), Update::set,
                          OutOfBounds::zero, {.unique = true})};
}

// The updates [rows, n, size] are sorted by destination, at[rows, n]. Returns for each the product
// of the updates before it (`later`: after it) with the same destination.
Array product_of_earlier(const Array& updates, const Array& at, bool later) {
  const int64_t n = at.shape()[1];
  const Array end = broadcast_in_dim(scalar_of_int(Bool, 1), {at.shape()[0], 1}, {});
  const Array change = ne(base::slice_axis(at, 1, 1, n), base::slice_axis(at, 1, 0, n - 1));
  const Array first = concatenate_arrays(later ? Arrays{change, end} : Arrays{end, change}, 1);
  const Array one = base::ones(Type(updates.dtype(), updates.shape().with(1, 1)));
  const Array neighbour =
      concatenate_arrays(later ? Arrays{base::slice_axis(updates, 1, 1, n), one}
                               : Arrays{one, base::slice_axis(updates, 1, 0, n - 1)},
                         1);
  const auto wide = [](const Array& flag, const Array& like) {
    return broadcast_in_dim(flag, like.shape(), {0, 1});
  };
  const Array start = select(wide(first, neighbour), base::ones(neighbour.type()), neighbour);
  // A product restarts where the destination changes.
  return associative_scan_along(
      [&](const Arrays& a, const Arrays& b) {
        return Arrays{select(wide(b[1], b[0]), b[0], mul(a[0], b[0])), bitwise_or(a[1], b[1])};
      },
      {start, first}, 1, later)[0];
}

}  // namespace

double kernels_by_destination(const IndexMap& map, const Shape& x, const Shape& updates) {
  const Layout l = layout_of(map, x, updates);
  return 8 + kernels_of_order(extent(updates, l.colliding), bits_of(extent(x, l.places)));
}

Array scatter_by_destination(const Array& x, const Array& updates, const Array& indices,
                             const IndexMap& map, Update update, bool moves) {
  const Layout l = layout_of(map, x.shape(), updates.shape());
  const Array from = in_three(updates, l.row_updates, l.colliding, l.whole_updates),
              old = in_three(x, l.rows, l.places, l.whole);
  const int64_t places = old.shape()[1];
  const Array to = base::convert(destinations(x.shape(), updates, indices, map, l, moves), U32);
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
  return out_of_three(out, x.shape(), l.rows, l.places, l.whole);
}

int64_t slots(const IndexMap& map, const Shape& x, const Shape& updates) {
  const Layout l = layout_of(map, x, updates);
  return extent(updates, l.row_updates) * extent(updates, l.colliding);
}

Slots slots_of(const Array& x, const Array& updates, const Array& indices, const IndexMap& map,
               bool moves) {
  const Layout l = layout_of(map, x.shape(), updates.shape());
  const Array to = base::convert(destinations(x.shape(), updates, indices, map, l, moves), I32);
  const Array operand = in_three(x, l.rows, l.places, l.whole);
  const Taken t = taken_slots(to, operand.shape()[1]);
  return {operand,
          in_three(updates, l.row_updates, l.colliding, l.whole_updates),
          base::insert_axis(t.of_update, 2, 1),
          base::insert_axis(t.place, 2, 1),
          x.shape(),
          l.rows,
          l.places,
          l.whole};
}
Array out_of_slots(const Slots& s, const Array& operand) {
  return out_of_three(operand, s.shape, s.rows, s.places, s.whole);
}

Array joined_at_first(const Shape& operand, const Array& updates, const Array& indices,
                      const IndexMap& map, Update update, const Array& identity, bool moves) {
  const Layout l = layout_of(map, operand, updates.shape());
  const Array from = in_three(updates, l.row_updates, l.colliding, l.whole_updates);
  const Array to = base::convert(destinations(operand, updates, indices, map, l, moves), I32);
  const int64_t n = to.shape()[1];
  const Shape pairs{to.shape()[0], n, n};
  const Array same = eq(broadcast_in_dim(to, pairs, {0, 1}), broadcast_in_dim(to, pairs, {0, 2}));
  const Array none = broadcast_in_dim(scalar_of_int(I32, n), pairs, {});
  const Array first = reduce_min(select(same, iota(I32, pairs, 2), none), {2});
  const Array nothing = broadcast_in_dim(identity, from.shape(), {});
  const Array all = scatter_windows(nothing, base::insert_axis(first, 2, 1), from,
                                    {{2}, {1}, {1}, {0}, {0}}, update, OutOfBounds::zero);
  const Array own = eq(first, iota(I32, to.shape(), 1));
  return out_of_three(select(broadcast_in_dim(own, from.shape(), {0, 1}), all, nothing),
                      updates.shape(), l.row_updates, l.colliding, l.whole_updates);
}

Array product_of_others(const Shape& operand, const Array& updates, const Array& indices,
                        const IndexMap& map, bool moves) {
  const Layout l = layout_of(map, operand, updates.shape());
  if (std::max(operand.elements(), updates.size()) >= std::numeric_limits<int32_t>::max())
    throw DifferentiationError(
        "scatter: the derivative of products of updates that meet takes arrays of fewer than 2^31 "
        "elements; give .unique_indices = true if none meet");
  const Array from = in_three(updates, l.row_updates, l.colliding, l.whole_updates);
  const Array to = base::convert(destinations(operand, updates, indices, map, l, moves), U32);
  const Array order = stable_order({to}, to.shape()[1], bits_of(extent(operand, l.places)));
  const Array sorted = taken(from, order, {.unique = true}), at = gather_along(to, order, 1);
  const Array others =
      mul(product_of_earlier(sorted, at, false), product_of_earlier(sorted, at, true));
  const Array all = broadcast_in_dim(scalar_of_int(Bool, 1), order.shape(), {});
  const Array back = put_once(all, order, iota(I32, order.shape(), 1), order.shape()[1]);
  return out_of_three(taken(others, back, {.unique = true}), updates.shape(), l.row_updates,
                      l.colliding, l.whole_updates);
}

}  // namespace weft::order
