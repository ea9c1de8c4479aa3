// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax.h: the primitives under JAX's names: strict about dtypes and shapes.
//
// Arithmetic, elementary functions, comparisons, reductions and products are in the headers
// included; here are those that move, index and sort.
#pragma once
#include "weft/functions/axis.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementary.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/elementwise/fma.h"
#include "weft/ops/elementwise/rounding.h"
#include "weft/ops/elementwise/special.h"
#include "weft/ops/linear/cholesky.h"
#include "weft/ops/linear/dot.h"
#include "weft/ops/linear/eigh.h"
#include "weft/ops/linear/fft.h"
#include "weft/ops/linear/lu.h"
#include "weft/ops/linear/qr.h"
#include "weft/ops/linear/spectral/eig.h"
#include "weft/ops/linear/spectral/schur.h"
#include "weft/ops/linear/spectral/svd.h"
#include "weft/ops/linear/systems/tridiagonal_solve.h"
#include "weft/ops/linear/triangular_solve.h"
#include "weft/ops/reduce/cumulative.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/special/hypergeometric.h"
#include "weft/ops/special/incomplete.h"
#include "weft/ops/special/integrals.h"

namespace weft::lax {

// A list of sizes, axes or indices, one a place.
using Sizes = std::vector<int64_t>;

// 1 / x of floats and complex numbers; infinite at 0. DTypeError for integers. Source:
// jax.lax.reciprocal.
//
//     lax::reciprocal(array({2., -4.}))  // array([ 0.5 , -0.25], dtype=float32)
Array reciprocal(const typing::Arg& x);

// ---- shapes
// x repeated along new axes in front: sizes (m…), x (n…) -> (m…, n…). Source: jax.lax.broadcast.
//
//     lax::broadcast(array({1, 2}), {2})  // array([[1, 2], [1, 2]], dtype=int32)
Array broadcast(const typing::Arg& x, const Shape& sizes);
// x in a larger shape: axis i of x becomes axis broadcast_dimensions[i] of the result, an axis of
// size 1 may grow, and x is repeated along the other axes. ShapeError unless there is one entry an
// axis of x, they increase, and the sizes fit. Source: jax.lax.broadcast_in_dim.
Array broadcast_in_dim(const typing::Arg& x, const Shape& shape, const Sizes& broadcast_dimensions);
// x with axes of size 1 in front, so that it has `rank` of them. ShapeError if it has more. Source:
// jax.lax.broadcast_to_rank.
Array broadcast_to_rank(const typing::Arg& x, int64_t rank);
// The elements of x in row-major order, or in that of transpose(x, dimensions), in another shape.
// ShapeError if there are more or fewer. Source: jax.lax.reshape.
Array reshape(const typing::Arg& x, const Shape& new_sizes, const Sizes& dimensions = {});
// x with the axes from start_dimension on and before stop_dimension (default: all behind) made one,
// in row-major order: (…, a, b, c, …) -> (…, a b c, …). Negative numbers count from the end.
// IndexError for a range of axes that x has not. Source: jax.lax.collapse.
Array collapse(const typing::Arg& x, int64_t start_dimension,
               std::optional<int64_t> stop_dimension = {});
// x with new axes of size 1, which are the axes `dimensions` of the result; negative ones count
// from the end. IndexError out of range, ShapeError for an axis named twice. Source:
// jax.lax.expand_dims.
Array expand_dims(const typing::Arg& x, const Sizes& dimensions);
// x without these axes, which may be negative. IndexError out of range, ShapeError for an axis
// whose size is not 1 or that is named twice. Source: jax.lax.squeeze.
Array squeeze(const typing::Arg& x, const Sizes& dimensions);
// Axis i of the result is axis permutation[i] of x. ShapeError unless each axis is named once,
// counted from 0. Source: jax.lax.transpose.
//
//     lax::transpose(array({{1, 2, 3}, {4, 5, 6}}), {1, 0}).shape()  // (3, 2)
Array transpose(const typing::Arg& x, const Sizes& permutation);
// x with the order of its elements turned round along these axes, counted from 0. ShapeError out of
// range, and for an axis that is there twice. Source: jax.lax.rev.
//
//     lax::rev(array({1, 2, 3}), {0})  // array([3, 2, 1], dtype=int32)
Array rev(const typing::Arg& x, const Sizes& dimensions);
// The arrays one behind the other along an axis, counted from 0, which they already have.
// ShapeError for no array, other ranks or other sizes along the other axes, DTypeError for other
// dtypes. Source: jax.lax.concatenate.
//
//     lax::concatenate({array({1, 2}), array({3})}, 0)  // array([1, 2, 3], dtype=int32)
Array concatenate(const Arrays& x, int64_t dimension,
                  typing::Location at = typing::Location::here());
// Low, high and interior padding of each axis; negative ones crop.
struct PadAxis {
  int64_t low = 0, high = 0, interior = 0;
};
// x with padding_value, a scalar of its dtype, before (low), behind (high) and between (interior)
// the elements of each axis: of size n low + n + (n - 1) interior + high. Negative low and high
// crop. A C++ number becomes one of x's dtype. ShapeError unless there is one entry an axis, for
// negative interior padding and for a size below 0, DTypeError for another dtype. Source:
// jax.lax.pad.
//
//     lax::pad(array({1, 2}), 0, {{1, 0, 1}})  // array([0, 1, 0, 2], dtype=int32)
Array pad(const typing::Arg& x, const typing::Arg& padding_value,
          const std::vector<PadAxis>& config);
// 0, 1, …, size - 1 as a vector. DTypeError for a dtype that is no number. Source: jax.lax.iota.
//
//     lax::iota(I32, 3)  // array([0, 1, 2], dtype=int32)
Array iota(DType dtype, int64_t size, typing::Location at = typing::Location::here());
// An array of the shape whose elements are their index along one axis, which may be negative.
// IndexError for an axis that the shape has not, DTypeError for a dtype that is no number. Source:
// jax.lax.broadcasted_iota.
Array broadcasted_iota(DType dtype, const Shape& shape, int64_t dimension,
                       typing::Location at = typing::Location::here());
// An array of the shape whose elements are all `value`, a scalar, of dtype or else that of the
// value. ShapeError for a value with axes, DTypeError for a complex number as a real one. Source:
// jax.lax.full.
//
//     lax::full({2}, 7)  // array([7, 7], dtype=int32)
Array full(const Shape& shape, const typing::Arg& value, std::optional<DType> dtype = {});
template <class = void>
Array full(const Shape& shape, const typing::Arg& value, const typing::DTypeOption& o);
// full of the shape of x and, unless another is given, of its dtype. Source: jax.lax.full_like.
Array full_like(const typing::Arg& x, const typing::Arg& value, std::optional<DType> dtype = {});
template <class = void>
Array full_like(const typing::Arg& x, const typing::Arg& value, const typing::DTypeOption& o);
// x cut along an axis into parts of these sizes, one after another. IndexError for an axis that x
// has not, ShapeError unless the sizes add up to its size. Source: jax.lax.split.
Arrays split(const typing::Arg& x, const Sizes& sizes, int64_t axis = 0);
// x repeated reps[i] times along axis i; where one of x and reps has fewer axes, ones are put in
// front of it. ShapeError for a negative number. Source: jax.lax.tile.
//
//     lax::tile(array({1, 2}), {2})  // array([1, 2, 1, 2], dtype=int32)
Array tile(const typing::Arg& x, const Sizes& reps);

// ---- windows at indices known now, and when run. Negative starts count from the end; starts are
// clamped so that the window fits.
// One start an axis: {i, 0}, or a vector of them.
struct Starts {
  Arrays list;
  bool vector = false;
  Starts(std::initializer_list<Array> l) : list(l) {}
  Starts(Arrays l) : list(std::move(l)) {}
  Starts(const Array& v) : list{v}, vector(true) {}
};
// The elements of x from start_indices on and before limit_indices, each strides[i]-th along axis i
// ({}: all of them): sizes ceil((limit - start) / stride). ShapeError unless there is one entry an
// axis, 0 <= start <= limit <= size and stride > 0. Source: jax.lax.slice.
//
//     lax::slice(array({1, 2, 3, 4}), {0}, {4}, {2})  // array([1, 3], dtype=int32)
Array slice(const typing::Arg& x, const Sizes& start_indices, const Sizes& limit_indices,
            const Sizes& strides = {});
// slice along one axis. Without start or limit from the beginning or to the end; negative ones
// count from the end, as a negative axis does. IndexError for an axis that x has not. Source:
// jax.lax.slice_in_dim.
Array slice_in_dim(const typing::Arg& x, std::optional<int64_t> start, std::optional<int64_t> limit,
                   int64_t stride = 1, int64_t axis = 0);
// The elements of x at one index of an axis, which stays with size 1 unless keepdims is false.
// Negative numbers count from the end. IndexError for an index or axis out of range. Source:
// jax.lax.index_in_dim.
Array index_in_dim(const typing::Arg& x, int64_t index, int64_t axis = 0, bool keepdims = true);
// The window of slice_sizes of x that begins at start_indices, integers that may be traced.
// Negative starts of signed dtypes count from the end, then each is clamped so that the window
// fits. ShapeError unless there is one start and one size an axis and the sizes fit, DTypeError for
// starts that are no integer scalars. Source: jax.lax.dynamic_slice.
//
//     lax::dynamic_slice(array({1, 2, 3, 4}), {3}, {2})  // array([3, 4], dtype=int32)
Array dynamic_slice(const typing::Arg& x, const Starts& start_indices, const Sizes& slice_sizes);
// dynamic_slice along one axis, which may be negative: all of the others. IndexError for an axis
// that x has not. Source: jax.lax.dynamic_slice_in_dim.
Array dynamic_slice_in_dim(const typing::Arg& x, const typing::Arg& start_index, int64_t slice_size,
                           int64_t axis = 0);
// The elements of x at one index of an axis; it may be traced, counts from the end if negative and
// is clamped into the axis; the axis stays with size 1 unless keepdims is false. IndexError for an
// axis that x has not. Source: jax.lax.dynamic_index_in_dim.
Array dynamic_index_in_dim(const typing::Arg& x, const typing::Arg& index, int64_t axis = 0,
                           bool keepdims = true);
// x with `update` in place of the window of its shape that begins at start_indices; starts as of
// dynamic_slice. A C++ number becomes one of x's dtype. ShapeError for an update of another rank or
// larger than x, DTypeError for another dtype. Source: jax.lax.dynamic_update_slice.
Array dynamic_update_slice(const typing::Arg& x, const typing::Arg& update,
                           const Starts& start_indices);
// dynamic_update_slice with a start along one axis, 0 along the others. IndexError for an axis that
// x has not. Source: jax.lax.dynamic_update_slice_in_dim.
Array dynamic_update_slice_in_dim(const typing::Arg& x, const typing::Arg& update,
                                  const typing::Arg& start_index, int64_t axis);
// x with `update` at one index of an axis; the update has the axes of x, with size 1 there, or
// lacks that one. IndexError for an axis that x has not. Source:
// jax.lax.dynamic_update_index_in_dim.
Array dynamic_update_index_in_dim(const typing::Arg& x, const typing::Arg& update,
                                  const typing::Arg& index, int64_t axis);

// ---- gather and scatter, as in XLA
// Which axes do what in gather. offset_dims: axes of the result that run inside a window;
// collapsed_slice_dims: axes of the operand, of size 1 in a window, that the result has not;
// start_index_map[k]: the axis of the operand that number k of an index is for;
// operand_batching_dims and start_indices_batching_dims: axes that go together. Source:
// jax.lax.GatherDimensionNumbers.
struct GatherDimensionNumbers {
  Sizes offset_dims, collapsed_slice_dims, start_index_map;
  Sizes operand_batching_dims = {}, start_indices_batching_dims = {};
};
// JAX's names of what becomes of windows that are not inside, for .mode of gather and scatter,
// which also take the texts. Source: jax.lax.GatherScatterMode.
struct GatherScatterMode {
  static constexpr const char *CLIP = "clip", *FILL_OR_DROP = "fill",
                              *PROMISE_IN_BOUNDS = "promise_in_bounds";
};
struct GatherOptions {
  // Of windows that are not inside: "fill", or as scatter calls that, "drop"; "clip";
  // "promise_in_bounds": there are none (what there is anyway, is moved inside).
  std::string mode = "fill";
  // No two windows share elements: a promise that its derivative may use.
  bool unique_indices = false;
  // The indices ascend, in row-major order of the axes beside their numbers: a promise that the
  // StableHLO text of the program hands on.
  bool indices_are_sorted = false;
  std::optional<Array> fill_value = {};  // default: NaN or the extreme integer
};
// A window of slice_sizes of the operand for each index: the last axis of start_indices holds the
// numbers of an index, its other axes come back in the result, beside those inside a window.
// Windows that are not inside as a whole read as fill_value ("fill"), or are moved inside ("clip").
// ShapeError for dimension numbers and sizes that do not fit, DTypeError for indices that are no
// integers, IndexError for another mode. Source: jax.lax.gather.
Array gather(const typing::Arg& operand, const typing::Arg& start_indices,
             const GatherDimensionNumbers& d, const Sizes& slice_sizes,
             const GatherOptions& o = {});
// Which axes do what in scatter. update_window_dims: axes of the updates that run inside a window;
// inserted_window_dims: axes of the operand that the updates have not;
// scatter_dims_to_operand_dims[k]: the axis of the operand that number k of an index is for;
// operand_batching_dims and scatter_indices_batching_dims: axes that go together. Source:
// jax.lax.ScatterDimensionNumbers.
struct ScatterDimensionNumbers {
  Sizes update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  Sizes operand_batching_dims = {}, scatter_indices_batching_dims = {};
};
struct ScatterOptions {
  // Of windows that are not inside: "drop", or as JAX calls that, "fill"; "clip";
  // "promise_in_bounds": there are none (what there is anyway, is moved inside).
  std::string mode = "drop";
  // No two windows share elements: a promise, of use to the derivative and to threads.
  bool unique_indices = false;
  // The indices ascend: a promise, as in gather.
  bool indices_are_sorted = false;
};
// The operand with a window of the updates in place of what is at each index; the last axis of
// indices holds the numbers of an index. Where windows overlap the last one in row-major order
// stays. ShapeError for dimension numbers and shapes that do not fit, DTypeError for updates of
// another dtype or indices that are no integers, IndexError for another mode. Source:
// jax.lax.scatter.
Array scatter(const typing::Arg& operand, const typing::Arg& indices, const typing::Arg& updates,
              const ScatterDimensionNumbers& d, const ScatterOptions& o = {});
// As scatter, each window added to what is there; of windows that overlap all are. Numbers only,
// DTypeError else. Source: jax.lax.scatter_add.
Array scatter_add(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});
// As scatter, each window taken from what is there. Numbers only, DTypeError else. Source:
// jax.lax.scatter_sub.
Array scatter_sub(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});
// As scatter, what is there multiplied with each window. Numbers only, DTypeError else. Source:
// jax.lax.scatter_mul.
Array scatter_mul(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});
// As scatter, the smaller of what is there and each window. Numbers and bools. Source:
// jax.lax.scatter_min.
Array scatter_min(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});
// As scatter, the larger of what is there and each window. Numbers and bools. Source:
// jax.lax.scatter_max.
Array scatter_max(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});

