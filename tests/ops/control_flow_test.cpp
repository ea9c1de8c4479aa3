// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/control_flow_test.cpp: branches and loops under maps: which lanes run which parts, and
// which values are not copied for each lane.
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {
using Pair = std::pair<Array, Array>;
// Checks f eagerly, compiled, and by the reference rules.
template <class F, class... X>
void check_all(const Floats& want, F f, const X&... x) {
  CHECK(floats(f(x...)) == want);
  CHECK(floats(jit(f)(x...)) == want);
  const ReferenceMode reference;
  CHECK(floats(f(x...)) == want);
}
Array endless(Array z) {
  return while_loop([](Array q) { return q > 0.f; }, [](Array q) { return q; }, z);
}
// Doubles x until it exceeds the limit, and adds w in each trip.
Array doubled(Array x, Array limit, Array w) {
  return while_loop([&](Pair s) { return s.first < limit; },
                    [&](Pair s) { return Pair{s.first * 2.f, s.second + w}; }, Pair{x, zeros({})})
      .second;
}
}  // namespace

TEST_CASE("while with each combination of mapped operands", "[control]") {
  const Array x = array({1., 3., 40.}), limit = array({2., 16., 100.}), w = array({1., 10., 100.});
  const auto want = [&](bool a, bool b, bool c) {
    Floats r;
    for (int64_t l = 0; l < 3; ++l)
      r.push_back(doubled(x[a ? l : 0], limit[b ? l : 1], w[c ? l : 2]).item<float>());
    return r;
  };
  for (int k = 1; k < 8; ++k) {
    const bool a = k & 1, b = k & 2, c = k & 4;
    INFO(k);
    const auto axis = [](bool m) { return m ? Axes(0) : Axes(none); };
    check_all(want(a, b, c), vmap(doubled, Axes(std::vector<Axes>{axis(a), axis(b), axis(c)})),
              a ? x : x[0], b ? limit : limit[1], c ? w : w[2]);
  }
}

TEST_CASE("two maps in either order", "[control]") {
  const Array x = array({1., 3., 40.}), limit = array({5., 90.});
  const auto f = [](Array x, Array limit) { return doubled(x, limit, 1.f); };
  Floats rows, columns;
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t k = 0; k < 2; ++k) rows.push_back(f(x[i], limit[k]).item<float>());
  for (int64_t k = 0; k < 2; ++k)
    for (int64_t i = 0; i < 3; ++i) columns.push_back(f(x[i], limit[k]).item<float>());
  check_all(rows, vmap(vmap(f, {none, 0}), {0, none}), x, limit);
  check_all(columns, vmap(vmap(f, {0, none}), {none, 0}), x, limit);
}

TEST_CASE("axes of equal size that are combined only after the loop", "[control]") {
  const Array a = array({1., 3., 40.}), b = array({1., 10., 100.});
  const auto f = [](Array a, Array b) {
    const auto [x, y] =
        while_loop([](Pair s) { return s.first < 50.f; },
                   [](Pair s) { return Pair{s.first * 2.f, s.second}; }, Pair{a, b});
    return x + y;
  };
  check_all({65, 74, 164, 97, 106, 196, 81, 90, 180}, vmap(vmap(f, {none, 0}), {0, none}), a, b);
}

TEST_CASE("a branch that no lane takes does not run", "[control]") {
  const auto f = [](Array x) {
    return cond(x > 100.f, endless, [](Array v) { return v * 2.f; }, x);
  };
  check_all({2, 4}, vmap(f), array({1., 2.}));
  check_all({2, 4}, vmap(vmap(f)), array({{1., 2.}}));
  const auto uniform = [](Array p, Array x) {
    return cond(p > 100.f, endless, [](Array v) { return v * 2.f; }, x);
  };
  check_all({2, 4}, vmap(uniform, {none, 0}), Array(1.f), array({1., 2.}));
}

TEST_CASE("an inner loop makes no trip for lanes that have finished or took another branch",
          "[control]") {
  // For x > 1 the inner loop never ends. Such lanes leave the outer loop before.
  const auto inner = [](Array x) {
    return while_loop([](Array q) { return q > 1.f; }, [](Array q) { return q; }, x);
  };
  const auto f = [&](Array x) {
    return while_loop([](Array c) { return c < 1.f; }, [&](Array c) { return inner(c) + .75f; }, x);
  };
  check_all({1.5, 5, 1.25}, vmap(f), array({0., 5., .5}));
  const auto g = [&](Array x) {
    return scan(
               [&](Array c, Array t) {
                 return std::pair{
                     while_loop([](Array q) { return q < 4.f; },
                                [&](Array q) {
                                  return cond(q < 0.f, endless, [&](Array v) { return v + t; }, q);
                                },
                                c) -
                         3.f,
                     c};
               },
               x, array({1., 2.}))
        .first;
  };
  check_all({2, 2, 2.25}, vmap(g), array({1., 4., 3.25}));
}

TEST_CASE("no lanes at all", "[control]") {
  const auto f = [](Array x) { return doubled(x, 10.f, 1.f); };
  check_all({}, vmap(f), zeros({0}));
  check_all({}, vmap([](Array x) {
              return cond(x > 0, [](Array v) { return v; }, [](Array v) { return -v; }, x);
            }),
            zeros({0}));
  check_all(
      {}, vmap([](Array x) {
        return scan([](Array c, Array t) { return std::pair{c + t, c}; }, x, ones({3})).second;
      }),
      zeros({0}));
}

