// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/extra.h: the names of jax.lax that stand for several primitives: folds and scatters
// by any function, approximate top_k, ragged products, arrays of shapes.
#pragma once
#include "weft/core/ref.h"
#include "weft/functions/lax.h"
#include "weft/ops/linear/products/ragged.h"
#include "weft/ops/random/bit_generator.h"

namespace weft::lax {

// The fold of init_value, a scalar, and all elements along the dimensions, by an associative
// function of two scalars. Of several operands of one shape the function is given all.
// Source: jax.lax.reduce.
Array reduce(const Arg& operand, const Arg& init_value,
             const Function<Array(Array, Array)>& computation, const Sizes& dimensions);
Arrays reduce(const Arrays& operands, const Arrays& init_values,
              const Function<Arrays(Arrays, Arrays)>& computation, const Sizes& dimensions,
              Location at = Location::here());

// The operand with func of each element of the windows at the indices in its place; where an index
// is there twice, func of what the first one wrote. update_shape: the indices' axes and those of a
// window. Source: jax.lax.scatter_apply.
struct ScatterApplyOptions {
  Shape update_shape = {};
  std::string mode = "drop";  // "clip"
  bool unique_indices = false;
};
Array scatter_apply(const Arg& operand, const Arg& scatter_indices,
                    const Function<Array(Array)>& func, const ScatterDimensionNumbers& d,
                    const ScatterApplyOptions& o = {});
// src at indices along these axes, a vector of them each; they count from the end if negative, and
// wrap around. The other axes follow. Source: jax.lax.index_take.
Array index_take(const Arg& src, const Arrays& idxs, const Sizes& axes);

// The k largest (smallest) of an axis and their places, the best first. All of them are found, so
// that any recall_target is met; without aggregate_to_topk the whole axis is given, as JAX does on
// CPUs. Source: jax.lax.approx_max_k.
struct ApproxTopKOptions {
  int64_t reduction_dimension = -1;
  double recall_target = 0.95;
  bool aggregate_to_topk = true;
};
std::pair<Array, Array> approx_max_k(const Arg& operand, int64_t k,
                                     const ApproxTopKOptions& o = {});
std::pair<Array, Array> approx_min_k(const Arg& operand, int64_t k,
                                     const ApproxTopKOptions& o = {});

// dot_general of lhs and rhs times their scales, all of them rounded to BF16, their products as
// well. A scale has the axes of its factor; along those that are contracted each of its numbers
// goes with so many of the factor's in turn as there are more of these, two at least. Without one
// it is 1; without dimension_numbers factors are matrices. ShapeError for what does not fit,
// DTypeError for complex numbers. Source: jax.lax.scaled_dot.
struct ScaledDotOptions {
  std::optional<Array> lhs_scale = {}, rhs_scale = {};
  std::optional<DotDims> dimension_numbers = {};
  DType preferred_element_type = BF16;
};
Array scaled_dot(const Arg& lhs, const Arg& rhs, const ScaledDotOptions& o = {});

// Numbers in [a, b), integers or floats, of a generator that no argument names: each call takes the
// next one of its streams, which are the same in every process. A jitted program was traced once,
// so that its numbers are the same in each run, and in all lanes of a map; weft::random has keys
// for what is to differ there. DTypeError unless a and b, scalars, have one dtype. Source:
// jax.lax.rng_uniform, whose numbers are those of its backend.
Array rng_uniform(const Arg& a, const Arg& b, const Shape& shape);

// The dtype of an array, or of a number of C++. Source: jax.lax.dtype.
DType dtype(const Arg& x);

// ---- shapes
// An array of which nothing but the type counts; its numbers are 0. Source: jax.lax.empty.
Array empty(const Shape& shape, DType dtype, Location at = Location::here());
// As NumPy broadcasts. ShapeError if they do not fit.
Shape broadcast_shapes(const std::vector<Shape>& shapes, Location at = Location::here());
Array broadcast_like(const Arg& x, const Arg& like);
// The sizes as a vector, I32 if they fit.
Array shape_as_value(const Shape& shape, Location at = Location::here());
// Arrays of one type along a new axis, and back.
Array stack(const Arrays& x, int64_t axis = 0, Location at = Location::here());
Arrays unstack(const Arg& x, int64_t axis = 0);

}  // namespace weft::lax
