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
  // As above, or pairs an axis.
  ConvPadding padding = "VALID";
  Sizes base_dilation = {}, window_dilation = {};  // {}: ones
};
// The sum of what each window has of x, an element a window; padding has no part in it. Numbers,
// DTypeError else; ShapeError for lists that do not have an entry an axis. Source:
// jax.lax.reduce_window_sum_p.
//
//     lax::reduce_window_sum(array({1, 2, 3}), {2})  // array([3, 5], dtype=int32)
Array reduce_window_sum(const typing::Arg& x, const Sizes& window_dimensions,
                        const WindowOptions& o = {});
// The largest of what each window has of x; padding has no part in it, NaN wins. Bools, integers
// and floats. The derivative goes to the element that a scan in row-major order keeps: of equals
// the first. ShapeError for lists that do not have an entry an axis. Source:
// jax.lax.reduce_window_max_p.
//
//     lax::reduce_window_max(array({1, 3, 2}), {2})  // array([3, 3], dtype=int32)
Array reduce_window_max(const typing::Arg& x, const Sizes& window_dimensions,
                        const WindowOptions& o = {});
// As reduce_window_max the smallest of what each window has of x. Source:
// jax.lax.reduce_window_min_p.
Array reduce_window_min(const typing::Arg& x, const Sizes& window_dimensions,
                        const WindowOptions& o = {});
// The fold of init_value, a scalar, and all of a window by an associative function of two scalars.
// init_value need not be neutral: it takes part once in each window, as in XLA, and padding and
// what base_dilation puts between elements take no part. Of several operands of one shape the
// function is given all. Source: jax.lax.reduce_window.
//
//     lax::reduce_window(ones({3}), 10.f, lax::add, {2})  // array([12., 12.], dtype=float32)
Array reduce_window(const typing::Arg& operand, const typing::Arg& init_value,
                    const ir::Function<Array(Array, Array)>& computation,
                    const Sizes& window_dimensions, const WindowOptions& o = {});
Arrays reduce_window(const Arrays& operands, const Arrays& init_values,
                     const ir::Function<Arrays(Arrays, Arrays)>& computation,
                     const Sizes& window_dimensions, const WindowOptions& o = {},
                     typing::Location at = typing::Location::here());
// How much is put before and behind each axis by a padding of that name. ShapeError for another
// name and lists of different lengths. Source: jax.lax.padtype_to_pads.
std::vector<std::pair<int64_t, int64_t>> padtype_to_pads(
    const Sizes& in_shape, const Sizes& window_shape, const Sizes& window_strides,
    const std::string& padding, typing::Location at = typing::Location::here());
// The shape that reduce_window gives. ShapeError for lists that do not fit. Source:
// jax.lax.reduce_window_shape_tuple.
Shape reduce_window_shape_tuple(const Shape& operand_shape, const Sizes& window_dimensions,
                                const WindowOptions& o = {},
                                typing::Location at = typing::Location::here());

// ---- the element of a window that a scan in row-major order keeps: it leaves what it has for the
// next element unless what it has is "ge" ("le") that one. Padding is not scanned.
struct SelectWindowOptions {
  // "ge": the largest is kept; "le": the smallest.
  std::string select = "ge";
  Sizes window_strides = {};  // {}: ones
  // As of WindowOptions.
  ConvPadding padding = "VALID";
  Sizes base_dilation = {}, window_dilation = {};  // {}: ones
};
// Zeros of the operand's shape and type, with the elements of source, one a window, added where the
// window's element is. Linear in source. Source: jax.lax.select_and_scatter_add_p.
Array select_and_scatter_add(const typing::Arg& source, const typing::Arg& operand,
                             const Sizes& window_dimensions, const SelectWindowOptions& o = {});
// The elements of tangents, of the operand's type, at the places of these elements. Linear in
// tangents. Source: jax.lax.select_and_gather_add_p.
Array select_and_gather_add(const typing::Arg& tangents, const typing::Arg& operand,
                            const Sizes& window_dimensions, const SelectWindowOptions& o = {});
// select_and_scatter_add with another choice (whether the first scalar is kept rather than the
// second) and another sum, which begins with init_value; in the order of the windows.
// Source: XLA's SelectAndScatter.
Array select_and_scatter(const typing::Arg& operand,
                         const ir::Function<Array(Array, Array)>& select,
                         const Sizes& window_dimensions, const Sizes& window_strides,
                         const ConvPadding& padding, const typing::Arg& source,
                         const typing::Arg& init_value,
                         const ir::Function<Array(Array, Array)>& scatter);

// ---- convolutions
// conv_general_dilated without dilations, in the order NCHW: lhs (n, c, spatial…), rhs (o, c,
// spatial…) -> (n, o, spatial…). Source: jax.lax.conv.
Array conv(const typing::Arg& lhs, const typing::Arg& rhs, const Sizes& window_strides,
           const ConvPadding& padding, std::optional<DType> preferred_element_type = {});
