// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/extra.h: the names of jax.lax that stand for several primitives: folds and scatters
// by any function, approximate top_k, ragged products, arrays of shapes.
#pragma once
#include "weft/core/ref.h"
#include "weft/functions/axis.h"
#include "weft/functions/lax.h"
#include "weft/ops/linear/products/ragged.h"
#include "weft/ops/random/bit_generator.h"

namespace weft::lax {

// The fold of init_value, a scalar, and all elements along the dimensions, by an associative
// function of two scalars. Of several operands of one shape the function is given all. init_value
// takes part once; XLA leaves it out where the dimensions hold a single element.
// Source: jax.lax.reduce.
Array reduce(const typing::Arg& operand, const typing::Arg& init_value,
             const ir::Function<Array(Array, Array)>& computation, const Sizes& dimensions);
Arrays reduce(const Arrays& operands, const Arrays& init_values,
              const ir::Function<Arrays(Arrays, Arrays)>& computation, const Sizes& dimensions,
              typing::Location at = typing::Location::here());

// Form and mode of scatter_apply.
struct ScatterApplyOptions {
  // The indices' axes and those of a window.
  Shape update_shape = {};
  // Of windows that are not inside: "drop", or as JAX calls that, "fill"; "clip": moved inside.
  std::string mode = "drop";
  // No two windows share elements: a promise.
  bool unique_indices = false;
  // The indices ascend: a promise, as in gather.
  bool indices_are_sorted = false;
};
// The operand with func of each element of the windows at the indices in its place; where an index
// is there twice, func of what the first one wrote. Shapes as of scatter, for updates of
// .update_shape. IndexError for another mode, DTypeError unless func gives scalars of the dtype
// that it takes. Source: jax.lax.scatter_apply.
Array scatter_apply(const typing::Arg& operand, const typing::Arg& scatter_indices,
                    const ir::Function<Array(Array)>& func, const ScatterDimensionNumbers& d,
                    const ScatterApplyOptions& o = {});
// src at indices along these axes, a vector of them each; they count from the end if negative, and
// wrap around. The other axes follow. Source: jax.lax.index_take.
Array index_take(const typing::Arg& src, const Arrays& idxs, const Sizes& axes);

// How approx_max_k and approx_min_k search.
struct ApproxTopKOptions {
  // The axis that is searched.
  int64_t reduction_dimension = -1;
  // In (0, 1]; met by any, as all are found.
  double recall_target = 0.95;
  // false: the whole axis, sorted.
  bool aggregate_to_topk = true;
};
// The k largest floats of an axis, the largest first, and their places (I32): (…, n) -> (…, k). All
// of them are found, so that any .recall_target is met; without .aggregate_to_topk the whole axis
// is given, as JAX does on CPUs. DTypeError for what is no float, ShapeError for a k or
// recall_target out of range, IndexError for an axis that there is not. Source:
// jax.lax.approx_max_k.
std::pair<Array, Array> approx_max_k(const typing::Arg& operand, int64_t k,
                                     const ApproxTopKOptions& o = {});
// As approx_max_k the k smallest, the smallest first. Source: jax.lax.approx_min_k.
std::pair<Array, Array> approx_min_k(const typing::Arg& operand, int64_t k,
                                     const ApproxTopKOptions& o = {});

// Scales and axes of scaled_dot.
struct ScaledDotOptions {
  // Factors of lhs and of rhs; none: 1.
  std::optional<Array> lhs_scale = {}, rhs_scale = {};
  // None: factors are matrices, as of batch_matmul.
  std::optional<DotDims> dimension_numbers = {};
  // The dtype of the result.
  DType preferred_element_type = BF16;
};
// dot_general of lhs and rhs times their scales, all of them rounded to BF16, their products as
// well. A scale has the axes of its factor; along those that are contracted each of its numbers
// goes with so many of the factor's in turn as there are more of these, two at least. ShapeError
// for what does not fit, DTypeError for complex numbers. Source: jax.lax.scaled_dot.
Array scaled_dot(const typing::Arg& lhs, const typing::Arg& rhs, const ScaledDotOptions& o = {});

// Numbers in [a, b), integers or floats, of a generator that no argument names: each call takes the
// next one of its streams, which are the same in every process. A jitted program was traced once,
// so that its numbers are the same in each run, and in all lanes of a map; weft::random has keys
// for what is to differ there. DTypeError unless a and b, scalars, have one dtype. Source:
// jax.lax.rng_uniform, whose numbers are those of its backend.
Array rng_uniform(const typing::Arg& a, const typing::Arg& b, const Shape& shape);

// The dtype of an array, or of a number of C++. Source: jax.lax.dtype.
DType dtype(const typing::Arg& x);

// ---- shapes
// An array of which nothing but the type counts; its numbers are 0. Source: jax.lax.empty.
Array empty(const Shape& shape, DType dtype, typing::Location at = typing::Location::here());
template <class = void>
Array empty(const Shape& shape, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
// The shape to which all are broadcast, as NumPy does it. ShapeError if they do not fit, and for
// none. Source: jax.lax.broadcast_shapes.
//
//     lax::broadcast_shapes({{2, 1}, {3}})  // (2, 3)
Shape broadcast_shapes(const std::vector<Shape>& shapes,
                       typing::Location at = typing::Location::here());
// x broadcast to the shape of `like`. ShapeError if it does not fit. Source:
// jax.lax.broadcast_like.
Array broadcast_like(const typing::Arg& x, const typing::Arg& like);
// The sizes as a vector, I32 if they fit, else I64. Source: jax.lax.shape_as_value.
//
//     lax::shape_as_value({2, 3})  // array([2, 3], dtype=int32)
Array shape_as_value(const Shape& shape, typing::Location at = typing::Location::here());
// Arrays of one type along a new axis of the result, which may be negative. ShapeError for no array
// and for two types, IndexError for an axis out of range. Source: jax.lax.stack.
Array stack(const Arrays& x, int64_t axis = 0, typing::Location at = typing::Location::here());
// The parts of x along an axis, without that axis; the inverse of stack. IndexError for an axis
// that x has not. Source: jax.lax.unstack.
Arrays unstack(const typing::Arg& x, int64_t axis = 0);

}  // namespace weft::lax
