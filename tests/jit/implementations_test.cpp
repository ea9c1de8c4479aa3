// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/implementations_test.cpp: the implementations of equations: the choice, the report, and
// demands.
#include <cstdio>
#include <filesystem>
#include <string>
#include <tuple>

#include "jit/pipeline.h"
#include "jit/run/compiled.h"
#include "ops/kit/kit.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "tracer/trace.h"
#include "weft/detail/jaxpr.h"
#include "weft/error.h"
#include "weft/lax/dot.h"
#include "weft/lax/elementwise.h"

using namespace weft;
using namespace weft::test;

namespace {

Array product(Array a, Array b) { return matmul(a, b); }
Array square(int n) { return sin(arange(n * n).astype(F32)).reshape({n, n}); }
auto lowered(int n) { return jit(product).lower(square(n), square(n)); }

using Demands = std::vector<std::pair<std::string, std::string>>;
std::string refused(const Demands& d) {
  return error_of<CompileError>([&] { (void)lowered(8).compile({.implementations = d}); });
}

// Computes x * 2 + 1 by an expansion to other ops, or by a native implementation.
const Primitive<None>& twice_and_one = define<None>({
    .name = "test_twice_and_one",
    .doc = "2 x + 1.",
    .type = [](const Types& in, const None&) { return in; },
    .batch = batch_nary<None>,
    .expand =
        [](const ExpandArgs<None>& e) {
          const Array two = full(e.x[0].shape(), 2.f);
          return Arrays{lax::add(lax::mul(e.x[0], two), full(e.x[0].shape(), 1.f))};
        },
    .implementations =
        [] {
          const Implementation<None> native{
              .name = "native",
              .applies = [](const Use<None>& u) { return u.in[0].elements() < 100; },
              .cost = [](const Use<None>& u) { return u.in[0].elements() < 10 ? 1. : 3.; },
              .make =
                  [](const Use<None>& u) {
                    NativeCall call;
                    call.run = [n = u.in[0].elements()](const NativeArgs& a) {
                      for (int64_t i = 0; i < n; ++i)
                        a.out<float>(0, n)[i] = 2 * a.in<float>(0, n)[i] + 1;
                    };
                    return call;
                  }};
          const Implementation<None> program{.name = std::string(expanded),
                                             .cost = [](const Use<None>&) { return 2.; }};
          return std::vector<Implementation<None>>{native, program};
        },
});
Array twice(Array x) { return twice_and_one(Arrays{x}); }

}  // namespace

TEST_CASE("large products go to the library, small ones do not", "[jit][implementations]") {
  CHECK(holds(lowered(64).report(), "dot_general: library f32[64,64] f32[64,64]\n"));
  CHECK(holds(lowered(64).report(), "\ndot_general: library\n"));
  CHECK(holds(lowered(8).report(), "\ndot_general: generated\n"));
  // 4096 multiplications are enough for the library, unless the result has two columns.
  CHECK(holds(lowered(16).report(), "\ndot_general: library\n"));
  CHECK(holds(lowered(15).report(), "\ndot_general: generated\n"));
  const Array thin = square(64)[slice(0, 2)];
  CHECK(holds(jit(product).lower(square(64), thin.T()).report(), "\ndot_general: generated\n"));
  CHECK(holds(jit(product).lower(thin, square(64)).report(), "\ndot_general: library\n"));
  CHECK(holds(lowered(64).kernels(), "dot_general: library\n"));
  CHECK(holds(lowered(8).kernels(), "dot_general: generated\n"));
}

TEST_CASE("factors of reflections stay in the lane while that costs less",
          "[jit][implementations]") {
  const auto report = [](auto f, int64_t m, int64_t n) {
    return jit(vmap(f)).lower(random::normal(random::key(1), {200, m, n})).report();
  };
  const auto plain = [](Array a) { return lax::geqrf(a).first; };
  CHECK(!holds(report(plain, 16, 8), "geqrf: library"));
  CHECK(!holds(report(plain, 17, 15), "geqrf: library"));
  CHECK(holds(report(plain, 40, 40), "geqrf: library"));
}

