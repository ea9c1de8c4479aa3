// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/basic_indexing.cpp: implements NumPy's indexing rules with slices, gathers and
// scatters.
#include "functions/numpy/basic_indexing.h"

#include <fmt/format.h>

#include <algorithm>

#include "functions/kit.h"
#include "ops/effects/effects.h"
#include "ops/kit/axes.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/placement.h"
#include "weft/lax/compare.h"
#include "weft/lax/compound.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

weft::SliceBound::SliceBound(const Array& x, Location at) {
  const SourceScope source(at);
  if (x.ndim() != 0 || !is_integer(x.dtype()))
    throw IndexError("slice: a bound is an integer, got " + to_string(x.type()));
  try {
    v = x.item<int64_t>(at);
  } catch (const ConcretizationError&) {
    throw ConcretizationError(
        "slice: a bound is traced, but the size of a slice must be known. For n elements from a "
        "traced i on write lax::dynamic_slice_in_dim(x, i, n, axis), or x[i + arange(n)]");
  }
}

namespace weft::fn {

using Kind = IndexItem::Kind;
using Sizes = std::vector<int64_t>;

DType index_dtype(int64_t n) { return n > INT32_MAX ? I64 : I32; }

namespace {
// The number of axes that an entry indexes.
int axes_taken(const Index& i) {
  if (i.kind == Index::Kind::array) return i.array.dtype() == Bool ? i.array.type().ndim() : 1;
  return i.kind == Index::Kind::integer || i.kind == Index::Kind::slice ? 1 : 0;
}

IndexItem integer_item(int64_t i, int axis, int64_t n) {
  if (i < -n || i >= n)
    fail_index(fmt::format("index {} is out of bounds for axis {} with size {}", i, axis, n));
  IndexItem item{Kind::integer, axis};
  item.lo = i < 0 ? i + n : i;
  return item;
}
// Resolves a slice as Python's slice.indices does.
IndexItem slice_item(const Slice& s, int axis, int64_t n) {
  IndexItem item{Kind::slice, axis};
  item.step = s.step.v.value_or(1);
  if (item.step == 0) fail_index("slice step cannot be zero");
  if (item.step == INT64_MIN) item.step = -INT64_MAX;
  const bool up = item.step > 0;
  const auto bound = [&](const SliceBound& b, int64_t otherwise) {
    if (!b.v) return otherwise;
    const int64_t at = *b.v < 0 ? (*b.v < -n ? -1 : *b.v + n) : *b.v;
    return up ? std::clamp<int64_t>(at, 0, n) : std::clamp<int64_t>(*b.v < -n ? -1 : at, -1, n - 1);
  };
  item.lo = bound(s.lo, up ? 0 : n - 1);
  const int64_t hi = bound(s.hi, up ? n : -1);
  const int64_t span = up ? hi - item.lo : item.lo - hi, stride = up ? item.step : -item.step;
  item.count = span > 0 ? (span - 1) / stride + 1 : 0;
  if (item.count <= 1) item.step = 1;
  if (item.count == 0) item.lo = 0;
  return item;
}

// The positions of the true elements, as one index array for each axis of the mask.
void mask_items(const Array& mask, const Array& x, int axis, IndexItems* out) {
  const int k = mask.type().ndim();
  if (k == 0) fail_index("a single bool is not an index; use weft::where");
  for (int i = 0; i < k; ++i)
    if (mask.shape()[i] != x.shape()[axis + i])
      fail_index(fmt::format("the mask {} does not match axis {} of {}, of size {}",
                             to_string(mask.type()), axis + i, to_string(x.type()),
                             x.shape()[axis + i]));
  const Concrete* c = concrete_or_null(mask);
  if (!c)
    throw ConcretizationError(
        "a mask as index must be known when the function is traced, as the number of elements "
        "depends on it; use weft::where, "
        "or weft::nonzero with .size");
  const auto* bits = static_cast<const uint8_t*>(c->data());
  std::vector<std::vector<int32_t>> at(static_cast<size_t>(k));
  for (int64_t flat = 0; flat < mask.size(); ++flat) {
    if (!bits[flat]) continue;
    int64_t left = flat;
    for (int i = k; i-- > 0; left /= mask.shape()[i])
      at[static_cast<size_t>(i)].push_back(static_cast<int32_t>(left % mask.shape()[i]));
  }
  for (int i = 0; i < k; ++i) {
    const auto& v = at[static_cast<size_t>(i)];
    out->push_back({Kind::array, axis + i, 0, 1, 1,
                    array_of_bytes(Type(I32, {static_cast<int64_t>(v.size())}), v.data())});
  }
}
}  // namespace

IndexItems checked_index(const Array& x, const std::vector<Index>& index, bool with_mode) {
  const int n = x.type().ndim();
  int taken = 0, ellipses = 0;
  for (const Index& i : index) {
    taken += axes_taken(i);
    ellipses += i.kind == Index::Kind::other_axes;
  }
  if (ellipses > 1) fail_index("an index can only have a single ellipsis");
  if (taken > n)
    fail_index(fmt::format(
        "too many indices for array: array is {}-dimensional, but {} were indexed", n, taken));
  IndexItems items;
  int axis = 0;
  const auto fill = [&](int count) {
    for (int k = 0; k < count; ++k, ++axis)
      items.push_back({Kind::slice, axis, 0, x.shape()[axis]});
  };
  for (const Index& i : index) switch (i.kind) {
      case Index::Kind::other_axes: fill(n - taken); break;
      case Index::Kind::new_axis: items.push_back({Kind::newaxis}); break;
      case Index::Kind::integer:
        if (const int64_t n = x.shape()[axis]; with_mode && (i.integer < -n || i.integer >= n))
          items.push_back({Kind::array, axis, 0, 1, 1, scalar_of_int(I64, i.integer)});
        else
          items.push_back(integer_item(i.integer, axis, n));
        ++axis;
        break;
      case Index::Kind::slice:
        items.push_back(slice_item(i.slice, axis, x.shape()[axis]));
        ++axis;
        break;
      case Index::Kind::array:
        if (i.array.dtype() == Bool) {
          mask_items(i.array, x, axis, &items);
          axis += i.array.type().ndim();
        } else {
          if (!is_integer(i.array.dtype()))
            fail_index("arrays used as indices must be of integer or bool type, not " +
                       to_string(i.array.type()));
          items.push_back({Kind::array, axis++, 0, 1, 1, i.array});
        }
    }
  fill(n - axis);
  return items;
}

bool any_array(const IndexItems& items) {
  return std::any_of(items.begin(), items.end(),
                     [](const IndexItem& i) { return i.kind == Kind::array; });
}

// ---- integers and slices only

namespace {
Array with_new_axes(const Array& x, const Sizes& at) { return at.empty() ? x : expand_dims(x, at); }

// Applies the static parts of an index. Slices are cut; integers are either taken or left as axes
// of size 1.
Array cut(const Array& x, const IndexItems& items) {
  Sizes lo, hi, step, flip;
  for (const IndexItem& i : items) {
    if (i.kind == Kind::newaxis) continue;
    const int64_t n = x.shape()[i.axis];
    if (i.kind == Kind::array) {
      lo.push_back(0), hi.push_back(n), step.push_back(1);
    } else if (i.step > 0) {
      lo.push_back(i.lo), hi.push_back(i.count ? i.lo + (i.count - 1) * i.step + 1 : i.lo),
          step.push_back(i.step);
    } else {
      const int64_t last = i.lo + (i.count - 1) * i.step;
      lo.push_back(last), hi.push_back(i.lo + 1), step.push_back(-i.step);
      flip.push_back(i.axis);
    }
  }
  const auto all = [](const Sizes& s, int64_t n) {
    return std::count(s.begin(), s.end(), n) == std::ssize(s);
  };
  Array out = x;
  if (!all(lo, 0) || hi != x.shape().sizes() || !all(step, 1)) out = slice_static(x, lo, hi, step);
  return flip.empty() ? out : reverse(out, flip);
}
}  // namespace

Array get_basic(const Array& x, const IndexItems& items) {
  Sizes gone, fresh;
  int64_t at = 0;
  for (const IndexItem& i : items) {
    if (i.kind == Kind::integer)
      gone.push_back(i.axis);
    else if (i.kind == Kind::newaxis)
      fresh.push_back(at++);
    else
      ++at;
  }
  return with_new_axes(squeeze_axes(cut(x, items), gone), fresh);
}

// ---- computed indices

void check_index(const Array& index, int64_t n, int axis) {
  Array v = itemsize(index.dtype()) < 4 ? as_dtype(index, I32) : index;
  if (n > INT32_MAX && itemsize(v.dtype()) < 8) v = as_dtype(v, I64);
  const auto number = [&](int64_t k) { return as_dtype(scalar_of_int(I64, k), v.dtype()); };
  Array inside = lax::lt(v, number(n));
  if (!is_unsigned(v.dtype())) inside = lax::bitwise_and(inside, lax::ge(v, number(-n)));
  check_flat(
      inside,
      fmt::format("mode \"check\": index {{}} is out of bounds for axis {} with size {}", axis, n),
      {index});
}

Array wrapped_index(const Array& i, int64_t n) {
  if (is_unsigned(i.dtype())) return i;
  const Array zero = number_like(i, 0);
  return lax::select(lax::lt(i, zero), lax::add(i, as_dtype(scalar_of_int(I64, n), i.dtype())), i);
}

namespace {
// Converts to a type that can hold n. Negative indices count from the end.
Array position(const Array& i, int64_t n, const IndexMode& m) {
  Array v = itemsize(i.dtype()) < 4 ? as_dtype(i, I32) : i;
  if (n > INT32_MAX && itemsize(v.dtype()) < 8) v = as_dtype(v, I64);
  if (m.modulo) return remainder(v, as_dtype(scalar_of_int(I64, n), v.dtype()));
  return m.as_is ? v : wrapped_index(v, n);
}

// The gather or scatter that implements an index, and the origin of the axes of its result.
struct Plan {
  WindowDims dims;
  Sizes sizes;  // size of the window along each axis of the operand
  Array indices;
  Shape shape;       // shape of the result without new axes
  Sizes batch_dims;  // axes of the result that are axes of the indices
  Sizes new_axes;    // axes to insert into the result
  Array inside;      // batch shape: true where the computed indices are in range
};

struct Layout {
  Shape common;          // broadcast shape of the index arrays
  bool adjacent = true;  // otherwise the axes of the index arrays are leading axes
};
Layout layout_of(const IndexItems& items) {
  Layout l;
  int state = 0;  // before, within or after the index arrays
  for (const IndexItem& i : items) {
    const bool advanced = i.kind == Kind::array || i.kind == Kind::integer;
    if (i.kind == Kind::array) {
      try {
        l.common = broadcast_shapes(l.common, i.array.shape());
      } catch (const ShapeError& e) {
        fail_index(std::string("the index arrays do not go together: ") + e.what());
      }
    }
    if (advanced && state == 2) l.adjacent = false;
    state = advanced ? 1 : state == 1 ? 2 : state;
  }
  return l;
}

Array column(const Array& v, const Shape& batch, const Sizes& dims) {
  Sizes full = batch.sizes();
  full.push_back(1);
  return broadcast_in_dim(v, Shape(full), dims);
}

// The axes of the indices, and for each strided slice the axis of the indices that it becomes.
struct Places {
  Sizes batch;                   // sizes of the axes of the indices
  Sizes common;                  // axes of the index arrays
  std::vector<int64_t> strided;  // axis of the indices of each item
};
Places place_axes(const IndexItems& items, Plan* p) {
  const Layout l = layout_of(items);
  Places r;
  r.strided.resize(items.size());
  Sizes out;
  bool placed = false;
  const auto place = [&] {
    if (placed) return;
    placed = true;
    const int64_t first = std::ssize(r.batch);
    r.common = axis_range(first, first + std::ssize(l.common));
    for (int64_t n : l.common) {
      p->batch_dims.push_back(static_cast<int64_t>(out.size()));
      out.push_back(n);
      r.batch.push_back(n);
    }
  };
  if (!l.adjacent) place();
  for (size_t k = 0; k < items.size(); ++k) {
    const IndexItem& i = items[k];
    if (i.kind == Kind::newaxis)
      p->new_axes.push_back(static_cast<int64_t>(out.size() + p->new_axes.size()));
    if (i.kind == Kind::array || i.kind == Kind::integer) place();
    if (i.kind != Kind::slice) continue;
    if (i.step != 1) {
      r.strided[k] = static_cast<int64_t>(r.batch.size());
      p->batch_dims.push_back(static_cast<int64_t>(out.size()));
      r.batch.push_back(i.count);
    } else {
      p->dims.window_dims.push_back(static_cast<int64_t>(out.size()));
    }
    out.push_back(i.count);
  }
  p->shape = Shape(out);
  return r;
}

// Combines into `inside` where positions are within an axis of n elements.
void check_inside(const Array& v, int64_t n, const Shape& batch, const Sizes& dims, Array* inside) {
  const Array ok = lax::bitwise_and(lax::ge(v, number_like(v, 0)),
                                    lax::lt(v, as_dtype(scalar_of_int(I64, n), v.dtype())));
  const Array full = broadcast_in_dim(ok, batch, dims);
  *inside = inside->empty_handle() ? full : lax::bitwise_and(*inside, full);
}

Plan plan_of(const Array& x, const IndexItems& items, const IndexMode& mode, bool need_inside) {
  Plan p;
  const Places places = place_axes(items, &p);
  const Shape batch(places.batch);
  Arrays parts;
  p.sizes.assign(x.shape().size(), 1);
  for (size_t k = 0; k < items.size(); ++k) {
    const IndexItem& i = items[k];
    if (i.kind == Kind::newaxis) continue;
    const int64_t n = x.shape()[i.axis];
    if (i.kind == Kind::slice && i.step == 1)
      p.sizes[static_cast<size_t>(i.axis)] = i.count;
    else
      p.dims.collapsed.push_back(i.axis);
    if (i.whole(x.shape())) continue;
    p.dims.index_map.push_back(i.axis);
    Array v = scalar_of_int(index_dtype(n), i.lo);
    Sizes dims;
    if (i.kind == Kind::array) {
      v = position(i.array, n, mode);
      // The axes of an index array are the last ones of the common shape.
      dims = Sizes(places.common.end() - static_cast<std::ptrdiff_t>(v.shape().size()),
                   places.common.end());
      if (need_inside) check_inside(v, n, batch, dims, &p.inside);
    } else if (i.kind == Kind::slice && i.step != 1) {
      v = lax::add(lax::mul(iota(v.dtype(), {i.count}, 0), scalar_of_int(v.dtype(), i.step)), v);
      dims = {places.strided[k]};
    }
    parts.push_back(column(v, batch, dims));
  }
  if (parts.empty()) {
    p.indices = base::zeros(Type(I32, batch.inserted(batch.ndim(), 0)));
    return p;
  }
  // Signed and unsigned indices are converted to a type that holds all positions.
  if (std::any_of(parts.begin(), parts.end(),
                  [&](const Array& a) { return a.dtype() != parts[0].dtype(); }))
    for (Array& a : parts) a = as_dtype(a, I64);
  p.indices = joined(parts, batch.ndim());
  return p;
}

// Returns true if all index arrays are scalars. The index then selects a window of static size.
bool only_scalars(const IndexItems& items) {
  return std::all_of(items.begin(), items.end(), [](const IndexItem& i) {
    return i.kind != Kind::array || i.array.ndim() == 0;
  });
}
Array get_window(const Array& x, const IndexItems& items, const IndexMode& mode) {
  Arrays starts;
  Sizes sizes, gone, fresh;
  int64_t at = 0;
  for (const IndexItem& i : items) {
    if (i.kind == Kind::newaxis) {
      fresh.push_back(at++);
      continue;
    }
    const bool taken = i.kind != Kind::slice;
    if (taken)
      gone.push_back(i.axis);
    else
      ++at;
    starts.push_back(i.kind == Kind::array ? position(i.array, x.shape()[i.axis], mode)
                                           : scalar_of_int(I32, 0));
    sizes.push_back(taken ? 1 : i.count);
  }
  return with_new_axes(squeeze_axes(dynamic_slice_at(cut(x, items), starts, sizes), gone), fresh);
}
// The items after the static slices were cut: these axes are now indexed as a whole.
IndexItems after_cut(const IndexItems& items) {
  IndexItems out = items;
  for (IndexItem& i : out) {
    if (i.kind == Kind::integer) i.lo = 0;
    if (i.kind == Kind::slice) i.lo = 0, i.step = 1;
  }
  return out;
}
void need_elements(const Array& x, const IndexItems& items, int64_t count) {
  for (const IndexItem& i : items)
    if (i.kind == Kind::array && x.shape()[i.axis] == 0 && count > 0)
      fail_index(
          fmt::format("axis {} of {} has no elements to index", i.axis, to_string(x.type())));
}
}  // namespace

Shape items_shape(const Array& x, const IndexItems& items) {
  (void)x;
  const Layout l = layout_of(items);
  const bool advanced = any_array(items);
  Sizes out;
  bool placed = false;
  const auto place = [&] {
    if (!placed) out.insert(out.end(), l.common.begin(), l.common.end());
    placed = true;
  };
  if (!l.adjacent) place();
  for (const IndexItem& i : items) {
    if (i.kind == Kind::newaxis)
      out.push_back(1);
    else if (i.kind == Kind::slice)
      out.push_back(i.count);
    else if (advanced)
      place();
  }
  return Shape(out);
}

namespace {
// The promises that still hold for the indices of windows. The expanded indices of slices with
// steps are not sorted.
IndexPromises kept(IndexPromises p, const IndexItems& items) {
  for (const IndexItem& i : items) p.sorted = p.sorted && (i.kind != Kind::slice || i.step == 1);
  return p;
}
}  // namespace

Array get_items(const Array& x, const IndexItems& items, const IndexMode& mode,
                const std::optional<Array>& fill, IndexPromises promises) {
  if (!any_array(items)) return get_basic(x, items);
  need_elements(x, items, items_shape(x, items).elements());
  if (mode.bounds == OutOfBounds::clip && only_scalars(items)) return get_window(x, items, mode);
  const Array base = cut(x, items);
  const bool own_fill = fill && mode.bounds == OutOfBounds::fill;
  const Plan p = plan_of(base, after_cut(items), mode, own_fill);
  Array out = gather_windows(base, p.indices, p.dims, p.sizes, mode.bounds, kept(promises, items));
  if (own_fill) {
    const Array inside = broadcast_in_dim(p.inside, out.shape(), p.batch_dims);
    out = lax::select(inside, out, broadcast_to(as_dtype(*fill, x.dtype()), out.shape()));
  }
  return with_new_axes(out, p.new_axes);
}

// ---- updates

namespace {
Array combined(const Array& old, const Array& v, Update u) {
  switch (u) {
    case Update::add: return lax::add(old, v);
    case Update::mul: return lax::mul(old, v);
    case Update::min: return lax::min(old, v);
    case Update::max: return lax::max(old, v);
    case Update::set: break;
  }
  return v;
}
// Updates a box of static size: reads it, combines it with v and writes it back.
Array update_box(const Array& x, const IndexItems& items, const Array& v, Update u, bool sole) {
  Sizes box, flip;
  Arrays starts;
  IndexItems up;
  for (IndexItem i : items) {
    if (i.kind == Kind::newaxis) continue;
    box.push_back(i.count);
    if (i.step < 0) {
      flip.push_back(i.axis);
      i.lo += (i.count - 1) * i.step;
      i.step = -i.step;
    }
    starts.push_back(scalar_of_int(index_dtype(x.shape()[i.axis]), i.lo));
    up.push_back(i);
  }
  Array value = reshape_to(v, Shape(box));
  if (!flip.empty()) value = reverse(value, flip);
  if (u != Update::set) value = combined(cut(x, up), value, u);
  const DonatedOperand given(sole ? x : Array(0));
  return dynamic_update_at(x, value, starts);
}
}  // namespace

Array update_items(const Array& x, const IndexItems& items, const Array& v, Update update,
                   const IndexMode& mode, IndexPromises promises, bool sole) {
  const Shape s = items_shape(x, items);
  const Array value = broadcast_to(as_dtype(v, x.dtype()), s);
  if (s.elements() == 0) return x;
  const bool strided = std::any_of(items.begin(), items.end(),
                                   [](const IndexItem& i) { return i.step != 1 && i.step != -1; });
  if (!any_array(items) && !strided) return update_box(x, items, value, update, sole);
  need_elements(x, items, s.elements());
  const Plan p = plan_of(x, items, mode, false);
  const Array updates = reshape_to(value, p.shape);
  const bool one = p.indices.size() == static_cast<int64_t>(p.dims.index_map.size());
  const DonatedOperand given(sole ? x : Array(0));
  IndexPromises all = kept(promises, items);
  all.unique = all.unique || one || !any_array(items);
  return scatter_windows(x, p.indices, updates, p.dims, update, mode.bounds, all);
}

Array apply_items(const Array& x, const IndexItems& items, FunctionRef<Array(Array)> f,
                  const IndexMode& mode, IndexPromises promises) {
  const Shape s = items_shape(x, items);
  if (s.elements() == 0) return x;
  const bool often = any_array(items) && !promises.unique;
  if (!often) {
    IndexMode read = mode;
    read.bounds = OutOfBounds::clip;
    promises.unique = true;
    return update_items(x, items, f(get_items(x, items, read, {}, promises)), Update::set, mode,
                        promises);
  }
  need_elements(x, items, s.elements());
  const Plan p = plan_of(x, items, mode, false);
  const WindowDims& d = p.dims;
  return lax::scatter_apply(
      x, p.indices, [&](const Array& e) { return as_dtype(f(e), x.dtype()); },
      {d.window_dims, d.collapsed, d.index_map, d.operand_batching, d.indices_batching},
      {.update_shape = p.shape, .mode = mode.bounds == OutOfBounds::clip ? "clip" : "drop"});
}

Array take_known(const Array& x, const Sizes& indices, int axis) {
  const DType d = index_dtype(x.shape()[axis]);
  std::vector<int32_t> narrow(indices.begin(), indices.end());
  const Shape s{static_cast<int64_t>(indices.size())};
  IndexItems items = checked_index(x, {});
  items[static_cast<size_t>(axis)] = {Kind::array,
                                      axis,
                                      0,
                                      1,
                                      1,
                                      d == I32 ? array_of_bytes(Type(I32, s), narrow.data())
                                               : array_of_bytes(Type(I64, s), indices.data())};
  return get_items(x, items, {OutOfBounds::clip, false, true});
}

}  // namespace weft::fn
