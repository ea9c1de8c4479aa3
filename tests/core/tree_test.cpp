// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/tree_test.cpp: fields by reflection, leaves, paths, structure and maps of trees.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

enum class Mode { train, eval };
struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
  Array scale;
  int depth = 2;
  Mode mode = Mode::train;
  double rate = 0.5;
  std::string name = "net";
  bool bias = true;
  std::optional<Array> extra = {};
  std::map<std::string, Array> table = {};
  std::array<Array, 2> both = {};
};
struct Empty {};
struct Wide {
  Array a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
      a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31;
};
class Private {
 public:
  Private(Array w, int n) : w_(std::move(w)), n_(n) {}
  int n() const { return n_; }
  const Array& w() const { return w_; }
  WEFT_TREE(Private, w_, n_);

 private:
  Array w_;
  int n_;
};

}  // namespace
namespace app {
class Open {
 public:
  explicit Open(weft::Array x) : w(std::move(x)) {}
  weft::Array w;
  int steps = 3;
};
WEFT_TREE(Open, w, steps);
}  // namespace app
namespace {

Model model() {
  Model m;
  m.layers = {{1.f, 2.f}, {3.f, 4.f}};
  m.scale = 5.f;
  m.table = {{"a", 6.f}, {"b", 7.f}};
  m.both = {8.f, 9.f};
  return m;
}
Floats values(const Arrays& x) {
  Floats r;
  for (const Array& a : x) r.push_back(a.item<float>());
  return r;
}

}  // namespace

TEST_CASE("structs are reflected up to 32 fields", "[tree]") {
  CHECK(tree::detail::field_count<Model> == 10);
  CHECK(tree::detail::field_count<Empty> == 0);
  CHECK(tree::detail::field_count<Wide> == 32);
  CHECK(tree::detail::field_name<Model, 0>() == "layers");
  CHECK(tree::detail::field_name<Model, 9>() == "both");
  CHECK(tree::detail::field_name<Wide, 31>() == "a31");
  struct Local {
    Array first, second;
  };
  CHECK(tree::detail::field_name<Local, 1>() == "second");
  CHECK(tree::detail::field_name<Private, 1>() == "n_");
  CHECK(tree::detail::field_name<app::Open, 0>() == "w");
}

TEST_CASE("leaves are flattened from left to right and restored", "[tree]") {
  const Model m = model();
  CHECK(values(tree::leaves(m)) == Floats{1, 2, 3, 4, 5, 6, 7, 8, 9});
  Arrays other;
  for (int i = 0; i < 9; ++i) other.push_back(Array(10.f * static_cast<float>(i)));
  const Model n = tree::unflatten(tree::structure(m), other);
  CHECK(values(tree::leaves(n)) == Floats{0, 10, 20, 30, 40, 50, 60, 70, 80});
  CHECK(n.depth == 2);
  CHECK(n.name == "net");
  CHECK(n.table.at("b").item<float>() == 60);
  check_error<ShapeError>([&] { tree::unflatten(m, {}); }, "got 0 arrays for a tree of 9");

  const Private p(1.f, 7);
  const Private q = tree::map([](Array x) { return x + 1; }, p);
  CHECK(q.w().item<float>() == 2);
  CHECK(q.n() == 7);
  CHECK(tree::leaves(app::Open(3.f)).size() == 1);
}

TEST_CASE("paths name fields, keys and positions", "[tree]") {
  const auto args = std::tuple{Array(0.f), model()};
  const auto paths = tree::detail::paths(tree::detail::skeleton(args), "args");
  CHECK(paths == std::vector<std::string>{
                     "args[0]", "args[1].layers[0].w", "args[1].layers[0].b", "args[1].layers[1].w",
                     "args[1].layers[1].b", "args[1].scale", "args[1].table['a']",
                     "args[1].table['b']", "args[1].both[0]", "args[1].both[1]"});
}

