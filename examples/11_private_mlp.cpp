// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/11_private_mlp.cpp: Training a digits network with per-example gradient clipping
#include <cmath>
#include <random>

#include "expect.h"
using namespace weft;

struct Layer {
  Array w, b;
};
struct Mlp {
  Layer hidden, out;
};

// Ten digits of 8 x 8 pixels, drawn as on a seven-segment display, with noise.
std::pair<Array, Array> digits(int n, unsigned seed) {
  const int lit[10] = {0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f};
  std::mt19937 random(seed);
  std::vector<float> pixels;
  std::vector<int> labels;
  for (int k = 0; k < n; ++k) {
    labels.push_back(static_cast<int>(random() % 10));
    const int s = lit[labels.back()];
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        const bool top = y < 4, middle = x > 0 && x < 6;
        const bool on = (y == 0 && middle && (s & 1)) || (x == 0 && (s & (top ? 2 : 16))) ||
                        (x == 6 && (s & (top ? 4 : 32))) || (y == 4 && middle && (s & 8)) ||
                        (y == 7 && middle && (s & 64));
        const float noise = static_cast<float>(random() % 1000) / 1000 - 0.5f;
        pixels.push_back((on ? 1.f : 0.f) + noise);
      }
  }
  return {array(pixels, {n, 64}), array(labels)};
}
Layer layer(int in, int out) {  // pseudo-random numbers
  const Array w = sin(square(arange(1. * in * out))) / std::sqrt(static_cast<float>(in));
  return {w.reshape({in, out}), zeros({out})};
}

// A model of one example, not of a batch.
Array logits(Mlp m, Array x) {
  return dot(tanh(dot(x, m.hidden.w) + m.hidden.b), m.out.w) + m.out.b;
}
Array loss(Mlp m, Array x, Array label) { return -nn::log_softmax(logits(m, x))[label]; }

int main(int argc, char** argv) {
  begin(argc, argv);
  auto [x, label] = digits(512, 1);
  auto [test_x, test_label] = digits(256, 2);
  Mlp model{layer(64, 32), layer(32, 10)};

  // The gradient of one example, scaled so that its norm is at most `most`.
  auto clipped = [](Mlp m, Array xi, Array yi, Array most) {
    auto [value, g] = value_and_grad(loss)(m, xi, yi);
    const Array norm = sqrt(square(tree::ravel(g).first).sum()), scale = minimum(1., most / norm);
    return std::tuple{value, norm, tree::map([&](Array a) { return a * scale; }, g)};
  };
  auto step = jit([&](Mlp m, Array xs, Array ys, Array most, Array rate) {
    auto [values, norms, grads] = vmap(clipped, {none, 0, 0, none})(m, xs, ys, most);
    Mlp next = tree::map([&](Array p, Array g) { return p - rate * g.mean(0); }, m, grads);
    return std::tuple{next, values.mean(), (norms > most).mean()};
  });
  float first = 0, last = 0;
  for (int epoch = 0; epoch <= 200; ++epoch) {
    auto [next, value, share] = step(model, x, label, 1., 0.5);
    model = next, last = value.item<float>();
    if (epoch == 0) first = last;
    if (epoch % 40 == 0)
      std::cout << "step " << epoch << ": loss " << last << ", gradients clipped "
                << 100 * share.item<float>() << " %\n";
  }
  const Array guess = vmap(logits, {none, 0})(model, test_x).argmax(1);
  const float right = (guess == test_label).mean().item<float>();
  std::cout << "accuracy on unseen digits: " << 100 * right << " %\n";
  expect(first > 2 && last < 0.3 * first && right > 0.9, "the loss should fall, 90 % be right");
  return finish();
}
