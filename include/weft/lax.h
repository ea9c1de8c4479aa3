// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax.h: the primitives under JAX's names, strict about dtypes and shapes.
//
// Arithmetic, elementary functions, comparisons, reductions and products are in the included
// headers. This header has the functions that move, index and sort.
#pragma once
#include "weft/axis.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/dot.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/fft.h"
#include "weft/lax/fma.h"
#include "weft/lax/hypergeometric.h"
#include "weft/lax/incomplete.h"
#include "weft/lax/integrals.h"
#include "weft/lax/linalg/cholesky.h"
#include "weft/lax/linalg/eig.h"
#include "weft/lax/linalg/eigh.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/qr.h"
#include "weft/lax/linalg/schur.h"
#include "weft/lax/linalg/svd.h"
#include "weft/lax/linalg/triangular_solve.h"
#include "weft/lax/linalg/tridiagonal_solve.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"

namespace weft::lax {

// A list of sizes, axes or indices, one per axis or position.
using Sizes = std::vector<int64_t>;

// Returns 1 / x of floats and complex numbers; infinite at 0. Raises DTypeError for integers.
// Source: jax.lax.reciprocal.
//
//     lax::reciprocal(array({2., -4.}))  // array([ 0.5 , -0.25], dtype=float32)
Array reciprocal(const typing::Arg& x);

// ---- shapes
// Repeats x along new leading axes: sizes (m…), x (n…) -> (m…, n…). Source: jax.lax.broadcast.
//
//     lax::broadcast(array({1, 2}), {2})  // array([[1, 2], [1, 2]], dtype=int32)
Array broadcast(const typing::Arg& x, const Shape& sizes);
// Broadcasts x to a larger shape: axis i of x becomes axis broadcast_dimensions[i] of the result.
// An axis of size 1 may grow, and x is repeated along the other axes. Raises ShapeError unless
// there is one increasing entry per axis of x and the sizes match. Source:
// jax.lax.broadcast_in_dim.
Array broadcast_in_dim(const typing::Arg& x, const Shape& shape, const Sizes& broadcast_dimensions);
// Adds leading axes of size 1 so that x has `rank` axes. Raises ShapeError if it has more. Source:
// jax.lax.broadcast_to_rank.
Array broadcast_to_rank(const typing::Arg& x, int64_t rank);
// Returns the elements of x in another shape. They are in row-major order, or in that of
// transpose(x, dimensions). Raises ShapeError if the number of elements differs. Source:
// jax.lax.reshape.
Array reshape(const typing::Arg& x, const Shape& new_sizes, const Sizes& dimensions = {});
// Merges the axes from start_dimension up to but excluding stop_dimension (default: all following
// axes) in row-major order: (…, a, b, c, …) -> (…, a b c, …). Negative numbers count from the end.
// Raises IndexError for a range of axes that x does not have. Source: jax.lax.collapse.
Array collapse(const typing::Arg& x, int64_t start_dimension,
               std::optional<int64_t> stop_dimension = {});
// Inserts axes of size 1, which are the axes `dimensions` of the result; negative ones count from
// the end. Raises IndexError for an axis out of range, and ShapeError for an axis named twice.
// Source: jax.lax.expand_dims.
Array expand_dims(const typing::Arg& x, const Sizes& dimensions);
// Removes these axes, which may be negative. Raises IndexError for an axis out of range, and
// ShapeError for an axis whose size is not 1 or that is named twice. Source: jax.lax.squeeze.
Array squeeze(const typing::Arg& x, const Sizes& dimensions);
// Permutes the axes: axis i of the result is axis permutation[i] of x. Raises ShapeError unless
// each axis is named once, counted from 0. Source: jax.lax.transpose.
//
//     lax::transpose(array({{1, 2, 3}, {4, 5, 6}}), {1, 0}).shape()  // (3, 2)
Array transpose(const typing::Arg& x, const Sizes& permutation);
// Reverses the order of the elements along these axes, counted from 0. Raises ShapeError for an
// axis out of range or named twice. Source: jax.lax.rev.
//
//     lax::rev(array({1, 2, 3}), {0})  // array([3, 2, 1], dtype=int32)
Array rev(const typing::Arg& x, const Sizes& dimensions);
// Concatenates arrays along an existing axis, counted from 0. Raises ShapeError for an empty list,
// for different ranks, and for different sizes along the other axes. Raises DTypeError for
// different dtypes. Source: jax.lax.concatenate.
//
//     lax::concatenate({array({1, 2}), array({3})}, 0)  // array([1, 2, 3], dtype=int32)
Array concatenate(const Arrays& x, int64_t dimension,
                  typing::Location at = typing::Location::here());
// The low, high and interior padding of each axis; negative low and high padding crops.
struct PadAxis {
  int64_t low = 0, high = 0, interior = 0;
};
// Pads x with padding_value, a scalar of its dtype, before (low), after (high) and between
// (interior) the elements of each axis. An axis of size n gets low + n + (n - 1) interior + high
// elements. Negative low and high padding crops. A C++ number is converted to x's dtype. Raises
// ShapeError unless there is one entry per axis, for negative interior padding and for a size
// below 0. Raises DTypeError for another dtype. Source: jax.lax.pad.
//
//     lax::pad(array({1, 2}), 0, {{1, 0, 1}})  // array([0, 1, 0, 2], dtype=int32)
Array pad(const typing::Arg& x, const typing::Arg& padding_value,
          const std::vector<PadAxis>& config);
// Returns 0, 1, …, size - 1 as a vector. Raises DTypeError for a dtype that is not numeric. Source:
// jax.lax.iota.
//
//     lax::iota(I32, 3)  // array([0, 1, 2], dtype=int32)
Array iota(DType dtype, int64_t size, typing::Location at = typing::Location::here());
// Returns an array of the shape whose elements are their index along one axis, which may be
// negative. Raises IndexError for an axis that the shape does not have, and DTypeError for a dtype
// that is not numeric. Source: jax.lax.broadcasted_iota.
Array broadcasted_iota(DType dtype, const Shape& shape, int64_t dimension,
                       typing::Location at = typing::Location::here());
// Returns an array of the shape filled with `value`, a scalar, in the given dtype or that of the
// value. Raises ShapeError for a value with axes, and DTypeError for a complex value with a real
// dtype. Source: jax.lax.full.
//
//     lax::full({2}, 7)  // array([7, 7], dtype=int32)
Array full(const Shape& shape, const typing::Arg& value, std::optional<DType> dtype = {});
template <class = void>
Array full(const Shape& shape, const typing::Arg& value, const typing::DTypeOption& o);
// Returns full with the shape of x and, unless another is given, its dtype. Source:
// jax.lax.full_like.
Array full_like(const typing::Arg& x, const typing::Arg& value, std::optional<DType> dtype = {});
template <class = void>
Array full_like(const typing::Arg& x, const typing::Arg& value, const typing::DTypeOption& o);
// Splits x along an axis into consecutive parts of these sizes. Raises IndexError for an axis that
// x does not have, and ShapeError unless the sizes add up to the size of the axis. Source:
// jax.lax.split.
Arrays split(const typing::Arg& x, const Sizes& sizes, int64_t axis = 0);
// Repeats x reps[i] times along axis i. If x or reps has fewer axes, it is extended with leading
// ones. Raises ShapeError for a negative number. Source: jax.lax.tile.
//
//     lax::tile(array({1, 2}), {2})  // array([1, 2, 1, 2], dtype=int32)
Array tile(const typing::Arg& x, const Sizes& reps);

// ---- windows at static and at dynamic indices. Negative starts count from the end; starts are
// clamped so that the window fits.
// One start per axis: {i, 0}, or a vector of starts.
struct Starts {
  Arrays list;
  bool vector = false;
  Starts(std::initializer_list<Array> l) : list(l) {}
  Starts(Arrays l) : list(std::move(l)) {}
  Starts(const Array& v) : list{v}, vector(true) {}
};
// Returns the elements of x from start_indices up to but excluding limit_indices, with step
// strides[i] along axis i ({}: ones). The sizes are ceil((limit - start) / stride). Raises
// ShapeError unless there is one entry per axis, 0 <= start <= limit <= size and stride > 0.
// Source: jax.lax.slice.
//
//     lax::slice(array({1, 2, 3, 4}), {0}, {4}, {2})  // array([1, 3], dtype=int32)
Array slice(const typing::Arg& x, const Sizes& start_indices, const Sizes& limit_indices,
            const Sizes& strides = {});
// Computes slice along one axis. A missing start or limit is the beginning or the end; negative
// numbers count from the end, as does a negative axis. Raises IndexError for an axis that x does
// not have. Source: jax.lax.slice_in_dim.
Array slice_in_dim(const typing::Arg& x, std::optional<int64_t> start, std::optional<int64_t> limit,
                   int64_t stride = 1, int64_t axis = 0);
// Returns the elements of x at one index of an axis, which stays with size 1 unless keepdims is
// false. Negative numbers count from the end. Raises IndexError for an index or axis out of range.
// Source: jax.lax.index_in_dim.
Array index_in_dim(const typing::Arg& x, int64_t index, int64_t axis = 0, bool keepdims = true);
// Returns the window of x of size slice_sizes that begins at start_indices, integers that may be
// traced. Negative starts of signed dtypes count from the end; each start is then clamped so that
// the window fits. Raises ShapeError unless there is one start and one size per axis and the sizes
// fit, and DTypeError for starts that are not integer scalars. Source: jax.lax.dynamic_slice.
//
//     lax::dynamic_slice(array({1, 2, 3, 4}), {3}, {2})  // array([3, 4], dtype=int32)
Array dynamic_slice(const typing::Arg& x, const Starts& start_indices, const Sizes& slice_sizes);
// Computes dynamic_slice along one axis, which may be negative, and keeps all of the other axes.
// Raises IndexError for an axis that x does not have. Source: jax.lax.dynamic_slice_in_dim.
Array dynamic_slice_in_dim(const typing::Arg& x, const typing::Arg& start_index, int64_t slice_size,
                           int64_t axis = 0);
// Returns the elements of x at one index of an axis. The index may be traced; a negative one counts
// from the end, and it is clamped to the axis. The axis stays with size 1 unless keepdims is false.
// Raises IndexError for an axis that x does not have. Source: jax.lax.dynamic_index_in_dim.
Array dynamic_index_in_dim(const typing::Arg& x, const typing::Arg& index, int64_t axis = 0,
                           bool keepdims = true);
// Returns x with `update` written to the window of its shape that begins at start_indices, which
// are treated as in dynamic_slice. A C++ number is converted to x's dtype. Raises ShapeError for an
// update of another rank or larger than x, and DTypeError for another dtype. Source:
// jax.lax.dynamic_update_slice.
Array dynamic_update_slice(const typing::Arg& x, const typing::Arg& update,
                           const Starts& start_indices);
// Computes dynamic_update_slice with a start along one axis and 0 along the others. Raises
// IndexError for an axis that x does not have. Source: jax.lax.dynamic_update_slice_in_dim.
Array dynamic_update_slice_in_dim(const typing::Arg& x, const typing::Arg& update,
                                  const typing::Arg& start_index, int64_t axis);
// Returns x with `update` written at one index of an axis. The update has size 1 on that axis, or
// does not have it. Raises IndexError for an axis that x does not have. Source:
// jax.lax.dynamic_update_index_in_dim.
Array dynamic_update_index_in_dim(const typing::Arg& x, const typing::Arg& update,
                                  const typing::Arg& index, int64_t axis);

// ---- gather and scatter, as in XLA
// The roles of the axes in gather. offset_dims are the axes of the result that run inside a window.
// collapsed_slice_dims are axes of the operand that have size 1 in a window and are removed from
// the result. start_index_map[k] is the axis of the operand to which component k of an index
// applies. operand_batching_dims and start_indices_batching_dims are batch axes that are matched in
// pairs. Source: jax.lax.GatherDimensionNumbers.
struct GatherDimensionNumbers {
  Sizes offset_dims, collapsed_slice_dims, start_index_map;
  Sizes operand_batching_dims = {}, start_indices_batching_dims = {};
};
// JAX's names for the treatment of windows out of bounds, for .mode of gather and scatter, which
// also accept the strings. Source: jax.lax.GatherScatterMode.
struct GatherScatterMode {
  static constexpr const char *CLIP = "clip", *FILL_OR_DROP = "fill",
                              *PROMISE_IN_BOUNDS = "promise_in_bounds";
};
struct GatherOptions {
  // How to treat windows that are out of bounds: "fill" (called "drop" by scatter), "clip" or
  // "promise_in_bounds". The promise means that all windows are inside; others are moved inside.
  std::string mode = "fill";
  // A promise that no two windows overlap. The derivative may use it.
  bool unique_indices = false;
  // A promise that the indices ascend, in row-major order of the batch axes. It is only written to
  // the StableHLO text of the program.
  bool indices_are_sorted = false;
  // default: NaN, or the smallest signed or largest unsigned integer
  std::optional<Array> fill_value = {};
};
// Gathers a window of the operand of size slice_sizes for each index. The last axis of
// start_indices holds the components of an index. Its other axes are axes of the result, in
// addition to the axes inside a window. Windows that are partly out of bounds read as fill_value
// ("fill"), or are moved inside ("clip"). Raises ShapeError for dimension numbers and sizes that do
// not match, DTypeError for indices that are not integers, and IndexError for another mode. Source:
// jax.lax.gather.
Array gather(const typing::Arg& operand, const typing::Arg& start_indices,
             const GatherDimensionNumbers& d, const Sizes& slice_sizes,
             const GatherOptions& o = {});
// The roles of the axes in scatter. update_window_dims are the axes of the updates that run inside
// a window. inserted_window_dims are axes of the operand that the updates do not have.
// scatter_dims_to_operand_dims[k] is the axis of the operand to which component k of an index
// applies. operand_batching_dims and scatter_indices_batching_dims are batch axes that are matched
// in pairs. Source: jax.lax.ScatterDimensionNumbers.
struct ScatterDimensionNumbers {
  Sizes update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  Sizes operand_batching_dims = {}, scatter_indices_batching_dims = {};
};
struct ScatterOptions {
  // How to treat windows that are out of bounds: "drop" (JAX also calls it "fill"), "clip" or
  // "promise_in_bounds". The promise means that all windows are inside; others are moved inside.
  std::string mode = "drop";
  // A promise that no two windows overlap. The derivative uses it, and the kernel can use threads.
  bool unique_indices = false;
  // A promise that the indices ascend, as in gather.
  bool indices_are_sorted = false;
};
// Returns the operand with a window of the updates written at each index. The last axis of indices
// holds the components of an index. Where windows overlap, the last one in row-major order is kept.
// Raises ShapeError for dimension numbers and shapes that do not match. Raises DTypeError for
// updates of another dtype and for indices that are not integers, and IndexError for another mode.
// Source: jax.lax.scatter.
Array scatter(const typing::Arg& operand, const typing::Arg& indices, const typing::Arg& updates,
              const ScatterDimensionNumbers& d, const ScatterOptions& o = {});
// Adds each window to the operand, otherwise like scatter; overlapping windows are all added.
// Raises DTypeError unless the operand is numeric. Source: jax.lax.scatter_add.
Array scatter_add(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});
// Subtracts each window from the operand, otherwise like scatter. Raises DTypeError unless the
// operand is numeric. Source: jax.lax.scatter_sub.
Array scatter_sub(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});
// Multiplies the operand by each window, otherwise like scatter. Raises DTypeError unless the
// operand is numeric. Source: jax.lax.scatter_mul.
Array scatter_mul(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});
// Takes the minimum of the operand and each window, otherwise like scatter. The operand is numeric
// or bool. Source: jax.lax.scatter_min.
Array scatter_min(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});
// Takes the maximum of the operand and each window, otherwise like scatter. The operand is numeric
// or bool. Source: jax.lax.scatter_max.
Array scatter_max(const typing::Arg& operand, const typing::Arg& indices,
                  const typing::Arg& updates, const ScatterDimensionNumbers& d,
                  const ScatterOptions& o = {});

