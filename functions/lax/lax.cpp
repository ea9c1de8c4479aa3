// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/lax.cpp: the primitives that move, index and sort.
#include "weft/lax.h"

#include <fmt/format.h>

#include <numeric>

#include "functions/kit.h"
#include "ops/index/index.h"
#include "ops/index/sort.h"
#include "ops/kit/axes.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/numpy/shape.h"

namespace weft::lax {
namespace {

int rank_of(const Array& x) { return x.type().ndim(); }
void need_sizes(const char* name, const Array& x, const Sizes& s) {
  if (static_cast<int>(s.size()) != rank_of(x))
    fn::fail_shape(fmt::format("{}: needs one entry an axis, got {} for {}", name, s.size(),
                               to_string(x.type())));
}
// Negative starts of signed types count from the end.
Arrays wrapped(const char* name, const Array& x, const Arrays& starts) {
  if (static_cast<int>(starts.size()) != rank_of(x))
    fn::fail_shape(fmt::format("{}: needs one start an axis, got {} for {}", name, starts.size(),
                               to_string(x.type())));
  Arrays out;
  for (size_t i = 0; i < starts.size(); ++i) {
    const Array& s = starts[i];
    if (!is_integer(s.dtype()) || s.ndim() != 0)
      fn::fail_dtype(
          fmt::format("{}: starts must be integer scalars, got {}", name, to_string(s.type())));
    const int64_t n = x.shape()[static_cast<int64_t>(i)];
    if (is_unsigned(s.dtype())) {
      out.push_back(s);
    } else if (concrete_or_null(s)) {
      // The start is known while tracing, so no equation is needed.
      const int64_t v = s.item<int64_t>();
      const int64_t at = v < 0 ? v + n : v;
      out.push_back(scalar_of_int(at > INT32_MAX || at < INT32_MIN ? I64 : I32, at));
    } else {
      out.push_back(
          fn::wrapped_index(itemsize(s.dtype()) < 4 ? fn::as_dtype(s, fn::index_dtype(n)) : s, n));
    }
  }
  return out;
}
Arrays parts_of(const char* name, const Starts& given) {
  if (!given.vector) return given.list;
  const Array& starts = given.list[0];
  if (starts.ndim() != 1)
    fn::fail_shape(fmt::format("{}: starts must be scalars or a vector, got {}", name,
                               to_string(starts.type())));
  Arrays out;
  for (int64_t i = 0; i < starts.size(); ++i)
    out.push_back(squeeze_axes(fn::sliced(starts, 0, i, i + 1), {0}));
  return out;
}
Arrays start_on(const Array& x, const Array& start, int axis) {
  Arrays s(x.shape().size(), scalar_of_int(I32, 0));
  s[axis] = start;
  return s;
}
}  // namespace

Array reciprocal(const Arg& x) { return integer_pow(x, -1); }

Array broadcast(const Arg& x, const Shape& sizes) {
  const ApiNameScope s("broadcast", x.at());
  Sizes shape = sizes.sizes();
  shape.insert(shape.end(), x->shape().begin(), x->shape().end());
  const int64_t n = sizes.ndim();
  return weft::broadcast_in_dim(x, Shape(shape), axis_range(n, n + x->ndim()));
}
Array broadcast_in_dim(const Arg& x, const Shape& shape, const Sizes& dims) {
  const ApiNameScope s("broadcast_in_dim", x.at());
  return weft::broadcast_in_dim(x, shape, dims);
}
Array broadcast_to_rank(const Arg& x, int64_t rank) {
  const ApiNameScope s("broadcast_to_rank", x.at());
  if (rank < x->ndim())
    fn::fail_shape(
        fmt::format("broadcast_to_rank: {} has more than {} axes", to_string(x->type()), rank));
  return weft::expand_dims(x, axis_range(rank - x->ndim()));
}
Array reshape(const Arg& x, const Shape& new_sizes, const Sizes& dimensions) {
  const ApiNameScope s("reshape", x.at());
  return reshape_to(dimensions.empty() ? x.value() : transpose_axes(x, dimensions), new_sizes);
}
Array collapse(const Arg& x, int64_t start, std::optional<int64_t> stop) {
  const ApiNameScope s("collapse", x.at());
  const int64_t n = x->ndim(), a = start < 0 ? start + n : start,
                b = !stop       ? n
                    : *stop < 0 ? *stop + n
                                : *stop;
  if (a < 0 || b > n || a > b)
    fn::fail_index(
        fmt::format("collapse: axes [{}, {}) are not axes of {}", a, b, to_string(x->type())));
  Sizes shape(x->shape().begin(), x->shape().begin() + a);
  int64_t product = 1;
  for (int64_t i = a; i < b; ++i) product *= x->shape()[i];
  shape.push_back(product);
  shape.insert(shape.end(), x->shape().begin() + b, x->shape().end());
  return reshape_to(x, Shape(shape));
}
Array expand_dims(const Arg& x, const Sizes& dimensions) {
  return weft::expand_dims(x, dimensions);
}
Array squeeze(const Arg& x, const Sizes& dimensions) { return weft::squeeze(x, dimensions); }
Array transpose(const Arg& x, const Sizes& permutation) {
  const ApiNameScope s("transpose", x.at());
  return transpose_axes(x, permutation);
}
Array rev(const Arg& x, const Sizes& dimensions) {
  const ApiNameScope s("rev", x.at());
  return reverse(x, dimensions);
}
Array concatenate(const Arrays& x, int64_t dimension, Location at) {
  const ApiNameScope s("concatenate", at);
  return concatenate_arrays(x, dimension);
}
Array pad(const Arg& x, const Arg& value, const std::vector<PadAxis>& config) {
  const ApiNameScope s("pad", x.at());
  Sizes low, high, interior;
  for (const PadAxis& p : config) {
    low.push_back(p.low);
    high.push_back(p.high);
    interior.push_back(p.interior);
  }
  need_sizes("pad", x, low);
  // A C++ number can pad an array of any dtype.
  return pad_with(x, value->weak_type() ? fn::as_dtype(value, x->dtype()) : value.value(), low,
                  high, interior);
}
Array iota(DType dtype, int64_t size, Location at) {
  const ApiNameScope s("iota", at);
  return weft::iota(dtype, Shape{size}, 0);
}
Array broadcasted_iota(DType dtype, const Shape& shape, int64_t dimension, Location at) {
  const ApiNameScope s("broadcasted_iota", at);
  return weft::iota(dtype, shape, fn::axis_of("broadcasted_iota", dimension, shape.ndim()));
}
Array full(const Shape& shape, const Arg& value, std::optional<DType> dtype) {
  const ApiNameScope s("full", value.at());
  if (value->ndim() != 0)
    fn::fail_shape("full: the value must be a scalar, got " + to_string(value->type()));
  return fn::broadcast(fn::fill_value("full", value, dtype.value_or(value->dtype())), shape);
}
Array full_like(const Arg& x, const Arg& value, std::optional<DType> dtype) {
  const ApiNameScope s("full_like", x.at());
  return full(x->shape(), value, dtype.value_or(x->dtype()));
}
Arrays split(const Arg& x, const Sizes& sizes, int64_t axis) {
  const ApiNameScope s("split", x.at());
  const int a = fn::axis_of("split", axis, rank_of(x));
  if (std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) != x->shape()[a])
    fn::fail_shape(fmt::format("split: sizes ({}) do not make up axis {} of {}",
                               fmt::join(sizes, ", "), a, to_string(x->type())));
  Arrays out;
  int64_t from = 0;
  for (int64_t n : sizes) {
    out.push_back(fn::sliced(x, a, from, from + n));
    from += n;
  }
  return out;
}
Array tile(const Arg& x, const Sizes& reps) { return weft::tile(x, reps); }

