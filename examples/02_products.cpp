// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/02_products.cpp: Matrix products from a dot product
#include "expect.h"
using namespace weft;

int main(int argc, char** argv) {
  begin(argc, argv);
  auto vv = [](Array x, Array y) { return vdot(x, y); };  // ([a], [a]) -> []
  auto mv = vmap(vv, {0, none}, 0);  // ([b,a], [a]) -> [b]    (b is the mapped axis)
  auto mm = vmap(mv, {none, 1}, 1);  // ([b,a], [a,c]) -> [b,c] (c is the mapped axis)
  auto mv1 = vmap(vv, {0, 0}, 0);    // ([b,a], [b,a]) -> [b]
  auto mv2 = vmap(vv, {0, 1}, 0);    // ([b,a], [a,b]) -> [b]
  auto mm2 = vmap(mv2, {1, 1}, 0);   // ([b,c,a], [a,c,b]) -> [c,b]

  const Array m = array({{1., 2., 3.}, {4., 5., 6.}}), v = array({1., 0., -1.});
  const Array n = array({{1., 0.}, {0., 1.}, {1., 1.}});
  show("mv(m, v)", mv(m, v), array({-2., -2.}));
  show("mm(m, n)", mm(m, n), array({{4., 5.}, {10., 11.}}));
  show("mv1(m, m)", mv1(m, m), array({14., 77.}));
  show("mv2(m, n)", mv2(m, n), array({4., 11.}));
  // c = 2, b = 3, a = 2: entry [c, b] is the dot product of p[b, c, :] and q[:, c, b].
  const Array p = arange(12.).reshape({3, 2, 2}), q = ones({2, 2, 3});
  show("mm2(p, q)", mm2(p, q), array({{1., 9., 17.}, {5., 13., 21.}}));

  // The compiler sees one matrix product instead of lanes.
  std::cout << "\nmm is traced into\n" << make_jaxpr(mm)(m, n) << "\n";
  expect(bool(allclose(mm(m, n), matmul(m, n))), "mm should be matmul");
  return finish();
}
