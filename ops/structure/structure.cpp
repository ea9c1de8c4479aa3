// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/structure.cpp: broadcast, reshape, transpose, squeeze, slice, rev, iota.
#include "ops/structure/structure.h"

#include <fmt/format.h>

#include <numeric>

#include "core/derivative_zero.h"
#include "ops/kit/arith.h"
#include "ops/kit/kit.h"
#include "ops/kit/strided.h"
#include "tracer/derivative_zeros.h"

namespace weft {
namespace {

using nest::Id;
num::Ir<int64_t> at_id(Id id) { return num::Ir<int64_t>::at(id); }

// ---- broadcast_in_dim

struct Broadcast {
  Ints shape, broadcast_dimensions;
  WEFT_FIELDS(shape, broadcast_dimensions)
};

Types broadcast_type(const Types& in, const Broadcast& p) {
  require_operands("broadcast_in_dim", in, 1);
  const auto& dims = p.broadcast_dimensions;
  if (static_cast<int>(dims.size()) != in[0].ndim())
    reject_shape("broadcast_in_dim", "broadcast_dimensions needs one entry an axis of the operand",
                 in);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= static_cast<int64_t>(p.shape.size()) ||
        (i && dims[i] <= dims[i - 1]))
      reject_shape("broadcast_in_dim",
                   "broadcast_dimensions must increase and be axes of the result", in);
    const int64_t n = in[0].shape()[static_cast<int64_t>(i)];
    if (n != 1 && n != p.shape[dims[i]])
      reject_shape("broadcast_in_dim",
                   fmt::format("axis {} of size {} cannot become size {}", i, n, p.shape[dims[i]]),
                   in);
  }
  return {in[0].with_shape(Shape(p.shape))};
}