TEST_CASE("products of a kernel of lanes are generated", "[jit][implementations]") {
  // Each lane multiplies its vector by a matrix that all lanes read. Alone, native code is faster.
  const Array w = random::normal(random::key(2), {4, 4}),
              p = random::normal(random::key(3), {4, 4}),
              x = random::normal(random::key(4), {1000, 4, 4});
  const auto alone = [&](Array a) { return matmul(w, a); };
  const auto step = [&](Array a) {
    const Array b = matmul(matmul(w, a), w.T()) + p;
    return linalg::solve(b + 9. * eye(4), matmul(p, a));
  };
  CHECK(holds(jit(vmap(alone)).lower(x[{slice(), 0}]).report(), "dot_general: library"));
  const std::string report = jit(vmap(step)).lower(x).report();
  CHECK(!holds(report, "dot_general: library"));
  CHECK(count(report, ": kernel") == 1);
  const auto found = jit(vmap(step))(x);
  for (int64_t lane : {0, 999})
    CHECK(allclose(found[lane], step(x[lane]), 1e-4, 1e-4).item<bool>());
}

TEST_CASE("loops leave the lane if calls together save the cost of it", "[jit][implementations]") {
  // Each step multiplies `rows` rows of a state by `products` matrices of n x n.
  const auto report = [](int rows, int n, int products) {
    const auto f = [products](Array w, Array h) {
      return fori_loop(
          0, 9,
          [&](Array, Array x) {
            Array sum = tanh(x);
            for (int i = 0; i < products; ++i) sum = sum + matmul(x, w[i]);
            return sum;
          },
          h);
    };
    const Array w = sin(arange(products * n * n).astype(F32)).reshape({products, n, n}) / n / 9;
    const Array h = cos(arange(rows * n).astype(F32)).reshape({rows, n});
    const auto generated =
        jit(f).lower(w, h).compile({.implementations = {{"dot_general", "generated"}}});
    CHECK(allclose(jit(f)(w, h), generated(w, h), 1e-4, 1e-4).item<bool>());
    return jit(f).lower(w, h).report();
  };
  CHECK(holds(report(8, 64, 1), "lockstep"));
  // One such product alone would not save enough.
  CHECK(!holds(report(8, 20, 1), "lockstep"));
  CHECK(holds(report(8, 20, 4), "lockstep"));
  // Lanes keep both sides of the matrix in registers. A single lane has vectors along its row.
  CHECK(!holds(report(64, 16, 4), "lockstep"));
  CHECK(!holds(report(1, 32, 4), "lockstep"));
}

TEST_CASE("loops of many lanes keep the products of their steps as those of one do",
          "[jit][implementations]") {
  // Particles of each problem move along a gradient, which reads 200 rows of data. They make
  // different numbers of steps.
  const auto problem = [](Array data, Array label, Array start, Array steps) {
    const auto slope = [&](Array w) {
      return grad([&](Array w) { return nn::softplus(-label * dot(data, w)).mean(); })(w);
    };
    const auto move = [&](Array w, Array n) {
      const auto step = [&](Array, Array w) { return w - .1f * slope(w); };
      return fori_loop(0, 2, [&](Array, Array w) { return fori_loop(0, n, step, w) * .9f; }, w);
    };
    return vmap(move)(start, steps);
  };
  const Array data = random::normal(random::key(1), {30, 200, 5}),
              label = sign(random::normal(random::key(2), {30, 200})),
              start = random::normal(random::key(3), {30, 64, 5}),
              steps = (arange(30 * 64) % 7).astype(I32).reshape({30, 64});
  const auto one = jit(problem).lower(data[0], label[0], start[0], steps[0]);
  const auto many = jit(vmap(problem)).lower(data, label, start, steps);
  CHECK(!holds(one.report(), "lockstep"));
  CHECK(!holds(many.report(), "lockstep"));
  // Vectors run along the particles, which read the same data.
  CHECK(holds(many.kernels(), "rank=2"));
  const Array found = jit(vmap(problem))(data, label, start, steps);
  for (int64_t k : {0, 29})
    CHECK(allclose(found[k], jit(problem)(data[k], label[k], start[k], steps[k]), 1e-4, 1e-4)
              .item<bool>());
}

