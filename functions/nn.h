// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/nn.h: activations, normalisations and layers of neural networks, as jax.nn.
#pragma once
#include "weft/functions/lax.h"

namespace weft::nn {

Array relu(const Arg& x);  // derivative 0 at 0
Array relu6(const Arg& x);
Array leaky_relu(const Arg& x, double negative_slope = 0.01);
Array elu(const Arg& x, double alpha = 1);
Array celu(const Arg& x, double alpha = 1);
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
Array squareplus(const Arg& x, double b = 4);
Array glu(const Arg& x, int64_t axis = -1);  // the first half times the sigmoid of the second
Array identity(const Arg& x);

struct SoftmaxOptions {
  std::optional<Array> where = {};
};
Array softmax(const Arg& x, const AxisList& axis = -1, const SoftmaxOptions& o = {});
Array log_softmax(const Arg& x, const AxisList& axis = -1, const SoftmaxOptions& o = {});
Array logsumexp(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
// Mean 0 and variance 1 along an axis.
struct StandardizeOptions {
  double epsilon = 1e-5;
  std::optional<Array> where = {};
};
Array standardize(const Arg& x, const AxisList& axis = -1, const StandardizeOptions& o = {});
struct LayerNormOptions {
  std::optional<Array> scale = {}, bias = {};
  double epsilon = 1e-5;
};
Array layer_norm(const Arg& x, const AxisList& axis = -1, const LayerNormOptions& o = {});
// Ones where the class is, on a new axis; classes out of range give zeros.
struct OneHotOptions {
  DType dtype = F32;
  int64_t axis = -1;
};
Array one_hot(const Arg& x, int64_t num_classes, const OneHotOptions& o = {});

struct AttentionOptions {
  std::optional<Array> bias = {}, mask = {};  // broadcast to (…, heads, queries, keys)
  std::optional<double> scale = {};           // default: 1/sqrt of the size of a head
  bool is_causal = false;
};
// Softmax attention; query (…, T, N, H), key and value (…, S, K, H) with N a multiple of K.
Array dot_product_attention(const Arg& query, const Arg& key, const Arg& value,
                            const AttentionOptions& o = {});

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

}  // namespace weft::nn