// ---- sorting
struct SortOptions {
  // Equal elements keep their order. Weft's sort is always stable; the option only appears in the
  // StableHLO text for other compilers.
  bool is_stable = true;
};
// Sorts x in ascending order along an axis, which may be negative. The sort is stable, NaN is last
// and -0 equals 0. Complex numbers are compared by their real parts, then by their imaginary parts.
// Several arrays of one shape are permuted together, ordered by the first num_keys of them; the
// first key is the primary one. Raises IndexError for an axis that they do not have, ShapeError for
// other shapes or numbers of keys, and DTypeError for random keys. Source: jax.lax.sort.
//
//     lax::sort(array({3, 1, 2}))  // array([1, 2, 3], dtype=int32)
Array sort(const typing::Arg& x, int64_t dimension = -1, const SortOptions& o = {});
Arrays sort(const Arrays& x, int64_t dimension = -1, int64_t num_keys = 1,
            const SortOptions& o = {}, typing::Location at = typing::Location::here());
// Returns the keys in ascending order along an axis, and the values in the order of their keys. It
// works like sort of two arrays of one shape. Source: jax.lax.sort_key_val.
std::pair<Array, Array> sort_key_val(const typing::Arg& keys, const typing::Arg& values,
                                     int64_t dimension = -1, const SortOptions& o = {});
