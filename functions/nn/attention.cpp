// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/nn/attention.cpp: softmax attention.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "ops/structure/structure.h"
#include "weft/lax/elementwise.h"
#include "weft/nn.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft::nn {
namespace {

using fn::number_like;

const char* const name = "dot_product_attention";

void check_operands(const Array& query, const Array& key, const Array& value) {
  if (query.ndim() < 3 || key.ndim() != query.ndim() || !(key.shape() == value.shape()))
    fn::fail_shape(
        fmt::format("{}: query, key and value are (…, length, heads, size); got {}, {} and {}",
                    name, to_string(query.type()), to_string(key.type()), to_string(value.type())));
  const int64_t heads = query.shape()[-2], shared = key.shape()[-2];
  if (shared == 0 || heads % shared || key.shape()[-1] != query.shape()[-1])
    fn::fail_shape(fmt::format("{}: the heads of query and key do not go together", name));
}

// The positions on an axis of n elements, in the shape (n, 1, …) with `after` axes of size 1.
Array places(int64_t n, int after) {
  std::vector<int64_t> sizes(static_cast<size_t>(after + 1), 1);
  sizes[0] = n;
  return iota(I32, Shape(sizes), 0);
}
// Converts the lengths (…), one for each batch of queries (…, T, N, H), to the shape (…, 1, 1, 1).
Array aligned(const char* what, const Array& lengths, const Array& query) {
  if (!is_integer(lengths.dtype()))
    fn::fail_dtype(
        fmt::format("{}: {} must be integers, got {}", name, what, to_string(lengths.type())));
  const auto batch = query.shape().end() - 3;
  const Shape each(std::vector<int64_t>(query.shape().begin(), batch));
  // Queries without a batch axis count as one batch.
  const bool one = each.ndim() == 0 && lengths.shape() == Shape{1};
  if (!one && lengths.shape() != each)
    fn::fail_shape(fmt::format("{}: {} must have the shape {}, one number a batch, got {}", name,
                               what, to_string(each), to_string(lengths.type())));
  return expand_dims(one ? squeeze(lengths, 0) : lengths, {-1, -2, -3});
}

// The products of queries and keys, in the shape (…, N, T, S). Masked products are a finite number,
// so that a query whose keys are all masked gets the mean of all values instead of NaN.
Array logits_of(const Array& query, const Array& key, const AttentionOptions& o) {
  Array logits = einsum("...tnh,...snh->...nts", query, key);
  const double root = std::sqrt(static_cast<double>(query.shape()[-1]));
  logits = multiply(
      logits, o.scale ? fn::as_dtype(*o.scale, logits.dtype()) : number_like(logits, 1 / root));
  if (o.bias) logits = fn::as_dtype(add(logits, *o.bias), logits.dtype());
  const Array lowest = number_like(logits, -0.7 * std::numeric_limits<float>::max());
  const auto hide = [&](const Array& seen) { logits = where(seen, logits, lowest); };
  if (o.mask) {
    if (!is_bool(o.mask->dtype()))
      fn::fail_dtype(
          fmt::format("{}: .mask must be of bools, got {}", name, to_string(o.mask->type())));
    hide(*o.mask);
  }
  const int64_t queries = logits.shape()[-2], keys = logits.shape()[-1];
  const Array t = places(queries, 1), s = places(keys, 0);
  if (o.is_causal) hide(s <= t);
  const LocalWindow& window = o.local_window_size;
  if (!window.all) hide((t <= s + window.left) & (t >= s - window.right));
  if (o.query_seq_lengths) hide(t < aligned(".query_seq_lengths", *o.query_seq_lengths, query));
  if (o.key_value_seq_lengths)
    hide(s < aligned(".key_value_seq_lengths", *o.key_value_seq_lengths, query));
  return logits;
}

struct Weighed {
  Array out, logits;
};
Weighed weighed(const Array& query, const Array& key, const Array& value,
                const AttentionOptions& o) {
  check_operands(query, key, value);
  // One head of keys serves several heads of queries.
  const int64_t heads = query.shape()[-2], shared = key.shape()[-2];
  const auto spread = [&](const Array& x) {
    return heads == shared ? x : repeat(x, heads / shared, -2);
  };
  const Array k = spread(key), v = spread(value);
  // Products of narrow floats are summed and weighted in F32.
  const DType d = accumulator_dtype(query.dtype());
  const auto wide = [&](const Array& x) { return d == query.dtype() ? x : fn::as_dtype(x, d); };
  const Array logits = logits_of(wide(query), wide(k), o);
  Array out = einsum("...nts,...snh->...tnh", fn::as_dtype(softmax(logits, -1), v.dtype()), v);
  if (o.query_seq_lengths)
    out = where(
        places(query.shape()[-3], 2) < aligned(".query_seq_lengths", *o.query_seq_lengths, query),
        out, number_like(out, 0));
  return {out, logits};
}

}  // namespace

Array dot_product_attention(const Arg& query, const Arg& key, const Arg& value,
                            const AttentionOptions& o) {
  const ApiNameScope s("dot_product_attention", query.at());
  return weighed(query, key, value, o).out;
}
AttentionResult dot_product_attention_with_residual(const Arg& query, const Arg& key,
                                                    const Arg& value, const AttentionOptions& o) {
  const ApiNameScope s("dot_product_attention_with_residual", query.at());
  const Weighed w = weighed(query, key, value, o);
  const Array sums = fn::as_dtype(nn::logsumexp(w.logits, -1), key->dtype());
  return {w.out, lax::stop_gradient(swapaxes(sums, -1, -2))};
}

}  // namespace weft::nn
