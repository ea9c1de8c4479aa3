// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/shape.cpp: functions that rearrange, join and repeat.
#include "weft/numpy/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "functions/kit.h"
#include "ops/index/index.h"
#include "ops/kit/axes.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"
#include "weft/numpy/index.h"
#include "weft/numpy/sort.h"

namespace weft {

using Sizes = std::vector<int64_t>;

Array reshape(const Arg& x, const NewShape& shape) {
  const ApiNameScope s("reshape", x.at());
  Sizes out = shape.sizes;
  int64_t known = 1, free = -1;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] >= 0) {
      known = checked_mul(known, out[i]);
    } else if (out[i] == -1 && free < 0) {
      free = static_cast<int64_t>(i);
    } else {
      fn::fail_shape(
          fmt::format("reshape: ({}): one size may be -1, the others must not be negative",
                      fmt::join(out, ", ")));
    }
  }
  const int64_t n = x->size();
  if (free >= 0) {
    if (known == 0 || n % known != 0)
      fn::fail_shape(fmt::format("reshape: cannot reshape {} into ({})", to_string(x->type()),
                                 fmt::join(out, ", ")));
    out[static_cast<size_t>(free)] = n / known;
  } else if (known != n) {
    fn::fail_shape(fmt::format("reshape: cannot reshape {}, of {} elements, into ({}), of {}",
                               to_string(x->type()), n, fmt::join(out, ", "), known));
  }
  return reshape_to(x, Shape(out));
}
Array ravel(const Arg& x) { return reshape(x, -1); }