struct ConvGeneralOptions {
  Sizes lhs_dilation = {}, rhs_dilation = {};  // {}: ones
  // The dtype of the result; that of lhs.
  std::optional<DType> preferred_element_type = {};
  Precision precision = Precision::DEFAULT;  // how exact products must be at least
};
// conv with pairs of padding and dilations of lhs and rhs. Source:
// jax.lax.conv_with_general_padding.
Array conv_with_general_padding(const typing::Arg& lhs, const typing::Arg& rhs,
                                const Sizes& window_strides, const ConvPadding& padding,
                                const ConvGeneralOptions& o = {});
// How conv_transpose moves its kernel.
struct ConvTransposeOptions {
  Sizes rhs_dilation = {};                // {}: ones
  ConvDimensions dimension_numbers = {};  // {}: features last, the kernel (spatial…, in, out)
  bool transpose_kernel = false;          // turned round, its in and out features changing places
  // The dtype of the result; that of lhs.
  std::optional<DType> preferred_element_type = {};
  // Pairs are the padding of the convolution whose transpose this is.
  bool use_consistent_padding = false;
  Precision precision = Precision::DEFAULT;  // how exact products must be at least
};
// The transpose of a convolution, without turning the kernel round: lhs with strides - 1 zeros
// between its elements is convolved with rhs. By default lhs (n, spatial…, c), rhs (spatial…, c, o)
// -> (n, spatial…, o). "SAME" and "VALID" mean the padding of the convolution that it is the
// transpose of; pairs are that of this one, or of the other with .use_consistent_padding.
// ShapeError for ranks and lists that do not fit and another padding. Source:
// jax.lax.conv_transpose.
Array conv_transpose(const typing::Arg& lhs, const typing::Arg& rhs, const Sizes& strides,
                     const ConvPadding& padding, const ConvTransposeOptions& o = {});
// Dilations and order of axes of patches.
struct ConvPatchesOptions {
  Sizes lhs_dilation = {}, rhs_dilation = {};  // {}: ones
  // Which axis is which.
  ConvDimensions dimension_numbers = {};
};
// The elements that each window of lhs has, in the place of its features: lhs (n, c, spatial…) ->
// (n, c times the product of filter_shape, places…), feature by feature the elements in row-major
// order, zeros where it is padded. ShapeError for ranks and lists that do not fit. Source:
// jax.lax.conv_general_dilated_patches.
Array conv_general_dilated_patches(const typing::Arg& lhs, const Sizes& filter_shape,
                                   const Sizes& window_strides, const ConvPadding& padding,
                                   const ConvPatchesOptions& o = {});
// A convolution with a kernel of its own for each place of the result: rhs has as its features
// those of the patches, as its spatial sizes those of the result. ShapeError if it has not. Source:
// jax.lax.conv_general_dilated_local.
Array conv_general_dilated_local(const typing::Arg& lhs, const typing::Arg& rhs,
                                 const Sizes& window_strides, const ConvPadding& padding,
                                 const Sizes& filter_shape, const ConvPatchesOptions& o = {});
// The axes that letters mean: of lhs and result batch, features, spatial…; of rhs out features,
// features, spatial…. Source: jax.lax.ConvDimensionNumbers.
struct ConvDimensionNumbers {
  Sizes lhs_spec, rhs_spec, out_spec;
};
// The axes that the letters mean, {} being NCHW, OIHW, NCHW, for operands of these shapes.
// ShapeError for shapes of two ranks or fewer than two axes, and letters that are not each there
// once. Source: jax.lax.conv_dimension_numbers.
ConvDimensionNumbers conv_dimension_numbers(const Shape& lhs_shape, const Shape& rhs_shape,
                                            const ConvDimensions& dimension_numbers = {},
                                            typing::Location at = typing::Location::here());
// The axes that the letters mean, of letters alone. ShapeError for letters that are not each there
// once. Source: jax.lax.conv_general_permutations.
ConvDimensionNumbers conv_general_permutations(const ConvDimensions& dimension_numbers,
                                               typing::Location at = typing::Location::here());
// The shape that conv gives. ShapeError for shapes and lists that do not fit. Source:
// jax.lax.conv_shape_tuple.
Shape conv_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape, const Sizes& strides,
                       const ConvPadding& padding, int64_t batch_group_count = 1,
                       typing::Location at = typing::Location::here());
// The shape that conv_general_dilated gives, without dilations and groups. ShapeError for shapes
// and lists that do not fit. Source: jax.lax.conv_general_shape_tuple.
Shape conv_general_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape,
                               const Sizes& window_strides, const ConvPadding& padding,
                               const ConvDimensions& dimension_numbers,
                               typing::Location at = typing::Location::here());
// The shape that conv_transpose gives, without dilation. ShapeError for shapes and lists that do
// not fit. Source: jax.lax.conv_transpose_shape_tuple.
Shape conv_transpose_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape,
                                 const Sizes& window_strides, const ConvPadding& padding,
                                 const ConvDimensions& dimension_numbers,
                                 typing::Location at = typing::Location::here());

}  // namespace weft::lax