// ---- sorting
struct SortOptions {
  // Equal elements keep their order. They do here in any case; another compiler that is handed the
  // StableHLO text of the program is told.
  bool is_stable = true;
};
// x in ascending order along an axis, which may be negative; stable, NaN last, -0 equal to 0,
// complex numbers by real, then imaginary part. Several arrays of one shape go together, in the
// order of the first num_keys of them, the first one counting most. IndexError for an axis that
// they have not, ShapeError for other shapes or numbers of keys, DTypeError for random keys.
// Source: jax.lax.sort.
//
//     lax::sort(array({3, 1, 2}))  // array([1, 2, 3], dtype=int32)
Array sort(const typing::Arg& x, int64_t dimension = -1, const SortOptions& o = {});
Arrays sort(const Arrays& x, int64_t dimension = -1, int64_t num_keys = 1,
            const SortOptions& o = {}, typing::Location at = typing::Location::here());
// The keys in ascending order along an axis, and the values in the order of their keys. As sort of
// two arrays of one shape. Source: jax.lax.sort_key_val.
std::pair<Array, Array> sort_key_val(const typing::Arg& keys, const typing::Arg& values,
                                     int64_t dimension = -1, const SortOptions& o = {});
// The k largest elements along an axis, the largest first, and their indices (I32): (…, n) -> (…,
// k). Of equal ones that with the lowest index comes first, and NaN before all. Bools and real
// numbers, DTypeError else; ShapeError for k beyond the axis, IndexError for an axis that x has
// not. Source: jax.lax.top_k.
//
//     lax::top_k(array({3, 1, 2}), 2).second  // array([0, 2], dtype=int32)
std::pair<Array, Array> top_k(const typing::Arg& x, int64_t k, int64_t axis = -1);

