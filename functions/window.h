// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/window.h: folds of the windows that slide over an array, and convolutions in their
// other forms, as jax.lax.
#pragma once
#include "weft/core/ref.h"
#include "weft/functions/lax.h"

namespace weft::lax {

// ---- windows of one size an axis. The padding is "VALID" (none), "SAME" (as many windows as
// strides), "SAME_LOWER" (the same, what is odd in front) or pairs an axis, negative ones crop.
// Base and window dilations: how far the elements of the operand and of the window are apart.
struct WindowOptions {
  Sizes window_strides = {};  // {}: ones
  ConvPadding padding = "VALID";
  Sizes base_dilation = {}, window_dilation = {};  // {}: ones
};
// An element a window: the sum, maximum or minimum of what it has of x; padding has no part in it.
// Sums of numbers, the others of bools, integers and floats (NaN wins). The derivative of a maximum
// goes to the element that a scan in row-major order keeps: of equals the first.
Array reduce_window_sum(const Arg& x, const Sizes& window_dimensions, const WindowOptions& o = {});
Array reduce_window_max(const Arg& x, const Sizes& window_dimensions, const WindowOptions& o = {});
Array reduce_window_min(const Arg& x, const Sizes& window_dimensions, const WindowOptions& o = {});
// The fold of init_value, a scalar, and all of a window by an associative function of two scalars;
// padding is init_value. Of several operands of one shape the function is given all.
// Source: jax.lax.reduce_window.
Array reduce_window(const Arg& operand, const Arg& init_value,
                    const Function<Array(Array, Array)>& computation,
                    const Sizes& window_dimensions, const WindowOptions& o = {});
Arrays reduce_window(const Arrays& operands, const Arrays& init_values,
                     const Function<Arrays(Arrays, Arrays)>& computation,
                     const Sizes& window_dimensions, const WindowOptions& o = {},
                     Location at = Location::here());
// How much is put before and behind each axis by a padding of that name. ShapeError for another.
std::vector<std::pair<int64_t, int64_t>> padtype_to_pads(const Sizes& in_shape,
                                                         const Sizes& window_shape,
                                                         const Sizes& window_strides,
                                                         const std::string& padding,
                                                         Location at = Location::here());
// The shape that reduce_window gives.
Shape reduce_window_shape_tuple(const Shape& operand_shape, const Sizes& window_dimensions,
                                const WindowOptions& o = {}, Location at = Location::here());

// ---- the element of a window that a scan in row-major order keeps: it leaves what it has for the
// next element unless what it has is "ge" ("le") that one. Padding is not scanned.
struct SelectWindowOptions {
  std::string select = "ge";
  Sizes window_strides = {};  // {}: ones
  ConvPadding padding = "VALID";
  Sizes base_dilation = {}, window_dilation = {};  // {}: ones
};
// Zeros of the operand's shape and type, with the elements of source, one a window, added where the
// window's element is. Linear in source. Source: jax.lax.select_and_scatter_add_p.
Array select_and_scatter_add(const Arg& source, const Arg& operand, const Sizes& window_dimensions,
                             const SelectWindowOptions& o = {});
// The elements of tangents, of the operand's type, at the places of these elements. Linear in
// tangents. Source: jax.lax.select_and_gather_add_p.
Array select_and_gather_add(const Arg& tangents, const Arg& operand, const Sizes& window_dimensions,
                            const SelectWindowOptions& o = {});
// select_and_scatter_add with another choice (whether the first scalar is kept rather than the
// second) and another sum, which begins with init_value; in the order of the windows.
// Source: XLA's SelectAndScatter.
Array select_and_scatter(const Arg& operand, const Function<Array(Array, Array)>& select,
                         const Sizes& window_dimensions, const Sizes& window_strides,
                         const ConvPadding& padding, const Arg& source, const Arg& init_value,
                         const Function<Array(Array, Array)>& scatter);

// ---- convolutions
// Batch and features first, the kernel (out features, features, spatial…).
Array conv(const Arg& lhs, const Arg& rhs, const Sizes& window_strides, const ConvPadding& padding,
           std::optional<DType> preferred_element_type = {});
struct ConvGeneralOptions {
  Sizes lhs_dilation = {}, rhs_dilation = {};  // {}: ones
  std::optional<DType> preferred_element_type = {};
};
Array conv_with_general_padding(const Arg& lhs, const Arg& rhs, const Sizes& window_strides,
                                const ConvPadding& padding, const ConvGeneralOptions& o = {});
// The transpose of a convolution (without turning the kernel): lhs with strides - 1 zeros between
// its elements. "SAME" and "VALID" mean the padding of the convolution that it is the transpose of;
// pairs are that of this one, or of the other too if use_consistent_padding.
struct ConvTransposeOptions {
  Sizes rhs_dilation = {};                // {}: ones
  ConvDimensions dimension_numbers = {};  // {}: features last, the kernel (spatial…, in, out)
  bool transpose_kernel = false;          // turned round, its in and out features changing places
  std::optional<DType> preferred_element_type = {};
  bool use_consistent_padding = false;
};
Array conv_transpose(const Arg& lhs, const Arg& rhs, const Sizes& strides,
                     const ConvPadding& padding, const ConvTransposeOptions& o = {});
// The elements that each window of lhs has, in the place of its features: feature by feature the
// elements in row-major order, zeros where it is padded.
struct ConvPatchesOptions {
  Sizes lhs_dilation = {}, rhs_dilation = {};  // {}: ones
  ConvDimensions dimension_numbers = {};
};
Array conv_general_dilated_patches(const Arg& lhs, const Sizes& filter_shape,
                                   const Sizes& window_strides, const ConvPadding& padding,
                                   const ConvPatchesOptions& o = {});
// A convolution with a kernel of its own for each place of the result: rhs has as its features
// those of the patches, as its spatial sizes those of the result.
Array conv_general_dilated_local(const Arg& lhs, const Arg& rhs, const Sizes& window_strides,
                                 const ConvPadding& padding, const Sizes& filter_shape,
                                 const ConvPatchesOptions& o = {});
// Which axes the letters mean: of lhs and result batch, features, spatial…; of rhs out features,
// features, spatial….
struct ConvDimensionNumbers {
  Sizes lhs_spec, rhs_spec, out_spec;
};
ConvDimensionNumbers conv_dimension_numbers(const Shape& lhs_shape, const Shape& rhs_shape,
                                            const ConvDimensions& dimension_numbers = {},
                                            Location at = Location::here());
// The same of letters alone.
ConvDimensionNumbers conv_general_permutations(const ConvDimensions& dimension_numbers,
                                               Location at = Location::here());
// The shapes that convolutions of such shapes give: in the order of conv, with any order of axes,
// and of conv_transpose without dilation.
Shape conv_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape, const Sizes& strides,
                       const ConvPadding& padding, int64_t batch_group_count = 1,
                       Location at = Location::here());
Shape conv_general_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape,
                               const Sizes& window_strides, const ConvPadding& padding,
                               const ConvDimensions& dimension_numbers,
                               Location at = Location::here());
Shape conv_transpose_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape,
                                 const Sizes& window_strides, const ConvPadding& padding,
                                 const ConvDimensions& dimension_numbers,
                                 Location at = Location::here());

}  // namespace weft::lax
