// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/window.h: reductions over sliding windows, and further forms of convolutions, as
// in jax.lax.
#pragma once
#include "weft/detail/ref.h"
#include "weft/lax.h"

namespace weft::lax {

// ---- windows of one size per axis. The padding is "VALID" (none), "SAME" (as many windows as
// strides), "SAME_LOWER" (like "SAME", with an odd element in front) or pairs (before, after).
// There is one pair per axis; negative pairs crop. The base and window dilations are the distances
// between neighboring elements of the operand and of the window.
struct WindowOptions {
  Sizes window_strides = {};  // default: ones
  // As above, or pairs per axis.
  ConvPadding padding = "VALID";
  Sizes base_dilation = {}, window_dilation = {};  // default: ones
};
// Returns the sum of each window of x; padding is ignored. The result has one element per window.
// Raises DTypeError for bools, and ShapeError for lists that do not have one entry per axis.
// Source: jax.lax.reduce_window_sum_p.
//
//     lax::reduce_window_sum(array({1, 2, 3}), {2})  // array([3, 5], dtype=int32)
Array reduce_window_sum(const typing::Arg& x, const Sizes& window_dimensions,
                        const WindowOptions& o = {});
// Returns the largest element of each window of x; padding is ignored, and a NaN makes its window
// NaN. x is of bools, integers or floats. The derivative flows to the element that a scan in
// row-major order keeps; of equal elements, the first. Raises ShapeError for lists that do not have
// one entry per axis. Source: jax.lax.reduce_window_max_p.
//
//     lax::reduce_window_max(array({1, 3, 2}), {2})  // array([3, 3], dtype=int32)
Array reduce_window_max(const typing::Arg& x, const Sizes& window_dimensions,
                        const WindowOptions& o = {});
// Returns the smallest element of each window of x, otherwise like reduce_window_max. Source:
// jax.lax.reduce_window_min_p.
Array reduce_window_min(const typing::Arg& x, const Sizes& window_dimensions,
                        const WindowOptions& o = {});
// Reduces init_value, a scalar, and all elements of each window with an associative function of two
// scalars. init_value need not be neutral: as in XLA, it is included once in each window. Padding
// and the gaps that base_dilation makes are ignored. For several operands of one shape, the
// function takes and returns one scalar per operand. Source: jax.lax.reduce_window.
//
//     lax::reduce_window(ones({3}), 10.f, lax::add, {2})  // array([12., 12.], dtype=float32)
Array reduce_window(const typing::Arg& operand, const typing::Arg& init_value,
                    const ir::Function<Array(Array, Array)>& computation,
                    const Sizes& window_dimensions, const WindowOptions& o = {});
Arrays reduce_window(const Arrays& operands, const Arrays& init_values,
                     const ir::Function<Arrays(Arrays, Arrays)>& computation,
                     const Sizes& window_dimensions, const WindowOptions& o = {},
                     typing::Location at = typing::Location::here());
// Returns the padding before and after each axis for the padding of that name. Raises ShapeError
// for another name and for lists of different lengths. Source: jax.lax.padtype_to_pads.
std::vector<std::pair<int64_t, int64_t>> padtype_to_pads(
    const Sizes& in_shape, const Sizes& window_shape, const Sizes& window_strides,
    const std::string& padding, typing::Location at = typing::Location::here());
// Returns the shape of reduce_window's result. Raises ShapeError for lists of the wrong length.
// Source: jax.lax.reduce_window_shape_tuple.
Shape reduce_window_shape_tuple(const Shape& operand_shape, const Sizes& window_dimensions,
                                const WindowOptions& o = {},
                                typing::Location at = typing::Location::here());

// ---- selection of one element per window. A row-major scan keeps an element until it meets a
// later one for which "kept ge later" ("kept le later") is false. Padding is not scanned.
struct SelectWindowOptions {
  // "ge" keeps the largest element, "le" the smallest.
  std::string select = "ge";
  Sizes window_strides = {};  // default: ones
  // As in WindowOptions.
  ConvPadding padding = "VALID";
  Sizes base_dilation = {}, window_dilation = {};  // default: ones
};
// Returns zeros of the operand's shape and dtype to which the elements of source, one per window,
// are added. Each is added at the position of the element that its window selects. The result is
// linear in source. Source: jax.lax.select_and_scatter_add_p.
Array select_and_scatter_add(const typing::Arg& source, const typing::Arg& operand,
                             const Sizes& window_dimensions, const SelectWindowOptions& o = {});
// Returns the elements of tangents, of the operand's shape and dtype, at the positions of the
// elements that the windows select. The result is linear in tangents. Source:
// jax.lax.select_and_gather_add_p.
Array select_and_gather_add(const typing::Arg& tangents, const typing::Arg& operand,
                            const Sizes& window_dimensions, const SelectWindowOptions& o = {});
// Works like select_and_scatter_add with other functions. select returns true if the first scalar
// is kept rather than the second. scatter adds and starts from init_value. The windows are
// processed in order. Source: XLA's SelectAndScatter.
Array select_and_scatter(const typing::Arg& operand,
                         const ir::Function<Array(Array, Array)>& select,
                         const Sizes& window_dimensions, const Sizes& window_strides,
                         const ConvPadding& padding, const typing::Arg& source,
                         const typing::Arg& init_value,
                         const ir::Function<Array(Array, Array)>& scatter);

// ---- convolutions
// Computes conv_general_dilated without dilations in the layout NCHW: lhs (n, c, spatial…), rhs (o,
// c, spatial…) -> (n, o, spatial…). Source: jax.lax.conv.
Array conv(const typing::Arg& lhs, const typing::Arg& rhs, const Sizes& window_strides,
           const ConvPadding& padding, std::optional<DType> preferred_element_type = {});
struct ConvGeneralOptions {
  Sizes lhs_dilation = {}, rhs_dilation = {};  // default: ones
  // The dtype of the result; by default that of lhs.
  std::optional<DType> preferred_element_type = {};
  Precision precision = Precision::DEFAULT;  // the least precision of the products
};
// Computes conv with explicit pairs of padding and with dilations of lhs and rhs. Source:
// jax.lax.conv_with_general_padding.
Array conv_with_general_padding(const typing::Arg& lhs, const typing::Arg& rhs,
                                const Sizes& window_strides, const ConvPadding& padding,
                                const ConvGeneralOptions& o = {});
// The options of conv_transpose.
struct ConvTransposeOptions {
  Sizes rhs_dilation = {};                // default: ones
  ConvDimensions dimension_numbers = {};  // {}: features last, kernel (spatial…, in, out)
  // the kernel is flipped, and its input and output features are exchanged
  bool transpose_kernel = false;
  // The dtype of the result; by default that of lhs.
  std::optional<DType> preferred_element_type = {};
  // Pairs give the padding of the convolution that is transposed.
  bool use_consistent_padding = false;
  Precision precision = Precision::DEFAULT;  // the least precision of the products
};
// Computes the transpose of a convolution without flipping the kernel: lhs, with strides - 1 zeros
// between its elements, is convolved with rhs. By default lhs (n, spatial…, c), rhs (spatial…, c,
// o) -> (n, spatial…, o). "SAME" and "VALID" name the padding of the convolution that is
// transposed. Pairs are the padding of this convolution, or of the transposed one with
// .use_consistent_padding. Raises ShapeError for ranks and lists that do not match and for another
// padding. Source: jax.lax.conv_transpose.
Array conv_transpose(const typing::Arg& lhs, const typing::Arg& rhs, const Sizes& strides,
                     const ConvPadding& padding, const ConvTransposeOptions& o = {});
// The options of functions on patches.
struct ConvPatchesOptions {
  Sizes lhs_dilation = {}, rhs_dilation = {};  // default: ones
  // The order of the axes.
  ConvDimensions dimension_numbers = {};
};
// Extracts the patches of lhs: the elements of each window become its features. lhs (n, c,
// spatial…) -> (n, c times the product of filter_shape, positions…). The features of a patch are
// ordered by the feature of lhs, then row-major by the position in the window. Padding gives zeros.
// Raises ShapeError for ranks and lists that do not match. Source:
// jax.lax.conv_general_dilated_patches.
Array conv_general_dilated_patches(const typing::Arg& lhs, const Sizes& filter_shape,
                                   const Sizes& window_strides, const ConvPadding& padding,
                                   const ConvPatchesOptions& o = {});
// Computes a convolution with a separate kernel for each position of the result (a locally
// connected layer). The features of rhs are those of the patches, and its spatial sizes are those
// of the result; ShapeError otherwise. Source: jax.lax.conv_general_dilated_local.
Array conv_general_dilated_local(const typing::Arg& lhs, const typing::Arg& rhs,
                                 const Sizes& window_strides, const ConvPadding& padding,
                                 const Sizes& filter_shape, const ConvPatchesOptions& o = {});
// The axes that layout letters denote: for lhs and the result batch, features, spatial…; for rhs
// output features, input features, spatial…. Source: jax.lax.ConvDimensionNumbers.
struct ConvDimensionNumbers {
  Sizes lhs_spec, rhs_spec, out_spec;
};
// Returns the axes that the layout letters denote for operands of these shapes. {} is NCHW, OIHW,
// NCHW. Raises ShapeError for shapes of different ranks or fewer than two axes, and unless each
// letter occurs exactly once. Source: jax.lax.conv_dimension_numbers.
ConvDimensionNumbers conv_dimension_numbers(const Shape& lhs_shape, const Shape& rhs_shape,
                                            const ConvDimensions& dimension_numbers = {},
                                            typing::Location at = typing::Location::here());
// Returns the axes that the layout letters denote, without shapes. Raises ShapeError unless each
// letter occurs exactly once. Source: jax.lax.conv_general_permutations.
ConvDimensionNumbers conv_general_permutations(const ConvDimensions& dimension_numbers,
                                               typing::Location at = typing::Location::here());
// Returns the shape of conv's result. Raises ShapeError for shapes and lists that do not match.
// Source: jax.lax.conv_shape_tuple.
Shape conv_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape, const Sizes& strides,
                       const ConvPadding& padding, int64_t batch_group_count = 1,
                       typing::Location at = typing::Location::here());
// Returns the shape of conv_general_dilated's result without dilations and groups. Raises
// ShapeError for shapes and lists that do not match. Source: jax.lax.conv_general_shape_tuple.
Shape conv_general_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape,
                               const Sizes& window_strides, const ConvPadding& padding,
                               const ConvDimensions& dimension_numbers,
                               typing::Location at = typing::Location::here());
// Returns the shape of conv_transpose's result without dilation. Raises ShapeError for shapes and
// lists that do not match. Source: jax.lax.conv_transpose_shape_tuple.
Shape conv_transpose_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape,
                                 const Sizes& window_strides, const ConvPadding& padding,
                                 const ConvDimensions& dimension_numbers,
                                 typing::Location at = typing::Location::here());

}  // namespace weft::lax
