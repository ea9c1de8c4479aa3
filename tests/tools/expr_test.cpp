// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tools/expr_test.cpp: the expressions of --apply, their meaning, and their error messages.
#include "tools/weft/expr.h"

#include <random>

#include "support/catch.h"
#include "tools/weft/apply.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::tools;

namespace {

std::string complaint(const std::string& text) {
  try {
    (void)parse_expr(text);
  } catch (const ExprError& e) {
    return e.what();
  }
  return "";
}

// Returns the column of the caret, from 0, and the message.
std::pair<size_t, std::string> mistake(const std::string& text) {
  const std::string s = complaint(text);
  const size_t line = s.rfind('\n');
  if (line == s.npos) return {0, s};
  return {s.size() - line - 4, s.substr(0, s.find('\n'))};
}

ClosedJaxpr product() {  // f(x, y) = x * sin(y), for vectors
  return parse_jaxpr(
      "{ lambda ; a:f32[3] b:f32[3]. let c:f32[3] = sin b; d:f32[3] = mul a c in (d,) }");
}
ClosedJaxpr scalar() {  // f(x, y) = x * x * y
  return parse_jaxpr(
      "{ lambda ; a:f32[] b:f32[]. let c:f32[] = mul a a; d:f32[] = mul c b in (d,) }");
}
ClosedJaxpr pair() {  // f(x) = x + x, x * x
  return parse_jaxpr("{ lambda ; a:f32[]. let b:f32[] = add a a; c:f32[] = mul a a in (b, c) }");
}
Arrays applied(const char* text, const ClosedJaxpr& p, const Arrays& x) {
  const ParsedExpr e = parse_expr(text);
  return apply(e, p).f(x);
}
std::vector<float> numbers(const Array& x) { return x.to_vector<float>(); }
using V = std::vector<float>;

}  // namespace

TEST_CASE("expressions are read as Python says them", "[tools][expr]") {
  const ParsedExpr e = parse_expr(
      " vmap ( jit(grad(f, argnums=(0, -2))) ,\n in_axes=(0, None, -1,), out_axes=1, axis_size=4, "
      "axis_name=\"i\")");
  CHECK(outline(e.root) == "vmap(jit(grad(f)))");
  CHECK(e.root.in_axes.each);
  CHECK(e.root.in_axes.entries == std::vector<std::optional<int64_t>>{0, std::nullopt, -1});
  CHECK_FALSE(e.root.out_axes.each);
  CHECK(e.root.out_axes.entries == std::vector<std::optional<int64_t>>{1});
  CHECK(e.root.axis_size == 4);
  CHECK(e.root.axis_name == "i");
  CHECK(e.root.inner->inner->argnums == std::vector<int64_t>{0, -2});
  CHECK(parse_expr("vmap(f, (0))").root.in_axes.each == false);
  CHECK(parse_expr("vmap(f, (0,))").root.in_axes.each == true);
  CHECK(parse_expr("vmap(f, [0])").root.in_axes.each == true);
  CHECK(parse_expr("vmap(f, None, 2)").root.out_axes.entries[0] == 2);
  CHECK(parse_expr("grad(f, 1)").root.argnums == std::vector<int64_t>{1});
  CHECK(parse_expr("f").root.kind == Expr::Kind::f);
}