TEST_CASE("programs say how their equations are run, and are read back", "[jit][implementations]") {
  const std::string text = lowered(64).optimized();
  CHECK(holds(text, "implementation=library"));
  CHECK(!holds(lowered(64).jaxpr(), "implementation"));
  CHECK(to_string(read_jaxpr(text)) == text);
  const auto with = [&](const std::string& name) {
    std::string t = text;
    return read_jaxpr(t.replace(t.find("library"), 7, name));
  };
  // The implementation is part of the program's identity and is kept.
  CHECK(with("generated") != read_jaxpr(text));
  CHECK(to_string(with("generated")) != text);
  CHECK(holds(compiler::compile_program(with("generated"))->report(), "dot_general: generated"));
  CHECK_THROWS_WITH(with("magic"),
                    Catch::Contains("op 'dot_general' has no implementation "
                                    "'magic'; it has generated, library, tiled, tensor, expanded"));
  CHECK_THROWS_WITH(
      read_jaxpr("{ lambda ; a:i32[8,8]. let b:i32[8,8] = dot_general[implementation=library "
                 "lhs_contract=(1,) rhs_contract=(0,) preferred_element_type=int32] a a in (b,) }"),
      Catch::Contains("op 'dot_general' cannot be run as 'library' on "));
}

TEST_CASE("an implementation can be demanded", "[jit][implementations]") {
  for (const char* name : {"generated", "library"}) {
    const auto forced = lowered(64).compile({.implementations = {{"dot_general", name}}});
    CHECK(allclose(forced(square(64), square(64)), matmul(square(64), square(64)), 1e-5, 1e-5)
              .item<bool>());
  }
  // This also holds for loops in the lane.
  const auto loop = [](Array x) {
    return fori_loop(0, 3, [](Array, Array h) { return matmul(h, h); }, x);
  };
  const auto steps = [&](const Demands& d) {
    return jit(loop).lower(square(8)).compile({.implementations = d}).memory().code;
  };
  CHECK(steps({{"dot_general", "library"}}) != steps({{"dot_general", "generated"}}));
  // The demand applied only to that compilation.
  CHECK(holds(lowered(64).report(), "dot_general: library"));
}

// The batch axis is before, between and after the axes of a factor, and between two contracted
// axes.
TEST_CASE("the library takes matrices however they lie, or not at all", "[jit][implementations]") {
  int taken = 0;
  for (const char* axes : {"bmk,bkn->bmn", "kbm,kbn->bmn", "mbk,bkn->bmn", "bmk,nbk->bmn",
                           "mkb,bkn->bmn", "kbl,bklm->bm", "bklm,kbl->bm"}) {
    INFO(axes);
    const auto factor = [&](const std::string& names, int seed) {
      Shape s;
      for (char c : names) s = s.inserted(s.ndim(), c == 'b' ? 3 : c == 'k' ? 5 : c == 'l' ? 4 : 6);
      return random::normal(random::key(seed), s);
    };
    const std::string text = axes, x = text.substr(0, text.find(',')),
                      y = text.substr(x.size() + 1, text.find('-') - x.size() - 1);
    const auto f = jit([&](Array a, Array b) { return einsum(text, a, b); });
    const Array a = factor(x, 0), b = factor(y, 1);
    const auto run = [&](const char* how) {
      return f.lower(a, b).compile({.implementations = {{"dot_general", how}}})(a, b);
    };
    const Array want = run("generated");
    try {
      const Array got = run("library");
      CHECK(allclose(got, want, 1e-5, 1e-5));
      ++taken;
    } catch (const CompileError& e) {
      CHECK_THAT(e.what(), Catch::Contains("'library' does not apply to"));
    }
  }
  CHECK(taken >= 4);
}

TEST_CASE("implementations that cannot be demanded", "[jit][implementations]") {
  CHECK_THAT(refused({{"dot", "library"}}),
             Catch::StartsWith("implementations of compile(): there is no op 'dot'; the ops with a "
                               "choice are "));
  CHECK_THAT(refused({{"dot_general", "magic"}}),
             Catch::StartsWith("implementations of compile(): 'dot_general' has no implementation "
                               "'magic'; there is generated, library"));
  CHECK_THAT(refused({{"dot_general", "library"}, {"dot_general", "generated"}}),
             Catch::Contains("a second implementation for 'dot_general'"));
  const Array x = arange(64).reshape({8, 8});
  CHECK_THAT(
      error_of<CompileError>([&] {
        (void)jit(product).lower(x, x).compile({.implementations = {{"dot_general", "library"}}});
      }),
      Catch::StartsWith("implementations of compile(): 'library' does not apply to "
                        "dot_general of ") &&
          Catch::Contains("; there is generated"));
}

