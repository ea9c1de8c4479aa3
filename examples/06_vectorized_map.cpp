// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/06_vectorized_map.cpp: vectorized_map: outer products and per-example gradients
#include "expect.h"
using namespace weft;

struct Dense {
  Array kernel, bias;
  Array operator()(Array x) const { return matmul(x, kernel) + bias; }
};

int main(int argc, char** argv) {
  begin(argc, argv);
  auto outer_product = [](Array a) { return tensordot(a, a, 0); };
  const Array c = vectorized_map(outer_product, ones({100, 32, 32}));
  show_shape("outer products of (100, 32, 32)", c, {100, 32, 32, 32, 32});
  expect(c.min().item<float>() == 1 && c.max().item<float>() == 1, "products of ones are ones");
  show("outer products of rows", vectorized_map(outer_product, array({{1., 2.}, {3., 4.}})),
       array({{{1., 2.}, {2., 4.}}, {{9., 12.}, {12., 16.}}}));

  // Per-example gradients of a dense layer. The elements are a tuple: inputs and labels.
  const int batch_size = 10, num_features = 32;
  const Dense layer{linspace(-1., 1., num_features).reshape({num_features, 1}), array({0.5})};
  auto model_fn = [&](std::tuple<Array, Array> arg) {
    auto [inp, label] = arg;
    auto loss = [&](Dense l) {
      Array prediction = l(expand_dims(inp, 0));
      return 0.5 * square(expand_dims(label, 0) - prediction).sum();
    };
    Dense g = grad(loss)(layer);
    return std::pair{g.kernel, g.bias};
  };
  const Array inputs = sin(arange(320.)).reshape({batch_size, num_features});
  const Array labels = linspace(0., 1., batch_size).reshape({batch_size, 1});
  auto [d_kernel, d_bias] = vectorized_map(model_fn, std::tuple{inputs, labels});
  show_shape("gradients of the kernel", d_kernel, {10, 32, 1});
  show_shape("gradients of the bias", d_bias, {10, 1});
  // By hand: d_bias is prediction - label, and d_kernel that times the input.
  const Array error = layer(inputs) - labels;
  expect(bool(allclose(d_bias, error, 1e-5, 1e-5)), "gradients of the bias");
  expect(bool(allclose(d_kernel, (error * inputs).reshape({10, 32, 1}), 1e-5, 1e-5)),
         "gradients of the kernel");

  // The forward pass of a batch. The gradient of the whole batch is the sum of the per-example
  // ones.
  auto forward = [&](Array inp) { return layer(expand_dims(inp, 0))[0]; };
  show_shape("predictions", vectorized_map(forward, inputs), {10, 1});
  auto total = [&](Dense l) { return 0.5 * square(labels - l(inputs)).sum(); };
  const Dense whole = grad(total)(layer);
  expect(bool(allclose(whole.kernel, d_kernel.sum(0), 1e-4, 1e-4)),
         "sum of the kernels' gradients");
  show("gradient of the bias, summed", d_bias.sum(0), whole.bias, 1e-4);
  return finish();
}
