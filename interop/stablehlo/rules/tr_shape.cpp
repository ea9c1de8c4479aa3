// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_shape.cpp: rules of constants, and of ops that only move elements.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/translate.h"
#include "ops/index/index_kit.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"

namespace weft::hlo {
namespace {

void need(Translator& t, const Op& op, const Arrays& x, size_t n) {
  if (x.size() != n) t.fail(op, "'" + op.name + "' needs " + std::to_string(n) + " operands");
}

// Integers at equal distances along each axis are iotas, so that the compiler knows them. Returns
// nothing for others, and for types that may not hold the numbers in between.
std::optional<Array> as_iotas(const Array& x) {
  if (x.ndim() == 0 || (x.dtype() != I32 && x.dtype() != I64)) return {};
  const auto in_range = [](int64_t n) { return n > -(1 << 30) && n < 1 << 30; };
  const int64_t first = host_index(x, 0);
  if (!in_range(first)) return {};
  std::vector<int64_t> step(x.shape().size(), 0);
  const std::vector<int64_t> strides = row_major(x.shape());
  for (size_t a = 0; a < step.size(); ++a) {
    if (x.shape()[static_cast<int64_t>(a)] == 1) continue;
    const int64_t next = host_index(x, strides[a]);
    if (!in_range(next)) return {};
    step[a] = next - first;
  }
  for (int64_t i = 0, n = x.type().elements(); i < n; ++i) {
    int64_t expected = first, rest = i;
    for (size_t a = 0; a < step.size(); ++a) {
      expected += rest / strides[a] * step[a];
      rest %= strides[a];
    }
    if (host_index(x, i) != expected) return {};
  }
  Array r = broadcast_in_dim(scalar_of_int(x.dtype(), first), x.shape(), {});
  for (size_t a = 0; a < step.size(); ++a)
    if (step[a] != 0)
      r = r +
          iota(x.dtype(), x.shape(), static_cast<int64_t>(a)) * scalar_of_int(x.dtype(), step[a]);
  return r;
}

// A constant with equal elements becomes a literal of the program. Other constants are stored as
// arrays.
Array constant_value(Translator& t, const Op& op, const Attr& a) {
  if (!a.dense || !a.dense->known) t.missing(op, "of this element type");
  const Dense& d = *a.dense;
  const Type type = *array_type(d.type);
  const auto size = static_cast<size_t>(itemsize(type.dtype()));
  if (d.bytes.size() != size || type.elements() == 0) {
    if (type.elements() == 0)
      return broadcast_in_dim(scalar_of_int(type.dtype(), 0), type.shape(), {});
    const Array all = array_of_bytes(type, d.bytes.data());
    return as_iotas(all).value_or(all);
  }
  Literal l;
  l.dtype = type.dtype();
  std::memcpy(l.bits, d.bytes.data(), size);
  const Array scalar = literal_array(l);
  return type.ndim() == 0 ? scalar : broadcast_in_dim(scalar, type.shape(), {});
}
Arrays constant(Translator& t, const Op& op, const Arrays&) {
  return {constant_value(t, op, t.attr(op, "value"))};
}

Arrays iota_of(Translator& t, const Op& op, const Arrays&) {
  const Type type = t.result(op);
  const int64_t axis = t.integer(op, "iota_dimension");
  if (axis < 0 || axis >= type.ndim()) t.fail(op, "iota_dimension is not an axis");
  return {iota(type.dtype(), type.shape(), axis)};
}

Arrays broadcast(Translator& t, const Op& op, const Arrays& x) {
  if (x.empty()) need(t, op, x, 1);
  std::vector<int64_t> dims = t.ints(op, "broadcast_dimensions");
  Array a = x[0];
  if (dims.size() != a.shape().size()) t.fail(op, "one dimension an axis is needed");
  if (!std::is_sorted(dims.begin(), dims.end())) {
    // Weft's op requires axes in ascending order.
    std::vector<int64_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      return dims[static_cast<size_t>(i)] < dims[static_cast<size_t>(j)];
    });
    a = transpose_axes(a, order);
    std::sort(dims.begin(), dims.end());
  }
  const Shape shape = t.result(op).shape();
  return {a.shape() == shape ? a : broadcast_in_dim(a, shape, dims)};
}
Arrays leading_broadcast(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  const Shape shape = t.result(op).shape();
  std::vector<int64_t> dims(x[0].shape().size());
  std::iota(dims.begin(), dims.end(), shape.ndim() - x[0].ndim());
  return {broadcast_in_dim(x[0], shape, dims)};
}

Arrays reshape(Translator& t, const Op& op, const Arrays& x) {
  if (x.empty()) need(t, op, x, 1);
  const Shape shape = t.result(op).shape();
  return {x[0].shape() == shape ? x[0] : reshape_to(x[0], shape)};
}
Arrays transpose(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {transpose_axes(x[0], t.ints(op, "permutation"))};
}
Arrays reverse_of(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {reverse(x[0], t.ints(op, "dimensions"))};
}
Arrays slice(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {slice_static(x[0], t.ints(op, "start_indices"), t.ints(op, "limit_indices"),
                       t.ints(op, "strides"))};
}
Arrays concatenate(Translator& t, const Op& op, const Arrays& x) {
  if (x.empty()) need(t, op, x, 1);
  const int64_t axis = t.integer(op, "dimension");
  return {x.size() == 1 ? x[0] : concatenate_arrays(x, axis)};
}
Arrays pad(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 2);
  return {pad_with(x[0], x[1], t.ints(op, "edge_padding_low"), t.ints(op, "edge_padding_high"),
                   t.ints(op, "interior_padding"))};
}
// Sizes given as operands, which must be constants.
Arrays dynamic_pad(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 5);
  return {pad_with(x[0], x[1], t.known_integers(op, 2), t.known_integers(op, 3),
                   t.known_integers(op, 4))};
}
Arrays real_dynamic_slice(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 4);
  return {slice_static(x[0], t.known_integers(op, 1), t.known_integers(op, 2),
                       t.known_integers(op, 3))};
}
Arrays dimension_size(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  const int64_t axis = t.integer(op, "dimension");
  if (axis < 0 || axis >= x[0].ndim()) t.fail(op, "dimension is not an axis");
  Literal l;
  l.dtype = I32;
  l.bits[0] = static_cast<uint32_t>(x[0].shape()[axis]);
  return {literal_array(l)};
}

}  // namespace

Array constant_array(Translator& t, const Op& op, const Attr& value) {
  return constant_value(t, op, value);
}

void add_shapes(Rules& r) {
  const Rules mine = {
      {"stablehlo.constant", constant},
      {"stablehlo.iota", iota_of},
      {"stablehlo.dynamic_iota", iota_of},
      {"stablehlo.broadcast", leading_broadcast},
      {"stablehlo.broadcast_in_dim", broadcast},
      {"stablehlo.dynamic_broadcast_in_dim", broadcast},
      {"stablehlo.reshape", reshape},
      {"stablehlo.dynamic_reshape", reshape},
      {"stablehlo.transpose", transpose},
      {"stablehlo.reverse", reverse_of},
      {"stablehlo.slice", slice},
      {"stablehlo.concatenate", concatenate},
      {"stablehlo.pad", pad},
      {"stablehlo.dynamic_pad", dynamic_pad},
      {"stablehlo.real_dynamic_slice", real_dynamic_slice},
      {"stablehlo.get_dimension_size", dimension_size},
  };
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
