// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/05_batched_models.cpp: Models of one example, and Jacobians by mapped pull-backs
#include "expect.h"
using namespace weft;

int main(int argc, char** argv) {
  begin(argc, argv);
  // dot takes two vectors; vmap makes it a function of two batches of vectors.
  auto batched_dot = vmap([](Array a, Array b) { return dot(a, b); });  // [N, D], [N, D] -> [N]
  const Array a = array({{1., 2., 3., 4., 5.}, {1., 1., 1., 1., 1.}});
  const Array b = array({{1., 0., 1., 0., 1.}, {1., 2., 3., 4., 5.}});
  show("batched_dot(a, b)", batched_dot(a, b), array({9., 15.}));

  // A model of one example: a linear layer and an activation.
  const Array weights = array({1., -1., 2., 0., 1.});
  auto model = [&](Array features) { return nn::relu(dot(features, weights)); };
  const Array examples = array({{1., 2., 3., 4., 5.}, {0., 9., 1., 1., 1.}, {1., 1., 1., 1., 1.}});
  show("model on a batch of 3", vmap(model)(examples), array({10., 0., 3.}));

  // The Jacobian of f: R^N -> R^N takes N pull-backs, one per row. One after another …
  auto f = [](Array x) { return x * x; };
  const Array x = array({1., 2., 3., 4., 5.}), unit = eye(5), want = diag(x * 2.);
  auto [y, pullback] = vjp(f, x);
  show("f(x)", y, array({1., 4., 9., 16., 25.}));
  Arrays rows;
  for (int i = 0; i < 5; ++i) rows.push_back(std::get<0>(pullback(unit[i])));
  show("Jacobian, row after row", stack(rows), want);
  // … or all together: the pull-back is a function like any other.
  show("Jacobian, rows mapped", std::get<0>(vmap(pullback)(unit)), want);
  // The same for the rows that one-hot vectors select.
  auto [y2, pull2] = vjp([](Array v) { return cumsum(v * v); }, x);
  show("rows 4 and 1 of another", std::get<0>(vmap(pull2)(nn::one_hot(array({4, 1}), 5))),
       array({{2., 4., 6., 8., 10.}, {2., 4., 0., 0., 0.}}));
  show("jacrev says the same", jacrev(f)(x), want);

  // in_dims and out_dims have the same positions; a chunk size limits the memory.
  auto chunked = vmap(model, 0, 0, {.chunk_size = 2});
  show("two examples at a time", chunked(examples), array({10., 0., 3.}));
  return finish();
}
