// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/03_trees.cpp: Tuples, maps and structs of arrays
#include "expect.h"
using namespace weft;

struct Layer {  // an aggregate struct is a tree without registration
  Array w, b;
};

int main(int argc, char** argv) {
  begin(argc, argv);
  // A tuple with a tuple inside, and an axis for each of its arrays.
  const int a = 2, b = 3, c = 4, d = 5, k = 6;
  using Tree = std::tuple<Array, std::tuple<Array, Array>>;
  auto foo = [](Tree tree) {
    auto [x, yz] = tree;
    auto [y, z] = yz;
    return dot(x, dot(y, z));
  };
  show("foo(tree)", foo({ones({a, b}), {ones({b, c}), ones({c, d})}}), full({2, 5}, 12.));
  const Tree batch{ones({k, a, b}), {ones({b, k, c}), ones({c, d, k})}};  // the mapped axes differ
  auto vfoo = vmap(foo, {{0, {1, 2}}});
  show_shape("vfoo(batch), the axes being {{0, {1, 2}}}", vfoo(batch), {6, 2, 5});
  expect(bool(allclose(vfoo(batch), 12.)), "every element of vfoo(batch) should be 12");

  // A map with string keys: only "b" is mapped.
  using Dict = std::map<std::string, Array>;
  auto bar = [](Dict dct, Array x) { return dct["a"] + dct["b"] + x; };
  const Dict dct{{"a", 0.}, {"b", arange(5.)}};
  show("bar(dct, x)", vmap(bar, {{{"a", none}, {"b", 0}}, none})(dct, 1.),
       array({1., 2., 3., 4., 5.}));

  // A struct: axes in the order of its fields, or by their names. Results keep their C++ type.
  auto apply = [](Layer l, Array x) { return dot(x, l.w) + l.b; };
  const Layer layers{arange(12.).reshape({3, 2, 2}), array({1., 2.})};
  const Array x = array({1., 1.}), want = array({{3., 6.}, {11., 14.}, {19., 22.}});
  show("three layers, one bias", vmap(apply, {{0, none}, none})(layers, x), want);
  show("the same by names", vmap(apply, {{{"w", 0}, {"b", none}}, none})(layers, x), want);
  const Layer g = grad([&](Layer l) { return apply(l, x).sum(); })({layers.w[0], layers.b});
  show("a gradient is a Layer too: g.w", g.w, ones({2, 2}));
  show("g.b", g.b, ones({2}));
  return finish();
}