// ---- windows

Array slice(const Arg& x, const Sizes& start, const Sizes& limit, const Sizes& strides) {
  const ApiNameScope s("slice", x.at());
  return slice_static(x, start, limit, strides.empty() ? Sizes(start.size(), 1) : strides);
}
Array slice_in_dim(const Arg& x, std::optional<int64_t> start, std::optional<int64_t> limit,
                   int64_t stride, int64_t axis) {
  const ApiNameScope s("slice_in_dim", x.at());
  const int a = fn::axis_of("slice_in_dim", axis, rank_of(x));
  const int64_t n = x->shape()[a];
  const auto bound = [&](std::optional<int64_t> v, int64_t otherwise) {
    return !v ? otherwise : *v < 0 ? *v + n : *v;
  };
  return fn::sliced(x, a, bound(start, 0), bound(limit, n), stride);
}
Array index_in_dim(const Arg& x, int64_t index, int64_t axis, bool keepdims) {
  const ApiNameScope s("index_in_dim", x.at());
  const int a = fn::axis_of("index_in_dim", axis, rank_of(x));
  const int64_t n = x->shape()[a];
  if (index < -n || index >= n)
    fn::fail_index(fmt::format("index_in_dim: index {} is out of bounds for axis {} with size {}",
                               index, a, n));
  const int64_t i = index < 0 ? index + n : index;
  const Array out = fn::sliced(x, a, i, i + 1);
  return keepdims ? out : squeeze_axes(out, {a});
}
Array dynamic_slice(const Arg& x, const Starts& starts, const Sizes& sizes) {
  const ApiNameScope s("dynamic_slice", x.at());
  need_sizes("dynamic_slice", x, sizes);
  return dynamic_slice_at(x, wrapped("dynamic_slice", x, parts_of("dynamic_slice", starts)), sizes);
}
Array dynamic_slice_in_dim(const Arg& x, const Arg& start, int64_t size, int64_t axis) {
  const ApiNameScope s("dynamic_slice_in_dim", x.at());
  const int a = fn::axis_of("dynamic_slice_in_dim", axis, rank_of(x));
  return dynamic_slice(x, start_on(x, start, a), x->shape().with(a, size).sizes());
}
Array dynamic_index_in_dim(const Arg& x, const Arg& index, int64_t axis, bool keepdims) {
  const ApiNameScope s("dynamic_index_in_dim", x.at());
  const int a = fn::axis_of("dynamic_index_in_dim", axis, rank_of(x));
  const Array out = dynamic_slice_in_dim(x, index, 1, a);
  return keepdims ? out : squeeze_axes(out, {a});
}
Array dynamic_update_slice(const Arg& x, const Arg& update, const Starts& starts) {
  const ApiNameScope s("dynamic_update_slice", x.at());
  const Array u = update->weak_type() ? fn::as_dtype(update, x->dtype()) : update.value();
  return dynamic_update_at(
      x, u, wrapped("dynamic_update_slice", x, parts_of("dynamic_update_slice", starts)));
}
Array dynamic_update_slice_in_dim(const Arg& x, const Arg& update, const Arg& start, int64_t axis) {
  const ApiNameScope s("dynamic_update_slice_in_dim", x.at());
  return dynamic_update_slice(
      x, update, start_on(x, start, fn::axis_of("dynamic_update_slice_in_dim", axis, rank_of(x))));
}
Array dynamic_update_index_in_dim(const Arg& x, const Arg& update, const Arg& index, int64_t axis) {
  const ApiNameScope s("dynamic_update_index_in_dim", x.at());
  const int a = fn::axis_of("dynamic_update_index_in_dim", axis, rank_of(x));
  const Array u = update->ndim() == x->ndim() ? update.value() : weft::expand_dims(update, a);
  return dynamic_update_slice_in_dim(x, u, index, a);
}