Array transpose(const Arg& x, const Sizes& axes) {
  const ApiNameScope s("transpose", x.at());
  const int n = x->type().ndim();
  Sizes p;
  if (axes.empty()) {
    for (int i = n; i-- > 0;) p.push_back(i);
  } else {
    if (static_cast<int>(axes.size()) != n)
      fn::fail_shape(fmt::format("transpose: {} axes for {}", axes.size(), to_string(x->type())));
    fn::axes_of("transpose", axes, n);
    for (int64_t a : axes) p.push_back(fn::axis_of("transpose", a, n));
  }
  return std::is_sorted(p.begin(), p.end()) ? x.value() : transpose_axes(x, p);
}
Array permute_dims(const Arg& x, const Sizes& axes) { return transpose(x, axes); }
Array matrix_transpose(const Arg& x) {
  const ApiNameScope s("matrix_transpose", x.at());
  if (x->ndim() < 2)
    fn::fail_shape("matrix_transpose: needs a matrix, got " + to_string(x->type()));
  return swapaxes(x, -1, -2);
}
Array swapaxes(const Arg& x, int64_t a, int64_t b) {
  const ApiNameScope s("swapaxes", x.at());
  const int n = x->type().ndim();
  Sizes p = axis_range(n);
  std::swap(p[static_cast<size_t>(fn::axis_of("swapaxes", a, n))],
            p[static_cast<size_t>(fn::axis_of("swapaxes", b, n))]);
  return transpose(x, p);
}
Array moveaxis(const Arg& x, const AxisList& from, const AxisList& to) {
  const ApiNameScope s("moveaxis", x.at());
  const int n = x->type().ndim();
  if (from.axes.size() != to.axes.size())
    fn::fail_shape("moveaxis: as many destinations as sources are needed");
  Sizes p(static_cast<size_t>(n), -1);
  fn::axes_of("moveaxis", from.axes, n);
  fn::axes_of("moveaxis", to.axes, n);
  std::vector<bool> used(static_cast<size_t>(n));
  for (size_t i = 0; i < from.axes.size(); ++i) {
    const int a = fn::axis_of("moveaxis", from.axes[i], n);
    p[static_cast<size_t>(fn::axis_of("moveaxis", to.axes[i], n))] = a;
    used[static_cast<size_t>(a)] = true;
  }
  int next = 0;
  for (int64_t& a : p) {
    if (a >= 0) continue;
    while (used[static_cast<size_t>(next)]) ++next;
    a = next++;
  }
  return n == 0 ? x.value() : transpose(x, p);
}
Array expand_dims(const Arg& x, const AxisList& axis) {
  const ApiNameScope s("expand_dims", x.at());
  const int n = x->type().ndim() + static_cast<int>(axis.axes.size());
  const Sizes fresh = fn::axes_of("expand_dims", axis.axes, n);
  Sizes shape, dims;
  size_t own = 0;
  for (int i = 0; i < n; ++i) {
    if (std::binary_search(fresh.begin(), fresh.end(), i)) {
      shape.push_back(1);
    } else {
      dims.push_back(i);
      shape.push_back(x->shape()[static_cast<int64_t>(own++)]);
    }
  }
  return fresh.empty() ? x.value() : broadcast_in_dim(x, Shape(shape), dims);
}
Array squeeze(const Arg& x, const AxisList& axis) {
  const ApiNameScope s("squeeze", x.at());
  const int n = x->type().ndim();
  Sizes axes;
  if (axis.all) {
    for (int i = 0; i < n; ++i)
      if (x->shape()[i] == 1) axes.push_back(i);
  } else {
    axes = fn::axes_of("squeeze", axis.axes, n);
    for (int64_t a : axes)
      if (x->shape()[a] != 1)
        fn::fail_shape(
            fmt::format("squeeze: axis {} of {} is not of size 1", a, to_string(x->type())));
  }
  return squeeze_axes(x, axes);
}
Array broadcast_to(const Arg& x, const Shape& shape) {
  const ApiNameScope s("broadcast_to", x.at());
  const int extra = shape.ndim() - x->shape().ndim();
  for (int i = 0; i < x->shape().ndim(); ++i)
    if (extra < 0 || (x->shape()[i] != 1 && x->shape()[i] != shape[i + extra]))
      fn::fail_shape(fmt::format("broadcast_to: {} does not broadcast to shape {}",
                                 to_string(x->type()), to_string(shape)));
  return fn::broadcast(x, shape);
}
Arrays broadcast_arrays(const Arrays& x, Location at) {
  const ApiNameScope s("broadcast_arrays", at);
  Shape shape;
  for (const Array& a : x) shape = broadcast_shapes(shape, a.shape());
  Arrays out;
  for (const Array& a : x) out.push_back(fn::broadcast(a, shape));
  return out;
}
Array atleast_1d(const Arg& x) {
  const ApiNameScope s("atleast_1d", x.at());
  return x->ndim() >= 1 ? x.value() : reshape(x, 1);
}
Array atleast_2d(const Arg& x) {
  const ApiNameScope s("atleast_2d", x.at());
  return x->ndim() >= 2 ? x.value() : expand_dims(atleast_1d(x), 0);
}
Array atleast_3d(const Arg& x) {
  const ApiNameScope s("atleast_3d", x.at());
  if (x->ndim() >= 3) return x;
  return x->ndim() == 2 ? expand_dims(x, 2) : expand_dims(atleast_1d(x), {0, 2});
}
Array astype(const Arg& x, DType d) {
  const ApiNameScope s("astype", x.at());
  // A complex number is true if one of its parts is nonzero. A conversion to Bool would drop the
  // imaginary part.
  const Array& v = x;
  return d == Bool && is_complex(v.dtype()) ? v != 0 : fn::as_dtype(v, d);
}

// ---- joining

namespace {
void need_some(const char* name, const Arrays& x) {
  if (x.empty()) fn::fail_shape(std::string(name) + ": needs at least one array");
}
template <class F>
Arrays each(const Arrays& x, const F& f) {
  Arrays out;
  for (const Array& a : x) out.push_back(f(a));
  return out;
}
Arrays of_dtype(const Arrays& x, std::optional<DType> dtype) {
  return dtype ? each(x, [&](const Array& a) { return fn::as_dtype(a, *dtype); })
               : fn::same_dtype(x);
}
}  // namespace