const Primitive<Broadcast>& broadcast_op = define<Broadcast>({
    .name = "broadcast_in_dim",
    .doc = "Broadcasts the operand to `shape`. Operand axis i becomes result axis "
           "`broadcast_dimensions[i]`; axes of size 1 and new axes are repeated.",
    .type = broadcast_type,
    .reference =
        [](const Arrays& x, const Broadcast& p) {
          const Shape out(p.shape);
          const auto strides = row_major(x[0].shape());
          Ints step(p.shape.size(), 0);
          for (size_t i = 0; i < strides.size(); ++i)
            if (x[0].shape()[static_cast<int64_t>(i)] != 1)
              step[p.broadcast_dimensions[i]] = strides[i];
          return Arrays{strided_copy(x[0], x[0].type().with_shape(out), 0, step)};
        },
    .jvp = [](const JvpArgs<Broadcast>& j) { return broadcast_op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<Broadcast>& t) {
          const Shape& in = t.in[0].shape();
          Ints sum, kept_one;
          for (int64_t a = 0; a < static_cast<int64_t>(t.params.shape.size()); ++a) {
            const auto& dims = t.params.broadcast_dimensions;
            const auto it = std::find(dims.begin(), dims.end(), a);
            if (it == dims.end() || (in[it - dims.begin()] == 1 && t.params.shape[a] != 1))
              sum.push_back(a);
          }
          const Array s = sum.empty() ? t.ct[0] : base::reduce_sum(t.ct[0], sum);
          return Arrays{reshape_to(s, in)};
        },
    .batch =
        [](const BatchArgs<Broadcast>& b) {
          const Array x = move_mapped(b.x[0], b.axis[0], 0, b.size);
          Broadcast p{{b.size}, {0}};
          p.shape.insert(p.shape.end(), b.params.shape.begin(), b.params.shape.end());
          for (int64_t d : b.params.broadcast_dimensions) p.broadcast_dimensions.push_back(d + 1);
          return Batched{broadcast_op.bind({x}, p), {0}};
        },
    .lower =
        [](const LowerArgs<Broadcast>& l) {
          Lowering r;
          r.element = [dims = l.params.broadcast_dimensions, in = l.in[0].shape(),
                       out = l.out[0].shape()](Reader& x, int, const Coords& at) {
            Coords c;
            for (size_t i = 0; i < dims.size(); ++i) {
              const bool grows = in[static_cast<int64_t>(i)] == 1 && out[dims[i]] != 1;
              c.push_back(grows ? num::Ir<int64_t>(0).id : at[dims[i]]);
            }
            return x.read(0, c);
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<Broadcast>& s) {
          return s.x[0].shape() == Shape(s.params.shape) ? Arrays{s.x[0]} : Arrays{};
        },
    .resize =
        [](const ResizeArgs<Broadcast>& r) {
          return Broadcast{r.out[0].shape().sizes(), r.params.broadcast_dimensions};
        },
    .forwards_operand = true,
    .samples =
        [] {
          return std::vector<Sample<Broadcast>>{{{Type(F32, {3})}, {{2, 3}, {1}}},
                                                {{Type(F32, {})}, {{4}, {}}},
                                                {{Type(I32, {2, 1})}, {{2, 5, 3}, {0, 2}}},
                                                {{Type(F32, {1, 3})}, {{0, 3}, {0, 1}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Broadcast>>{
              {{Type(F32, {3})}, {{2, 4}, {1}}, "cannot become size 4"},
              {{Type(F32, {3, 3})}, {{3, 3}, {1, 0}}, "must increase"},
              {{Type(F32, {3})}, {{3, 3}, {}}, "one entry an axis"}};
        },
});

// ---- reshape

struct Reshape {
  Ints new_sizes;
  WEFT_FIELDS(new_sizes)
};

// Returns the coordinates in `to` of the element at `at` in `from`. Axes that both shapes share
// keep their index unchanged, so that a lane axis remains recognizable.
Coords reshaped(const Shape& from, const Shape& to, const Coords& at) {
  Coords out(to.size(), nest::no_id);
  int i = 0, o = 0;
  if (from.elements() == 0) {
    // No element is read, and the shapes do not pair the axes. Only leading axes may be lanes.
    bool shared = true;
    for (; o < to.ndim(); ++o) {
      shared = shared && o < from.ndim() && from[o] == to[o];
      out[o] = shared ? at[o] : num::Ir<int64_t>(0).id;
    }
    return out;
  }
  while (i < from.ndim() || o < to.ndim()) {
    // Finds groups of axes with equal product on both sides.
    const int i0 = i, o0 = o;
    int64_t a = i < from.ndim() ? from[i++] : 1, b = o < to.ndim() ? to[o++] : 1;
    while (a != b) {
      if (a < b && i < from.ndim())
        a *= from[i++];
      else if (o < to.ndim())
        b *= to[o++];
      else
        a *= from[i++];
    }
    if (i - i0 == 1 && o - o0 == 1) {
      out[o0] = at[i0];
      continue;
    }
    // Axes of size 1 are skipped, so that (n, 1) and (n) have the same index.
    int wide_in = -1, wide_out = -1, n_in = 0, n_out = 0;
    for (int k = i0; k < i; ++k)
      if (from[k] != 1) {
        wide_in = k;
        ++n_in;
      }
    for (int k = o0; k < o; ++k)
      if (to[k] != 1) {
        wide_out = k;
        ++n_out;
      }
    for (int k = o0; k < o; ++k) out[k] = num::Ir<int64_t>(0).id;
    if (n_in == 1 && n_out == 1) {
      out[wide_out] = at[wide_in];
      continue;
    }
    num::Ir<int64_t> flat(0);
    for (int k = i0; k < i; ++k)
      if (from[k] != 1) flat = flat * num::Ir<int64_t>(from[k]) + at_id(at[k]);
    for (int k = o; k-- > o0;) {
      if (to[k] == 1) continue;
      --n_out;
      out[k] = n_out == 0 ? flat.id : num::rem(flat, num::Ir<int64_t>(to[k])).id;
      if (n_out) flat = num::div(flat, num::Ir<int64_t>(to[k]));
    }
  }
  return out;
}

const Primitive<Reshape>& reshape_op = define<Reshape>({
    .name = "reshape",
    .doc = "Returns the elements, in row-major order, with the shape `new_sizes`.",
    .type =
        [](const Types& in, const Reshape& p) {
          require_operands("reshape", in, 1);
          const Shape out(p.new_sizes);
          if (out.elements() != in[0].elements())
            reject_shape("reshape",
                         fmt::format("new shape {} must have as many elements as the operand",
                                     to_string(out)),
                         in);
          return Types{in[0].with_shape(out)};
        },
    .reference =
        [](const Arrays& x, const Reshape& p) {
          return Arrays{
              array_of_bytes(x[0].type().with_shape(Shape(p.new_sizes)), concrete(x[0]).data())};
        },
    .jvp = [](const JvpArgs<Reshape>& j) { return reshape_op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<Reshape>& t) {
          return Arrays{reshape_to(t.ct[0], t.in[0].shape())};
        },
    .batch =
        [](const BatchArgs<Reshape>& b) {
          Reshape p{{b.size}};
          p.new_sizes.insert(p.new_sizes.end(), b.params.new_sizes.begin(),
                             b.params.new_sizes.end());
          return Batched{reshape_op.bind({move_mapped(b.x[0], b.axis[0], 0, b.size)}, p), {0}};
        },
    .lower =
        [](const LowerArgs<Reshape>& l) {
          Lowering r;
          r.element = [in = l.in[0].shape(), out = l.out[0].shape()](Reader& x, int,
                                                                     const Coords& at) {
            return x.read(0, reshaped(out, in, at));
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<Reshape>& s) {
          return s.x[0].shape() == Shape(s.params.new_sizes) ? Arrays{s.x[0]} : Arrays{};
        },
    .resize = [](const ResizeArgs<Reshape>& r) { return Reshape{r.out[0].shape().sizes()}; },
    .forwards_operand = true,
    .samples =
        [] {
          return std::vector<Sample<Reshape>>{{{Type(F32, {2, 3})}, {{3, 2}}},
                                              {{Type(F32, {4})}, {{2, 1, 2}}},
                                              {{Type(I32, {1})}, {{}}},
                                              {{Type(F32, {0, 3})}, {{3, 0}}},
                                              {{Type(F32, {2, 0})}, {{2, 0, 32}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Reshape>>{{{Type(F32, {2, 3})}, {{4}}, "as many elements"}};
        },
});

// ---- squeeze

struct Squeeze {
  Ints dimensions;
  WEFT_FIELDS(dimensions)
};

Shape squeezed(const Shape& s, const Ints& dims) {
  std::vector<int64_t> out;
  for (int i = 0; i < s.ndim(); ++i)
    if (std::find(dims.begin(), dims.end(), i) == dims.end()) out.push_back(s[i]);
  return Shape(out);
}

const Primitive<Squeeze>& squeeze_op = define<Squeeze>({
    .name = "squeeze",
    .doc = "Removes the axes `dimensions`, whose size is 1.",
    .type =
        [](const Types& in, const Squeeze& p) {
          require_operands("squeeze", in, 1);
          for (int64_t d : p.dimensions)
            if (d < 0 || d >= in[0].ndim() || in[0].shape()[d] != 1)
              reject_shape("squeeze", fmt::format("axis {} is not an axis of size 1", d), in);
          return Types{in[0].with_shape(squeezed(in[0].shape(), p.dimensions))};
        },
    .reference =
        [](const Arrays& x, const Squeeze& p) {
          return Arrays{array_of_bytes(x[0].type().with_shape(squeezed(x[0].shape(), p.dimensions)),
                                       concrete(x[0]).data())};
        },
    .jvp = [](const JvpArgs<Squeeze>& j) { return squeeze_op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<Squeeze>& t) {
          return Arrays{reshape_to(t.ct[0], t.in[0].shape())};
        },
    .batch =
        [](const BatchArgs<Squeeze>& b) {
          const int at = *b.axis[0];
          Squeeze p;
          int out = at;
          for (int64_t d : b.params.dimensions) {
            p.dimensions.push_back(d >= at ? d + 1 : d);
            out -= d < at;
          }
          return Batched{squeeze_op.bind({b.x[0]}, p), {out}};
        },
    .lower =
        [](const LowerArgs<Squeeze>& l) {
          Lowering r;
          r.element = [dims = l.params.dimensions, n = l.in[0].ndim()](Reader& x, int,
                                                                       const Coords& at) {
            Coords c;
            size_t next = 0;
            for (int i = 0; i < n; ++i)
              c.push_back(std::find(dims.begin(), dims.end(), i) == dims.end()
                              ? at[next++]
                              : num::Ir<int64_t>(0).id);
            return x.read(0, c);
          };
          return r;
        },
    .samples =
        [] {
          return std::vector<Sample<Squeeze>>{{{Type(F32, {2, 1, 3})}, {{1}}},
                                              {{Type(F32, {1, 1})}, {{0, 1}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Squeeze>>{
              {{Type(F32, {2, 3})}, {{0}}, "not an axis of size 1"}};
        },
});

// ---- transpose

struct Transpose {
  Ints permutation;
  WEFT_FIELDS(permutation)
};

const Primitive<Transpose>& transpose_op = define<Transpose>({
    .name = "transpose",
    .doc = "Permutes the axes: result axis i is operand axis `permutation[i]`.",
    .type =
        [](const Types& in, const Transpose& p) {
          require_operands("transpose", in, 1);
          Ints sorted = p.permutation;
          std::sort(sorted.begin(), sorted.end());
          bool ok = static_cast<int>(sorted.size()) == in[0].ndim();
          for (size_t i = 0; ok && i < sorted.size(); ++i)
            ok = sorted[i] == static_cast<int64_t>(i);
          if (!ok) reject_shape("transpose", "permutation must name each axis once", in);
          std::vector<int64_t> out;
          for (int64_t a : p.permutation) out.push_back(in[0].shape()[a]);
          return Types{in[0].with_shape(Shape(out))};
        },
    .reference =
        [](const Arrays& x, const Transpose& p) {
          const auto strides = row_major(x[0].shape());
          Ints step;
          std::vector<int64_t> out;
          for (int64_t a : p.permutation) {
            step.push_back(strides[a]);
            out.push_back(x[0].shape()[a]);
          }
          return Arrays{strided_copy(x[0], x[0].type().with_shape(Shape(out)), 0, step)};
        },
    .jvp = [](const JvpArgs<Transpose>& j) { return transpose_op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<Transpose>& t) {
          Ints inverse(t.params.permutation.size());
          for (size_t i = 0; i < inverse.size(); ++i)
            inverse[t.params.permutation[i]] = static_cast<int64_t>(i);
          return transpose_op.bind({t.ct[0]}, {inverse});
        },
    .batch =
        [](const BatchArgs<Transpose>& b) {
          // The lane axis becomes the leading axis of the result, and the operand is not moved.
          const int at = *b.axis[0];
          Transpose p{{at}};
          for (int64_t a : b.params.permutation) p.permutation.push_back(a >= at ? a + 1 : a);
          return Batched{transpose_op.bind({b.x[0]}, p), {0}};
        },
    .lower =
        [](const LowerArgs<Transpose>& l) {
          Lowering r;
          r.element = [perm = l.params.permutation](Reader& x, int, const Coords& at) {
            Coords c(perm.size());
            for (size_t i = 0; i < perm.size(); ++i) c[perm[i]] = at[i];
            return x.read(0, c);
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<Transpose>& s) {
          return std::is_sorted(s.params.permutation.begin(), s.params.permutation.end())
                     ? Arrays{s.x[0]}
                     : Arrays{};
        },
    .samples =
        [] {
          return std::vector<Sample<Transpose>>{{{Type(F32, {2, 3})}, {{1, 0}}},
                                                {{Type(F32, {2, 3, 4})}, {{2, 0, 1}}},
                                                {{Type(I32, {})}, {{}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Transpose>>{{{Type(F32, {2, 3})}, {{0, 0}}, "each axis once"}};
        },
});

// ---- rev

struct Rev {
  Ints dimensions;
  WEFT_FIELDS(dimensions)
};

const Primitive<Rev>& rev_op = define<Rev>({
    .name = "rev",
    .doc = "Reverses the order of the elements along `dimensions`.",
    .type =
        [](const Types& in, const Rev& p) {
          require_operands("rev", in, 1);
          std::vector<bool> turned(in[0].shape().size());
          for (int64_t d : p.dimensions) {
            if (d < 0 || d >= in[0].ndim())
              reject_shape("rev", fmt::format("axis {} is out of range", d), in);
            if (turned[d])
              reject_shape("rev",
                           fmt::format("dimensions must be unique, axis {} is there twice", d), in);
            turned[d] = true;
          }
          return Types{in[0]};
        },
    .reference =
        [](const Arrays& x, const Rev& p) {
          Ints step = row_major(x[0].shape());
          int64_t offset = 0;
          for (int64_t d : p.dimensions) {
            offset += step[d] * (x[0].shape()[d] - 1);
            step[d] *= -1;
          }
          return Arrays{strided_copy(x[0], x[0].type(), offset, step)};
        },
    .jvp = [](const JvpArgs<Rev>& j) { return rev_op.bind({j.dx[0]}, j.params); },
    .transpose = [](const TransposeArgs<Rev>& t) { return rev_op.bind({t.ct[0]}, t.params); },
    .batch =
        [](const BatchArgs<Rev>& b) {
          Rev p;
          for (int64_t d : b.params.dimensions) p.dimensions.push_back(d >= *b.axis[0] ? d + 1 : d);
          return Batched{rev_op.bind({b.x[0]}, p), {b.axis[0]}};
        },
    .lower =
        [](const LowerArgs<Rev>& l) {
          Lowering r;
          r.element = [dims = l.params.dimensions, s = l.in[0].shape()](Reader& x, int,
                                                                        const Coords& at) {
            Coords c = at;
            for (int64_t d : dims) c[d] = (num::Ir<int64_t>(s[d] - 1) - at_id(at[d])).id;
            return x.read(0, c);
          };
          return r;
        },
    .samples =
        [] {
          return std::vector<Sample<Rev>>{{{Type(F32, {2, 3})}, {{1}}},
                                          {{Type(F32, {2, 3})}, {{0, 1}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Rev>>{{{Type(F32, {2})}, {{1}}, "out of range"},
                                          {{Type(F32, {2})}, {{0, 0}}, "unique"}};
        },
});

// ---- slice

struct SliceParams {
  Ints start_indices, limit_indices, strides;
  WEFT_FIELDS(start_indices, limit_indices, strides)
};

Types slice_type(const Types& in, const SliceParams& p) {
  require_operands("slice", in, 1);
  const size_t n = in[0].ndim();
  if (p.start_indices.size() != n || p.limit_indices.size() != n || p.strides.size() != n)
    reject_shape("slice", "start, limit and strides need one entry an axis", in);
  std::vector<int64_t> out;
  for (size_t i = 0; i < n; ++i) {
    const int64_t lo = p.start_indices[i], hi = p.limit_indices[i], s = p.strides[i];
    if (lo < 0 || hi < lo || hi > in[0].shape()[static_cast<int64_t>(i)] || s < 1)
      reject_shape("slice", fmt::format("axis {}: [{}:{}:{}] is outside the axis", i, lo, hi, s),
                   in);
    out.push_back(hi == lo ? 0 : (hi - lo - 1) / s + 1);
  }
  return {in[0].with_shape(Shape(out))};
}

const Primitive<SliceParams>& slice_op = define<SliceParams>({
    .name = "slice",
    .doc = "Returns the elements with the indices start, start + stride, … below the limit of each "
           "axis.",
    .type = slice_type,
    .reference =
        [](const Arrays& x, const SliceParams& p) {
          Ints step = row_major(x[0].shape());
          int64_t offset = 0;
          for (size_t i = 0; i < step.size(); ++i) {
            offset += step[i] * p.start_indices[i];
            // A stride beyond the axis reaches only its first element.
            step[i] *=
                std::min(p.strides[i], std::max<int64_t>(x[0].shape()[static_cast<int64_t>(i)], 1));
          }
          return Arrays{strided_copy(x[0], slice_type({x[0].type()}, p)[0], offset, step)};
        },
    .jvp = [](const JvpArgs<SliceParams>& j) { return slice_op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<SliceParams>& t) {
          Ints low, high, interior;
          for (int i = 0; i < t.in[0].ndim(); ++i) {
            const size_t k = i;
            const int64_t n = t.out[0].shape()[i], s = t.params.strides[k],
                          lo = t.params.start_indices[k];
            low.push_back(lo);
            interior.push_back(n > 1 ? s - 1 : 0);
            high.push_back(t.in[0].shape()[i] - lo - (n == 0 ? 0 : (n - 1) * s + 1));
          }
          return Arrays{
              pad_with(t.ct[0], base::derivative_zero_like(t.ct[0]), low, high, interior)};
        },
    .batch =
        [](const BatchArgs<SliceParams>& b) {
          SliceParams p = b.params;
          const auto at = *b.axis[0];
          p.start_indices.insert(p.start_indices.begin() + at, 0);
          p.limit_indices.insert(p.limit_indices.begin() + at, b.size);
          p.strides.insert(p.strides.begin() + at, 1);
          return Batched{slice_op.bind({b.x[0]}, p), {at}};
        },
    .lower =
        [](const LowerArgs<SliceParams>& l) {
          Lowering r;
          r.element = [p = l.params](Reader& x, int, const Coords& at) {
            Coords c;
            for (size_t i = 0; i < at.size(); ++i)
              c.push_back((num::Ir<int64_t>(p.start_indices[i]) +
                           at_id(at[i]) * num::Ir<int64_t>(p.strides[i]))
                              .id);
            return x.read(0, c);
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<SliceParams>& s) {
          return slice_type({s.x[0].type()}, s.params)[0].shape() == s.x[0].shape() ? Arrays{s.x[0]}
                                                                                    : Arrays{};
        },
    .resize =
        [](const ResizeArgs<SliceParams>& r) {
          SliceParams p = r.params;
          for (size_t a = 0; a < p.strides.size(); ++a) {
            const int64_t n = r.out[0].shape()[static_cast<int64_t>(a)];
            p.limit_indices[a] = p.start_indices[a] + (n > 0 ? (n - 1) * p.strides[a] + 1 : 0);
          }
          return p;
        },
    .samples =
        [] {
          return std::vector<Sample<SliceParams>>{{{Type(F32, {5})}, {{1}, {4}, {1}}},
                                                  {{Type(F32, {5, 4})}, {{0, 1}, {5, 4}, {2, 3}}},
                                                  {{Type(F32, {3})}, {{2}, {2}, {1}}},
                                                  {{Type(F64, {4})}, {{1}, {4}, {INT64_MAX}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<SliceParams>>{
              {{Type(F32, {5})}, {{1}, {6}, {1}}, "outside the axis"},
              {{Type(F32, {5})}, {{}, {}, {}}, "one entry an axis"}};
        },
});

// ---- iota

struct Iota {
  DType dtype = I32;
  Ints shape;
  int64_t dimension = 0;
  WEFT_FIELDS(dtype, shape, dimension)
};

const Primitive<Iota>& iota_op = define<Iota>({
    .name = "iota",
    .doc = "Returns an array with the elements 0, 1, 2, … along the axis `dimension`.",
    .type =
        [](const Types& in, const Iota& p) {
          require_operands("iota", in, 0);
          if (p.dimension < 0 || p.dimension >= static_cast<int64_t>(p.shape.size()))
            reject_shape("iota", fmt::format("axis {} is out of range", p.dimension), in);
          if (!is_number(p.dtype))
            reject_dtype("iota", fmt::format("dtype must be a number, not {}", short_name(p.dtype)),
                         in);
          return Types{Type(p.dtype, Shape(p.shape))};
        },
    .reference =
        [](const Arrays&, const Iota& p) {
          const int64_t n = p.shape[p.dimension];
          Fresh line = fresh_array(Type(p.dtype, {n}));
          with_class<DTypes::numbers>(p.dtype, [&](auto* q) {
            using T = std::remove_pointer_t<decltype(q)>;
            using S = arith::real_t<typename Element<T>::plain>;
            for (int64_t i = 0; i < n; ++i)
              static_cast<T*>(line.data)[i] =
                  Element<T>::store(typename Element<T>::plain(static_cast<S>(i)));
          });
          return broadcast_op.bind({line.array}, {p.shape, {p.dimension}});
        },
    .jvp = [](const JvpArgs<Iota>&) { return Arrays(1); },
    .batch =
        [](const BatchArgs<Iota>& b) {
          return Batched{iota_op.bind({}, b.params), {std::nullopt}};
        },
    .lower =
        [](const LowerArgs<Iota>& l) {
          Lowering r;
          with_class<DTypes::numbers>(l.params.dtype, [&](auto* q) {
            using T = std::remove_pointer_t<decltype(q)>;
            using S = arith::real_t<typename Element<T>::plain>;
            r.element = [d = l.params.dimension](Reader&, int, const Coords& at) {
              return Element<T>::out(typename Element<T>::ir(num::convert<S>(at_id(at[d]))));
            };
          });
          return r;
        },
    .resize =
        [](const ResizeArgs<Iota>& r) {
          return Iota{r.params.dtype, r.out[0].shape().sizes(), r.params.dimension};
        },
    .samples =
        [] {
          return std::vector<Sample<Iota>>{{{}, {I32, {5}, 0}},
                                           {{}, {F32, {2, 3}, 1}},
                                           {{}, {C64, {3}, 0}},
                                           {{}, {BF16, {4}, 0}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Iota>>{{{}, {I32, {5}, 1}, "out of range"},
                                           {{}, {Bool, {5}, 0}, "must be a number"}};
        },
});

}  // namespace

Array broadcast_in_dim(const Array& x, const Shape& shape, const std::vector<int64_t>& dims) {
  return broadcast_op({x}, {shape.sizes(), dims});
}
Array reshape_to(const Array& x, const Shape& s) {
  return x.shape() == s ? x : reshape_op({x}, {s.sizes()});
}
Array transpose_axes(const Array& x, const std::vector<int64_t>& p) {
  return transpose_op({x}, {p});
}
Array squeeze_axes(const Array& x, const std::vector<int64_t>& axes) {
  return axes.empty() ? x : squeeze_op({x}, {axes});
}
Array reverse(const Array& x, const std::vector<int64_t>& axes) { return rev_op({x}, {axes}); }
Array slice_static(const Array& x, const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                   const std::vector<int64_t>& s) {
  return slice_op({x}, {a, b, s});
}
Array iota(DType d, const Shape& shape, int64_t axis) {
  return iota_op({}, {d, shape.sizes(), axis});
}

Array move_axis(const Array& x, int from, int to) {
  if (from == to) return x;
  Ints p;
  for (int i = 0; i < x.ndim(); ++i)
    if (i != from) p.push_back(i);
  p.insert(p.begin() + to, from);
  return transpose_axes(x, p);
}

namespace base {
Array move_axis(const Array& x, int from, int to) { return weft::move_axis(x, from, to); }
Array broadcast(const Array& x, const Shape& shape, const std::vector<int64_t>& axes) {
  return broadcast_in_dim(x, shape, axes);
}
Array insert_axis(const Array& x, int axis, int64_t size) {
  Ints dims;
  for (int i = 0; i < x.ndim(); ++i) dims.push_back(i < axis ? i : i + 1);
  return broadcast_in_dim(x, x.shape().inserted(axis, size), dims);
}
Array zeros(const Type& t) {
  const Array z = scalar_of_int(t.dtype(), 0);
  return t.ndim() ? broadcast_in_dim(z, t.shape(), {}) : z;
}
Array derivative_zeros(const Type& t) {
  if (!may_be_derivative_zero(t.with_shape(Shape{}))) return zeros(t);
  const Array z = literal_array(derivative_zero(t.dtype()));
  return t.ndim() ? broadcast_in_dim(z, t.shape(), {}) : z;
}
Array derivative_zero_like(const Array& x) {
  return derivative_zeros(x.type().strong().with_shape(Shape{}));
}
Array ones(const Type& t) {
  const Array o = scalar_of_int(t.dtype(), 1);
  return t.ndim() ? broadcast_in_dim(o, t.shape(), {}) : o;
}
}  // namespace base

}  // namespace weft