TEST_CASE("structure holds sizes, keys and static values", "[tree]") {
  const Model m = model();
  Model other = m;
  CHECK(tree::structure(m) == tree::structure(other));
  CHECK(tree::structure(m).hash() == tree::structure(other).hash());
  other.depth = 3;
  CHECK_FALSE(tree::structure(m) == tree::structure(other));
  other = m;
  other.layers.pop_back();
  CHECK_FALSE(tree::structure(m) == tree::structure(other));
  other = m;
  other.table = {{"a", 6.f}, {"c", 7.f}};
  CHECK_FALSE(tree::structure(m) == tree::structure(other));
  other = m;
  other.extra = Array(1.f);
  CHECK_FALSE(tree::structure(m) == tree::structure(other));
  CHECK(tree::structure(std::pair{Array(1.f), 3}).text() == "(*, 3)");
  CHECK(tree::structure(std::pair{Array(1.f), 3}) == tree::structure(std::tuple{Array(2.f), 3}));
  CHECK(tree::structure(Layer{1.f, 2.f}).text() == "{w: *, b: *}");
  CHECK(tree::structure(std::map<std::string, Array>{{"k", 1.f}}).text() == "{'k': *}");
  CHECK(tree::structure(std::tuple{std::string("it's")}).text() == "('it\\'s',)");
  CHECK(tree::structure(std::vector<Array>{}).text() == "[]");
}

TEST_CASE("maps of trees need the same structure", "[tree]") {
  const Layer a{1.f, 2.f}, b{10.f, 20.f};
  const Layer sum = tree::map([](Array x, Array y) { return x + y; }, a, b);
  CHECK(sum.b.item<float>() == 22);
  const std::vector<Array> two{1.f, 2.f}, three{1.f, 2.f, 3.f};
  check_error<ShapeError>([&] { tree::map([](Array x, Array) { return x; }, two, three); },
                          "same structure");
}

TEST_CASE("ravel makes one vector and goes back", "[tree]") {
  const Layer x{array({{1., 2.}, {3., 4.}}), array({5., 6.})};
  auto [v, unravel] = tree::ravel(x);
  CHECK(floats(v) == Floats{1, 2, 3, 4, 5, 6});
  const Layer back = unravel(v * 2);
  CHECK(back.w.shape() == Shape{2, 2});
  CHECK(floats(back.b) == Floats{10, 12});
  check_error<ShapeError>([&, &u = unravel] { u(array({1., 2.})); },
                          "unravel: expected a vector of 6 elements");
  const auto mixed = tree::ravel(std::pair{array({1, 2}), array({0.5})});
  CHECK(mixed.first.dtype() == F32);
  CHECK(mixed.second(mixed.first).first.dtype() == I32);
}

TEST_CASE("masks and blocks", "[tree]") {
  const tree::Mask m{true, false};
  CHECK(m.any());
  CHECK_FALSE(m.all());
  CHECK(m[0]);
  const tree::Blocks b{{{Array(1.f), Array(2.f)}}, {"loss"}, {"w", "b"}};
  CHECK(b("loss", "b").item<float>() == 2);
  CHECK(b(0, 0).item<float>() == 1);
  check_error<IndexError>([&] { b("loss", "q"); }, "no leaf 'q'; there are w, b");
  check_error<IndexError>([&] { b(1, 0); }, "block (1, 0)");
}

TEST_CASE("numbers become arrays where arrays stand", "[tree]") {
  static_assert(
      std::is_same_v<arrays_t<std::tuple<int, double, Array>>, std::tuple<Array, Array, Array>>);
  static_assert(std::is_same_v<arrays_t<std::pair<std::vector<double>, std::array<int, 2>>>,
                               std::pair<std::vector<Array>, std::array<Array, 2>>>);
  static_assert(std::is_same_v<arrays_t<Layer>, Layer>);
  static_assert(std::is_same_v<auto_t<std::tuple<int, double, std::string>>,
                               std::tuple<int, Array, std::string>>);
  static_assert(std::is_same_v<auto_t<const char(&)[5]>, std::string>);
  const auto t = tree::detail::convert<std::tuple<Array, Array>>(std::tuple{1, 2.5});
  CHECK(std::get<0>(t).dtype() == I32);
  CHECK(std::get<1>(t).weak_type());
}