Array concatenate(const Arrays& given, OneAxis axis, std::optional<DType> dtype, Location at) {
  const ApiNameScope s("concatenate", at);
  need_some("concatenate", given);
  const Arrays x = axis ? given : each(given, [](const Array& a) { return ravel(a); });
  const int n = x[0].type().ndim();
  if (n == 0) fn::fail_shape("concatenate: arrays without axes cannot be joined; use stack");
  const int a = fn::axis_of("concatenate", axis.value_or(0), n);
  for (size_t k = 1; k < x.size(); ++k)
    for (int i = 0; i < n; ++i)
      if (x[k].ndim() != n || (i != a && x[k].shape()[i] != x[0].shape()[i]))
        fn::fail_shape(
            fmt::format("concatenate: array {} is {}, which does not go with {} along axis {}", k,
                        to_string(x[k].type()), to_string(x[0].type()), a));
  return fn::joined(of_dtype(x, dtype), a);
}
Array concat(const Arrays& x, OneAxis axis, Location at) { return concatenate(x, axis, {}, at); }
Array stack(const Arrays& x, int64_t axis, std::optional<DType> dtype, Location at) {
  const ApiNameScope s("stack", at);
  need_some("stack", x);
  for (const Array& a : x)
    if (!(a.shape() == x[0].shape()))
      fn::fail_shape(fmt::format("stack: all arrays must have one shape; got {} and {}",
                                 to_string(x[0].type()), to_string(a.type())));
  const int n = fn::axis_of("stack", axis, x[0].type().ndim() + 1);
  return fn::joined(each(of_dtype(x, dtype), [&](const Array& a) { return expand_dims(a, n); }), n);
}
Array vstack(const Arrays& x, std::optional<DType> dtype, Location at) {
  const ApiNameScope s("vstack", at);
  return concatenate(each(x, [](const Array& a) { return atleast_2d(a); }), 0, dtype);
}
Array hstack(const Arrays& x, std::optional<DType> dtype, Location at) {
  const ApiNameScope s("hstack", at);
  need_some("hstack", x);
  const Arrays y = each(x, [](const Array& a) { return atleast_1d(a); });
  return concatenate(y, y[0].ndim() == 1 ? 0 : 1, dtype);
}
Array dstack(const Arrays& x, std::optional<DType> dtype, Location at) {
  const ApiNameScope s("dstack", at);
  return concatenate(each(x, [](const Array& a) { return atleast_3d(a); }), 2, dtype);
}
Array column_stack(const Arrays& x, Location at) {
  const ApiNameScope s("column_stack", at);
  return concatenate(each(x, [](const Array& a) { return a.ndim() < 2 ? reshape(a, {-1, 1}) : a; }),
                     1);
}
Array append(const Arg& x, const Arg& values, OneAxis axis) {
  const ApiNameScope s("append", x.at());
  return axis ? concatenate({x, values}, *axis) : concatenate({ravel(x), ravel(values)}, 0);
}

Arrays split(const Arg& x, const Sizes& positions, int64_t axis) {
  const ApiNameScope s("split", x.at());
  const int a = fn::axis_of("split", axis, x->type().ndim());
  const int64_t n = x->shape()[a];
  Arrays out;
  int64_t from = 0;
  for (size_t i = 0; i <= positions.size(); ++i) {
    int64_t to = i < positions.size() ? positions[i] : n;
    if (to < 0) to += n;
    if (to < from || to > n)
      fn::fail_shape(
          fmt::format("split: sizes must be nonnegative: the positions ({}) must not decrease, and "
                      "must be on axis {} of {}",
                      fmt::join(positions, ", "), a, to_string(x->type())));
    out.push_back(fn::sliced(x, a, from, to));
    from = to;
  }
  return out;
}
Arrays array_split(const Arg& x, int64_t n, int64_t axis) {
  const ApiNameScope s("array_split", x.at());
  const int a = fn::axis_of("split", axis, x->type().ndim());
  if (n < 1) fn::fail_shape(fmt::format("split: {} is not a number of parts", n));
  Sizes at;
  const int64_t each = x->shape()[a] / n, longer = x->shape()[a] % n;
  for (int64_t i = 1; i < n; ++i) at.push_back(i * each + std::min(i, longer));
  return split(x, at, a);
}
Arrays split(const Arg& x, int64_t n, int64_t axis) {
  const ApiNameScope s("split", x.at());
  const int a = fn::axis_of("split", axis, x->type().ndim());
  if (n < 1 || x->shape()[a] % n != 0)
    fn::fail_shape(
        fmt::format("split: axis {} of {} has no {} equal parts", a, to_string(x->type()), n));
  return array_split(x, n, a);
}
Arrays unstack(const Arg& x, int64_t axis) {
  const ApiNameScope s("unstack", x.at());
  const int a = fn::axis_of("unstack", axis, x->type().ndim());
  Arrays out;
  for (int64_t i = 0; i < x->shape()[a]; ++i)
    out.push_back(squeeze_axes(fn::sliced(x, a, i, i + 1), {a}));
  return out;
}