// ---- gather and scatter

namespace {
// Returns true if windows out of range are moved into range, and false if they are dropped or
// filled.
bool moves_inside(const char* name, const std::string& mode) {
  if (mode == "clip" || mode == "promise_in_bounds") return true;
  if (mode != "fill" && mode != "drop")
    fn::fail_index(
        fmt::format("{}: mode is \"fill\", \"drop\", \"clip\" or \"promise_in_bounds\", not \"{}\"",
                    name, mode));
  return false;
}
}  // namespace
Array gather(const Arg& x, const Arg& indices, const GatherDimensionNumbers& g, const Sizes& sizes,
             const GatherOptions& o) {
  const ApiNameScope s("gather", x.at());
  const WindowDims d{g.offset_dims, g.collapsed_slice_dims, g.start_index_map,
                     g.operand_batching_dims, g.start_indices_batching_dims};
  const bool fill = !moves_inside("gather", o.mode);
  const Array out =
      gather_windows(x, indices, d, sizes, fill ? OutOfBounds::fill : OutOfBounds::clip,
                     {o.unique_indices, o.indices_are_sorted});
  if (!fill || !o.fill_value) return out;
  // A gather of an array of trues reads false exactly where the window is out of range.
  const Array inside = gather_windows(fn::broadcast(fn::as_dtype(true, Bool), x->shape()), indices,
                                      d, sizes, OutOfBounds::zero);
  return select(inside, out, fn::broadcast(fn::as_dtype(*o.fill_value, out.dtype()), out.shape()));
}
namespace {
Array scattered(const Arg& x, const Arg& indices, const Arg& updates,
                const ScatterDimensionNumbers& g, const ScatterOptions& o, Update u) {
  const SourceScope s(x.at());
  const bool inside = moves_inside("scatter", o.mode);
  return scatter_windows(
      x, indices, updates,
      {g.update_window_dims, g.inserted_window_dims, g.scatter_dims_to_operand_dims,
       g.operand_batching_dims, g.scatter_indices_batching_dims},
      u, inside ? OutOfBounds::clip : OutOfBounds::zero, {o.unique_indices, o.indices_are_sorted});
}
}  // namespace
Array scatter(const Arg& x, const Arg& i, const Arg& u, const ScatterDimensionNumbers& d,
              const ScatterOptions& o) {
  return scattered(x, i, u, d, o, Update::set);
}
Array scatter_add(const Arg& x, const Arg& i, const Arg& u, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o) {
  return scattered(x, i, u, d, o, Update::add);
}
Array scatter_sub(const Arg& x, const Arg& i, const Arg& u, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o) {
  const ApiNameScope s("scatter_sub", x.at());
  return scattered(x, i, neg(u), d, o, Update::add);
}
Array scatter_mul(const Arg& x, const Arg& i, const Arg& u, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o) {
  return scattered(x, i, u, d, o, Update::mul);
}
Array scatter_min(const Arg& x, const Arg& i, const Arg& u, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o) {
  return scattered(x, i, u, d, o, Update::min);
}
Array scatter_max(const Arg& x, const Arg& i, const Arg& u, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o) {
  return scattered(x, i, u, d, o, Update::max);
}

