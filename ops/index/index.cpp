// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/index.cpp: dynamic_slice, dynamic_update_slice.
//
// Both may have leading batch axes (`batch_dims`), for which every lane has its own starts. A vmap
// adds one there. The lane axis thus remains an axis, and the start is a scalar of the lane.
#include "ops/index/index.h"

#include <fmt/format.h>

#include <limits>

#include "ops/index/index_kit.h"
#include "ops/index/masked_update.h"
#include "ops/kit/kit.h"
#include "ops/kit/strided.h"
#include "ops/structure/structure.h"
#include "tracer/placement.h"
#include "tracer/types_of.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using I64s = num::Ir<int64_t>;

// Checks the starts, which are the operands from `first` on: integers of rank 0 or with the shape
// of the batch axes.
void check_starts(const char* op, const Types& in, size_t first, int64_t batch_dims) {
  const int64_t n = in[0].ndim() - batch_dims;
  if (batch_dims < 0 || n < 0)
    reject_shape(op, fmt::format("batch_dims = {} is out of range", batch_dims), in);
  if (static_cast<int64_t>(in.size() - first) != n)
    reject_shape(op, fmt::format("needs one start an axis, {}, not {}", n, in.size() - first), in);
  const auto& s = in[0].shape();
  const Shape lanes(std::vector<int64_t>(s.begin(), s.begin() + batch_dims));
  for (size_t i = first; i < in.size(); ++i) {
    if (!is_integer(in[i].dtype())) reject_dtype(op, "starts must be integers", in);
    if (in[i].ndim() != 0 && !(in[i].shape() == lanes))
      reject_shape(op, "starts must be scalars", in);
  }
}

// The clamped starts of this lane.
Ints host_starts(const Arrays& x, size_t first, int64_t lane, const Ints& max_starts) {
  Ints out;
  for (size_t i = first; i < x.size(); ++i) {
    const int64_t at = host_index(x[i], x[i].ndim() == 0 ? 0 : lane);
    out.push_back(std::clamp<int64_t>(at, 0, max_starts[i - first]));
  }
  return out;
}

// The clamped start along axis i of the lane at `at`. A window as wide as the axis starts at 0.
I64s lane_start(Reader& r, const Types& in, size_t operand, const Coords& at, int64_t batch_dims,
                int64_t max_start) {
  if (max_start == 0) return I64s(0);
  const Coords lane(at.begin(), at.begin() + (in[operand].ndim() == 0 ? 0 : batch_dims));
  return num::minimum(
      num::maximum(index_of(r.read(static_cast<int>(operand), lane), in[operand].dtype()), I64s(0)),
      I64s(max_start));
}

// ---- dynamic_slice

struct DynamicSlice {
  Ints slice_sizes;
  int64_t batch_dims = 0;
  WEFT_FIELDS(slice_sizes, batch_dims)
};

Types dynamic_slice_type(const Types& in, const DynamicSlice& p) {
  if (in.empty()) reject_shape("dynamic_slice", "takes an array and its starts", in);
  check_starts("dynamic_slice", in, 1, p.batch_dims);
  if (static_cast<int64_t>(p.slice_sizes.size()) != in[0].ndim() - p.batch_dims)
    reject_shape("dynamic_slice", "slice_sizes needs one entry an axis", in);
  std::vector<int64_t> out(in[0].shape().begin(), in[0].shape().begin() + p.batch_dims);
  for (size_t i = 0; i < p.slice_sizes.size(); ++i) {
    const int64_t n = in[0].shape()[p.batch_dims + static_cast<int64_t>(i)];
    if (p.slice_sizes[i] < 0 || p.slice_sizes[i] > n)
      reject_shape(
          "dynamic_slice",
          fmt::format("slice size {} does not fit axis {} of size {}", p.slice_sizes[i], i, n), in);
    out.push_back(p.slice_sizes[i]);
  }
  return {in[0].with_shape(Shape(out))};
}

