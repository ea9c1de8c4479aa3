// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/gather.cpp: gather, with XLA's dimension numbers and batching dimensions.
#include <fmt/format.h>

#include <algorithm>

#include "ops/index/equal_along.h"
#include "ops/index/index_map.h"
#include "ops/index/known_windows.h"
#include "ops/kit/axes.h"
#include "ops/structure/structure.h"

namespace weft {
namespace {

using namespace index_map_detail;

// ---- gather

struct Gather {
  Ints offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims,
      start_indices_batching_dims, slice_sizes;
  OutOfBounds mode = OutOfBounds::clip;
  bool unique_indices = false, indices_are_sorted = false;
  WEFT_FIELDS(offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims,
              start_indices_batching_dims, slice_sizes, mode, unique_indices, indices_are_sorted)
  WindowDims dims() const {
    return {offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims,
            start_indices_batching_dims};
  }
  IndexPromises promises() const { return {unique_indices, indices_are_sorted}; }
};
Gather gather_params(const WindowDims& d, const Ints& sizes, OutOfBounds mode,
                     IndexPromises promises) {
  return {d.window_dims, d.collapsed, d.index_map,     d.operand_batching, d.indices_batching,
          sizes,         mode,        promises.unique, promises.sorted};
}

Types gather_type(const Types& in, const Gather& p) {
  require_operands("gather", in, 2);
  const WindowDims d = p.dims();
  const auto batch = check_dims("gather", in, in[1], d);
  if (static_cast<int>(p.slice_sizes.size()) != in[0].ndim())
    reject_shape("gather", "slice_sizes needs one entry an axis", in);
  Ints windows;
  for (int64_t a = 0; a < in[0].ndim(); ++a) {
    const int64_t s = entry(p.slice_sizes, a);
    const bool hidden = holds(d.collapsed, a) || holds(d.operand_batching, a);
    if (s < 0 || (hidden && s > 1) || (!holds(d.operand_batching, a) && s > in[0].shape()[a]))
      reject_shape("gather", fmt::format("slice size {} does not fit axis {}", s, a), in);
    if (!hidden) windows.push_back(s);
  }
  const Shape out = windows_shape("gather", in, batch, p.offset_dims, windows);
  if (in[0].elements() == 0 && out.elements() != 0)
    reject_shape("gather", "the operand has no elements", in);
  return {in[0].with_shape(out)};
}

// The F64 value of an out-of-range read, which is then converted to d.
double fill_of(DType d) {
  switch (d) {
    case I8: return -128.0;
    case I16: return -32768.0;
    case I32: return -2147483648.0;
    case I64: return -9223372036854775808.0;
    case U8: return 255.0;
    case U16: return 65535.0;
    case U32: return 4294967295.0;
    case U64: return 18446744073709551615.0;
    case Bool: return 1.0;
    case Key:
    case RbgKey: return 0.0;
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}
Arrays gather_reference(const Arrays& x, const Gather& p) {
  const Type t = gather_type({x[0].type(), x[1].type()}, p)[0];
  Fresh out = fresh_array(t);
  const IndexMap r = index_map_of(p.dims(), x[0].shape(), t.ndim(), p.slice_sizes);
  const size_t bytes = itemsize(t.dtype());
  const Array fill = out_of_bounds_value(t.dtype(), p.mode);
  const auto* from = static_cast<const std::byte*>(concrete(x[0]).data());
  const auto* other = static_cast<const std::byte*>(concrete(fill).data());
  for_each_index(t.shape(), [&](const Ints& at, int64_t flat) {
    bool inside = true;
    const Ints c = map_index(r, at, [&](int k) { return host_component(x[1], r, at, k); }, &inside);
    const std::byte* source = inside || p.mode == OutOfBounds::clip
                                  ? from + static_cast<size_t>(flat_index(x[0].shape(), c)) * bytes
                                  : other;
    std::memcpy(static_cast<std::byte*>(out.data) + static_cast<size_t>(flat) * bytes, source,
                bytes);
  });
  return {out.array};
}

Lowering gather_lower(const LowerArgs<Gather>& l) {
  Lowering low;
  low.element = [r = index_map_of(l.params.dims(), l.in[0].shape(), l.out[0].ndim(),
                                  l.params.slice_sizes),
                 in = l.in, mode = l.params.mode](Reader& x, int, const Coords& at) {
    num::Ir<bool> inside(true);
    const auto c = map_index(
        r, positions(at), [&](int k) { return component_at(x, 1, in[1], r, at, k); }, &inside);
    const Elem e = x.read(0, coords(c));
    if (mode == OutOfBounds::clip) return e;
    const DType d = in[0].dtype();
    const Elem zero = is_key(d) ? Elem{num::Ir<uint32_t>(0).id, num::Ir<uint32_t>(0).id} : Elem{};
    const double v = mode == OutOfBounds::fill ? fill_of(d) : 0.0;
    Elem other = is_key(d) ? zero : constant_elem(d, v);
    if (is_complex(d) && mode == OutOfBounds::fill) other.im = other.re;
    return select_elem(inside.id, e, other);
  };
  return low;
}

Gather gather_resized(const ResizeArgs<Gather>& r) {
  Gather p = r.params;
  size_t window = 0;
  for (int64_t a = 0; a < std::ssize(p.slice_sizes); ++a)
    if (!holds(p.collapsed_slice_dims, a) && !holds(p.operand_batching_dims, a))
      p.slice_sizes[a] = r.out[0].shape()[p.offset_dims[window++]];
  return p;
}

Batched gather_batch(const BatchArgs<Gather>& b) {
  WindowDims d = b.params.dims();
  Ints sizes = b.params.slice_sizes;
  Arrays x = b.x;
  const int rank = static_cast<int>(d.window_dims.size()) + x[1].ndim() - 1 - (b.mapped(1) ? 1 : 0);
  if (!b.mapped(1)) {
    // All lanes have the same indices: the lane axis becomes another window axis, which the window
    // covers entirely.
    const int64_t p = *b.axis[0];
    int64_t before = p;
    for (const Ints* v : {&d.collapsed, &d.operand_batching})
      for (int64_t a : *v) before -= a < p;
    const size_t at = before;
    const int64_t out = at < d.window_dims.size() ? d.window_dims[at]
                        : d.window_dims.empty()   ? 0
                                                  : d.window_dims.back() + 1;
    for (Ints* v : {&d.collapsed, &d.index_map, &d.operand_batching}) open_axis(*v, p);
    open_axis(d.window_dims, out);
    d.window_dims.insert(d.window_dims.begin() + before, out);
    sizes.insert(sizes.begin() + p, b.size);
    return {{b.op(x, gather_params(d, sizes, b.params.mode, b.params.promises()))},
            {static_cast<int>(out)}};
  }
  // The component axis of the indices remains last.
  int q = *b.axis[1];
  if (q == x[1].ndim() - 1) {
    x[1] = move_mapped(x[1], q, 0, b.size);
    q = 0;
  }
  const int64_t out = batch_place(d, rank, q);
  open_axis(d.window_dims, out);
  open_axis(d.indices_batching, q);
  if (b.mapped(0)) {
    const int64_t p = *b.axis[0];
    for (Ints* v : {&d.collapsed, &d.index_map, &d.operand_batching}) open_axis(*v, p);
    d.operand_batching.push_back(p);
    d.indices_batching.push_back(q);
    sizes.insert(sizes.begin() + p, 1);
  }
  return {{b.op(x, gather_params(d, sizes, b.params.mode,
                                 {.unique = b.mapped(0) && b.params.unique_indices}))},
          {static_cast<int>(out)}};
}

// If the indices are the same for all lanes of a batching axis, the axis becomes one that the
// window covers entirely, as where the batch rule finds them unmapped. Lanes then read at equal
// indices.
Arrays gather_equal_lanes(const FuseArgs<Gather>& f) {
  WindowDims d = f.params.dims();
  Ints sizes = f.params.slice_sizes;
  const int rank = static_cast<int>(d.window_dims.size()) + f.x[1].ndim() - 1;
  for (size_t k = 0; k < d.operand_batching.size(); ++k) {
    const int64_t p = d.operand_batching[k], q = d.indices_batching[k];
    const auto fewer = without_equal_axis(f.x[1], f.producers[1], q);
    if (!fewer) continue;
    // Windows have their axes in the order of the operand.
    const int64_t out = batch_place(d, rank, q);
    int64_t before = p;
    for (const Ints* v : {&d.collapsed, &d.operand_batching})
      for (int64_t a : *v) before -= a < p;
    const auto at = std::ranges::lower_bound(d.window_dims, out);
    if (at - d.window_dims.begin() != before) continue;
    d.window_dims.insert(at, out);
    d.operand_batching.erase(d.operand_batching.begin() + static_cast<std::ptrdiff_t>(k));
    d.indices_batching.erase(d.indices_batching.begin() + static_cast<std::ptrdiff_t>(k));
    for (int64_t& a : d.indices_batching) a -= a > q;
    sizes[p] = f.x[0].shape()[p];
    return {gather_windows(f.x[0], *fewer, d, sizes, f.params.mode, f.params.promises())};
  }
  return {};
}

Arrays gather_fuse(const FuseArgs<Gather>& f) {
  if (const auto indices = known_value(f.x[1], f.producers[1])) {
    const Gather& p = f.params;
    const Shape result = gather_type({f.x[0].type(), f.x[1].type()}, p)[0].shape();
    if (const auto r = known_windows({f.x[0], *indices, p.dims(), p.slice_sizes, p.mode, result}))
      return {*r};
  }
  return gather_equal_lanes(f);
}

OutOfBounds linear_mode(OutOfBounds m) { return m == OutOfBounds::clip ? m : OutOfBounds::zero; }

const Primitive<Gather>& gather_op = define<Gather>({
    .name = "gather",
    .doc = "Gathers windows of the operand at computed indices, as in StableHLO. `mode` says how "
           "windows out of range are read.",
    .type = gather_type,
    .reference = gather_reference,
    .jvp =
        [](const JvpArgs<Gather>& j) {
          if (j.dx[0].empty_handle()) return Arrays(1);
          Gather p = j.params;
          p.mode = linear_mode(p.mode);
          return j.op.bind({j.dx[0], j.x[1]}, p);
        },
    .transpose =
        [](const TransposeArgs<Gather>& t) {
          if (t.ct[0].empty_handle()) return Arrays(2);
          const Array zeros = base::zeros(t.in[0].strong());
          return Arrays{scatter_windows(zeros, t.x[1], t.ct[0], t.params.dims(), Update::add,
                                        linear_mode(t.params.mode), t.params.promises()),
                        Array()};
        },
    .batch = gather_batch,
    .lower = gather_lower,
    .fuse = gather_fuse,
    .resize = gather_resized,
    .samples =
        [] {
          const Type i(I32, {4, 1});
          return std::vector<Sample<Gather>>{
              {{Type(F32, {5}), i}, {{}, {0}, {0}, {}, {}, {1}}, -1, 4},
              {{Type(F32, {5, 3}), i}, {{1}, {0}, {0}, {}, {}, {1, 3}, OutOfBounds::fill}, -2, 6},
              {{Type(I32, {5, 3}), Type(I64, {2, 2})},
               {{0, 2}, {}, {1, 0}, {}, {}, {2, 2}, OutOfBounds::zero},
               -1,
               3},
              {{Type(C64, {3, 4}), Type(I32, {3, 2, 1})},
               {{}, {1}, {1}, {0}, {0}, {1, 1}, OutOfBounds::fill},
               0,
               3},
              {{Type(Bool, {4}), Type(U8, {2, 1})}, {{0}, {}, {0}, {}, {}, {2}}, 0, 4}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Gather>>{{{Type(F32, {5}), Type(F32, {4, 1})},
                                              {{}, {0}, {0}, {}, {}, {1}},
                                              "indices must be integers"},
                                             {{Type(F32, {5}), Type(I32, {4, 2})},
                                              {{}, {0}, {0}, {}, {}, {1}},
                                              "must have size 1"},
                                             {{Type(F32, {5}), Type(I32, {4, 1})},
                                              {{}, {0}, {0}, {}, {}, {2}},
                                              "does not fit axis 0"},
                                             {{Type(F32, {5}), Type(I32, {4, 1})},
                                              {{0}, {0}, {0}, {}, {}, {1}},
                                              "make up the operand"}};
        },
});

}  // namespace

Array out_of_bounds_value(DType d, OutOfBounds mode) {
  if (is_key(d)) return scalar_of_int(d, 0);
  const Array s = scalar_of(d, mode == OutOfBounds::fill ? fill_of(d) : 0.0);
  if (!is_complex(d) || mode != OutOfBounds::fill) return s;
  // NaN in both parts, as in JAX.
  if (d == C64) {
    const float v[2] = {NAN, NAN};
    return array_of_bytes(Type(C64, {}), v);
  }
  const double v[2] = {NAN, NAN};
  return array_of_bytes(Type(C128, {}), v);
}

Array gather_windows(const Array& x, const Array& indices, const WindowDims& d,
                     const std::vector<int64_t>& sizes, OutOfBounds mode, IndexPromises promises) {
  return gather_op({x, indices}, gather_params(d, sizes, mode, promises));
}

WindowDims along_dims(int rank, int axis) {
  WindowDims d;
  d.collapsed = d.index_map = {axis};
  for (int a = 0; a < rank; ++a)
    if (a != axis) d.operand_batching.push_back(a);
  d.indices_batching = d.operand_batching;
  return d;
}
Array gather_along(const Array& x, const Array& indices, int axis, OutOfBounds mode) {
  const int rank = indices.ndim();
  const Array components =
      broadcast_in_dim(indices, indices.shape().inserted(rank, 1), axis_range(rank));
  Ints sizes(x.shape().size(), 1);
  sizes[axis] = std::min<int64_t>(1, x.shape()[axis]);
  return gather_windows(x, components, along_dims(x.type().ndim(), axis), sizes, mode);
}

}  // namespace weft
