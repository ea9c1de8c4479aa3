// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/static_values_test.cpp: classes that are static values, and callables as
// arguments. tests/install/refused.py has arguments that do not compile.
#include <complex>
#include <unordered_map>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

// Declared static inside the class, and in its namespace.
class Window {
 public:
  explicit Window(int n) : n_(n) {}
  int n() const { return n_; }
  friend bool operator==(const Window&, const Window&) = default;
  WEFT_STATIC(Window);

 private:
  int n_;
};
struct Table {
  std::unordered_map<std::string, int> entries;
  friend bool operator==(const Table&, const Table&) = default;
};
WEFT_STATIC(Table);

// A class derived from a static one is not static.
struct Wide : Window {
  Array w;
  explicit Wide(Array x) : Window(1), w(std::move(x)) {}
};
static_assert(tree::detail::DeclaredStatic<Window> && tree::detail::DeclaredStatic<Table>);
static_assert(!tree::detail::DeclaredStatic<Wide> && !tree::detail::is_static<Wide>);

Array twice(const Array& x) { return x * 2; }

// Static values are not trees, so that their fields need not be found.
struct Dims {
  int n[2];
  friend bool operator==(const Dims& a, const Dims& b) {
    return a.n[0] == b.n[0] && a.n[1] == b.n[1];
  }
};
WEFT_STATIC(Dims);
struct Scale {
  int by = 1;
  friend bool operator==(const Scale&, const Scale&) = default;
};
struct Twice : Scale {
  friend bool operator==(const Twice&, const Twice&) = default;
};
WEFT_STATIC(Twice);

struct Layer {
  Array w;
  Window window;
};

}  // namespace

TEST_CASE("a class declared static is a static value", "[static]") {
  const Array x = array({1., 2., 3.});
  int traced = 0;
  const auto f = jit([&](Array a, Window n) {
    ++traced;
    return a * n.n();
  });
  CHECK(floats(f(x, Window(2))) == Floats{2, 4, 6});
  CHECK(floats(f(x, Window(3))) == Floats{3, 6, 9});
  CHECK(floats(f(x, Window(2))) == Floats{2, 4, 6});
  CHECK(traced == 2);
  // The key contains a copy, so that later changes by the caller have no effect.
  const auto g = jit([&](Array a, const Table& t) {
    ++traced;
    return a * t.entries.at("n");
  });
  Table t{{{"n", 4}}};
  CHECK(floats(g(x, t)) == Floats{4, 8, 12});
  t.entries["n"] = 5;
  CHECK(floats(g(x, t)) == Floats{5, 10, 15});
  CHECK(floats(g(x, Table{{{"n", 4}}})) == Floats{4, 8, 12});
  CHECK(traced == 4);

  // Static values work in structs, in every transform, and in results.
  const Layer layer{x, Window(2)};
  const auto apply = [](Layer l) { return Layer{l.w * l.window.n(), Window(l.window.n() + 1)}; };
  CHECK(floats(vmap(apply)(layer).w) == Floats{2, 4, 6});
  CHECK(vmap(apply)(layer).window.n() == 3);
  CHECK(jit(apply)(layer).window.n() == 3);
  const Layer d = grad([](Layer l) { return (l.w * l.window.n()).sum(); })(layer);
  CHECK(floats(d.w) == Floats{2, 2, 2});
  CHECK(d.window.n() == 2);
  CHECK(floats(fori_loop(
                   0, 2, [](Array, Layer l) { return Layer{l.w * 2, l.window}; }, layer)
                   .w) == Floats{4, 8, 12});
  check_error<ShapeError>([&] { fori_loop(0, 2, [&](Array, Layer l) { return apply(l); }, layer); },
                          "same pytree structure");
  CHECK(tree::structure(layer) == tree::structure(Layer{x + 1, Window(2)}));
  CHECK_FALSE(tree::structure(layer) == tree::structure(Layer{x, Window(3)}));
}

TEST_CASE("a static class may have a C array and a base class", "[static]") {
  const Array x = array({1., 2., 3.});
  const auto times = [](Array a, Dims d) { return a * d.n[1]; };
  CHECK(floats(jit(times)(x, Dims{{1, 2}})) == Floats{2, 4, 6});
  CHECK(floats(vmap(times)(x, Dims{{1, 3}})) == Floats{3, 6, 9});
  CHECK(floats(jit([](Array a, Twice t) { return a * t.by; })(x, Twice{{2}})) == Floats{2, 4, 6});
  CHECK(floats(jit([](Array a, auto t) { return a * t.by; })(x, Twice{{3}})) == Floats{3, 6, 9});
}

TEST_CASE("callables are arguments", "[static]") {
  const Array x = array({1., 2., 3.});
  const Array w = array({3., 2., 1.});
  const auto apply = [](Array a, auto f) { return f(a); };
  CHECK(floats(jit(apply)(x, twice)) == Floats{2, 4, 6});
  CHECK(floats(jit(apply)(x, [](Array a) { return a + 1; })) == Floats{2, 3, 4});
  CHECK(floats(jit(apply)(x, vmap([](Array a) { return a * 3; }))) == Floats{3, 6, 9});
  CHECK(floats(jit(apply)(x, jit([](Array a) { return a * 4; }))) == Floats{4, 8, 12});
  check_error<CompileError>([&] { jit(apply)(x, vmap([w](Array a) { return a * w[0]; })); },
                            "a callable that captures");
  // Other transforms accept callables with captured values.
  CHECK(floats(vmap(apply, {0, none})(x, [w](Array a) { return a * w[0]; })) == Floats{3, 6, 9});
  CHECK(floats(cond(
            true, [](Array a, auto f) { return f(a); }, [](Array a, auto) { return a; }, x,
            [w](Array a) { return a * w; })) == Floats{3, 4, 3});
}

TEST_CASE("complex numbers are static, or Arrays where parameters are auto", "[static]") {
  using Complex = std::complex<float>;
  using Wide = std::complex<double>;
  int traced = 0;
  const auto f = jit([&](Array x, Complex z) {
    ++traced;
    return x * z;
  });
  const auto value = [](const Array& x) { return x.item<Wide>(); };
  CHECK(value(f(2., Complex(1, 3))) == Wide(2, 6));
  CHECK(value(f(5., Complex(1, 3))) == Wide(5, 15));
  CHECK(traced == 1);
  CHECK(value(f(2., Complex(1, 4))) == Wide(2, 8));
  CHECK(value(f(2., Complex(2, 3))) == Wide(4, 6));
  CHECK(traced == 3);
  const auto g = jit([&](Array x, auto z) {
    static_assert(std::same_as<decltype(z), Array>);
    ++traced;
    return x * z;
  });
  traced = 0;
  CHECK(value(g(2., Complex(1, 3))) == Wide(2, 6));
  CHECK(value(g(2., Complex(4, 5))) == Wide(8, 10));
  CHECK(value(g(2., Wide(.5, 5))) == Wide(1, 10));
  CHECK(traced == 1);
  CHECK(value(vmap([](Array x, Wide z) { return x * z; })(array({1., 2.}), Wide(0, 1))[1]) ==
        Wide(0, 2));
  CHECK(value(cond(
            true, [](Array z) { return z * 2.; }, [](Array z) { return z; }, Complex(1, 2))) ==
        Wide(2, 4));
  CHECK(value(scan([](Array c, Array x) { return std::pair{c * x, none}; }, Complex(0, 1),
                   array({2., 3.}).astype(C64))
                  .first) == Wide(0, 6));
  CHECK(tree::structure(std::pair{Complex(1, 2), Array(1.)}).text() == "((1, 2), *)");
}