// ---- sorting, products

Array sort(const Arg& x, int64_t dimension, const SortOptions& o) {
  const ApiNameScope s("sort", x.at());
  return sort_arrays({x}, fn::axis_of("sort", dimension, rank_of(x)), 1, o.is_stable)[0];
}
Arrays sort(const Arrays& x, int64_t dimension, int64_t num_keys, const SortOptions& o,
            Location at) {
  const ApiNameScope s("sort", at);
  if (x.empty()) fn::fail_shape("sort: needs at least one array");
  return sort_arrays(x, fn::axis_of("sort", dimension, rank_of(x[0])), num_keys, o.is_stable);
}
std::pair<Array, Array> sort_key_val(const Arg& keys, const Arg& values, int64_t dimension,
                                     const SortOptions& o) {
  const ApiNameScope s("sort_key_val", keys.at());
  const Arrays out = sort_arrays(
      {keys, values}, fn::axis_of("sort_key_val", dimension, rank_of(keys)), 1, o.is_stable);
  return {out[0], out[1]};
}
std::pair<Array, Array> top_k(const Arg& x, int64_t k, int64_t axis) {
  const ApiNameScope s("top_k", x.at());
  return top_k_along(x, k, fn::axis_of("top_k", axis, rank_of(x)));
}

Array dot(const Arg& x, const Arg& y) {
  const ApiNameScope s("dot", x.at());
  if (x->ndim() < 1 || x->ndim() > 2 || y->ndim() < 1 || y->ndim() > 2)
    fn::fail_shape(fmt::format("dot: takes vectors and matrices, got {} and {}",
                               to_string(x->type()), to_string(y->type())));
  return dot_general(x, y, {{x->ndim() - 1}, {0}});
}
Array batch_matmul(const Arg& x, const Arg& y) {
  const ApiNameScope s("batch_matmul", x.at());
  const int64_t n = x->ndim();
  if (n < 2 || y->ndim() != n)
    fn::fail_shape(
        fmt::format("batch_matmul: takes matrices with the same batch axes, got {} and {}",
                    to_string(x->type()), to_string(y->type())));
  const Sizes batch = axis_range(n - 2);
  return dot_general(x, y, {{n - 1}, {n - 2}, batch, batch});
}
Array symmetric_product(const Arg& a, const Arg& c, const SymmetricProductOptions& o) {
  const ApiNameScope s("symmetric_product", a.at());
  const int n = a->ndim();
  if ((a->dtype() != F32 && a->dtype() != F64) || a->dtype() != c->dtype())
    fn::fail_dtype(
        fmt::format("symmetric_product: takes two operands of f32 or of f64, got {} and "
                    "{}",
                    to_string(a->type()), to_string(c->type())));
  if (n < 2 || c->shape() != a->shape().with(n - 1, a->shape()[n - 2]))
    fn::fail_shape(
        fmt::format("symmetric_product: takes matrices and square ones of as many rows, "
                    "got {} and {}",
                    to_string(a->type()), to_string(c->type())));
  const Array product = batch_matmul(a, matrix::transposed(a));
  const Array sum = add(mul(product, fn::number_like(product, o.alpha)),
                        mul(c, fn::number_like(product, o.beta)));
  if (!o.symmetrize_output) return sum;
  return add(matrix::triangle(sum, true), matrix::transposed(matrix::triangle(sum, true, true)));
}

}  // namespace weft::lax
