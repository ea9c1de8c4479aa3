// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/call_forms_test.cpp: every documented form of a call of a transform compiles and
// has the documented meaning. Forms that must not compile do not compile.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Params {
  Array w, b;
};
enum class Act { relu, tanh };

template <class F>
concept TakesOptionsSecond = requires(F f, VmapOptions o) { vmap(f, o); };
template <class F>
concept TakesOptionsThird = requires(F f, VmapOptions o) { vmap(f, 0, o); };
[[maybe_unused]] const auto id = [](Array x) { return x; };
static_assert(!TakesOptionsSecond<decltype(id)>);
static_assert(!TakesOptionsThird<decltype(id)>);
static_assert(!std::is_constructible_v<none_t>);

struct Net {
  Array w;
  Array apply(const Array& x) const { return w * x; }
};
Array affine(const Params& p, Array x) noexcept { return p.w * x + p.b; }
std::string text(const Axes& a) { return to_string(a); }
}  // namespace

TEST_CASE("axes in braces", "[forms]") {
  const int n = 1;
  const std::string name = "k";
  CHECK(text({0, none}) == "(0, none)");
  CHECK(text({0, {1, none}}) == "(0, (1, none))");
  CHECK(text({{0, {0, 2}}}) == "((0, (0, 2)),)");
  CHECK(text({{{"a", none}, {"b", 0}}, none}) == "({a: none, b: 0}, none)");
  CHECK(text({{"x", 0}, {"y", none}}) == "{x: 0, y: none}");
  CHECK(text({{name, n}}) == "{k: 1}");
  CHECK(text({{0}}) == "((0,),)");
  CHECK(text({{0, 1}}) == "((0, 1),)");
  CHECK(text({{none, 0}, {0, none}}) == "((none, 0), (0, none))");
  CHECK(text({{0, {{"w", {0, none}}, {"b", none}}}, -1}) == "((0, {w: (0, none), b: none}), -1)");
  CHECK(text({}) == "0");
  CHECK(text({{}, 0}) == "(0, 0)");
  CHECK(text(std::size_t{2}) == "2");
}

TEST_CASE("a std::array is a parameter of its own", "[forms]") {
  using Two = std::array<Array, 2>;
  const Array x = array({1., 2.}), y = array({3., 4.});
  const Two numbers{Array(2.), Array(3.)};
  const auto add = [](Two a) { return a[0] + a[1]; };
  const auto times = [](Two a) { return a[0] * a[1]; };
  CHECK(floats(jit(add)(Two{x, y})) == Floats{4, 6});
  CHECK(floats(vmap(add)(Two{x, y})) == Floats{4, 6});
  CHECK(floats(map(add, Two{x, y})) == Floats{4, 6});
  CHECK(floats(checkpoint(add)(Two{x, y})) == Floats{4, 6});
  CHECK(floats(grad(times)(numbers)[0]) == Floats{3});
  CHECK(floats(jacfwd(times)(numbers)[1]) == Floats{2});
  CHECK(make_jaxpr(add)(Two{x, y}).jaxpr->n_in == 2);
  const auto rule = custom_vjp(
      times, [&](Two a) { return std::pair{times(a), a}; },
      [](Two a, Array ct) { return std::tuple{Two{ct * a[1], ct * a[0]}}; });
  CHECK(floats(grad(rule)(numbers)[0]) == Floats{3});
  const auto all = [](std::array<Two, 2> a) { return a[0][0] + a[1][1]; };
  CHECK(floats(jit(all)(std::array<Two, 2>{Two{x, y}, Two{x, y}})) == Floats{4, 6});
  // An array of numbers is static.
  const auto scale = [](std::array<int, 2> n, Array a) { return a * (n[0] + n[1]); };
  CHECK(floats(jit(scale)({1, 2}, x)) == Floats{3, 6});
  CHECK(floats(vmap(scale)({1, 3}, x)) == Floats{4, 8});
}

TEST_CASE("wrappers keep the parameter types of what they wrap", "[forms]") {
  const Array x = array({1., 2.});
  const auto pair = [](std::tuple<Array, Array> t) { return std::get<0>(t) + std::get<1>(t); };
  CHECK(floats(vmap(pair)({x, x})) == Floats{2, 4});
  CHECK(floats(jit(vmap(pair))({x, x})) == Floats{2, 4});
  CHECK(floats(vmap(affine, {{none, none}, 0})({2., 1.}, x)) == Floats{3, 5});
  CHECK(floats(jit(affine)({2., 1.}, x)) == Floats{3, 5});
  const auto times = [](Array x, int n) { return x * n; };
  CHECK(floats(jit(vmap(times))(x, 3)) == Floats{3, 6});
  CHECK(floats(vmap(jit(times))(x, 3)) == Floats{3, 6});
  CHECK(floats(jit(&Net::apply)({Array(2.f)}, x)) == Floats{2, 4});
  CHECK(floats(vmap(&Net::apply, {none, 0})(Net{Array(2.f)}, x)) == Floats{2, 4});
  CHECK(floats(jit(grad([](Params p, Array x) { return (p.w * x).sum(); }))({2., 1.}, x).w) ==
        Floats{3});
  const auto list = [](const std::vector<Array>& v, Act a) { return a == Act::relu ? v[0] : v[1]; };
  CHECK(floats(jit(list)({x, x * 2}, Act::tanh)) == Floats{2, 4});
}

TEST_CASE("generic callables take floating-point numbers as arrays", "[forms]") {
  const auto kind = [](auto x, auto y) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(x)>, Array>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(y)>, int>);
    return x + y;
  };
  CHECK(jit(kind)(1.5, 2).item<float>() == 3.5f);
  CHECK(vmap(kind)(array({1., 2.}), 2).shape() == Shape{2});
  CHECK(grad([](auto x) { return x * x; })(3.).item<float>() == 6);
  const auto with_text = [](auto x, auto mode) { return mode == "double" ? x * 2 : x; };
  CHECK(jit(with_text)(1.5, "double").item<float>() == 3);
}

TEST_CASE("wrappers are values: copied, stored, passed on", "[forms]") {
  auto f = vmap(grad([](Array x) { return x * x; }));
  const auto g = f;
  std::vector<decltype(f)> all{f, g};
  CHECK(floats(all[1](array({1., 2.}))) == Floats{2, 4});
  const Function<Array(Array)> held = f;
  CHECK(floats(held(array({3.}))) == Floats{6});
}

TEST_CASE("results of every kind", "[forms]") {
  const Array x = array({1., 2.});
  const auto nested = [](Array v) {
    return std::map<std::string, std::vector<Array>>{{"a", {v, v * 2}}, {"b", {}}};
  };
  CHECK(jit(nested)(x).at("a").size() == 2);
  CHECK(floats(vmap(nested)(x).at("a")[1]) == Floats{2, 4});
  const auto maybe = [](Array v, bool give) {
    return give ? std::optional<Array>(v) : std::nullopt;
  };
  CHECK(jit(maybe)(x, true).has_value());
  CHECK_FALSE(jit(maybe)(x, false).has_value());
  const auto none_at_all = [](Array) { return std::monostate{}; };
  jit(none_at_all)(x);
  const auto element = [](Array v) { return v[0]; };  // returns const Array
  CHECK(jit(element)(x).item<float>() == 1);
}