// Returns the number of positions by which a window can move along each axis after the batch axes.
Ints max_starts_of(const Shape& s, const Ints& sizes, int64_t batch_dims) {
  Ints max_starts;
  for (size_t i = 0; i < sizes.size(); ++i)
    max_starts.push_back(s[batch_dims + static_cast<int64_t>(i)] - sizes[i]);
  return max_starts;
}
Ints tail_of(const Shape& s, int64_t from) { return Ints(s.begin() + from, s.end()); }
int64_t product(const Shape& s, int64_t n) {
  int64_t r = 1;
  for (int64_t i = 0; i < n; ++i) r *= s[i];
  return r;
}

// Copies the windows of all lanes from x to `window`, which has the size of all windows, or back.
void move_windows(std::byte* array, const Shape& s, std::byte* window, const Ints& sizes,
                  const Arrays& x, size_t first, int64_t batch_dims, int bytes, bool into_array) {
  const Ints strides = row_major(s);
  const Ints step(strides.begin() + batch_dims, strides.end());
  const Shape box(sizes);
  const int64_t per_lane = product(Shape(tail_of(s, batch_dims)), s.ndim() - batch_dims);
  const Ints max_starts = max_starts_of(s, sizes, batch_dims);
  for (int64_t lane = 0; lane < product(s, batch_dims); ++lane) {
    int64_t offset = lane * per_lane;
    const Ints start = host_starts(x, first, lane, max_starts);
    for (size_t i = 0; i < start.size(); ++i) offset += start[i] * step[i];
    std::byte* a = array + offset * bytes;
    std::byte* w = window + lane * box.elements() * bytes;
    if (into_array)
      strided_move(a, step, w, row_major(box), box, bytes);
    else
      strided_move(w, row_major(box), a, step, box, bytes);
  }
}

struct DynamicUpdate {
  int64_t batch_dims = 0;
  WEFT_FIELDS(batch_dims)
};
// Binds dynamic_update_slice.
Array updated(const Arrays& x, const DynamicUpdate& p);

Arrays with_starts(Arrays head, const Arrays& x, size_t first) {
  head.insert(head.end(), x.begin() + static_cast<std::ptrdiff_t>(first), x.end());
  return head;
}
bool any_mapped(const MaybeAxes& axis, size_t first) {
  return std::any_of(axis.begin() + static_cast<std::ptrdiff_t>(first), axis.end(),
                     [](const MaybeAxis& a) { return a.has_value(); });
}
// The starts with one more leading batch axis. `lanes` are then all batch axes.
Arrays batched_starts(const Arrays& x, const MaybeAxes& axis, size_t first, const Shape& lanes) {
  Arrays out;
  for (size_t i = first; i < x.size(); ++i) {
    if (!axis[i] && x[i].ndim() == 0)
      out.push_back(x[i]);
    else if (axis[i] && x[i].ndim() == 1 && lanes.ndim() > 1)
      out.push_back(broadcast_in_dim(x[i], lanes, {0}));
    else
      out.push_back(move_mapped(x[i], axis[i], 0, lanes[0]));
  }
  return out;
}
Shape first_axes(const Shape& s, int64_t n) {
  return Shape(std::vector<int64_t>(s.begin(), s.begin() + n));
}

