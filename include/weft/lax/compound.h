// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/compound.h: functions of jax.lax that combine several primitives: reductions and
// scatters by any function, approximate top_k, scaled products and functions of shapes.
#pragma once
#include "weft/axis.h"
#include "weft/detail/ref.h"
#include "weft/lax.h"
#include "weft/lax/bit_generator.h"
#include "weft/lax/ragged_dot.h"

namespace weft::lax {

// Reduces init_value, a scalar, and all elements along the dimensions with an associative function
// of two scalars. For several operands of one shape, the function takes and returns one scalar per
// operand. init_value is included once; XLA omits it where the dimensions hold a single element.
// Source: jax.lax.reduce.
Array reduce(const typing::Arg& operand, const typing::Arg& init_value,
             const ir::Function<Array(Array, Array)>& computation, const Sizes& dimensions);
Arrays reduce(const Arrays& operands, const Arrays& init_values,
              const ir::Function<Arrays(Arrays, Arrays)>& computation, const Sizes& dimensions,
              typing::Location at = typing::Location::here());

// The options of scatter_apply.
struct ScatterApplyOptions {
  // The batch axes of the indices and the axes of a window.
  Shape update_shape = {};
  // How to treat windows that are out of bounds: "drop" (JAX also calls it "fill"), or "clip":
  // moved inside.
  std::string mode = "drop";
  // A promise that no two windows overlap.
  bool unique_indices = false;
  // A promise that the indices ascend, as in gather.
  bool indices_are_sorted = false;
};
// Returns the operand with func applied to each element of the windows at the indices. Where an
// index occurs twice, func is applied to the result of the first application. Shapes are as in
// scatter, for updates of .update_shape. Raises IndexError for another mode, and DTypeError unless
// func returns scalars of the dtype that it takes. Source: jax.lax.scatter_apply.
Array scatter_apply(const typing::Arg& operand, const typing::Arg& scatter_indices,
                    const ir::Function<Array(Array)>& func, const ScatterDimensionNumbers& d,
                    const ScatterApplyOptions& o = {});
// Returns src at indices along these axes, one vector of indices per axis. Negative indices count
// from the end, and all wrap around. The other axes follow. Source: jax.lax.index_take.
Array index_take(const typing::Arg& src, const Arrays& idxs, const Sizes& axes);

// The options of approx_max_k and approx_min_k.
struct ApproxTopKOptions {
  // The axis that is reduced.
  int64_t reduction_dimension = -1;
  // In (0, 1]. Any value is met, because the search is exact.
  double recall_target = 0.95;
  // false: returns the whole axis, sorted.
  bool aggregate_to_topk = true;
};
// Returns the k largest floats of an axis, the largest first, and their indices (I32): (…, n) ->
// (…, k). The search is exact, so any .recall_target is met. Without .aggregate_to_topk it returns
// the whole axis, as JAX does on CPUs. Raises DTypeError unless the operand is a float. Raises
// ShapeError for a k or recall_target out of range, and IndexError for an axis that does not exist.
// Source: jax.lax.approx_max_k.
std::pair<Array, Array> approx_max_k(const typing::Arg& operand, int64_t k,
                                     const ApproxTopKOptions& o = {});
// Returns the k smallest floats, the smallest first, otherwise like approx_max_k. Source:
// jax.lax.approx_min_k.
std::pair<Array, Array> approx_min_k(const typing::Arg& operand, int64_t k,
                                     const ApproxTopKOptions& o = {});

// The options of scaled_dot.
struct ScaledDotOptions {
  // The scales of lhs and of rhs; none: 1.
  std::optional<Array> lhs_scale = {}, rhs_scale = {};
  // None: the operands are matrices, as in batch_matmul.
  std::optional<DotDims> dimension_numbers = {};
  // The dtype of the result.
  DType preferred_element_type = BF16;
};
// Computes dot_general of lhs and rhs, each multiplied by its scale. The operands, the scales and
// their products are rounded to BF16. A scale has the axes of its operand. Along a contracted axis
// each scale applies to a block of two or more consecutive elements, as many as the quotient of the
// sizes. Raises ShapeError for shapes that do not match, and DTypeError for complex numbers.
// Source: jax.lax.scaled_dot.
Array scaled_dot(const typing::Arg& lhs, const typing::Arg& rhs, const ScaledDotOptions& o = {});

// Returns numbers in [a, b), integers or floats, from a generator that is not an argument. Each
// call uses the next one of its streams, which are the same in every process. A jitted program is
// traced once, so its numbers are the same in each run and in all lanes of a map. Use weft::random
// with keys where they must differ. Raises DTypeError unless a and b are scalars of one dtype.
// Source: jax.lax.rng_uniform, whose numbers are those of its backend.
Array rng_uniform(const typing::Arg& a, const typing::Arg& b, const Shape& shape);

// Returns the dtype of an array or of a C++ number. Source: jax.lax.dtype.
DType dtype(const typing::Arg& x);

// ---- shapes
// Returns an array of which only the type matters; its elements are 0. Source: jax.lax.empty.
Array empty(const Shape& shape, DType dtype, typing::Location at = typing::Location::here());
template <class = void>
Array empty(const Shape& shape, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
// Returns the shape to which all shapes broadcast by NumPy's rules. Raises ShapeError if they do
// not broadcast, and for an empty list. Source: jax.lax.broadcast_shapes.
//
//     lax::broadcast_shapes({{2, 1}, {3}})  // (2, 3)
Shape broadcast_shapes(const std::vector<Shape>& shapes,
                       typing::Location at = typing::Location::here());
// Broadcasts x to the shape of `like`. Raises ShapeError if it does not broadcast. Source:
// jax.lax.broadcast_like.
Array broadcast_like(const typing::Arg& x, const typing::Arg& like);
// Returns the sizes as a vector, I32 if they fit, else I64. Source: jax.lax.shape_as_value.
//
//     lax::shape_as_value({2, 3})  // array([2, 3], dtype=int32)
Array shape_as_value(const Shape& shape, typing::Location at = typing::Location::here());
// Stacks arrays of one type along a new axis of the result, which may be negative. Raises
// ShapeError for an empty list and for two types, and IndexError for an axis out of range. Source:
// jax.lax.stack.
Array stack(const Arrays& x, int64_t axis = 0, typing::Location at = typing::Location::here());
// Returns the slices of x along an axis, without that axis; the inverse of stack. Raises IndexError
// for an axis that x does not have. Source: jax.lax.unstack.
Arrays unstack(const typing::Arg& x, int64_t axis = 0);

}  // namespace weft::lax
