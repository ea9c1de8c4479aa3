// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax.h: the primitives under JAX's names: strict about dtypes and shapes.
//
// Arithmetic, elementary functions, comparisons, reductions and products are in the headers
// included; here are those that move, index and sort.
#pragma once
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

using Sizes = std::vector<int64_t>;

Array reciprocal(const Arg& x);

// ---- shapes
Array broadcast(const Arg& x, const Shape& sizes);  // new axes in front
Array broadcast_in_dim(const Arg& x, const Shape& shape, const Sizes& broadcast_dimensions);
Array broadcast_to_rank(const Arg& x, int64_t rank);
// The elements of x in row-major order, or in that of transpose(x, dimensions), in another shape.
// ShapeError if there are more or fewer. Source: jax.lax.reshape.
Array reshape(const Arg& x, const Shape& new_sizes, const Sizes& dimensions = {});
Array collapse(const Arg& x, int64_t start_dimension, std::optional<int64_t> stop_dimension = {});
Array expand_dims(const Arg& x, const Sizes& dimensions);
Array squeeze(const Arg& x, const Sizes& dimensions);
Array transpose(const Arg& x, const Sizes& permutation);
Array rev(const Arg& x, const Sizes& dimensions);
Array concatenate(const Arrays& x, int64_t dimension, Location at = Location::here());
// Low, high and interior padding of each axis; negative ones crop.
struct PadAxis {
  int64_t low = 0, high = 0, interior = 0;
};
Array pad(const Arg& x, const Arg& padding_value, const std::vector<PadAxis>& config);
Array iota(DType dtype, int64_t size, Location at = Location::here());
Array broadcasted_iota(DType dtype, const Shape& shape, int64_t dimension,
                       Location at = Location::here());
Array full(const Shape& shape, const Arg& value, std::optional<DType> dtype = {});
Array full_like(const Arg& x, const Arg& value, std::optional<DType> dtype = {});
Arrays split(const Arg& x, const Sizes& sizes, int64_t axis = 0);
Array tile(const Arg& x, const Sizes& reps);

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
Array slice(const Arg& x, const Sizes& start_indices, const Sizes& limit_indices,
            const Sizes& strides = {});
Array slice_in_dim(const Arg& x, std::optional<int64_t> start, std::optional<int64_t> limit,
                   int64_t stride = 1, int64_t axis = 0);
Array index_in_dim(const Arg& x, int64_t index, int64_t axis = 0, bool keepdims = true);
Array dynamic_slice(const Arg& x, const Starts& start_indices, const Sizes& slice_sizes);
Array dynamic_slice_in_dim(const Arg& x, const Arg& start_index, int64_t slice_size,
                           int64_t axis = 0);
Array dynamic_index_in_dim(const Arg& x, const Arg& index, int64_t axis = 0, bool keepdims = true);
Array dynamic_update_slice(const Arg& x, const Arg& update, const Starts& start_indices);
Array dynamic_update_slice_in_dim(const Arg& x, const Arg& update, const Arg& start_index,
                                  int64_t axis);
Array dynamic_update_index_in_dim(const Arg& x, const Arg& update, const Arg& index, int64_t axis);

// ---- gather and scatter, as in XLA
struct GatherDimensionNumbers {
  Sizes offset_dims, collapsed_slice_dims, start_index_map;
  Sizes operand_batching_dims = {}, start_indices_batching_dims = {};
};
struct GatherOptions {
  std::string mode = "fill";  // "clip", "promise_in_bounds"
  bool unique_indices = false;
  std::optional<Array> fill_value = {};  // default: NaN or the extreme integer
};
Array gather(const Arg& operand, const Arg& start_indices, const GatherDimensionNumbers& d,
             const Sizes& slice_sizes, const GatherOptions& o = {});