// ---- repeating

Array tile(const Arg& x, const Sizes& reps) {
  const ApiNameScope s("tile", x.at());
  const size_t n = std::max(reps.size(), x->shape().size());
  Sizes own(n - x->shape().size(), 1), times(n - reps.size(), 1);
  own.insert(own.end(), x->shape().begin(), x->shape().end());
  times.insert(times.end(), reps.begin(), reps.end());
  Sizes apart, out, dims;
  for (size_t i = 0; i < n; ++i) {
    if (times[i] < 0) fn::fail_shape(fmt::format("tile: {} repetitions", times[i]));
    apart.insert(apart.end(), {times[i], own[i]});
    dims.push_back(static_cast<int64_t>(2 * i) + 1);
    out.push_back(checked_mul(times[i], own[i]));
  }
  return reshape_to(broadcast_in_dim(reshape_to(x, Shape(own)), Shape(apart), dims), Shape(out));
}
Array tile(const Arg& x, int64_t reps) { return tile(x, Sizes{reps}); }

Array repeat(const Arg& x, int64_t times, OneAxis axis) {
  const ApiNameScope s("repeat", x.at());
  if (times < 0) fn::fail_shape(fmt::format("repeat: {} repetitions", times));
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("repeat", axis.value_or(0), v.type().ndim());
  Sizes dims;
  for (int i = 0; i < v.ndim(); ++i) dims.push_back(i <= a ? i : i + 1);
  const Array apart = broadcast_in_dim(v, v.shape().inserted(a + 1, times), dims);
  return reshape_to(apart, v.shape().with(a, checked_mul(v.shape()[a], times)));
}
Array repeat(const Arg& x, const Sizes& times, OneAxis axis) {
  const ApiNameScope s("repeat", x.at());
  if (times.size() == 1) return repeat(x, times[0], axis);
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("repeat", axis.value_or(0), v.type().ndim());
  if (static_cast<int64_t>(times.size()) != v.shape()[a])
    fn::fail_shape(fmt::format("repeat: {} numbers of repetitions for axis {} of {}", times.size(),
                               a, to_string(v.type())));
  std::vector<int64_t> from;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] < 0) fn::fail_shape(fmt::format("repeat: {} repetitions", times[i]));
    from.insert(from.end(), static_cast<size_t>(times[i]), static_cast<int64_t>(i));
  }
  return fn::take_known(v, from, a);
}

