// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/mlp.cpp: A multilayer perceptron learns two spirals with Adam
#include <cmath>
#include <numbers>
#include <vector>

#include "../expect.h"
using namespace weft;

struct Layer {
  Array w, b;
};
using Mlp = std::vector<Layer>;  // any tree of Arrays can be a model

Mlp init(Array key, const std::vector<int>& sizes) {
  const nn::initializers::Initializer he = nn::initializers::he_normal();
  Mlp model;
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    model.push_back({he(random::fold_in(key, i), {sizes[i], sizes[i + 1]}), zeros({sizes[i + 1]})});
  return model;
}
// One point -> one logit.
Array logit(Mlp model, Array x) {
  for (size_t i = 0; i + 1 < model.size(); ++i) x = nn::gelu(dot(x, model[i].w) + model[i].b);
  return (dot(x, model.back().w) + model.back().b)[0];
}
// log(1 + e^-x) for points of class 1, log(1 + e^x) for the others.
Array loss(Mlp model, Array x, Array y) {
  const Array z = vmap(logit, {none, 0})(model, x);
  return (nn::softplus(z) - y * z).mean();
}

struct Data {
  Array x, y;
};
// Two spirals, each one and a half turns.
Data spirals(Array key, int n) {
  const auto [which, place, noise] = random::split<3>(key);
  const Array y = random::bernoulli(which, 0.5, {n}).astype(F32);
  const Array r = sqrt(random::uniform(place, {n}, 0.02, 1.));
  const Array angle = 3 * std::numbers::pi * r + std::numbers::pi * y;
  const Array x = expand_dims(r, 1) * stack({cos(angle), sin(angle)}, 1);
  return {x + 0.015 * random::normal(noise, {n, 2}), y};
}

struct Training {
  Mlp model;
  optim::OptState<Mlp> state;
};

int main(int argc, char** argv) {
  begin(argc, argv);
  const auto [init_key, train_key, test_key, shuffle_key] = random::split<4>(random::key(0));
  const Data train = spirals(train_key, 2048), test = spirals(test_key, 1000);
  const int batch = 128, epochs = 60, batches = 2048 / batch;

  // The learning rate is a function of the step's number, and part of the compiled program.
  const auto adam = optim::adam(optim::cosine_decay_schedule(1e-2, epochs * batches));

  // An epoch is one call: a scan over batches of a fresh permutation.
  const auto epoch = jit(
      [=](Training t, Data data, Array key) {
        const Array order = random::permutation(key, batches * batch).reshape({batches, batch});
        const auto step = [&](Training t, Array rows) {
          const auto [value, grads] = value_and_grad(loss)(t.model, data.x[rows], data.y[rows]);
          const auto [updates, state] = adam.update(grads, t.state, t.model);
          return std::pair{Training{optim::apply_updates(t.model, updates), state}, value};
        };
        const auto [last, losses] = scan(step, t, order);
        return std::pair{last, losses.mean()};
      },
      {.donate_argnums = {0}});
  const auto accuracy = jit([](Mlp model, Data data) {
    return ((vmap(logit, {none, 0})(model, data.x) > 0.) == (data.y > 0.5)).mean();
  });

  const Mlp model = init(init_key, {2, 32, 32, 1});
  Training t{model, adam.init(model)};
  float first = 0, last = 0;
  for (int e = 0; e < epochs; ++e) {
    const auto [next, value] = epoch(t, train, random::fold_in(shuffle_key, e));
    t = next, last = value.item<float>();
    if (e == 0) first = last;
    if (e % 15 == 0 || e == epochs - 1) std::cout << "epoch " << e << ": loss " << last << "\n";
  }
  const float right = accuracy(t.model, test).item<float>();
  std::cout << "right on unseen points: " << 100 * right << " %\n";
  // A random guess costs log 2 per point; no linear classifier is much better.
  expect(std::fabs(first - std::log(2.f)) < 0.35f, "the first loss should be near log 2");
  expect(last < 0.05f && right > 0.98f, "the spirals should be learned");
  return finish();
}
