// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tracer/tree_functions_test.cpp: functions of trees: folds, paths, transposition of nested
// trees, stacking.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Model {
  Array w;
  std::vector<Array> layers;
};
// A tree of any depth whose first field is the recursive one.
struct Branch {
  std::vector<Branch> parts;
  Array length;
};
struct Twig {
  Array length;
  std::vector<Twig> parts;
};
// No tree: it holds itself and a number, but no Array.
struct Note {
  std::vector<Note> parts;
  int64_t number;
};
static_assert(tree::detail::holds_array<Branch> && tree::detail::holds_array<Twig>);
static_assert(!tree::detail::holds_array<Note> &&
              !tree::detail::holds_array<std::pair<Note, std::vector<Note>>>);
template <class T>
Array total(const T& t) {
  Array sum = t.length * t.length;
  for (const T& part : t.parts) sum = sum + total(part);
  return sum;
}
Model model(double scale) {
  return {array({1., 2.}) * scale, {Array(3.f) * scale, array({4.}) * scale}};
}
}  // namespace

TEST_CASE("tree::reduce and tree::all", "[tree]") {
  const auto add = [](Array a, Array b) { return a + b; };
  CHECK(floats(tree::reduce(add, std::tuple(array({1., 2.}), std::vector<Array>{Array(3.f)}))) ==
        Floats{4, 5});
  CHECK(floats(tree::reduce(add, std::pair(Array(1.f), Array(2.f)), Array(10.f)))[0] == 13);
  check_error<ShapeError>([&] { tree::reduce(add, std::vector<Array>{}); }, "tree::reduce");
  CHECK(tree::all(std::pair(Array(true), std::vector<Array>{Array(1)})));
  CHECK_FALSE(tree::all(std::pair(Array(true), std::vector<Array>{Array(0)})));
  CHECK_FALSE(tree::all(std::pair(Array(true), false)));
  check_error<ShapeError>([] { tree::all(std::pair(ones({2}), Array(1))); },
                          "the truth value of f32[2]");
}

TEST_CASE("leaves with their paths", "[tree]") {
  std::string paths;
  for (const auto& [path, leaf] : tree::leaves_with_path(model(1)))
    paths += path + to_string(leaf.shape()) + " ";
  CHECK(paths == "w(2,) layers[0]() layers[1](1,) ");
  std::string seen;
  const Model doubled = tree::map_with_path(
      [&](const std::string& path, Array a, Array b) {
        seen += path + " ";
        return path == "w" ? a : a + b;
      },
      model(1), model(10));
  CHECK(seen == "w layers[0] layers[1] ");
  CHECK(floats(doubled.w) == Floats{1, 2});
  CHECK(floats(doubled.layers[1]) == Floats{44});
}

TEST_CASE("tree::broadcast spreads a prefix", "[tree]") {
  const auto rates = tree::broadcast(std::pair(Array(1.f), std::vector<Array>{Array(2.f)}),
                                     std::pair(model(1), std::vector<Array>{ones({3})}));
  CHECK(floats(rates.first.w) == Floats{1});
  CHECK(floats(rates.first.layers[1]) == Floats{1});
  CHECK(floats(rates.second[0]) == Floats{2});
  check_error<ShapeError>(
      [] {
        tree::broadcast(std::tuple(Array(1.f), Array(1.f), Array(1.f)),
                        std::pair(Array(1.f), Array(2.f)));
      },
      "prefix");
}

TEST_CASE("tree::transpose turns a tree of trees inside out", "[tree]") {
  using Two = std::pair<Array, Array>;
  const std::vector<Two> rows{{Array(1), Array(2)}, {Array(3), Array(4)}, {Array(5), Array(6)}};
  const auto [first, second] =
      tree::transpose(tree::structure(std::vector<Array>(3)), tree::structure(Two()), rows);
  CHECK(first.size() == 3);
  CHECK(first[2].item<int>() == 5);
  CHECK(second[0].item<int>() == 2);
  check_error<ShapeError>(
      [&] {
        tree::transpose(tree::structure(std::vector<Array>(2)), tree::structure(Two()), rows);
      },
      "Mismatch");
}

TEST_CASE("tree::stack makes of models one for vmap, tree::unstack the models again", "[tree]") {
  const Model both = tree::stack({model(1), model(10)});
  CHECK(both.w.shape() == Shape{2, 2});
  CHECK(floats(both.layers[0]) == Floats{3, 30});
  const auto predict = [](Model m, Array x) { return (m.w * x).sum() + m.layers[0]; };
  CHECK(floats(vmap(predict, {0, none})(both, array({1., 1.}))) == Floats{6, 60});
  const std::vector<Model> again = tree::unstack(both);
  CHECK(again.size() == 2);
  CHECK(floats(again[1].w) == Floats{10, 20});
  CHECK(floats(again[0].layers[1]) == Floats{4});
  check_error<ShapeError>([] { tree::stack(std::vector<Model>{}); }, "tree::stack");
  check_error<ShapeError>(
      [] { tree::stack({std::pair(ones({2}), ones({3})), std::pair(ones({2}), ones({4}))}); },
      "f32[4]");
  check_error<ShapeError>([] { tree::unstack(std::pair(ones({2}), ones({3}))); }, "tree::unstack");
}

TEST_CASE("a class may hold itself in a vector", "[tree]") {
  const auto check = [](auto tree, const char* text) {
    CHECK(to_string(grad([](decltype(tree) t) { return total(t); })(tree)) == text);
    CHECK(to_string(jit(grad([](decltype(tree) t) { return total(t); }))(tree)) == text);
    CHECK(tree::leaves(tree).size() == 3);
  };
  check(Branch{{Branch{{}, 2.}, Branch{{}, 3.}}, 1.},
        "{parts: [{parts: [], length: array(4., dtype=float32)}, {parts: [], length: array(6., "
        "dtype=float32)}], length: array(2., dtype=float32)}");
  check(Twig{1., {Twig{2., {}}, Twig{3., {}}}},
        "{length: array(2., dtype=float32), parts: [{length: array(4., dtype=float32), parts: []}, "
        "{length: array(6., dtype=float32), parts: []}]}");
}