TEST_CASE("no steps at all", "[control]") {
  const auto rows = [](auto f) {
    return [f](Array x) {
      const auto [c, y] =
          scan([f](Array c, Array t) { return std::pair{c + f(t).sum(), f(t)}; }, 2.f, x);
      return std::pair{c, y.sum() + y.size()};
    };
  };
  const auto all = [](const auto& f) {
    for (const Shape& s : {Shape{0}, Shape{0, 2}, Shape{0, 0}, Shape{0, 7, 40}}) {
      const auto [c, n] = jit(f)(zeros(s));
      CHECK(c.template item<float>() == 2);
      CHECK(n.template item<float>() == 0);
      Ints lanes = s.sizes();
      lanes.insert(lanes.begin() + 1, 3);
      const auto [cs, ns] = jit(vmap(f, 1))(zeros(lanes));
      CHECK(array_equal(cs, full({3}, 2.f)));
      CHECK(array_equal(ns, zeros({3})));
      CHECK(jit(grad([f](Array x) { return f(x).first; }))(zeros(s)).shape() == s);
    }
  };
  all(rows([](Array t) { return t * 2.f; }));
  all(rows([](Array t) { return cumsum(t.reshape({-1}), 0); }));
  all(rows([](Array t) { return broadcast_to(t.sum(), Shape{2, 5}); }));
  all(rows([](Array t) { return sort(t.reshape({-1})); }));
  all(rows([](Array t) { return matmul(t.reshape({-1, 1}), t.reshape({1, -1})); }));
  all(rows([](Array t) {
    return while_loop([](Array v) { return v.sum() < 1.f; }, [](Array v) { return v + 1.f; }, t,
                      {.max_trips = 5});
  }));
  const auto counted = [](Array x) {
    return fori_loop(3, 3, [](Array i, Array v) { return sort(v) * i; }, x);
  };
  CHECK(array_equal(jit(counted)(array({3., 1.})), array({3., 1.})));
}

TEST_CASE("values that a loop only reads are not copied for its lanes", "[control][memory]") {
  // There are 1000 tables of 1 KB. Only the outer map maps them, and 1000 x 1000 lanes read them.
  const auto f = [](Array table, Array x) {
    return while_loop([](std::tuple<Array, Array, Array> s) { return std::get<0>(s) < 8.f; },
                      [](std::tuple<Array, Array, Array> s) {
                        const auto [v, i, t] = s;
                        return std::tuple{v + 1.f + t[i % 256], i + 1, t};
                      },
                      std::tuple{x, Array(0), table});
  };
  const auto first = [&](Array t, Array x) { return std::get<0>(f(t, x)); };
  const Array table = zeros({1000, 256}), x = zeros({1000, 1000});
  constexpr int64_t tables = 1000 * 1024, lanes = 1000 * 1000 * 4;
  const auto check = [&](const MemoryUse& m) {
    CHECK(m.arguments == tables + lanes);
    CHECK(m.outputs == lanes);
    CHECK(m.temporaries <= 64 << 10);
  };
  check(jit(vmap(vmap(first, {none, 0}), {0, 0})).lower(table, x).compile().memory());
  check(jit(vmap(vmap(first, {0, 0}), {none, 1})).lower(table, x).compile().memory());
}

TEST_CASE("the same program however it is wrapped", "[control][jit]") {
  static int traces = 0;
  traces = 0;
  const auto f = [](Array x) {
    ++traces;
    return doubled(x, 10.f, 1.f);
  };
  const Array x = array({1., 3., 40.});
  const Floats want{4, 2, 0};
  const auto g = jit(f);
  CHECK(floats(vmap(g)(x)) == want);
  CHECK(floats(jit(vmap(f))(x)) == want);
  CHECK(floats(jit(vmap(g))(x)) == want);
  const int before = traces;
  CHECK(floats(vmap(g)(x + 0.f)) == want);
  CHECK(floats(jit(vmap(g))(x + 0.f)) == want);
  CHECK(traces == before);
  const auto square = [](Array x) {
    return scan([&](Array c, Array t) { return std::pair{c * x + t, none}; }, 0.f, array({1., 2.}))
        .first;
  };
  CHECK(grad(jit(square))(3.).item<float>() == jit(grad(square))(3.).item<float>());
  CHECK(floats(jit(vmap(grad(jit(square))))(x)) == floats(vmap(jit(grad(square)))(x)));
}

TEST_CASE("loops capture arrays and take donated ones", "[control][jit]") {
  const Array table = array({1., 2., 3., 4.});
  const auto f = [&](Array i) {
    return while_loop([&](Pair s) { return s.second < 6.f; },
                      [&](Pair s) { return Pair{s.first, s.second + table[s.first]}; },
                      Pair{i, zeros({})})
        .second;
  };
  check_all({6, 6, 6, 8}, vmap(f), arange(4));
  const auto step =
      jit([](Array x) { return fori_loop(0, 3, [](Array, Array v) { return v * 2.f; }, x); },
          {.donate_argnums = {0}});
  Array x = ones({1000});
  const Array y = step(x);
  CHECK(floats(y) == Floats(1000, 8));
  check_error<DeviceError>([&] { floats(x); }, "donated");
}