TEST_CASE("mistakes in expressions have a caret below them", "[tools][expr]") {
  const auto at = [](const std::string& text, size_t column, const std::string& why) {
    const auto [c, s] = mistake(text);
    INFO(complaint(text));
    CHECK(c == column);
    CHECK(s.find(why) != s.npos);
  };
  at("", 0, "expected f or a transform");
  at("vmpa(f)", 0, "unknown transform 'vmpa'");
  at("vmap f", 5, "expected '('");
  at("vmap(f", 6, "expected ')'");
  at("vmap(f))", 7, "end of the expression");
  at("vmap(f, in_axs=0)", 8, "no option 'in_axs'");
  at("vmap(f, in_axes=(0, (1,)))", 20, "do not nest");
  at("vmap(f, in_axes=x)", 16, "expected an integer or None");
  at("vmap(f, in_axes=0.5)", 16, "expected an integer");
  at("vmap(f, in_axes=0, in_axes=1)", 19, "twice");
  at("vmap(f, 0, in_axes=1)", 11, "twice");
  at("vmap(f, 0, 0, 3)", 14, "by its name");
  at("vmap(f, axis_size=-1)", 18, "negative");
  at("vmap(f, axis_size=99999999999999999999)", 18, "too large");
  at("vmap(f, axis_name='i)", 18, "no end");
  at("vmap(f, axis_name=i)", 18, "in quotes");
  at("vmap(f, axis_name='')", 18, "empty");
  at("grad(f, argnums=None)", 16, "expected an integer");
  at("grad(f, argnums=())", 16, "names no argument");
  at("jvp(f, 1)", 7, "takes no options");
  at("jit(f, x=1)", 7, "takes no options");
  at("f(x)", 1, "takes no arguments");
  at("grad(vjp(f), argnums=0, )x", 25, "end of the expression");
  at(std::string("f\0", 2), 1, "end of the expression");
}

TEST_CASE("the end of expressions", "[tools][expr]") {
  const auto nested = [](int n) {
    std::string s = "f";
    for (int i = 0; i < n; ++i) s = "jit(" + s + ")";
    return s;
  };
  CHECK_NOTHROW(parse_expr(nested(63)));
  CHECK(complaint(nested(64)).find("at most 64 deep") != std::string::npos);
  CHECK(complaint(nested(10000)).find("at most 64 deep") != std::string::npos);
  CHECK(complaint(std::string(1 << 20, '(')).find("characters") != std::string::npos);
  CHECK(complaint("vmap(f, in_axes=(" + std::string(60000, ',')).size() < 1000);
}

TEST_CASE("any text is an expression or an error", "[tools][expr]") {
  static constexpr const char* words[] = {
      "f",          "vmap(",      "grad(f",   "jvp(",     "jit(",
      ")",          ",",          "in_axes=", "argnums=", "(0,",
      "None",       "-",          "17",       "'i'",      "\"",
      "axis_name=", "axis_size=", " ",        "[",        "]",
      "\n",         "hessian(",   "=",        "\xff",     "99999999999999999999"};
  std::mt19937 random(7);
  int good = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n) text += words[random() % std::size(words)];
    try {
      good += !outline(parse_expr(text).root).empty();
    } catch (const ExprError& e) {
      CHECK(std::string(e.what()).ends_with('^'));
    }
  }
  CHECK(good > 0);
}

TEST_CASE("operands that do not fit a program are refused before tracing", "[tools][expr]") {
  const auto at = [](const std::string& text, size_t column, const std::string& why) {
    const ParsedExpr e = parse_expr(text);
    try {
      (void)apply(e, product());
      FAIL("no error for " << text);
    } catch (const ExprError& error) {
      const std::string s = error.what();
      INFO(s);
      CHECK(s.size() - s.rfind('\n') - 4 == column);
      CHECK(s.find(why) != s.npos);
    }
  };
  at("vmap(f, in_axes=(0, 0, 0))", 16, "in_axes has 3 entries, but the function has 2");
  at("vmap(f, out_axes=(0, 0))", 17, "out_axes has 2 entries, but the function has 1");
  at("vmap(vjp(f), (0, 0))", 13, "the function has 3 flat arguments");
  at("grad(f, argnums=2)", 16, "argnums names argument 2");
  at("jacfwd(f, argnums=(0, -2))", 18, "argument 0 twice");
}

