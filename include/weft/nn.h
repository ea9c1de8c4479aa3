// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/nn.h: activations, normalizations and layers of neural networks, as in jax.nn.
// Unless noted, activations take arrays of any shape and convert integers to floats.
#pragma once
#include "weft/axis.h"
#include "weft/lax.h"
#include "weft/special.h"
#include "weft/tree.h"

namespace weft::nn {

// Returns max(x, 0) in the dtype of x; integers stay integers and NaN stays NaN. Complex numbers
// are compared by their real parts, then by their imaginary parts. The derivative at 0 is 0.
// Source: jax.nn.relu.
//
//     nn::relu(array({-2, 0, 3}))  // array([0, 0, 3], dtype=int32)
Array relu(const typing::Arg& x);
// Returns min(max(x, 0), 6), with dtypes and NaN as in relu. The derivative is 0 at 0 and at 6.
// Source: jax.nn.relu6.
//
//     nn::relu6(array({-2, 3, 8}))  // array([0, 3, 6], dtype=int32)
Array relu6(const typing::Arg& x);
// Returns x where x >= 0, else negative_slope * x. negative_slope is broadcast with x; ShapeError
// if it cannot be. Integers are converted to floats. Source: jax.nn.leaky_relu.
Array leaky_relu(const typing::Arg& x, const typing::Arg& negative_slope = 0.01);
// Returns x where x > 0, else alpha (e^x - 1). alpha is broadcast with x; ShapeError if it cannot
// be. Integers are converted to floats. Source: jax.nn.elu.
Array elu(const typing::Arg& x, const typing::Arg& alpha = 1.);
// Returns max(x, 0) + alpha (e^(min(x, 0) / alpha) - 1). alpha is broadcast with x; ShapeError if
// it cannot be. Integers are converted to floats. Source: jax.nn.celu.
Array celu(const typing::Arg& x, const typing::Arg& alpha = 1.);
// Returns 1.0507… elu(x, 1.6732…). With these constants layers keep mean 0 and variance 1
// (Klambauer et al., 2017). Integers are converted to floats. Source: jax.nn.selu.
Array selu(const typing::Arg& x);
// Returns x Phi(x), where Phi is the distribution function of the standard normal distribution. The
// exact form is x (1 + erf(x / sqrt(2))) / 2. The approximation is x (1 + tanh(sqrt(2 / pi) (x +
// 0.044715 x^3))) / 2. Integers are converted to floats. Source: jax.nn.gelu.
//
//     nn::gelu(array({0.}))  // array([0.], dtype=float32)
Array gelu(const typing::Arg& x, bool approximate = true);
// Returns x sigmoid(x) = x / (1 + e^-x). Integers are converted to floats. Source: jax.nn.silu.
Array silu(const typing::Arg& x);
// The same as silu. Source: jax.nn.swish.
Array swish(const typing::Arg& x);
// Returns x tanh(softplus(x)) = x tanh(log(1 + e^x)). Integers are converted to floats. Source:
// jax.nn.mish.
//
//     nn::mish(array({0.}))  // array([0.], dtype=float32)
Array mish(const typing::Arg& x);
// Returns log(1 + e^x) without overflow: for large x the result is x. The derivative is sigmoid(x).
// Integers are converted to floats. Source: jax.nn.softplus.
Array softplus(const typing::Arg& x);
// Returns x / (1 + |x|), which is in (-1, 1). Integers are converted to floats. Source:
// jax.nn.soft_sign.
//
//     nn::soft_sign(array({-1., 0., 3.}))  // array([-0.5 ,  0.  ,  0.75], dtype=float32)
Array soft_sign(const typing::Arg& x);
// Returns 1 / (1 + e^-x) without overflow. Integers are converted to floats. Source:
// jax.nn.sigmoid.
//
//     nn::sigmoid(array({0}))  // array([0.5], dtype=float32)
Array sigmoid(const typing::Arg& x);
// Returns log(sigmoid(x)) = -softplus(-x) without overflow: for very negative x the result is x.
// Integers are converted to floats. Source: jax.nn.log_sigmoid.
Array log_sigmoid(const typing::Arg& x);
// Returns the hyperbolic tangent of x, as weft::tanh. Integers are converted to floats. Source:
// jax.nn.tanh.
Array tanh(const typing::Arg& x);
// Returns x clipped to [-1, 1] in the dtype of x; integers stay integers and NaN stays NaN. The
// derivative is 1 at -1 and at 1. Source: jax.nn.hard_tanh.
//
//     nn::hard_tanh(array({-2., 0.5, 3.}))  // array([-1. ,  0.5,  1. ], dtype=float32)
Array hard_tanh(const typing::Arg& x);
// Returns relu6(x + 3) / 6: 0 up to -3, 1 from 3 on, and linear in between. The derivative is 0 at
// -3 and at 3. Integers are converted to floats. Source: jax.nn.hard_sigmoid.
//
//     nn::hard_sigmoid(array({-4, 0, 4}))  // array([0. , 0.5, 1. ], dtype=float32)
Array hard_sigmoid(const typing::Arg& x);
// Returns x hard_sigmoid(x). Integers are converted to floats. Source: jax.nn.hard_silu.
Array hard_silu(const typing::Arg& x);
// The same as hard_silu. Source: jax.nn.hard_swish.
Array hard_swish(const typing::Arg& x);
// Returns 0 for x <= -1, x for x >= 1, and (x + 1)^2 / 4 in between. The derivative is
// sparse_sigmoid. Integers are converted to floats. Source: jax.nn.sparse_plus.
//
//     nn::sparse_plus(array({-2., 0., 2.}))  // array([0.  , 0.25, 2.  ], dtype=float32)
Array sparse_plus(const typing::Arg& x);
// Returns (x + 1) / 2 clipped to [0, 1]. Integers are converted to floats. Source:
// jax.nn.sparse_sigmoid.
Array sparse_sigmoid(const typing::Arg& x);
// Returns log(1 - e^-x), accurate also for small and large x. It is -inf at 0 and NaN for x < 0.
// Integers are converted to floats. Source: jax.nn.log1mexp.
Array log1mexp(const typing::Arg& x);
// Returns (x + sqrt(x^2 + b)) / 2, accurate also where x and the root cancel (JAX gives 0 there). b
// is broadcast with x; ShapeError if it cannot be. Integers are converted to floats. Source:
// jax.nn.squareplus.
Array squareplus(const typing::Arg& x, const typing::Arg& b = 4.);
// Returns the first half of x along an axis times the sigmoid of the second half: (…, 2 n, …) ->
// (…, n, …). Integers are converted to floats. Raises IndexError for an axis that x does not have,
// and ShapeError for an axis of odd size. Source: jax.nn.glu.
Array glu(const typing::Arg& x, int64_t axis = -1);
// Returns x unchanged. Source: jax.nn.identity.
Array identity(const typing::Arg& x);

struct SoftmaxOptions {
  // bool, broadcast to x: the elements to include; none: all
  std::optional<Array> where = {};
};
// Returns e^x divided by the sum of e^x along the axes (none: all), without overflow. The result
// has the shape of x. Elements that .where excludes give 0. Integers are converted to floats.
// Raises IndexError for axes that x does not have, and ShapeError if .where does not broadcast to
// x. Source: jax.nn.softmax.
//
//     nn::softmax(array({1., 1.}))  // array([0.5, 0.5], dtype=float32)
Array softmax(const typing::Arg& x, const typing::AxisList& axis = -1,
              const SoftmaxOptions& o = {});
// Returns x minus the logarithm of the sum of e^x along the axes (none: all). The result has the
// shape of x. Elements that .where excludes give -inf. Dtypes and errors are as in softmax. Source:
// jax.nn.log_softmax.
Array log_softmax(const typing::Arg& x, const typing::AxisList& axis = -1,
                  const SoftmaxOptions& o = {});
// The options of logsumexp and signed_logsumexp.
using LogSumExpOptions = special::LogSumExpOptions;
// Returns the logarithm of the sum of b e^x along the axes (by default all), as special::logsumexp.
// Only the elements that .where selects are included. Source: jax.nn.logsumexp.
Array logsumexp(const typing::Arg& x, const typing::AxisList& axis = none,
                const LogSumExpOptions& o = {});
// Returns the logarithm of the absolute value of such a sum, and its sign, as
// special::signed_logsumexp. Source: jax.nn.logsumexp with return_sign.
using special::signed_logsumexp;
// The options of logmeanexp.
struct LogMeanExpOptions {
  // True: the reduced axes stay in the result, with size 1.
  bool keepdims = false;
  // bool, broadcast to x: the elements to include; none: all
  std::optional<Array> where = {};
};
// Returns the logarithm of the mean of e^x along the axes (by default all). Only the elements that
// .where selects are included; without any, the result is NaN. Integers are converted to floats.
// Raises IndexError for axes that x does not have, and ShapeError if .where does not broadcast to
// x. Source: jax.nn.logmeanexp.
Array logmeanexp(const typing::Arg& x, const typing::AxisList& axis = none,
                 const LogMeanExpOptions& o = {});
// The options of standardize.
struct StandardizeOptions {
  // Values to use instead of the mean and the variance of x; broadcast with x.
  std::optional<Array> mean = {}, variance = {};
  // A constant added to the variance.
  Array epsilon = 1e-5;
  // bool, broadcast to x: the elements to include in mean and variance
  std::optional<Array> where = {};
  // How to compute the variance. "fast": the mean of the squares minus the squared mean, at
  // least 0. "stable": the mean of the squared differences from the mean.
  std::string algorithm = "fast";
};
// Returns (x - mean) / sqrt(variance + epsilon). The mean and the variance are computed along the
// axes unless they are given. Integers are converted to floats. Raises IndexError for another
// .algorithm or for axes that x does not have, and ShapeError if .where does not broadcast to x.
// Source: jax.nn.standardize.
Array standardize(const typing::Arg& x, const typing::AxisList& axis = -1,
                  const StandardizeOptions& o = {});
struct LayerNormOptions {
  // A factor of the result, and a term added after it; broadcast to x.
  std::optional<Array> scale = {}, bias = {};
  // A constant added to the variance.
  Array epsilon = 1e-5;
};
// Returns (x - mean) / sqrt(variance + epsilon) * scale + bias. The mean and the variance (the mean
// of the squared differences) are computed along the axes. The result has the shape of x. Integers
// are converted to floats. As in softmax and standardize, F16 and BF16 are computed in F32 and
// rounded once. Raises IndexError for axes that x does not have, and ShapeError if .scale or .bias
// does not broadcast to x. Source: flax.linen.LayerNorm.
Array layer_norm(const typing::Arg& x, const typing::AxisList& axis = -1,
                 const LayerNormOptions& o = {});
// The options of one_hot.
struct OneHotOptions {
  // The dtype of the result.
  DType dtype = F32;
  // The position of the axis of classes in the result.
  int64_t axis = -1;
};
// Returns the one-hot encoding of x: 1 at the class x, 0 elsewhere. x (…) -> (…, num_classes);
// .axis moves the new axis. Classes out of range give zeros. Raises IndexError for another axis,
// and ShapeError for a negative number of classes. Source: jax.nn.one_hot.
//
//     nn::one_hot(array({2, 0}), 3)  // array([[0., 0., 1.], [1., 0., 0.]], dtype=float32)
Array one_hot(const typing::Arg& x, int64_t num_classes, const OneHotOptions& o = {});
template <weft::detail::PlainDType D>
Array one_hot(const typing::Arg& x, int64_t num_classes, D dtype);

// The number of keys to the left and to the right of its own position that a query attends to. It
// is {left, right}, one number for both, or {} for all keys.
struct LocalWindow {
  bool all = true;
  int64_t left = 0, right = 0;
  LocalWindow() = default;
  template <ir::Integer I>
  LocalWindow(I n) : all(false), left(static_cast<int64_t>(n)), right(left) {}
  LocalWindow(int64_t before, int64_t behind) : all(false), left(before), right(behind) {}
};
struct AttentionOptions {
  // broadcast to (…, N, T, S); added to the logits; bool
  std::optional<Array> bias = {}, mask = {};
  std::optional<Array> scale = {};  // factor of the logits; by default 1 / sqrt(H)
  bool is_causal = false;           // a query attends to no key after its own position
  // The numbers of valid queries and keys of each batch entry, integers (…). Later positions are
  // ignored and give zeros.
  std::optional<Array> query_seq_lengths = {}, key_value_seq_lengths = {};
  // The number of keys around its own position that a query attends to; {}: all.
  LocalWindow local_window_size = {};
};
// Computes softmax attention: query (…, T, N, H), key and value (…, S, K, H) -> (…, T, N, H). N is
// a multiple of K; each key head serves N / K query heads. A query for which the masks leave no key
// gets the mean of the values. For F16 and BF16 the weights are computed in F32. Raises ShapeError
// for shapes that do not match. Raises DTypeError if the mask is not bool or the lengths are not
// integers. Source: jax.nn.dot_product_attention.
Array dot_product_attention(const typing::Arg& query, const typing::Arg& key,
                            const typing::Arg& value, const AttentionOptions& o = {});
// The results of dot_product_attention_with_residual.
struct AttentionResult {
  Array out, residual;
};
// Computes dot_product_attention and also returns the logarithms (…, T, N) of the sums by which the
// weights are divided. These logarithms have no derivative. Source: jax.nn.dot_product_attention
// with return_residual.
AttentionResult dot_product_attention_with_residual(const typing::Arg& query,
                                                    const typing::Arg& key,
                                                    const typing::Arg& value,
                                                    const AttentionOptions& o = {});

// The options of scaled_matmul.
struct ScaledMatmulOptions {
  // The dtype of the result, a float dtype.
  DType preferred_element_type = F32;
};
// Returns products of matrices with block scales (b, m, n). lhs (b, m, k) has lhs_scales (b, m, s),
// and rhs (b, n, k) has rhs_scales (b, n, s). s divides k, and each scale multiplies k / s
// consecutive elements. The product is computed in F32, or in F64 if an operand is F64. Raises
// ShapeError for sizes that do not match. Raises DTypeError for complex operands and for a result
// dtype that is not a float. Source: jax.nn.scaled_matmul.
Array scaled_matmul(const typing::Arg& lhs, const typing::Arg& rhs, const typing::Arg& lhs_scales,
                    const typing::Arg& rhs_scales, const ScaledMatmulOptions& o = {});

// The options of conv.
struct ConvOptions {
  std::vector<int64_t> strides = {};  // default: ones
  // "SAME": ceil(size / stride) positions; "VALID": no padding; or pairs (before, after) per axis.
  lax::ConvPadding padding = "SAME";
  // The distance between neighboring elements of x, and of the kernel; {}: ones.
  std::vector<int64_t> input_dilation = {}, kernel_dilation = {};
  // The number of groups of features that are convolved separately.
  int64_t feature_group_count = 1;
  std::optional<Array> bias = {};  // one per output feature
};
// Applies a convolutional layer: x (batch, spatial…, features), kernel (spatial…, features /
// groups, out features) -> (batch, spatial…, out features). The kernel is not flipped. Raises
// ShapeError for ranks, lists and sizes that do not match, and for a named padding together with
// .input_dilation. Raises DTypeError for two different dtypes. Source: flax.linen.Conv.
Array conv(const typing::Arg& x, const typing::Arg& kernel, const ConvOptions& o = {});
// The options of conv_transpose.
struct ConvTransposeOptions {
  std::vector<int64_t> strides = {};  // default: ones
  // The padding of the convolution that is transposed ("SAME", "VALID"), or pairs for this one.
  lax::ConvPadding padding = "SAME";
  // The distance between neighboring elements of the kernel; {}: ones.
  std::vector<int64_t> kernel_dilation = {};
  // The kernel is flipped, and its input and output features are exchanged.
  bool transpose_kernel = false;
  std::optional<Array> bias = {};  // one per output feature
};
// Applies the transpose of conv, as lax::conv_transpose: x (batch, spatial…, features), kernel
// (spatial…, features, out features) -> (batch, spatial…, out features). With .transpose_kernel the
// kernel is (spatial…, out features, features). Raises ShapeError for ranks, lists and sizes that
// do not match, and DTypeError for two different dtypes. Source: flax.linen.ConvTranspose.
Array conv_transpose(const typing::Arg& x, const typing::Arg& kernel,
                     const ConvTransposeOptions& o = {});

// The options of max_pool and min_pool.
struct PoolOptions {
  std::vector<int64_t> strides = {};  // default: ones
  // "VALID": no padding; "SAME": ceil(size / stride) windows; or pairs (before, after) per axis.
  lax::ConvPadding padding = "VALID";
};
// Returns the largest element of each window over the spatial axes of x (batch…, spatial…,
// features). The order of the axes does not change. Padding is ignored; a NaN makes its window NaN.
// Raises ShapeError if x has too few axes for the window, and for lists of the wrong length.
// Source: flax.linen.max_pool.
Array max_pool(const typing::Arg& x, const std::vector<int64_t>& window_shape,
               const PoolOptions& o = {});
// Returns the smallest element of each window, otherwise like max_pool. Source:
// flax.linen.min_pool.
Array min_pool(const typing::Arg& x, const std::vector<int64_t>& window_shape,
               const PoolOptions& o = {});
struct AvgPoolOptions {
  std::vector<int64_t> strides = {};  // default: ones
  // As in PoolOptions.
  lax::ConvPadding padding = "VALID";
  // True: padding counts as zeros. False: the mean excludes padding.
  bool count_include_pad = true;
};
// Returns the mean of each window, otherwise like max_pool. Integers are converted to floats.
// Source: flax.linen.avg_pool.
Array avg_pool(const typing::Arg& x, const std::vector<int64_t>& window_shape,
               const AvgPoolOptions& o = {});

WEFT_TREE(AttentionResult, out, residual);

}  // namespace weft::nn