// ---- products
// The product of vectors and matrices: the last axis of x and the first one of y are contracted.
// ShapeError for other ranks and sizes that differ, DTypeError for two dtypes. Source: jax.lax.dot.
//
//     lax::dot(array({1, 2}), array({3, 4}))  // array(11, dtype=int32)
Array dot(const typing::Arg& x, const typing::Arg& y);
// Products of matrices with the same axes before: (…, n, k) x (…, k, m) -> (…, n, m). ShapeError
// for other shapes, which are not broadcast, DTypeError for two dtypes. Source:
// jax.lax.batch_matmul.
Array batch_matmul(const typing::Arg& x, const typing::Arg& y);
// Factors and form of symmetric_product.
struct SymmetricProductOptions {
  // The factors of a a^T and of c.
  double alpha = 1, beta = 0;
  // The lower triangle of the result stands for both.
  bool symmetrize_output = false;
};
// alpha a a^T + beta c: a (…, m, k), c (…, m, m) -> (…, m, m). ShapeError for other shapes,
// DTypeError unless both are F32 or both F64. Source: jax.lax.linalg.symmetric_product.
Array symmetric_product(const typing::Arg& a, const typing::Arg& c,
                        const SymmetricProductOptions& o = {});

// ---- convolutions
// "VALID", "SAME", "SAME_LOWER", or how much is put before and behind each spatial axis.
struct ConvPadding {
  std::string kind;
  std::vector<std::pair<int64_t, int64_t>> amounts;
  ConvPadding(const char* name) : kind(name) {}
  ConvPadding(std::string name) : kind(std::move(name)) {}
  ConvPadding(std::vector<std::pair<int64_t, int64_t>> pairs) : amounts(std::move(pairs)) {}
  ConvPadding(std::initializer_list<std::pair<int64_t, int64_t>> pairs) : amounts(pairs) {}
};
// Which axis is which: N and C (batch and features) of lhs and result, O and I (features of the
// result and of the operand) of rhs; the other letters are spatial axes, those of lhs and result in
// the order of rhs. Empty: NCHW, OIHW, NCHW, for any number of spatial axes.
struct ConvDimensions {
  std::string lhs = {}, rhs = {}, out = {};
};
struct ConvDilatedOptions {
  std::vector<int64_t> lhs_dilation = {}, rhs_dilation = {};  // {}: ones
  // Which axis is which.
  ConvDimensions dimension_numbers = {};
  // Groups that the features, or the batch, of lhs and the out features of rhs fall into, each
  // convolved by itself; one of the two is 1.
  int64_t feature_group_count = 1, batch_group_count = 1;
  // The dtype of the result; that of lhs.
  std::optional<DType> preferred_element_type = {};
  Precision precision = Precision::DEFAULT;  // how exact products must be at least
};
// Sums of products of a kernel with the window of lhs around each place; the kernel is not turned
// round. lhs (n, c, spatial…), rhs (o, c, spatial…) -> (n, o, spatial…), or in the order of
// .dimension_numbers. Dilations put zeros between elements; strides are steps from a window to the
// next. ShapeError for ranks, lists, groups and features that do not fit, and a named padding
// beside a .lhs_dilation, DTypeError for two dtypes. Source: jax.lax.conv_general_dilated.
Array conv_general_dilated(const typing::Arg& lhs, const typing::Arg& rhs,
                           const std::vector<int64_t>& window_strides, const ConvPadding& padding,
                           const ConvDilatedOptions& o = {});

}  // namespace weft::lax