// Returns the k largest elements along an axis, the largest first, and their indices (I32): (…, n)
// -> (…, k). Equal elements are ordered by their indices; NaN is first of all. Raises DTypeError
// unless x is bool or real, ShapeError for k beyond the axis, and IndexError for an axis that x
// does not have. Source: jax.lax.top_k.
//
//     lax::top_k(array({3, 1, 2}), 2).second  // array([0, 2], dtype=int32)
std::pair<Array, Array> top_k(const typing::Arg& x, int64_t k, int64_t axis = -1);

// ---- products
// Returns the product of vectors and matrices: the last axis of x and the first axis of y are
// contracted. Raises ShapeError for other ranks and for sizes that differ, and DTypeError for two
// dtypes. Source: jax.lax.dot.
//
//     lax::dot(array({1, 2}), array({3, 4}))  // array(11, dtype=int32)
Array dot(const typing::Arg& x, const typing::Arg& y);
// Returns products of matrices with equal leading axes: (…, n, k) x (…, k, m) -> (…, n, m). Raises
// ShapeError for other shapes, because the leading axes are not broadcast, and DTypeError for two
// dtypes. Source: jax.lax.batch_matmul.
Array batch_matmul(const typing::Arg& x, const typing::Arg& y);
// The options of symmetric_product.
struct SymmetricProductOptions {
  // The factors of a a^T and of c.
  double alpha = 1, beta = 0;
  // The lower triangle of the result is copied to the upper one.
  bool symmetrize_output = false;
};
// Returns alpha a a^T + beta c: a (…, m, k), c (…, m, m) -> (…, m, m). Raises ShapeError for other
// shapes, and DTypeError unless both are F32 or both F64. Source: jax.lax.linalg.symmetric_product.
Array symmetric_product(const typing::Arg& a, const typing::Arg& c,
                        const SymmetricProductOptions& o = {});

