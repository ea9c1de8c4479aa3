// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/nn.h: activations, normalisations and layers of neural networks, as jax.nn.
#pragma once
#include "weft/functions/axis.h"
#include "weft/functions/lax.h"
#include "weft/functions/special.h"
#include "weft/tracer/tree.h"

namespace weft::nn {

// max(x, 0), of any shape, in the dtype of x, integers too; NaN stays; complex numbers go by real,
// then imaginary part. The derivative is 0 at 0. Source: jax.nn.relu.
//
//     nn::relu(array({-2, 0, 3}))  // array([0, 0, 3], dtype=int32)
Array relu(const typing::Arg& x);
// min(max(x, 0), 6), as relu else. The derivative is 0 at 0 and at 6. Source: jax.nn.relu6.
//
//     nn::relu6(array({-2, 3, 8}))  // array([0, 3, 6], dtype=int32)
Array relu6(const typing::Arg& x);
// x where it is at least 0, else negative_slope x; the slope is broadcast with x. Integers become
// floats. ShapeError for shapes that do not go together. Source: jax.nn.leaky_relu.
Array leaky_relu(const typing::Arg& x, const typing::Arg& negative_slope = 0.01);
// x where it is positive, else alpha (e^x - 1); alpha is broadcast with x. Integers become floats.
// ShapeError for shapes that do not go together. Source: jax.nn.elu.
Array elu(const typing::Arg& x, const typing::Arg& alpha = 1.);
// max(x, 0) + alpha (e^(min(x, 0) / alpha) - 1); alpha is broadcast with x. Integers become floats.
// ShapeError for shapes that do not go together. Source: jax.nn.celu.
Array celu(const typing::Arg& x, const typing::Arg& alpha = 1.);
// 1.0507… elu(x, 1.6732…), the two numbers with which layers keep the mean 0 and the variance 1
// (Klambauer et al., 2017). Of any shape; integers become floats. Source: jax.nn.selu.
Array selu(const typing::Arg& x);
// x Phi(x), Phi the distribution function of normal numbers: x (1 + erf(x / sqrt(2))) / 2, or as an
// approximation x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2. Of any shape; integers become
// floats. Source: jax.nn.gelu.
//
//     nn::gelu(array({0.}))  // array([0.], dtype=float32)
Array gelu(const typing::Arg& x, bool approximate = true);
// x sigmoid(x) = x / (1 + e^-x), of any shape; integers become floats. Source: jax.nn.silu.
Array silu(const typing::Arg& x);
// The same as silu. Source: jax.nn.swish.
Array swish(const typing::Arg& x);
// x tanh(softplus(x)) = x tanh(log(1 + e^x)), of any shape; integers become floats. Source:
// jax.nn.mish.
//
//     nn::mish(array({0.}))  // array([0.], dtype=float32)
Array mish(const typing::Arg& x);
// log(1 + e^x), of any shape and without overflow: x for large x. Its derivative is sigmoid(x).
// Integers become floats. Source: jax.nn.softplus.
Array softplus(const typing::Arg& x);
// x / (1 + |x|), of any shape, in (-1, 1); integers become floats. Source: jax.nn.soft_sign.
//
//     nn::soft_sign(array({-1., 0., 3.}))  // array([-0.5 ,  0.  ,  0.75], dtype=float32)
Array soft_sign(const typing::Arg& x);
// 1 / (1 + e^-x), of any shape, without overflow; integers become floats. Source: jax.nn.sigmoid.
//
//     nn::sigmoid(array({0}))  // array([0.5], dtype=float32)
Array sigmoid(const typing::Arg& x);
// log(sigmoid(x)) = -softplus(-x), of any shape and without overflow: x for very negative x.
// Integers become floats. Source: jax.nn.log_sigmoid.
Array log_sigmoid(const typing::Arg& x);
// The hyperbolic tangent of any shape; integers become floats. The same as weft::tanh. Source:
// jax.nn.tanh.
Array tanh(const typing::Arg& x);
// x cut to [-1, 1], of any shape, in the dtype of x, integers too; NaN stays. The derivative is 1
// at -1 and at 1. Source: jax.nn.hard_tanh.
//
//     nn::hard_tanh(array({-2., 0.5, 3.}))  // array([-1. ,  0.5,  1. ], dtype=float32)
Array hard_tanh(const typing::Arg& x);
// relu6(x + 3) / 6, of any shape: 0 up to -3, 1 from 3 on, straight between. The derivative is 0 at
// -3 and at 3. Integers become floats. Source: jax.nn.hard_sigmoid.
//
//     nn::hard_sigmoid(array({-4, 0, 4}))  // array([0. , 0.5, 1. ], dtype=float32)
Array hard_sigmoid(const typing::Arg& x);
// x hard_sigmoid(x), of any shape; integers become floats. Source: jax.nn.hard_silu.
Array hard_silu(const typing::Arg& x);
// The same as hard_silu. Source: jax.nn.hard_swish.
Array hard_swish(const typing::Arg& x);
// 0 for x <= -1, x for x >= 1, (x + 1)^2 / 4 between; its derivative is sparse_sigmoid. Of any
// shape; integers become floats. Source: jax.nn.sparse_plus.
//
//     nn::sparse_plus(array({-2., 0., 2.}))  // array([0.  , 0.25, 2.  ], dtype=float32)
Array sparse_plus(const typing::Arg& x);
// (x + 1) / 2 cut to [0, 1], of any shape; integers become floats. Source: jax.nn.sparse_sigmoid.
Array sparse_sigmoid(const typing::Arg& x);
// log(1 - e^-x) of any shape, exact for small and large x too; -inf at 0, NaN for x < 0. Integers
// become floats. Source: jax.nn.log1mexp.
Array log1mexp(const typing::Arg& x);
// (x + sqrt(x^2 + b)) / 2, also where both cancel (0 in JAX); b is broadcast with x. Integers
// become floats. ShapeError for shapes that do not go together. Source: jax.nn.squareplus.
Array squareplus(const typing::Arg& x, const typing::Arg& b = 4.);
// The first half of x along an axis times the sigmoid of the second: (…, 2 n, …) -> (…, n, …).
// Integers become floats. IndexError for an axis that x has not, ShapeError for one of odd size.
// Source: jax.nn.glu.
Array glu(const typing::Arg& x, int64_t axis = -1);
// x itself. Source: jax.nn.identity.
Array identity(const typing::Arg& x);

struct SoftmaxOptions {
  // Bool, broadcast to x: the elements that count; none: all.
  std::optional<Array> where = {};
};
// e^x / the sum of e^x along axes (none: all), of the shape of x and without overflow. Elements
// that .where leaves out give 0. Integers become floats. IndexError for axes that x has not,
// ShapeError for a .where that does not broadcast to x. Source: jax.nn.softmax.
//
//     nn::softmax(array({1., 1.}))  // array([0.5, 0.5], dtype=float32)
Array softmax(const typing::Arg& x, const typing::AxisList& axis = -1,
              const SoftmaxOptions& o = {});
// x - log of the sum of e^x along axes (none: all), of the shape of x and without overflow.
// Elements that .where leaves out give -inf. Dtypes and errors as of softmax. Source:
// jax.nn.log_softmax.
Array log_softmax(const typing::Arg& x, const typing::AxisList& axis = -1,
                  const SoftmaxOptions& o = {});
// The options of logsumexp and signed_logsumexp.
using LogSumExpOptions = special::LogSumExpOptions;
// log of the sum of b e^x along axes, by default all, of the elements that count:
// special::logsumexp. Source: jax.nn.logsumexp.
Array logsumexp(const typing::Arg& x, const typing::AxisList& axis = none,
                const LogSumExpOptions& o = {});
// special::signed_logsumexp: the logarithm of the size of such a sum and its sign. Source:
// jax.nn.logsumexp with return_sign.
using special::signed_logsumexp;
// How logmeanexp computes.
struct LogMeanExpOptions {
  // The axes stay, with size 1.
  bool keepdims = false;
  // Bool, broadcast to x: the elements that count; none: all.
  std::optional<Array> where = {};
};
// The logarithm of the mean of e^x along axes, by default all, of the elements that count; NaN
// where none does. Integers become floats. IndexError for axes that x has not, ShapeError for a
// .where that does not broadcast to x. Source: jax.nn.logmeanexp.
Array logmeanexp(const typing::Arg& x, const typing::AxisList& axis = none,
                 const LogMeanExpOptions& o = {});
// How standardize computes.
struct StandardizeOptions {
  // What stands for the mean and the variance of x; broadcast with x.
  std::optional<Array> mean = {}, variance = {};
  // Added to the variance.
  Array epsilon = 1e-5;
  std::optional<Array> where = {};  // bool, broadcast to x: the elements that count
  // The variance: mean of squares less squared mean, at least 0 ("fast"), or mean of squared
  // differences ("stable").
  std::string algorithm = "fast";
};
// (x - mean) / sqrt(variance + epsilon), with mean and variance along the axes, unless others are
// given. Integers become floats. IndexError for another .algorithm or axes that x has not,
// ShapeError for a .where that does not broadcast to x. Source: jax.nn.standardize.
Array standardize(const typing::Arg& x, const typing::AxisList& axis = -1,
                  const StandardizeOptions& o = {});
struct LayerNormOptions {
  // A factor of the result, and what is then added; broadcast to x.
  std::optional<Array> scale = {}, bias = {};
  // Added to the variance.
  Array epsilon = 1e-5;
};
// (x - mean) / sqrt(variance + epsilon) scale + bias, with the mean and the variance (the mean of
// squared differences) along the axes; of the shape of x. Integers become floats; F16 and BF16 are
// computed with in F32, as in softmax and standardize, and rounded once. IndexError for
// axes that x has not, ShapeError for a .scale or .bias that does not broadcast to x. Source:
// flax.linen.LayerNorm.
Array layer_norm(const typing::Arg& x, const typing::AxisList& axis = -1,
                 const LayerNormOptions& o = {});
// The form of one_hot.
struct OneHotOptions {
  // The dtype of the result.
  DType dtype = F32;
  // Where the axis of classes stands in the result.
  int64_t axis = -1;
};
// 1 where the class x is, 0 elsewhere: x (…) -> (…, num_classes), or that axis at .axis. Classes
// out of range give zeros. IndexError for another axis, ShapeError for a negative number of
// classes. Source: jax.nn.one_hot.
//
//     nn::one_hot(array({2, 0}), 3)  // array([[0., 0., 1.], [1., 0., 0.]], dtype=float32)
Array one_hot(const typing::Arg& x, int64_t num_classes, const OneHotOptions& o = {});
template <weft::detail::PlainDType D>
Array one_hot(const typing::Arg& x, int64_t num_classes, D dtype);

// How many keys to the left and to the right of its own place a query sees: {left, right}, one
// number for both, or {} for all keys.
struct LocalWindow {
  bool all = true;
  int64_t left = 0, right = 0;
  LocalWindow() = default;
  template <ir::Integer I>
  LocalWindow(I n) : all(false), left(static_cast<int64_t>(n)), right(left) {}
  LocalWindow(int64_t before, int64_t behind) : all(false), left(before), right(behind) {}
};
struct AttentionOptions {
  std::optional<Array> bias = {}, mask = {};  // broadcast to (…, N, T, S); added; bool
  std::optional<Array> scale = {};            // of the products; default: 1 / sqrt(H)
  bool is_causal = false;                     // a query sees no key after its own place
  // How many queries and keys of each (…) there are, integers (…): what is beyond has no part, and
  // gives zeros.
  std::optional<Array> query_seq_lengths = {}, key_value_seq_lengths = {};
  // How many keys beside its own place a query sees; {}: all.
  LocalWindow local_window_size = {};
};
// Softmax attention; query (…, T, N, H), key and value (…, S, K, H) with N a multiple of K, of
// which each head serves N / K heads of queries -> (…, T, N, H). A query that the masks leave no
// key gets the mean of the values. F16 and BF16 are weighed in F32. ShapeError for shapes that do
// not go together, DTypeError for a mask that is no bool and lengths that are no integers. Source:
// jax.nn.dot_product_attention.
Array dot_product_attention(const typing::Arg& query, const typing::Arg& key,
                            const typing::Arg& value, const AttentionOptions& o = {});
// What dot_product_attention_with_residual gives.
struct AttentionResult {
  Array out, residual;
};
// dot_product_attention, and beside it the logarithms (…, T, N) of the sums that the weights are
// divided by, which have no derivative. Source: jax.nn.dot_product_attention with return_residual.
AttentionResult dot_product_attention_with_residual(const typing::Arg& query,
                                                    const typing::Arg& key,
                                                    const typing::Arg& value,
                                                    const AttentionOptions& o = {});

// The form of scaled_matmul.
struct ScaledMatmulOptions {
  // The dtype of the result, a float.
  DType preferred_element_type = F32;
};
// Products of matrices whose numbers have scales a block: lhs (b, m, k) with lhs_scales (b, m, s)
// and rhs (b, n, k) with rhs_scales (b, n, s) -> (b, m, n), where s divides k and each scale is the
// factor of k / s numbers one after another. Computed in F32, or F64 if an operand is. ShapeError
// for sizes that do not fit, DTypeError for complex operands and for a result that is no float.
// Source: jax.nn.scaled_matmul.
Array scaled_matmul(const typing::Arg& lhs, const typing::Arg& rhs, const typing::Arg& lhs_scales,
                    const typing::Arg& rhs_scales, const ScaledMatmulOptions& o = {});

// How conv moves its kernel.
struct ConvOptions {
  std::vector<int64_t> strides = {};  // {}: ones
  // "SAME": ceil(size / stride) places; "VALID": no padding; or pairs.
  lax::ConvPadding padding = "SAME";
  // How far elements of x, and of the kernel, are apart; {}: ones.
  std::vector<int64_t> input_dilation = {}, kernel_dilation = {};
  // Groups of features that are convolved by themselves.
  int64_t feature_group_count = 1;
  std::optional<Array> bias = {};  // of the out features
};
// A convolutional layer: x (batch, spatial…, features), kernel (spatial…, features / groups, out
// features) -> (batch, spatial…, out features); the kernel is not turned round. ShapeError for
// ranks, lists and sizes that do not fit and a named padding beside an .input_dilation, DTypeError
// for two dtypes. Source: flax.linen.Conv.
Array conv(const typing::Arg& x, const typing::Arg& kernel, const ConvOptions& o = {});
// How conv_transpose moves its kernel.
struct ConvTransposeOptions {
  std::vector<int64_t> strides = {};  // {}: ones
  // That of the convolution ("SAME", "VALID"), or pairs of this one.
  lax::ConvPadding padding = "SAME";
  // How far elements of the kernel are apart; {}: ones.
  std::vector<int64_t> kernel_dilation = {};
  // Turned round, its in and out features changing places.
  bool transpose_kernel = false;
  std::optional<Array> bias = {};  // of the out features
};
// The transpose of conv, as lax::conv_transpose: x (batch, spatial…, features), kernel (spatial…,
// features, out features), of transpose_kernel (spatial…, out features, features) -> (batch,
// spatial…, out features). ShapeError for ranks, lists and sizes that do not fit, DTypeError for
// two dtypes. Source: flax.linen.ConvTranspose.
Array conv_transpose(const typing::Arg& x, const typing::Arg& kernel,
                     const ConvTransposeOptions& o = {});

// How max_pool and min_pool move their window.
struct PoolOptions {
  std::vector<int64_t> strides = {};  // {}: ones
  // "VALID": no padding; "SAME": ceil(size / stride) windows; or pairs.
  lax::ConvPadding padding = "VALID";
};
// The largest element of each window of the spatial axes of x (batch…, spatial…, features), which
// stay where they are; padding has no part, NaN wins. ShapeError for fewer axes than the window
// needs and lists that do not fit. Source: flax.linen.max_pool.
Array max_pool(const typing::Arg& x, const std::vector<int64_t>& window_shape,
               const PoolOptions& o = {});
// As max_pool the smallest element of each window. Source: flax.linen.min_pool.
Array min_pool(const typing::Arg& x, const std::vector<int64_t>& window_shape,
               const PoolOptions& o = {});
struct AvgPoolOptions {
  std::vector<int64_t> strides = {};  // {}: ones
  // As of PoolOptions.
  lax::ConvPadding padding = "VALID";
  // Padding counts as zeros; else the mean is of the others.
  bool count_include_pad = true;
};
// As max_pool the mean of each window. Integers become floats. Source: flax.linen.avg_pool.
Array avg_pool(const typing::Arg& x, const std::vector<int64_t>& window_shape,
               const AvgPoolOptions& o = {});

WEFT_TREE(AttentionResult, out, residual);

}  // namespace weft::nn