TEST_CASE("transforms of flat programs", "[tools][apply]") {
  const Array x = array({1., 2., 3.}), y = array({0., 0.5, 1.}), two = Array(2.f),
              five = Array(5.f);
  const auto f = [](const Array& a, const Array& b) { return a * sin(b); };
  CHECK(numbers(applied("f", product(), {x, y})[0]) == numbers(f(x, y)));
  CHECK(numbers(applied("jit(jit(f))", product(), {x, y})[0]) == numbers(f(x, y)));
  // The order of argnums is that of the results.
  const Arrays g = applied("grad(f, argnums=(1, 0))", scalar(), {two, five});
  CHECK(numbers(g.at(0)) == V{4});
  CHECK(numbers(g.at(1)) == V{20});
  const Arrays v = applied("value_and_grad(f, argnums=-1)", scalar(), {two, five});
  CHECK(numbers(v.at(0)) == V{20});
  CHECK(numbers(v.at(1)) == V{4});
  const Arrays t = applied("jvp(f)", pair(), {two, five});
  REQUIRE(t.size() == 4);
  CHECK(numbers(t[0]) == V{4});
  CHECK(numbers(t[1]) == V{4});
  CHECK(numbers(t[2]) == V{10});
  CHECK(numbers(t[3]) == V{20});
  CHECK(numbers(applied("vjp(f)", pair(), {two, five, Array(1.f)})[0]) == V{14});
  // There is one second derivative for each pair of arguments: xx, xy, yx, yy.
  const Arrays h = applied("hessian(f, argnums=(0, 1))", scalar(), {two, five});
  REQUIRE(h.size() == 4);
  CHECK(numbers(h[0]) == V{10});
  CHECK(numbers(h[1]) == V{4});
  CHECK(numbers(h[2]) == V{4});
  CHECK(numbers(h[3]) == V{0});
  const Arrays j = applied("jacrev(f)", pair(), {two});
  CHECK(numbers(j.at(0)) == V{2});
  CHECK(numbers(j.at(1)) == V{4});
  CHECK(numbers(applied("jacfwd(f)", pair(), {two}).at(1)) == V{4});
}

TEST_CASE("maps of flat programs", "[tools][apply]") {
  const Array x = arange(12.).reshape({3, 4}), y = array({0., 0.5, 1.});
  const Array want =
      vmap([](const Array& a, const Array& b) { return a * sin(b); }, {1, none}, 1)(x, y);
  const Array got = applied("vmap(f, in_axes=(-1, None), out_axes=-1)", product(), {x, y})[0];
  CHECK(got.shape() == Shape{3, 4});
  CHECK(numbers(got) == numbers(want));
  CHECK(applied("vmap(f, in_axes=None, axis_size=5)", product(), {y, y})[0].shape() == Shape{5, 3});
  const Arrays both =
      applied("vmap(f, out_axes=(0, None), in_axes=None, axis_size=2)", pair(), {y.sum()});
  CHECK(both.at(0).shape() == Shape{2});
  CHECK(both.at(1).shape() == Shape{});
  CHECK_THROWS_AS(applied("vmap(f)", product(), {zeros({2, 3}), zeros({4, 3})}), BatchingError);
  CHECK_THROWS_AS(applied("grad(f)", product(), {y, y}), DifferentiationError);
  CHECK_THROWS_WITH(applied("grad(f)", pair(), {y.sum()}),
                    Catch::Matchers::Contains("only defined for scalar-output"));
}

TEST_CASE("the types of inputs follow from the expression", "[tools][apply]") {
  const auto types = [](const char* text) {
    return to_string(apply(parse_expr(text), product()).in_types(7));
  };
  CHECK(types("grad(f)") == "f32[3], f32[3]");
  CHECK(types("vmap(f)") == "f32[7,3], f32[7,3]");
  CHECK(types("vmap(f, in_axes=(-1, None), axis_size=4)") == "f32[3,4], f32[3]");
  CHECK(types("jvp(f)") == "f32[3], f32[3], f32[3], f32[3]");
  CHECK(types("vmap(vjp(f), in_axes=(0, None, 1))") == "f32[7,3], f32[3], f32[3,7]");
  CHECK(types("vjp(vmap(f))") == "f32[7,3], f32[7,3], f32[7,3]");
  CHECK(has_open_size(parse_expr("vmap(f)").root));
  CHECK_FALSE(has_open_size(parse_expr("jit(vmap(f, axis_size=2))").root));
  CHECK_FALSE(has_open_size(parse_expr("vmap(f, in_axes=None, axis_size=2)").root));
}