Array repeat(const Arg& x, const Array& times, OneAxis axis, const RepeatOptions& o) {
  const ApiNameScope s("repeat", x.at());
  if (!is_integer(times.dtype()) || times.ndim() > 1)
    fn::fail_dtype("repeat: numbers of repetitions are an integer or a vector of them, got " +
                   to_string(times.type()));
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("repeat", axis.value_or(0), v.type().ndim());
  const int64_t n = v.shape()[a];
  if (times.size() != 1 && times.size() != n)
    fn::fail_shape(fmt::format("repeat: {} numbers of repetitions for axis {} of {}", times.size(),
                               a, to_string(v.type())));
  if (!o.total_repeat_length) {
    if (!concrete_or_null(times))
      throw ConcretizationError(
          "repeat: how many elements there are depends on traced numbers of repetitions; say how "
          "many are given: {.total_repeat_length = n}");
    return repeat(v, times.to_vector<int64_t>(), a);
  }
  if (*o.total_repeat_length < 0 || (n == 0 && *o.total_repeat_length > 0))
    fn::fail_shape(
        fmt::format("repeat: {} elements of {}", *o.total_repeat_length, to_string(v.type())));
  // Result element k belongs to the first input element whose repetitions end after position k.
  const Array ends =
      lax::cumsum(fn::broadcast(times.ndim() ? times : reshape_to(times, {1}), {n}), 0);
  const Array place = iota(ends.dtype(), {*o.total_repeat_length}, 0);
  return take(v, searchsorted(ends, place, {.side = "right"}), a, {.mode = "clip"});
}

namespace {
Array rolled(const Array& x, const Array& shift, int axis) {
  const int64_t n = x.shape()[axis];
  if (n == 0) return x;
  if (shift.ndim() != 0 || !is_integer(shift.dtype()))
    fn::fail_dtype("roll: a shift must be an integer, got " + to_string(shift.type()));
  if (concrete_or_null(shift)) {
    int64_t k = shift.item<int64_t>() % n;
    if (k < 0) k += n;
    return k == 0
               ? x
               : fn::joined({fn::sliced(x, axis, n - k, n), fn::sliced(x, axis, 0, n - k)}, axis);
  }
  // A window of the array joined to itself, which starts at n - (shift mod n).
  const Array size = scalar_of_int(shift.dtype(), n);
  const Array k = lax::rem(lax::sub(size, lax::rem(shift, size)), size);
  Arrays starts(x.shape().size(), scalar_of_int(shift.dtype(), 0));
  starts[static_cast<size_t>(axis)] = k;
  return dynamic_slice_at(concatenate_arrays({x, x}, axis), starts, x.shape().sizes());
}
}  // namespace
Array roll(const Arg& x, const Arg& shift, const AxisList& axis) {
  const ApiNameScope s("roll", x.at());
  if (axis.all)
    return x->ndim() == 0 ? x.value() : reshape_to(rolled(ravel(x), shift, 0), x->shape());
  const bool many = shift->ndim() == 1;
  if (many && shift->size() != static_cast<int64_t>(axis.axes.size()))
    fn::fail_shape("roll: needs one shift an axis");
  Array out = x;
  for (size_t i = 0; i < axis.axes.size(); ++i) {
    const int a = fn::axis_of("roll", axis.axes[i], x->type().ndim());
    const auto k = static_cast<int64_t>(i);
    out = rolled(out, many ? squeeze_axes(fn::sliced(shift, 0, k, k + 1), {0}) : shift.value(), a);
  }
  return out;
}
Array flip(const Arg& x, const AxisList& axis) {
  const ApiNameScope s("flip", x.at());
  const Sizes axes = fn::axes_of("flip", x, axis);
  return axes.empty() ? x.value() : reverse(x, axes);
}
Array fliplr(const Arg& x) { return flip(x, 1); }
Array flipud(const Arg& x) { return flip(x, 0); }
Array rot90(const Arg& x, int64_t k, int64_t axis1, int64_t axis2) {
  const ApiNameScope s("rot90", x.at());
  const int a = fn::axis_of("rot90", axis1, x->type().ndim()),
            b = fn::axis_of("rot90", axis2, x->type().ndim());
  if (a == b) fn::fail_shape("rot90: the two axes must differ");
  switch (((k % 4) + 4) % 4) {
    case 1: return swapaxes(flip(x, b), a, b);
    case 2: return flip(x, {a, b});
    case 3: return flip(swapaxes(x, a, b), b);
    default: return x;
  }
}

}  // namespace weft