// Converts integers to dtype d. Values beyond I64 remain out of range of any axis.
Array starts_as(const Array& x, DType d) {
  if (x.dtype() == d) return x;
  if (x.dtype() != U64) return base::convert(x, d);
  const Array most = scalar_of_int(U64, std::numeric_limits<int64_t>::max());
  return base::convert(lax::min(x, broadcast_in_dim(most, x.shape(), {})), d);
}
// The lanes differ only in their starts, so this is a gather from the shared array.
Batched gather_lanes(const BatchArgs<DynamicSlice>& b) {
  const int64_t k = b.params.batch_dims, n = static_cast<int64_t>(b.params.slice_sizes.size());
  std::vector<int64_t> lanes{b.size};
  lanes.insert(lanes.end(), b.x[0].shape().begin(), b.x[0].shape().begin() + k);
  WindowDims d;
  Ints sizes(k, 1);
  for (int64_t i = 0; i < k; ++i) {
    d.operand_batching.push_back(i);
    d.indices_batching.push_back(i + 1);
  }
  Arrays parts;
  std::vector<int64_t> column = lanes;
  column.push_back(1);
  DType wide = I32;
  for (size_t i = 1; i < b.x.size(); ++i) wide = promote(wide, false, b.x[i].dtype(), false).dtype;
  if (!is_integer(wide)) wide = I64;
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(i) + 1;
    Array s = starts_as(b.x[at], wide);
    if (s.ndim() > 0) s = move_mapped(s, b.axis[at], 0, b.size);
    Ints own;
    for (int a = 0; a < s.ndim(); ++a) own.push_back(a);
    parts.push_back(broadcast_in_dim(s, Shape(column), own));
    d.index_map.push_back(k + i);
    d.window_dims.push_back(k + 1 + i);
    sizes.push_back(b.params.slice_sizes[i]);
  }
  if (parts.empty())
    return {{broadcast_in_dim(b.x[0], Shape(lanes),
                              [&] {
                                Ints v;
                                for (int64_t i = 0; i < k; ++i) v.push_back(i + 1);
                                return v;
                              }())},
            {0}};
  const Array indices = parts.size() == 1 ? parts[0] : concatenate_arrays(parts, k + 1);
  return {{gather_windows(b.x[0], indices, d, sizes)}, {0}};
}

