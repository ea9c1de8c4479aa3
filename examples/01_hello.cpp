// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/01_hello.cpp: A function, its gradient, its batch, its machine code
#include "expect.h"
using namespace weft;

int main(int argc, char** argv) {
  begin(argc, argv);
  // A model of one example: plain C++ on Arrays.
  auto loss = [](Array w, Array x, Array y) {
    Array error = dot(w, x) - y;
    return error * error;
  };
  const Array w = array({1., 2.}), x = array({{1., 0.}, {0., 1.}, {1., 1.}}),
              y = array({0., 0., 1.});

  show("loss of the first example", loss(w, x[0], y[0]), 1.);
  // The gradient with respect to w, for one example …
  show("its gradient", grad(loss)(w, x[0], y[0]), array({2., 0.}));
  // … and for each example of a batch, compiled: w is shared, x and y are mapped over axis 0.
  auto per_example = jit(vmap(grad(loss), {none, 0, 0}));
  show("per-example gradients", per_example(w, x, y), array({{2., 0.}, {0., 4.}, {4., 4.}}));

  // The program that the transforms produce, before it is compiled.
  std::cout << make_jaxpr(vmap(grad(loss), {none, 0, 0}))(w, x, y) << "\n";
  return finish();
}