// ---- convolutions
// "VALID", "SAME", "SAME_LOWER", or pairs (before, after) for each spatial axis.
struct ConvPadding {
  std::string kind;
  std::vector<std::pair<int64_t, int64_t>> amounts;
  ConvPadding(const char* name) : kind(name) {}
  ConvPadding(std::string name) : kind(std::move(name)) {}
  ConvPadding(std::vector<std::pair<int64_t, int64_t>> pairs) : amounts(std::move(pairs)) {}
  ConvPadding(std::initializer_list<std::pair<int64_t, int64_t>> pairs) : amounts(pairs) {}
};
// The order of the axes as letters. N and C are the batch and features of lhs and the result. O and
// I are the output and input features of rhs. All other letters are spatial axes, matched by letter
// with those of rhs. Empty: NCHW, OIHW, NCHW, for any number of spatial axes.
struct ConvDimensions {
  std::string lhs = {}, rhs = {}, out = {};
};
struct ConvDilatedOptions {
  std::vector<int64_t> lhs_dilation = {}, rhs_dilation = {};  // default: ones
  // The order of the axes.
  ConvDimensions dimension_numbers = {};
  // The number of groups into which the features, or the batch, of lhs and the output features of
  // rhs are split. Each group is convolved separately; one of the two numbers is 1.
  int64_t feature_group_count = 1, batch_group_count = 1;
  // The dtype of the result; by default that of lhs.
  std::optional<DType> preferred_element_type = {};
  Precision precision = Precision::DEFAULT;  // the least precision of the products
};
// Computes a convolution: the sums of products of a kernel with the window of lhs at each position.
// The kernel is not flipped. lhs (n, c, spatial…), rhs (o, c, spatial…) -> (n, o, spatial…), or in
// the order of .dimension_numbers. Dilations insert zeros between elements; strides are the steps
// from one window to the next. Raises ShapeError for ranks, lists, groups and features that do not
// match, and for a named padding together with .lhs_dilation. Raises DTypeError for two dtypes.
// Source: jax.lax.conv_general_dilated.
Array conv_general_dilated(const typing::Arg& lhs, const typing::Arg& rhs,
                           const std::vector<int64_t>& window_strides, const ConvPadding& padding,
                           const ConvDilatedOptions& o = {});

}  // namespace weft::lax
