// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/nn.h: activations, normalisations and layers of neural networks, as jax.nn.
#pragma once
#include "weft/functions/lax.h"
#include "weft/functions/special.h"
#include "weft/tracer/tree.h"

namespace weft::nn {

Array relu(const Arg& x);  // derivative 0 at 0
Array relu6(const Arg& x);
// x where it is at least 0, else negative_slope x; the slope is broadcast with x. Integers become
// floats. ShapeError for shapes that do not go together. Source: jax.nn.leaky_relu.
Array leaky_relu(const Arg& x, const Arg& negative_slope = 0.01);
// x where it is positive, else alpha (e^x - 1); alpha is broadcast with x. Integers become floats.
// ShapeError for shapes that do not go together. Source: jax.nn.elu.
Array elu(const Arg& x, const Arg& alpha = 1.);
// max(x, 0) + alpha (e^(min(x, 0) / alpha) - 1); alpha is broadcast with x. Integers become floats.
// ShapeError for shapes that do not go together. Source: jax.nn.celu.
Array celu(const Arg& x, const Arg& alpha = 1.);
Array selu(const Arg& x);
Array gelu(const Arg& x, bool approximate = true);  // by tanh, or exactly by erf
Array silu(const Arg& x);
Array swish(const Arg& x);
Array mish(const Arg& x);
Array softplus(const Arg& x);
Array soft_sign(const Arg& x);
Array sigmoid(const Arg& x);
Array log_sigmoid(const Arg& x);
Array tanh(const Arg& x);
Array hard_tanh(const Arg& x);
Array hard_sigmoid(const Arg& x);
Array hard_silu(const Arg& x);
Array hard_swish(const Arg& x);      // the same
Array sparse_plus(const Arg& x);     // 0 up to -1, x from 1 on, (x + 1)^2 / 4 between
Array sparse_sigmoid(const Arg& x);  // its derivative: (x + 1) / 2 within [0, 1]
Array log1mexp(const Arg& x);        // log(1 - e^-x), exact near 0 too; NaN for x < 0
// (x + sqrt(x^2 + b)) / 2; b is broadcast with x. Integers become floats. ShapeError for shapes
// that do not go together. Source: jax.nn.squareplus.
Array squareplus(const Arg& x, const Arg& b = 4.);
Array glu(const Arg& x, int64_t axis = -1);  // the first half times the sigmoid of the second
Array identity(const Arg& x);

struct SoftmaxOptions {
  std::optional<Array> where = {};
};
Array softmax(const Arg& x, const AxisList& axis = -1, const SoftmaxOptions& o = {});
Array log_softmax(const Arg& x, const AxisList& axis = -1, const SoftmaxOptions& o = {});
// log of the sum of b e^x along axes, of the elements that count: special::logsumexp. Its size and
// sign apart: signed_logsumexp. Source: jax.nn.logsumexp.
using LogSumExpOptions = special::LogSumExpOptions;
Array logsumexp(const Arg& x, const AxisList& axis = none, const LogSumExpOptions& o = {});
using special::signed_logsumexp;
// The logarithm of the mean of e^x, of the elements that count; NaN where none does.
// Source: jax.nn.logmeanexp.
struct LogMeanExpOptions {
  bool keepdims = false;
  std::optional<Array> where = {};
};
Array logmeanexp(const Arg& x, const AxisList& axis = none, const LogMeanExpOptions& o = {});
// (x - mean) / sqrt(variance + epsilon): mean 0 and variance 1 along the axes, unless others are
// given, which are broadcast with x. Integers become floats. The variance is that of the squares
// less the square of the mean and at least 0 ("fast"), or the mean of squared differences
// ("stable"). IndexError for another algorithm or axes that x has not, ShapeError for a .where that
// does not broadcast to x. Source: jax.nn.standardize.
struct StandardizeOptions {
  std::optional<Array> mean = {}, variance = {};
  Array epsilon = 1e-5;
  std::optional<Array> where = {};  // bool, broadcast to x: the elements that count
  std::string algorithm = "fast";
};
Array standardize(const Arg& x, const AxisList& axis = -1, const StandardizeOptions& o = {});
struct LayerNormOptions {
  std::optional<Array> scale = {}, bias = {};
  Array epsilon = 1e-5;
};
Array layer_norm(const Arg& x, const AxisList& axis = -1, const LayerNormOptions& o = {});
// Ones where the class is, on a new axis; classes out of range give zeros.
struct OneHotOptions {
  DType dtype = F32;
  int64_t axis = -1;
};
Array one_hot(const Arg& x, int64_t num_classes, const OneHotOptions& o = {});

// How many keys to the left and to the right of its own place a query sees: {left, right}, one
// number for both, or {} for all keys.
struct LocalWindow {
  bool all = true;
  int64_t left = 0, right = 0;
  LocalWindow() = default;
  template <Integer I>
  LocalWindow(I n) : all(false), left(static_cast<int64_t>(n)), right(left) {}
  LocalWindow(int64_t left, int64_t right) : all(false), left(left), right(right) {}
};
struct AttentionOptions {
  std::optional<Array> bias = {}, mask = {};  // broadcast to (…, N, T, S); added; bool
  std::optional<Array> scale = {};            // of the products; default: 1 / sqrt(H)
  bool is_causal = false;                     // a query sees no key after its own place
  // How many queries and keys of each (…) there are, integers (…): what is beyond has no part, and
  // gives zeros.
  std::optional<Array> query_seq_lengths = {}, key_value_seq_lengths = {};
  LocalWindow local_window_size = {};
};
// Softmax attention; query (…, T, N, H), key and value (…, S, K, H) with N a multiple of K, of
// which each head serves N / K heads of queries -> (…, T, N, H). A query that the masks leave no
// key gets the mean of the values. F16 and BF16 are weighed in F32. ShapeError for shapes that do
// not go together, DTypeError for a mask that is no bool and lengths that are no integers. Source:
// jax.nn.dot_product_attention.
Array dot_product_attention(const Arg& query, const Arg& key, const Arg& value,
                            const AttentionOptions& o = {});
// The same, and the logarithms (…, T, N) of the sums that the weights are divided by, which have no
// derivative. Source: jax.nn.dot_product_attention with return_residual.
struct AttentionResult {
  Array out, residual;
};
AttentionResult dot_product_attention_with_residual(const Arg& query, const Arg& key,
                                                    const Arg& value,
                                                    const AttentionOptions& o = {});

// Products of matrices whose numbers have scales a block: lhs (b, m, k) with lhs_scales (b, m, s)
// and rhs (b, n, k) with rhs_scales (b, n, s) -> (b, m, n), where s divides k and each scale is the
// factor of k / s numbers one after another. Computed in F32, or F64 if an operand is. ShapeError
// for sizes that do not fit, DTypeError for dtypes that are no floats. Source:
// jax.nn.scaled_matmul.
struct ScaledMatmulOptions {
  DType preferred_element_type = F32;
};
Array scaled_matmul(const Arg& lhs, const Arg& rhs, const Arg& lhs_scales, const Arg& rhs_scales,
                    const ScaledMatmulOptions& o = {});

// A convolutional layer: x (batch, spatial…, features), kernel (spatial…, features of a group, out
// features); the result has the axes of x.
struct ConvOptions {
  std::vector<int64_t> strides = {};  // {}: ones
  lax::ConvPadding padding = "SAME";
  std::vector<int64_t> input_dilation = {}, kernel_dilation = {};
  int64_t feature_group_count = 1;
  std::optional<Array> bias = {};  // of the out features
};
Array conv(const Arg& x, const Arg& kernel, const ConvOptions& o = {});
// Its transpose, as lax::conv_transpose: kernel (spatial…, features, out features), of
// transpose_kernel (spatial…, out features, features). Source: flax.linen.ConvTranspose.
struct ConvTransposeOptions {
  std::vector<int64_t> strides = {};  // {}: ones
  lax::ConvPadding padding = "SAME";
  std::vector<int64_t> kernel_dilation = {};
  bool transpose_kernel = false;
  std::optional<Array> bias = {};  // of the out features
};
Array conv_transpose(const Arg& x, const Arg& kernel, const ConvTransposeOptions& o = {});

// The largest, smallest or mean element of each window of the spatial axes of x (batch…, spatial…,
// features). Padding has no part in a maximum or minimum; in a mean it is zeros, or is not counted.
// NaN wins. Source: flax.linen.max_pool, min_pool, avg_pool.
struct PoolOptions {
  std::vector<int64_t> strides = {};  // {}: ones
  lax::ConvPadding padding = "VALID";
};
Array max_pool(const Arg& x, const std::vector<int64_t>& window_shape, const PoolOptions& o = {});
Array min_pool(const Arg& x, const std::vector<int64_t>& window_shape, const PoolOptions& o = {});
struct AvgPoolOptions {
  std::vector<int64_t> strides = {};  // {}: ones
  lax::ConvPadding padding = "VALID";
  bool count_include_pad = true;
};
Array avg_pool(const Arg& x, const std::vector<int64_t>& window_shape,
               const AvgPoolOptions& o = {});

WEFT_TREE(AttentionResult, out, residual);

}  // namespace weft::nn
