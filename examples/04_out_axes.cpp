// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/04_out_axes.cpp: Output axes, and collectives between lanes
#include "expect.h"
using namespace weft;

int main(int argc, char** argv) {
  begin(argc, argv);
  // The second result does not depend on the mapped argument: it may stay unmapped …
  auto f = [](Array x, Array y) { return std::pair{x + y, y * 2.}; };
  auto [sum, twice] = vmap(f, {0, none}, {0, none})(arange(2.), 4.);
  show("mapped", sum, array({4., 5.}));
  show("unmapped, out_axes none", twice, 8.);
  // … or be repeated along the mapped axis.
  auto [sum0, twice0] = vmap(f, {0, none}, 0)(arange(2.), 4.);
  show("mapped", sum0, array({4., 5.}));
  show("unmapped, out_axes 0", twice0, array({8., 8.}));
  expect(!sum0.weak_type() && twice0.weak_type(), "only 4 * 2 is weakly typed");
  // A mapped result is transposed as out_axes requires.
  auto pair = [](Array x) { return stack({x, -x}); };
  show("out_axes 0", vmap(pair)(arange(3.)), array({{0., 0.}, {1., -1.}, {2., -2.}}));
  show("out_axes 1", vmap(pair, 0, 1)(arange(3.)), array({{0., 1., 2.}, {0., -1., -2.}}));
  show("out_axes -1", vmap(pair, 0, -1)(arange(3.)), array({{0., 1., 2.}, {0., -1., -2.}}));

  // Collectives over a named axis.
  const Array xs = arange(3. * 4.).reshape({3, 4});
  auto total = vmap([](Array x) { return psum(x, "i"); }, 0, 0, {.axis_name = "i"});
  const Array row = array({12., 15., 18., 21.});
  show("psum over 'i'", total(xs), stack({row, row, row}));
  auto share = vmap([](Array x) { return x / psum(x, "i"); }, 0, 0, {.axis_name = "i"});
  show("columns that sum to one", share(xs).sum(0), ones({4}));
  auto lane =
      vmap([](Array x) { return x.sum() * 0. + axis_index("i"); }, 0, 0, {.axis_name = "i"});
  show("axis_index", lane(xs), array({0., 1., 2.}));

  // An error names the arguments of the call.
  try {
    vmap(f, {0, none}, none)(arange(2.), 4.);
    expect(false, "out_axes none for a mapped result should be an error");
  } catch (const BatchingError& e) {
    std::cout << "\nBatchingError: " << e.what() << "\n";
  }
  return finish();
}
