// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/transformer.cpp: A small transformer learns to repeat its input
#include <cmath>
#include <vector>

#include "../expect.h"
using namespace weft;

constexpr int vocabulary = 16, half = 8, length = 2 * half, width = 32, heads = 4;

struct Norm {
  Array scale, bias;
};
struct Block {
  Norm before_attention, before_mlp;
  Array qkv, out;  // [width, 3 width], [width, width]
  Array up, down;  // [width, 4 width], [4 width, width]
};
struct Model {
  Array tokens, places;  // [vocabulary, width], [length, width]
  std::vector<Block> blocks;
  Norm last;
};

Model init(Array key) {
  int64_t used = 0;
  const auto normal = [&](Shape shape, double sd) {
    return sd * random::normal(random::fold_in(key, used++), shape);
  };
  const auto matrix = [&](int in, int out) { return normal({in, out}, 1 / std::sqrt(in)); };
  const Norm norm{ones({width}), zeros({width})};
  Model m{normal({vocabulary, width}, 0.3), normal({length, width}, 0.3), {}, norm};
  for (int k = 0; k < 2; ++k)
    m.blocks.push_back({norm, norm, matrix(width, 3 * width), matrix(width, width),
                        matrix(width, 4 * width), matrix(4 * width, width)});
  return m;
}

Array normed(Norm n, Array x) { return nn::layer_norm(x, -1, {.scale = n.scale, .bias = n.bias}); }
// x [length, width]
Array attention(Block b, Array x) {
  const Arrays qkv = split(dot(x, b.qkv).reshape({length, 3 * heads, width / heads}), 3, 1);
  const Array mixed = nn::dot_product_attention(qkv[0], qkv[1], qkv[2], {.is_causal = true});
  return dot(mixed.reshape({length, width}), b.out);
}
Array block(Block b, Array x) {
  x = x + attention(b, normed(b.before_attention, x));
  return x + dot(nn::gelu(dot(normed(b.before_mlp, x), b.up)), b.down);
}
// One sequence of tokens [length] -> logits of the token after each [length, vocabulary].
Array logits(Model m, Array sequence) {
  Array x = m.tokens[sequence] + m.places;
  for (const Block& b : m.blocks) x = block(b, x);
  return dot(normed(m.last, x), m.tokens.T());
}
// Cross entropy [length - 1] of the next tokens.
Array surprise(Model m, Array sequence) {
  const Array log_p = nn::log_softmax(logits(m, sequence)[slice(0, -1)]);
  const Array next = sequence[slice(1, none)];
  return -take_along_axis(log_p, expand_dims(next, 1), 1)[{slice(), 0}];
}
// Random tokens, followed by the same tokens again: the second half can be predicted.
Array sequences(Array key, int n) {
  const Array once = random::randint(key, {n, half}, 0, vocabulary);
  return concatenate({once, once}, 1);
}
Array second_half(Array x) { return x[{ellipsis, slice(half - 1, none)}]; }
Array loss(Model m, Array batch) { return second_half(vmap(surprise, {none, 0})(m, batch)).mean(); }

struct Training {
  Model model;
  optim::OptState<Model> state;
};

int main(int argc, char** argv) {
  begin(argc, argv);
  const auto [init_key, data_key, test_key] = random::split<3>(random::key(1));
  const auto adam =
      optim::chain({optim::clip_by_global_norm(1.), optim::adamw(3e-3, {.weight_decay = 1e-4})});
  // Forty steps are one call; each step draws its own sequences.
  const auto train = jit([=](Training t, Array key) {
    const auto step = [&](Training t, Array key) {
      const auto [value, grads] = value_and_grad(loss)(t.model, sequences(key, 32));
      const auto [updates, state] = adam.update(grads, t.state, t.model);
      return std::pair{Training{optim::apply_updates(t.model, updates), state}, value};
    };
    const auto [last, losses] = scan(step, t, random::split(key, 40));
    return std::pair{last, losses};
  });

  const Model start = init(init_key);
  Training t{start, adam.init(start)};
  float first = 0, last = 0;
  for (int k = 0; k < 4; ++k) {
    const auto [next, losses] = train(t, random::fold_in(data_key, k));
    if (k == 0) first = losses.item<float>(0);
    t = next, last = losses.item<float>(-1);
    std::cout << "step " << 40 * (k + 1) << ": loss " << last << "\n";
  }
  const Array test = sequences(test_key, 500);
  const auto predict = jit(vmap(logits, {none, 0}));
  const Array guess = predict(t.model, test).argmax(2);
  const Array hit =
      second_half(guess[{slice(), slice(0, -1)}]) == second_half(test[{slice(), slice(1, none)}]);
  std::cout << "right in the second half: " << 100 * hit.mean().item<float>() << " %\n"
            << "reads     " << test[0] << "\nforetells " << guess[0] << "\n";
  const float unknown = std::log(float{vocabulary});
  expect(first > 0.8f * unknown && last < 0.1f * unknown, "the loss should fall from log 16");
  expect(hit.mean().item<float>() > 0.97f, "what was read should be repeated");
  // The first half is noise: no model can be better than log 16 on it.
  const Array noise = vmap(surprise, {none, 0})(t.model, test)[{slice(), slice(0, half - 1)}];
  expect(noise.mean().item<float>() > 0.95f * unknown, "noise cannot be foretold");
  // No token depends on later ones.
  const Array changed = test.at({slice(), length - 1}).set(0);
  expect(bool(allclose(predict(t.model, changed)[{slice(), slice(0, -1)}],
                       predict(t.model, test)[{slice(), slice(0, -1)}], 1e-4, 1e-4)),
         "attention should be causal");
  return finish();
}
