// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/compound.cpp: the functions of jax.lax that consist of several primitives.
#include "weft/lax/compound.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <set>

#include "functions/body.h"
#include "functions/kit.h"
#include "ops/control/scatter_by.h"
#include "ops/index/sort.h"
#include "ops/kit/axes.h"
#include "ops/random/draw_range.h"
#include "ops/reduce/fold_axes.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/numpy/create.h"
#include "weft/numpy/shape.h"

namespace weft::lax {
namespace {

using OverAxes = Array (*)(const Arg&, const Sizes&);
OverAxes reduction_of(const std::string& op) {
  constexpr std::pair<const char*, OverAxes> all[] = {
      {"add", reduce_sum}, {"mul", reduce_prod}, {"max", reduce_max}, {"min", reduce_min},
      {"and", reduce_and}, {"or", reduce_or},    {"xor", reduce_xor}};
  for (const auto& [name, f] : all)
    if (op == name) return f;
  return nullptr;
}

Arrays reduced(const Arrays& operands, Arrays init, const fn::Body& f, const Sizes& dimensions) {
  constexpr const char* name = "reduce";
  fn::check_initial(name, operands, &init);
  const Sizes axes = fn::axes_of(name, dimensions, operands[0].ndim());
  const ClosedJaxpr j = fn::traced(name, f, init);
  if (init.size() == 1)
    if (const OverAxes over = reduction_of(fn::monoid_of(j, init[0])))
      return {over(operands[0], axes)};
  return fold_axes(operands, init, axes,
                   [&](const Arrays& a, const Arrays& b) { return fn::each(f, a, b); });
}

// Checks the arguments and returns the axis.
int approx_axis(const char* name, const Array& x, int64_t k, const ApproxTopKOptions& o) {
  if (!is_floating(x.dtype()))
    fn::fail_dtype(fmt::format("{}: takes floats, got {}", name, to_string(x.type())));
  const int axis = fn::axis_of(name, o.reduction_dimension, x.ndim());
  if (k < 1 || k > x.shape()[axis])
    fn::fail_shape(fmt::format("{}: k must be 1 to the size of the axis, {}, got {}", name,
                               x.shape()[axis], k));
  if (!(o.recall_target > 0 && o.recall_target <= 1))
    fn::fail_shape(
        fmt::format("{}: recall_target must be in (0, 1], got {}", name, o.recall_target));
  return axis;
}

}  // namespace

Array reduce(const Arg& operand, const Arg& init_value,
             const Function<Array(Array, Array)>& computation, const Sizes& dimensions) {
  const SourceScope s(operand.at());
  return reduced({operand}, {init_value}, fn::listed(computation), dimensions)[0];
}
Arrays reduce(const Arrays& operands, const Arrays& init_values,
              const Function<Arrays(Arrays, Arrays)>& computation, const Sizes& dimensions,
              Location at) {
  const SourceScope s(at);
  return reduced(operands, init_values, computation, dimensions);
}

Array scatter_apply(const Arg& operand, const Arg& indices, const Function<Array(Array)>& func,
                    const ScatterDimensionNumbers& d, const ScatterApplyOptions& o) {
  const SourceScope s(operand.at());
  constexpr const char* name = "scatter_apply";
  if (o.mode != "clip" && o.mode != "drop" && o.mode != "fill")
    fn::fail_index("scatter_apply: mode is \"drop\" or \"clip\", not \"" + o.mode + "\"");
  const Type t(operand->dtype(), o.update_shape);
  const fn::Body f = fn::listed([func](const Array& a, const Array&) { return func(a); });
  fn::traced(name, f, {base::zeros(Type(t.dtype(), Shape{}))});
  return scatter_by({operand}, indices, {base::zeros(t)},
                    {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims,
                     d.operand_batching_dims, d.scatter_indices_batching_dims},
                    o.mode == "clip" ? OutOfBounds::clip : OutOfBounds::zero,
                    {o.unique_indices, o.indices_are_sorted},
                    [&](const Arrays& a, const Arrays& b) { return fn::each(f, a, b); })[0];
}

Array index_take(const Arg& src, const Arrays& idxs, const Sizes& axes) {
  const SourceScope s(src.at());
  constexpr const char* name = "index_take";
  const Sizes at = fn::axes_of(name, axes, src->ndim());
  if (idxs.empty() || idxs.size() != at.size())
    fn::fail_shape(fmt::format("{}: needs a vector of indices for each of {} axes, got {}", name,
                               at.size(), idxs.size()));
  Arrays columns;
  for (size_t k = 0; k < idxs.size(); ++k) {
    const Array& i = idxs[k];
    if (!is_integer(i.dtype()))
      fn::fail_dtype(
          fmt::format("{}: indices must be integers, got {}", name, to_string(i.type())));
    if (i.ndim() != 1 || i.shape() != idxs[0].shape())
      fn::fail_shape(fmt::format("{}: indices must be vectors of one length, got {}", name,
                                 to_string(i.type())));
    const int64_t n = src->shape()[at[k]];
    const Array wide = base::convert(i, I64), size = fn::number_like(wide, static_cast<double>(n));
    const Array wrapped = n == 0 ? wide : rem(add(rem(wide, size), size), size);
    columns.push_back(base::insert_axis(wrapped, 1, 1));
  }
  Sizes sizes = src->shape().sizes(), collapsed = at;
  for (int64_t a : at) sizes[a] = 1;
  std::sort(collapsed.begin(), collapsed.end());
  const auto left = src->ndim() - std::ssize(at);
  return gather(src, base::concatenate(columns, 1), {axis_range(1, left + 1), collapsed, at},
                sizes);
}

std::pair<Array, Array> approx_max_k(const Arg& x, int64_t k, const ApproxTopKOptions& o) {
  const SourceScope s(x.at());
  const int axis = approx_axis("approx_max_k", x, k, o);
  return top_k_along(x, o.aggregate_to_topk ? k : x->shape()[axis], axis);
}
std::pair<Array, Array> approx_min_k(const Arg& x, int64_t k, const ApproxTopKOptions& o) {
  const SourceScope s(x.at());
  const int axis = approx_axis("approx_min_k", x, k, o);
  Arrays sorted = sort_arrays({x, iota(I32, x->shape(), axis)}, axis);
  if (o.aggregate_to_topk)
    for (Array& v : sorted) v = base::slice_axis(v, axis, 0, k);
  return {sorted[0], sorted[1]};
}

namespace {

// Applies to a factor of scaled_dot its scale, which is repeated along the contracting axes.
Array scaled_factor(const char* side, const Array& x, const std::optional<Array>& scale,
                    const Sizes& contracting) {
  const auto bf16 = [&](const Array& a) {
    if (is_complex(a.dtype()))
      fn::fail_dtype(fmt::format("scaled_dot: {} must be real, got {}", side, to_string(a.type())));
    return fn::as_dtype(a, BF16);
  };
  if (!scale) return bf16(x);
  Array s = bf16(*scale);
  const auto fail = [&](const std::string& why) {
    fn::fail_shape(fmt::format("scaled_dot: the scale of {} {}, got {} for {}", side, why,
                               to_string(s.type()), to_string(x.type())));
  };
  if (s.ndim() != x.ndim()) fail("must have as many axes");
  for (int64_t a = 0; a < x.ndim(); ++a) {
    const int64_t n = x.shape()[a], m = scale->shape()[a];
    if (std::find(contracting.begin(), contracting.end(), a) == contracting.end()) {
      if (m != n) fail("must have its size along axes that are not contracted");
      continue;
    }
    if (m == 0 || n % m != 0 || n / m < 2)
      fail(fmt::format("must divide axis {}, which is contracted, into parts of two or more", a));
    const int axis = static_cast<int>(a);
    s = base::reshape(base::insert_axis(s, axis + 1, n / m), s.shape().with(axis, n));
  }
  return mul(bf16(x), s);
}

}  // namespace

Array scaled_dot(const Arg& lhs, const Arg& rhs, const ScaledDotOptions& o) {
  const SourceScope source(lhs.at());
  const int n = lhs->ndim();
  if (n != rhs->ndim() || (n < 2 && !o.dimension_numbers))
    fn::fail_shape(fmt::format(
        "scaled_dot: takes factors of one rank, 2 or more unless dimension_numbers are given, got "
        "{} and {}",
        to_string(lhs->type()), to_string(rhs->type())));
  DotDims d;
  if (o.dimension_numbers) {
    d = *o.dimension_numbers;
  } else {
    const Sizes lead = axis_range(n - 2);
    d = {{n - 1}, {n - 2}, lead, lead};
  }
  return dot_general(scaled_factor("lhs", lhs, o.lhs_scale, d.lhs_contract),
                     scaled_factor("rhs", rhs, o.rhs_scale, d.rhs_contract), d,
                     o.preferred_element_type);
}

Array rng_uniform(const Arg& a, const Arg& b, const Shape& shape) {
  const SourceScope s(a.at());
  static std::atomic<uint64_t> calls{0};
  // A C++ number takes the dtype of the other operand.
  const Array lo = a->weak_type() ? fn::as_dtype(a, b->dtype()) : Array(a),
              hi = b->weak_type() ? fn::as_dtype(b, lo.dtype()) : Array(b);
  return draw_range("rng_uniform", lo, hi, shape, Distribution::uniform, calls++);
}

DType dtype(const Arg& x) {
  const SourceScope s(x.at());
  return x->dtype();
}

Array empty(const Shape& shape, DType dtype, Location at) { return weft::empty(shape, dtype, at); }

Shape broadcast_shapes(const std::vector<Shape>& shapes, Location at) {
  const SourceScope s(at);
  if (shapes.empty()) fn::fail_shape("broadcast_shapes: needs at least one shape");
  Shape all = shapes[0];
  for (const Shape& shape : shapes) all = weft::broadcast_shapes(all, shape);
  return all;
}
Array broadcast_like(const Arg& x, const Arg& like) {
  const SourceScope s(x.at());
  return fn::broadcast(x, like->shape());
}
Array shape_as_value(const Shape& shape, Location at) {
  const SourceScope s(at);
  const bool fits = std::all_of(shape.begin(), shape.end(),
                                [](int64_t n) { return n <= std::numeric_limits<int32_t>::max(); });
  const Array sizes = array_of_bytes(Type(I64, Shape{shape.ndim()}), shape.sizes().data());
  return fits ? base::convert(sizes, I32) : sizes;
}
Array stack(const Arrays& x, int64_t axis, Location at) {
  const SourceScope s(at);
  if (x.empty()) fn::fail_shape("stack: needs at least one array");
  const int a = fn::axis_of("stack", axis, x[0].ndim() + 1);
  Arrays rows;
  for (const Array& v : x) {
    if (v.dtype() != x[0].dtype() || v.shape() != x[0].shape())
      fn::fail_shape(fmt::format("stack: takes arrays of one type, got {} and {}",
                                 to_string(x[0].type()), to_string(v.type())));
    rows.push_back(weft::expand_dims(v, a));
  }
  return concatenate_arrays(rows, a);
}
Arrays unstack(const Arg& x, int64_t axis) { return weft::unstack(x, axis); }

}  // namespace weft::lax