const Primitive<DynamicSlice>& dynamic_slice_op = define<DynamicSlice>({
    .name = "dynamic_slice",
    .doc = "Returns the window of `slice_sizes` elements at start indices that are operands. The "
           "indices are clamped so that the window fits.",
    .type = dynamic_slice_type,
    .reference =
        [](const Arrays& x, const DynamicSlice& p) {
          Fresh r = fresh_array(dynamic_slice_type(types_of(x), p)[0]);
          auto* from = static_cast<std::byte*>(const_cast<void*>(concrete(x[0]).data()));
          move_windows(from, x[0].shape(), static_cast<std::byte*>(r.data), p.slice_sizes, x, 1,
                       p.batch_dims, itemsize(x[0].dtype()), false);
          return Arrays{r.array};
        },
    .jvp =
        [](const JvpArgs<DynamicSlice>& j) {
          if (j.dx[0].empty_handle()) return Arrays(1);
          return j.op.bind(with_starts({j.dx[0]}, j.x, 1), j.params);
        },
    .transpose =
        [](const TransposeArgs<DynamicSlice>& t) {
          Arrays out(t.x.size());
          if (!t.ct[0].empty_handle())
            out[0] = updated(with_starts({base::zeros(t.in[0].strong()), t.ct[0]}, t.x, 1),
                             {t.params.batch_dims});
          return out;
        },
    .batch =
        [](const BatchArgs<DynamicSlice>& b) {
          DynamicSlice p = b.params;
          if (!any_mapped(b.axis, 1)) {
            // All lanes have the same start: the lane axis becomes another axis, which the slice
            // covers entirely.
            const int64_t at = std::max<int64_t>(*b.axis[0], p.batch_dims);
            p.slice_sizes.insert(p.slice_sizes.begin() + (at - p.batch_dims), b.size);
            Arrays x = b.x;
            x[0] = move_mapped(x[0], b.axis[0], static_cast<int>(at), b.size);
            x.insert(x.begin() + 1 + (at - p.batch_dims), scalar_of_int(I32, 0));
            return Batched{b.op.bind(x, p), {static_cast<int>(at)}};
          }
          if (!b.mapped(0)) return gather_lanes(b);
          ++p.batch_dims;
          Arrays x{move_mapped(b.x[0], b.axis[0], 0, b.size)};
          for (Array& s : batched_starts(b.x, b.axis, 1, first_axes(x[0].shape(), p.batch_dims)))
            x.push_back(s);
          return Batched{b.op.bind(x, p), {0}};
        },
    .lower =
        [](const LowerArgs<DynamicSlice>& l) {
          Lowering r;
          r.element = [in = l.in, p = l.params,
                       max_starts = max_starts_of(l.in[0].shape(), l.params.slice_sizes,
                                                  l.params.batch_dims)](Reader& x, int,
                                                                        const Coords& at) {
            Coords c(at.begin(), at.begin() + p.batch_dims);
            for (size_t i = 0; i < max_starts.size(); ++i)
              c.push_back((lane_start(x, in, i + 1, at, p.batch_dims, max_starts[i]) +
                           I64s::at(at[p.batch_dims + i]))
                              .id);
            return x.read(0, c);
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<DynamicSlice>& s) {
          return dynamic_slice_type(types_of(s.x), s.params)[0].shape() == s.x[0].shape()
                     ? Arrays{s.x[0]}
                     : Arrays{};
        },
    .resize =
        [](const ResizeArgs<DynamicSlice>& r) {
          const Ints all = r.out[0].shape().sizes();
          return DynamicSlice{Ints(all.begin() + r.params.batch_dims, all.end()),
                              r.params.batch_dims};
        },
    .samples =
        [] {
          const Type i(I32, {});
          return std::vector<Sample<DynamicSlice>>{
              {{Type(F32, {5}), i}, {{3}, 0}},
              {{Type(F32, {4, 5}), i, i}, {{2, 5}, 0}},
              {{Type(I32, {3, 4}), Type(I64, {3})}, {{2}, 1}},
              {{Type(C64, {3, 2, 4}), i, Type(I32, {3})}, {{1, 2}, 1}},
              {{Type(F32, {5}), Type(U8, {})}, {{0}, 0}},
              {{Type(Bool, {})}, {{}, 0}}};
        },
    .rejects =
        [] {
          const Type i(I32, {});
          return std::vector<Reject<DynamicSlice>>{
              {{Type(F32, {5}), i}, {{6}, 0}, "does not fit axis 0"},
              {{Type(F32, {5}), Type(F32, {})}, {{3}, 0}, "must be integers"},
              {{Type(F32, {5}), Type(I32, {1})}, {{3}, 0}, "must be scalars"},
              {{Type(F32, {5, 5}), i}, {{3, 3}, 0}, "one start an axis"}};
        },
});

// ---- dynamic_update_slice

Types dynamic_update_type(const Types& in, const DynamicUpdate& p) {
  const char* op = "dynamic_update_slice";
  if (in.size() < 2) reject_shape(op, "takes an array, an update and its starts", in);
  check_starts(op, in, 2, p.batch_dims);
  if (in[0].dtype() != in[1].dtype())
    reject_dtype(op, "the update must have the dtype of the array", in);
  if (in[0].ndim() != in[1].ndim())
    reject_shape(op, "the update must have as many axes as the array", in);
  for (int64_t i = 0; i < in[0].ndim(); ++i) {
    const int64_t n = in[0].shape()[i], u = in[1].shape()[i];
    if (i < p.batch_dims ? u != n : u > n)
      reject_shape(op, fmt::format("the update does not fit axis {}: size {} against {}", i, u, n),
                   in);
  }
  return {Type(in[0].dtype(), in[0].shape(), in[0].weak() && in[1].weak())};
}

// Reads are in bounds for every index: inside the window at the difference, elsewhere at the
// clamped index.
Elem updated_element(Reader& x, const Types& in, int64_t batch_dims, const Coords& at) {
  num::Ir<bool> inside(true);
  Coords c(at.begin(), at.begin() + batch_dims);
  for (int64_t i = batch_dims; i < in[0].ndim(); ++i) {
    const int64_t n = in[0].shape()[i], u = in[1].shape()[i];
    const auto here = I64s::at(at[i]);
    if (u == n) {
      c.push_back(here.id);
      continue;
    }
    const I64s d =
        here - lane_start(x, in, static_cast<size_t>(i - batch_dims) + 2, at, batch_dims, n - u);
    inside = inside & (d >= I64s(0)) & (d < I64s(u));
    c.push_back(num::minimum(num::maximum(d, I64s(0)), I64s(u - 1)).id);
  }
  bool known = false;
  if (inside.known(&known)) return known ? x.read(1, c) : x.read(0, at);
  const Elem update = x.read(1, c), old = x.read(0, at);
  return select_elem(inside.id, update, old);
}

// Returns the destination of element `at` of the update.
Coords updated_index(Reader& x, const Types& in, int64_t batch_dims, const Coords& at) {
  Coords c(at.begin(), at.end());
  for (int64_t i = batch_dims; i < in[0].ndim(); ++i) {
    const int64_t n = in[0].shape()[i], u = in[1].shape()[i];
    const size_t a = i;
    if (u != n)
      c[a] = (I64s::at(at[a]) +
              lane_start(x, in, a - static_cast<size_t>(batch_dims) + 2, at, batch_dims, n - u))
                 .id;
  }
  return c;
}

const Primitive<DynamicUpdate>& dynamic_update_op = define<DynamicUpdate>({
    .name = "dynamic_update_slice",
    .doc = "Replaces the window at start indices that are operands by the update. The indices are "
           "clamped so that the window fits.",
    .type = dynamic_update_type,
    .reference =
        [](const Arrays& x, const DynamicUpdate& p) {
          const Fresh r = writable_first(dynamic_update_type(types_of(x), p)[0], x);
          auto* update = static_cast<std::byte*>(const_cast<void*>(concrete(x[1]).data()));
          move_windows(static_cast<std::byte*>(r.data), x[0].shape(), update,
                       tail_of(x[1].shape(), p.batch_dims), x, 2, p.batch_dims,
                       itemsize(x[0].dtype()), true);
          return Arrays{r.array};
        },
    .jvp =
        [](const JvpArgs<DynamicUpdate>& j) {
          if (j.dx[0].empty_handle() && j.dx[1].empty_handle()) return Arrays(1);
          const auto filled = [&](size_t i) {
            return j.dx[i].empty_handle() ? base::zeros(j.x[i].type().strong()) : j.dx[i];
          };
          return j.op.bind(with_starts({filled(0), filled(1)}, j.x, 2), j.params);
        },
    .transpose =
        [](const TransposeArgs<DynamicUpdate>& t) {
          Arrays out(t.x.size());
          if (t.ct[0].empty_handle()) return out;
          if (t.linear[0])
            out[0] = t.op(with_starts({t.ct[0], base::zeros(t.in[1].strong())}, t.x, 2), t.params);
          if (t.linear[1])
            out[1] = dynamic_slice_op(
                with_starts({t.ct[0]}, t.x, 2),
                {tail_of(t.in[1].shape(), t.params.batch_dims), t.params.batch_dims});
          return out;
        },
    .batch =
        [](const BatchArgs<DynamicUpdate>& b) {
          DynamicUpdate p = b.params;
          if (!any_mapped(b.axis, 2)) {
            const int at =
                std::max(b.axis[0].value_or(b.axis[1].value_or(0)), static_cast<int>(p.batch_dims));
            Arrays x = b.x;
            x[0] = move_mapped(x[0], b.axis[0], at, b.size);
            x[1] = move_mapped(x[1], b.axis[1], at, b.size);
            x.insert(x.begin() + 2 + (at - p.batch_dims), scalar_of_int(I32, 0));
            return Batched{b.op.bind(x, p), {at}};
          }
          ++p.batch_dims;
          Arrays x{move_mapped(b.x[0], b.axis[0], 0, b.size),
                   move_mapped(b.x[1], b.axis[1], 0, b.size)};
          for (Array& s : batched_starts(b.x, b.axis, 2, first_axes(x[0].shape(), p.batch_dims)))
            x.push_back(s);
          return Batched{b.op.bind(x, p), {0}};
        },
    .lower =
        [](const LowerArgs<DynamicUpdate>& l) {
          Lowering r;
          // An empty update has no element to read.
          const bool nothing = l.in[1].elements() == 0;
          r.element = [in = l.in, k = l.params.batch_dims, nothing](Reader& x, int,
                                                                    const Coords& at) {
            return nothing ? x.read(0, at) : updated_element(x, in, k, at);
          };
          r.destination = [in = l.in, k = l.params.batch_dims](Reader& x, const Coords& at) {
            return Lowering::Target{updated_index(x, in, k, at), num::Ir<bool>(true).id};
          };
          r.merge = [](nest::Builder&, Elem, Elem update) { return update; };
          r.unique_axes.assign(l.in[1].shape().size(), 1);
          return r;
        },
    .simplify =
        [](const SimplifyArgs<DynamicUpdate>& s) {
          if (s.x[0].shape() == s.x[1].shape()) return Arrays{s.x[1]};
          return s.x[1].size() == 0 ? Arrays{s.x[0]} : Arrays{};
        },
    .samples =
        [] {
          const Type i(I32, {});
          return std::vector<Sample<DynamicUpdate>>{
              {{Type(F32, {5}), Type(F32, {2}), i}, {0}},
              {{Type(F32, {4, 5}), Type(F32, {2, 5}), i, i}, {0}},
              {{Type(I32, {3, 4}), Type(I32, {3, 2}), Type(I64, {3})}, {1}},
              {{Type(C64, {3, 2, 4}), Type(C64, {3, 1, 2}), Type(I32, {3}), i}, {1}},
              {{Type(F32, {5}), Type(F32, {0}), i}, {0}},
              {{Type(F32, {}), Type(F32, {})}, {0}}};
        },
    .rejects =
        [] {
          const Type i(I32, {});
          return std::vector<Reject<DynamicUpdate>>{
              {{Type(F32, {5}), Type(F32, {6}), i}, {0}, "does not fit axis 0"},
              {{Type(F32, {5}), Type(I32, {2}), i}, {0}, "dtype of the array"},
              {{Type(F32, {5}), Type(F32, {}), i}, {0}, "as many axes"}};
        },
});

Array updated(const Arrays& x, const DynamicUpdate& p) { return dynamic_update_op(x, p); }

}  // namespace

Arrays masked_dynamic_update(const Producer& made, const UpdateMask& mask) {
  const auto& p = params_as<DynamicUpdate>(made.params);
  const Array &x = made.x[0], &u = made.x[1];
  if (u.size() == 0) return {};
  // A start may move the update along an axis that it does not fill.
  for (int64_t a : mask.axes)
    if (u.shape()[a] != x.shape()[a]) return {};
  const Array before = dynamic_slice_op(with_starts({x}, made.x, 2),
                                        {tail_of(u.shape(), p.batch_dims), p.batch_dims});
  return {dynamic_update_op(with_starts({x, mask.choose(mask.axes, u, before)}, made.x, 2), p)};
}

Array dynamic_slice_at(const Array& x, const Arrays& starts, const std::vector<int64_t>& sizes) {
  return dynamic_slice_op(with_starts({x}, starts, 0), {sizes, 0});
}
Array dynamic_update_at(const Array& x, const Array& update, const Arrays& starts) {
  return dynamic_update_op(with_starts({x, update}, starts, 0), {0});
}

}  // namespace weft