TEST_CASE("an op is expanded where that is cheapest", "[jit][implementations]") {
  const auto run = [](int n) {
    const Array x = sin(arange(n).astype(F32));
    CHECK(allclose(jit(twice)(x), x * 2.f + 1.f, 1e-6, 1e-6).item<bool>());
    return jit(twice).lower(x).report();
  };
  CHECK(holds(run(5), "test_twice_and_one: native"));
  CHECK(!holds(run(50), "test_twice_and_one"));
  CHECK(!holds(run(500), "test_twice_and_one"));
  // A mapped loop stays in the lane, however much a call would save.
  const auto loop = vmap([](Array n, Array x) {
    using State = std::tuple<Array, Array>;
    return std::get<1>(
        while_loop([](const State& s) { return std::get<0>(s) > 0; },
                   [](const State& s) { return State{std::get<0>(s) - 1, twice(std::get<1>(s))}; },
                   State{n, x}));
  });
  const Array n = arange(6), x = sin(arange(6 * 5).astype(F32)).reshape({6, 5});
  const std::string report = jit(loop).lower(n, x).report();
  CHECK(holds(report, "kernel"));
  CHECK(!holds(report, "lockstep"));
}

TEST_CASE("run by the test of WEFT_IMPL", "[.][demanded]") {
  std::printf("%s", lowered(64).report().c_str());
}

TEST_CASE("WEFT_IMPL demands implementations", "[jit][implementations]") {
  const auto child = [](const std::string& value) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::FILE* out =
        popen(("WEFT_IMPL='" + value + "' '" + self + "' '[.][demanded]' 2>&1").c_str(), "r");
    REQUIRE(out != nullptr);
    std::string said;
    for (int c = 0; (c = std::fgetc(out)) != EOF;) said += static_cast<char>(c);
    (void)pclose(out);
    return said;
  };
  CHECK_THAT(child(""), Catch::Contains("dot_general: library\n"));
  CHECK_THAT(child("sort=native,dot_general=generated"),
             Catch::Contains("dot_general: generated\n") && !Catch::Contains("library"));
  CHECK_THAT(child("dot=library"),
             Catch::Contains("WEFT_IMPL: there is no op 'dot'; the ops with a choice"));
  CHECK_THAT(child("dot_general"),
             Catch::Contains("WEFT_IMPL: 'dot_general' is not op=implementation"));
}

TEST_CASE("an operand whose axes are apart is transposed for native code", "[jit][impl]") {
  // Sums over two axes of w that are apart, and over one between the other two.
  const auto apart = [](Array x, Array w) {
    return lax::dot_general(x, w, {{1, 2}, {0, 2}, {}, {}});
  };
  const auto between = [](Array x, Array w) { return lax::dot_general(x, w, {{1}, {1}, {}, {}}); };
  const auto calls = [](auto f, const Array& x, const Array& w) {
    const Array got = jit(f)(x, w);
    const ReferenceMode reference;
    CHECK(allclose(got, f(x, w), 1e-4, 1e-4).template item<bool>());
    return count(jit(f).lower(x, w).report(), "dot_general: library");
  };
  const auto numbers = [](const Shape& s) {
    return sin(arange(s.elements()).astype(F32)).reshape(s);
  };
  for (const int64_t n : {23, 24, 31}) {
    CHECK(calls(apart, numbers({60, 2, 70}), numbers({2, n, 70})) > 0);
    CHECK(calls(between, numbers({100, n}), numbers({2, n, 70})) > 0);
  }
  // Small matrices are parts of kernels of lanes.
  CHECK(calls(apart, numbers({4, 2, 3}), numbers({2, 5, 3})) == 0);
  CHECK(calls(between, numbers({1000, 5}), numbers({3, 5, 3})) == 0);
}

TEST_CASE("a factorization is refused if LAPACK cannot count its rows", "[jit][implementations]") {
  const auto factors = [](Array x) { return linalg::qr(x); };
  check_error<CompileError>(
      [&] { jit(factors).lower(ShapeDtypeStruct{{40000000, 2}, F32}).report(); },
      "none of expanded, library");
  CHECK(holds(jit(factors).lower(ShapeDtypeStruct{{4000, 2}, F32}).report(), "library"));
}