struct ScatterDimensionNumbers {
  Sizes update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  Sizes operand_batching_dims = {}, scatter_indices_batching_dims = {};
};
struct ScatterOptions {
  // Of windows that are not inside: "drop", or as JAX calls that, "fill"; "clip";
  // "promise_in_bounds": there are none (what there is anyway, is moved inside).
  std::string mode = "drop";
  bool unique_indices = false;
};
Array scatter(const Arg& operand, const Arg& indices, const Arg& updates,
              const ScatterDimensionNumbers& d, const ScatterOptions& o = {});
Array scatter_add(const Arg& operand, const Arg& indices, const Arg& updates,
                  const ScatterDimensionNumbers& d, const ScatterOptions& o = {});
Array scatter_sub(const Arg& operand, const Arg& indices, const Arg& updates,
                  const ScatterDimensionNumbers& d, const ScatterOptions& o = {});
Array scatter_mul(const Arg& operand, const Arg& indices, const Arg& updates,
                  const ScatterDimensionNumbers& d, const ScatterOptions& o = {});
Array scatter_min(const Arg& operand, const Arg& indices, const Arg& updates,
                  const ScatterDimensionNumbers& d, const ScatterOptions& o = {});
Array scatter_max(const Arg& operand, const Arg& indices, const Arg& updates,
                  const ScatterDimensionNumbers& d, const ScatterOptions& o = {});

// ---- sorting
Array sort(const Arg& x, int64_t dimension = -1);
Arrays sort(const Arrays& x, int64_t dimension = -1, int64_t num_keys = 1,
            Location at = Location::here());
std::pair<Array, Array> sort_key_val(const Arg& keys, const Arg& values, int64_t dimension = -1);
std::pair<Array, Array> top_k(const Arg& x, int64_t k, int64_t axis = -1);

// ---- products
Array dot(const Arg& x, const Arg& y);  // of vectors and matrices
Array batch_matmul(const Arg& x, const Arg& y);
// alpha a a^T + beta c, for matrices a of m rows and square c of as many; with symmetrize_output
// the lower triangle stands for both. Source: jax.lax.linalg.symmetric_product.
struct SymmetricProductOptions {
  double alpha = 1, beta = 0;
  bool symmetrize_output = false;
};
Array symmetric_product(const Arg& a, const Arg& c, const SymmetricProductOptions& o = {});

// ---- convolutions
// "VALID", "SAME", "SAME_LOWER", or how much is put before and behind each spatial axis.
struct ConvPadding {
  std::string kind;
  std::vector<std::pair<int64_t, int64_t>> amounts;
  ConvPadding(const char* kind) : kind(kind) {}
  ConvPadding(std::string kind) : kind(std::move(kind)) {}
  ConvPadding(std::vector<std::pair<int64_t, int64_t>> amounts) : amounts(std::move(amounts)) {}
  ConvPadding(std::initializer_list<std::pair<int64_t, int64_t>> amounts) : amounts(amounts) {}
};
// Which axis is which: N and C (batch and features) of lhs and result, O and I (features of the
// result and of the operand) of rhs; the other letters are spatial axes, those of lhs and result in
// the order of rhs. Empty: NCHW, OIHW, NCHW, for any number of spatial axes.
struct ConvDimensions {
  std::string lhs = {}, rhs = {}, out = {};
};
struct ConvDilatedOptions {
  std::vector<int64_t> lhs_dilation = {}, rhs_dilation = {};  // {}: ones
  ConvDimensions dimension_numbers = {};
  int64_t feature_group_count = 1, batch_group_count = 1;
  std::optional<DType> preferred_element_type = {};
};
// Sums of products of a kernel with the window of lhs around each place, as
// jax.lax.conv_general_dilated (the kernel is not turned round).
Array conv_general_dilated(const Arg& lhs, const Arg& rhs,
                           const std::vector<int64_t>& window_strides, const ConvPadding& padding,
                           const ConvDilatedOptions& o = {});

}  // namespace weft::lax
