// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/fuse/plan_test.cpp: which values are stored or recomputed, and which loops do not run
// in the lane.
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

template <class F, class... X>
Array reference(F f, const X&... x) {
  const ReferenceMode on;
  return f(x...);
}

}  // namespace

TEST_CASE("an expensive value that many elements read is stored", "[jit][plan]") {
  // There are 600 sines for 360,000 sums.
  const auto f = [](Array x, Array y) { return sin(x).reshape({-1, 1}) + y.reshape({1, -1}); };
  const auto kernels = [&](int n) {
    const Array x = arange(n).astype(F32);
    CHECK(array_equal(jit(f)(x, x), reference(f, x, x)).item<bool>());
    return count(jit(f).lower(x, x).report(), ": kernel");
  };
  CHECK(kernels(600) == 2);
  // A separate kernel costs more than a few sines.
  CHECK(kernels(20) == 1);
  // A cheap value is computed where it is read.
  const auto cheap = [](Array x, Array y) {
    return (x + 1.f).reshape({-1, 1}) + y.reshape({1, -1});
  };
  const Array x = arange(600).astype(F32);
  CHECK(count(jit(cheap).lower(x, x).report(), ": kernel") == 1);
}

TEST_CASE("the report says why a value is in memory between two kernels", "[jit][plan]") {
  const auto says = [](const auto& f, const Array& x, const std::string& line) {
    const std::string text = jit(f).lower(x).report();
    INFO(text);
    CHECK(count(text, "     stores " + line + "\n") == 1);
  };
  const Array x = sin(arange(300 * 40).astype(F32)).reshape({300, 40});
  says([](Array x) { return sin(x[{slice(), 0}]).reshape({-1, 1}) * x[{slice(), 1}]; }, x,
       "f32[300,1] for 1: a reader would compute its elements again and again");
  says([](Array x) { return x.sum({1})[slice(0, 200)] + x.sum({1})[slice(100, 300)]; }, x,
       "f32[300] for 1: it is read at other indices than its kernel's points");
  says([](Array x) { return sort(x + 1.f); }, x,
       "f32[300,40] for 1: a library call, a scatter or a loop of several steps computes or reads "
       "it");
  says([](Array x) { return flip(cumsum(x.reshape({-1}), 0), 0) + x.reshape({-1}); }, x,
       "f32[12000] for 1: a loop stores it step by step");
  const auto no_border = [](Array x) { return (x + 1.f).sum({1}); };
  CHECK(count(jit(no_border).lower(x).report(), "stores ") == 0);
}

TEST_CASE("a value is not stored if all its readers are in its kernel", "[jit][plan]") {
  const auto report = [](const auto& f, const Array& x) {
    CHECK(allclose(jit(f)(x), f(x)));
    return jit(f).lower(x).report();
  };
  const Array x = arange(600).astype(F32);
  // Four elements of the result need each sine. Its kernel computes all four.
  const auto repeated = [](Array x) { return broadcast_to(sin(x).reshape({-1, 1}), {600, 4}); };
  CHECK(count(report(repeated, x), "temporaries 0 bytes") == 1);
  // The second reader is in another kernel.
  const auto folded = [](Array x) {
    const Array y = sin(x);
    return broadcast_to(y.reshape({-1, 1}), {600, 4}) + cumsum(flip(y, 0), 0)[0];
  };
  CHECK(count(report(folded, x), "temporaries 0 bytes") == 0);
}

TEST_CASE("a value as large as all arguments is not stored for a reader of three times the size",
          "[jit][plan]") {
  // 2,400 by 2,400 sines would need 23 MB, and the arguments have 10 KB.
  const auto f = [](Array x) {
    const Array pairs = sin(x.reshape({-1, 1}) - x.reshape({1, -1}));
    return (pairs.reshape({2400, 2400, 1}) * arange(3).astype(F32)).sum({0, 1});
  };
  const auto c = jit(f).lower(arange(2400).astype(F32)).compile();
  CHECK(c.memory().temporaries < (int64_t{1} << 20));
}

TEST_CASE("products over no axes are elementwise", "[jit][plan]") {
  const auto f = vmap([](Array a, Array b) { return outer(a, b); });
  const Array a = sin(arange(5 * 33).astype(F32)).reshape({5, 33}),
              b = cos(arange(5 * 20).astype(F32)).reshape({5, 20});
  CHECK(count(jit(f).lower(a, b).optimized(), "dot_general") == 0);
  CHECK(array_equal(jit(f)(a, b), reference(f, a, b)).item<bool>());
}

TEST_CASE("products of one term are elementwise", "[jit][plan]") {
  const Array a = sin(arange(5 * 6).astype(F32)).reshape({5, 1, 6}),
              b = cos(arange(5 * 4).astype(F32)).reshape({5, 4, 1});
  const auto check = [&](const lax::DotDims& dims) {
    const auto f = [=](Array a, Array b) { return lax::dot_general(a, b, dims); };
    CHECK(count(jit(f).lower(a, b).optimized(), "dot_general") == 0);
    CHECK(array_equal(jit(f)(a, b), reference(f, a, b)).item<bool>());
    const Array none = jit(f)(-0.f * abs(a), abs(b));
    CHECK(!signbit(none).any().item<bool>());
  };
  check({{1}, {2}, {0}, {0}});
  check({{1}, {2}});
}

TEST_CASE("a loop with large products leaves the lane, one with small ones does not",
          "[jit][plan]") {
  const auto f = [](Array w, Array x) {
    return fori_loop(0, 3, [&](Array, Array h) { return tanh(matmul(h, w)); }, x);
  };
  const auto report = [&](int n, int rows = 32) {
    const Array w = sin(arange(n * n).astype(F32)).reshape({n, n}) / static_cast<float>(n),
                x = cos(arange(rows * n).astype(F32)).reshape({rows, n});
    CHECK(allclose(jit(f)(w, x), reference(f, w, x), 1e-5, 1e-6).item<bool>());
    return jit(f).lower(w, x).report();
  };
  CHECK(count(report(128), "dot_general in a body is done by ") == 1);
  CHECK(count(report(8), "library") == 0);
  // This holds for any number of rows. Outside of a loop the library multiplies them.
  CHECK(count(report(16, 10000), "library") == 0);
  const Array w = ones({16, 16}), x = ones({10000, 16});
  CHECK(count(jit([](Array a, Array b) { return matmul(a, b); }).lower(x, w).report(),
              "dot_general: library") >= 1);
}

TEST_CASE("operands along the result are summed for one vector of results at a time",
          "[jit][plan]") {
  const auto f = [](Array c, Array x) { return tensordot(c, x, 1); };
  const Array c = sin(arange(200).astype(F32)),
              x = cos(arange(200 * 40).astype(F32)).reshape({200, 40});
  const auto report = [&](auto g, const Array& b) {
    CHECK(array_equal(jit(g)(c, b), reference(g, c, b)).template item<bool>());
    return jit(g).lower(c, b).report();
  };
  CHECK(count(report(f, x), "kernel (rows)") == 0);
  // In the other order the terms are contiguous.
  const auto g = [](Array c, Array x) { return matmul(x, c); };
  CHECK(count(report(g, x.T() + 0.f), "kernel (rows)") == 1);
}

TEST_CASE("a loop whose only branch is rare runs several vectors side by side", "[jit][plan]") {
  const auto loop = [](Array x) {
    return fori_loop(0, 10, [](Array, Array y) { return sin(y) * 0.5f; }, x);
  };
  const Array x = arange(1000).astype(F32);
  CHECK(count(jit([](Array x) { return sin(x); }).lower(x).kernels(), "\ninterleave 1\n") == 1);
  CHECK(count(jit(vmap(loop)).lower(x).kernels(), "\ninterleave 1\n") == 0);
}

TEST_CASE("a loop stores its results where they are read from", "[jit][plan]") {
  // The loop stores by steps, and the caller reads by lanes.
  const auto running = [](Array v) {
    return scan([](Array c, Array x) { return std::pair{c + x, c * x}; },
                zeros(v.shape().erased(0), v.dtype()), v)
        .second;
  };
  const auto by_lane = vmap(running);
  const auto kernels = [&](auto f, const Array& x) {
    CHECK(array_equal(jit(f)(x), reference(f, x)).template item<bool>());
    return count(jit(f).lower(x).report(), ": kernel");
  };
  const auto numbers = [](const Shape& s) {
    return (arange(static_cast<int>(s.elements())) % 13).reshape(s).astype(F32);
  };
  for (const Shape& s : {Shape{40, 30}, Shape{3, 100}, Shape{17, 1}, Shape{1, 9}})
    CHECK(kernels(by_lane, numbers(s)) == 1);
  CHECK(kernels(by_lane, numbers({20, 30, 3})) == 1);
  CHECK(kernels(by_lane, numbers({0, 4})) >= 0);
  CHECK(kernels(by_lane, numbers({4, 0, 2})) >= 0);
  // The axes may have any order. A complex number is two contiguous numbers.
  const auto turned = [&](Array x) { return lax::transpose(vmap(running, 1)(x), {2, 0, 1}); };
  CHECK(kernels(turned, numbers({6, 20, 5})) == 1);
  const auto as_complex = [&](Array x) { return by_lane(lax::complex(x, x + 1)); };
  CHECK(kernels(as_complex, numbers({20, 7})) <= 2);
  // There are two readers: the stored steps are transposed for one of them.
  const auto both = [&](Array x) {
    const Array y = vmap(running, 0, 1)(x);
    return std::pair{y, y.T()};
  };
  const Array x = numbers({20, 30});
  const auto [steps, lanes] = jit(both)(x);
  CHECK(array_equal(steps, reference([&](Array v) { return both(v).first; }, x)).item<bool>());
  CHECK(array_equal(lanes, steps.T()).item<bool>());
  // The steps that a lane does not run are zeros.
  const auto some = vmap([&](Array n, Array v) {
    return while_loop(
               [&](std::pair<Array, Array> c) { return c.first < n; },
               [](std::pair<Array, Array> c) { return std::pair{c.first + 1, c.second * 2}; },
               std::pair{n * 0, v}, {.max_trips = 8})
        .second;
  });
  const auto slopes = [&](Array v) {
    return grad([&](Array w) { return some(arange(9), w).sum(); })(v);
  };
  CHECK(array_equal(jit(slopes)(numbers({9})), reference(slopes, numbers({9}))).item<bool>());
}

namespace {

// Numbers of this shape that differ from row to row.
Array numbers(const Shape& s) {
  return sin(arange(static_cast<int>(s.elements())).astype(F32) * 0.7f).reshape(s);
}

Array softmax_of(const Array& x) {
  const Array e = exp(x - x.max(-1, {.keepdims = true}));
  return e / e.sum(-1, {.keepdims = true});
}

template <class F, class... X>
void check_bits(F f, const X&... x) {
  CHECK(array_equal(jit(f)(x...), reference(f, x...)).template item<bool>());
}

}  // namespace

TEST_CASE("a value that a product in its own kernel reads is computed once", "[jit][plan]") {
  // The product has too few terms for the library, so it follows the softmax in its kernel.
  const auto f = [](Array x, Array v) { return matmul(softmax_of(x), v); };
  const auto masked = [](Array x, Array v) {
    const Array below = arange(x.shape()[1]).reshape({1, -1, 1}) >= arange(x.shape()[2]);
    return matmul(softmax_of(where(below, x, -1e30f)), v);
  };
  for (int n : {20, 32, 33, 63, 70}) {
    const Array x = numbers({40, n, n}), v = numbers({40, n, 3});
    check_bits(f, x, v);
    check_bits(masked, x, v);
    // An exponential contains one bitcast. Elements of short rows are written out; longer rows are
    // loops. Between 32 and 64 elements, the estimated times decide, and the mask has its part.
    const auto exponentials = [&](auto g) {
      return count(jit(g).lower(x, v).kernels(), "= bitcast i32");
    };
    CHECK(exponentials(f) == (n <= 32 ? n : 1));
    CHECK(exponentials(masked) == (n <= 63 ? n : 1));
  }
}

TEST_CASE("values that a kernel keeps are those of its own rows", "[jit][plan]") {
  // The second sum reads other rows of x than the first.
  const auto f = [](Array x) {
    const Array s = x.sum({1}).reshape({-1, 1});
    return (flip(x, 0) * s).sum({1}) + (exp(x - s) * s).sum({1});
  };
  for (int n : {5, 16, 17, 40, 63, 64, 200})
    for (int rows : {2, 7, 40}) check_bits(f, numbers({rows, n}));
}

TEST_CASE("rows of less than two vectors are transposed in blocks", "[jit][plan]") {
  const auto f = [](Array x) { return softmax_of(x); };
  const auto moments = [](Array x, Array y) {
    return std::pair{(x * y).sum({-1}), (x - y.mean(-1, {.keepdims = true})).max({-1})};
  };
  for (int n : {16, 17, 20, 23, 24, 31, 32, 47, 63, 64, 70})
    for (int rows : {1, 3, 16, 37, 200}) {
      const Array x = numbers({rows, n}), y = cos(x);
      check_bits(f, x);
      check_bits(f, x.astype(F64));
      check_bits(f, x.astype(BF16));
      check_bits([&](Array a, Array b) { return moments(a, b).first; }, x, y);
      check_bits([&](Array a, Array b) { return moments(a, b).second; }, x, y);
    }
  // Each row is read once from memory and written once, in blocks.
  const auto blocks = [&](int n) {
    return count(jit(f).lower(numbers({400, n})).kernels(), " rows 16 ");
  };
  CHECK(blocks(24) == 2);
  // Vectors run along longer rows, and along rows that are read once.
  CHECK(blocks(32) == 0);
  const auto sum = [](Array x) { return square(x).sum({1}); };
  CHECK(count(jit(sum).lower(numbers({400, 24})).kernels(), " rows 16 ") == 0);
  // Rows along two axes, and rows next to rows that all points read.
  check_bits([](Array x) { return x.sum({1, 2}); }, numbers({50, 4, 8}));
  check_bits([](Array x) { return (x * x[0]).sum({1}); }, numbers({50, 24}));
}

TEST_CASE("a few updates of a large array are written in place", "[jit][plan]") {
  const auto set = [](Array x, Array i, Array v) { return x.at(i).set(v); };
  const auto add = [](Array x, Array i, Array v) { return x.at(i).add(v); };
  const auto updates = [&](int n, int k, DType d) {
    const Array x = numbers({n}).astype(d), v = numbers({k}).astype(d), i = arange(k) * 7 % 5;
    check_bits(set, x, i, v);
    check_bits(add, x, i, v);
    check_bits(vmap(set, {0, none, 0}), numbers({9, n}).astype(d), i, numbers({9, k}).astype(d));
    check_bits(vmap(add, {0, 0, none}), numbers({9, n}).astype(d),
               arange(9 * k).reshape({9, k}) % 5, v);
    return count(jit(set).lower(x, i, v).report(), "kernel (scatter)");
  };
  CHECK(updates(100'000, 8, F32) == 1);
  CHECK(updates(100'001, 7, F64) == 1);
  CHECK(updates(10, 8, F32) == 0);
  for (const DType d : {BF16, F16, I8}) {
    updates(10, 6, d);
    updates(100, 6, d);
    updates(200'000, 6, d);
  }
}

TEST_CASE("updates of one array share the cost of its copy", "[jit][plan]") {
  const auto f = [](Array x, Array at, Array v, int updates) {
    for (int k = 0; k < updates; ++k) x = x.at(at[k]).set(v[k]);
    return x.astype(F32) * 2.f;
  };
  const Array x = arange(200'000), at = arange(12) * 7 % 9, v = arange(12);
  const auto written = [&](int updates) {
    const auto g = [&](Array x, Array at, Array v) { return f(x, at, v, updates); };
    check_bits(g, x, at, v);
    return count(jit(g).lower(x, at, v).report(), "kernel (scatter)");
  };
  // The result converts its elements, so that one update needs no array of its own.
  CHECK(written(1) == 0);
  CHECK(written(12) == 12);
}

TEST_CASE("temporaries are updated in place", "[jit][plan]") {
  // 20 updates of a place each, between a sum and another.
  const auto f = [](Array x, Array at, Array v) {
    Array y = cumsum(x);
    for (int k = 0; k < 4; ++k) y = y.at(at[slice(5 * k, 5 * k + 5)]).set(v[5 * k]);
    return cumsum(y);
  };
  const Array x = numbers({100'000}), at = arange(20) * 7 % 9, v = numbers({20});
  check_bits(f, x, at, v);
  check_bits(vmap(f, {0, none, none}), numbers({3, 50'000}), at, v);
  // One y of 400,000 bytes is in memory, and not two in turn.
  CHECK(jit(f).lower(x, at, v).compile().memory().temporaries < 600'000);
  // An update does not overwrite what is read later.
  const auto both = [](Array x, Array at, Array v) {
    const Array y = cumsum(x), z = y.at(at).set(v);
    return cumsum(z) + cumsum(y);
  };
  check_bits(both, x, at, v);
}

TEST_CASE("a short row that is put together from parts is computed by one point", "[jit][plan]") {
  const Array a = numbers({40, 30}), b = numbers({40, 30}) * 2.f;
  const auto stacked = [](Array a, Array b) { return stack({sin(a), cos(b), a * b}, -1); };
  const auto updated = [](Array a, Array b) {
    Array planes = zeros({40, 30, 3});
    planes = planes.at({slice(), slice(), 0}).set(sin(a));
    return planes.at({slice(), slice(), 2}).set(cos(b)) * 2.f;
  };
  for (const auto& f :
       {std::function<Array(Array, Array)>(stacked), std::function<Array(Array, Array)>(updated)}) {
    check_bits(f, a, b);
    CHECK(count(jit(f).lower(a, b).report(), "grid [40x30],") == 1);
  }
  // One update keeps the vectors along the row, and so does a long row.
  const auto one = [](Array a, Array b) {
    return stack({a, a, a}, -1).at({slice(), slice(), 1}).set(b);
  };
  check_bits(one, a, b);
  const auto wide = [](Array a, Array b) { return concatenate({a, b}, -1) * 2.f; };
  CHECK(count(jit(wide).lower(a, b).report(), "grid [40x60],") == 1);
}

TEST_CASE("sums over segments of a few rows run in the lane", "[jit][plan]") {
  const auto add = [](Array x, Array i, Array v) { return x.at(i).add(v); };
  const auto report = [&](int rows, int updates) {
    const Array i = arange(updates) * 5 % (rows + 1), x = numbers({20, rows, 3}),
                v = numbers({20, updates, 3});
    // All lanes have the same segments, so the lanes are an axis of the windows.
    const auto f = [=](Array x, Array v, Array i) {
      return fori_loop(
          0, 4, [=](Array, Array h) { return vmap(add, {0, none, 0})(sin(h), i, v); }, x);
    };
    check_bits(f, x, v, i);
    return jit(f).lower(x, v, i).report();
  };
  CHECK(count(report(2, 2), "lockstep") == 0);
  CHECK(count(report(9, 9), "lockstep") == 0);
  CHECK(count(report(13, 31), "lockstep") == 0);
}

TEST_CASE("a lane holds values only until they are read", "[jit][plan]") {
  const auto f = [](Array x, int values) {
    return fori_loop(
        0, 3,
        [=](Array, Array h) {
          for (int k = 0; k < values; ++k) h = cumsum(sin(h) * (1.f / 64), 1);
          return h;
        },
        x);
  };
  const Array x = numbers({16, 128});
  const auto longer = [&](Array x) { return f(x, 150); };
  check_bits(longer, x);
  CHECK(count(jit(longer).lower(x).report(), "lockstep") == 0);
}

TEST_CASE("an axis that a part of a loop has does not repeat the rest", "[jit][plan]") {
  // The 64 lanes fill vectors. At each of the four planes, a point would compute the chain again.
  const auto f = [](Array x, Array planes) {
    return fori_loop(
        0, 5,
        [](Array, std::tuple<Array, Array> c) {
          auto [h, p] = c;
          for (int k = 0; k < 60; ++k) h = abs(h - 0.1f * static_cast<float>(k));
          return std::tuple{h, p + h.sum(1).reshape({64, 1, 1})};
        },
        std::tuple{x, planes});
  };
  const auto report = jit(f).lower(numbers({64, 5}), numbers({64, 4, 32})).report();
  CHECK(count(report, "grid [64],") == 1);
  CHECK(count(report, "grid [64x4") == 0);
}

TEST_CASE("the axes of a loop are those of the carries that it changes", "[jit][plan]") {
  // The table has more axes and points, but no step has them.
  const auto f = [](Array x, Array table) {
    const auto [k, h, same] =
        while_loop([](std::tuple<Array, Array, Array> c) { return std::get<0>(c) < 5; },
                   [](std::tuple<Array, Array, Array> c) {
                     auto [k, h, table] = c;
                     return std::tuple{k + 1, cumsum(sin(h), 1) + 1.f, table};
                   },
                   std::tuple{Array(0), x, table});
    return h.sum() + same.sum();
  };
  const Array x = numbers({64, 48}), table = numbers({100, 100});
  check_bits(f, x, table);
  const auto report = jit(f).lower(x, table).report();
  CHECK(count(report, "grid [64],") == 1);
  CHECK(count(report, "lockstep") == 0);
}

TEST_CASE("a few lanes of a long loop with short values fill vectors together",
          "[jit][plan][slow]") {
  const auto modes = [](int64_t lanes, int64_t n) {
    const auto step = [](Array, Array x) {
      for (int k = 0; k < 1000; ++k) x = x + 0.01f * x[slice(none, none, -1)];
      return x;
    };
    const auto f = vmap([=](Array x) { return fori_loop(0, 3, step, x); });
    return jit(f).lower(random::uniform(random::key(2), {lanes, n})).report();
  };
  CHECK(count(modes(8, 12), "mode grid") == 1);
  // Rows that fill vectors run one lane after another.
  CHECK(count(modes(8, 32), "mode inner") == 1);
}

TEST_CASE("rows of a fold are not computed by fewer lanes than a vector has", "[jit][plan]") {
  // All rows read one number of the lane, which a kernel over the lanes computes.
  const auto f = vmap([](Array x, Array y) {
    const Array scale = sqrt((y * y).sum());
    return (exp(x / scale) * y).sum(1);
  });
  const Array x = numbers({8, 30, 40}), y = numbers({8, 40}) + 1.f;
  check_bits(f, x, y);
  CHECK(count(jit(f).lower(x, y).report(), "grid [8x30]") == 1);
}

TEST_CASE("costly functions of the sums of many rows fill vectors", "[jit][plan]") {
  const auto kernels = [](auto f, int64_t rows) {
    const Array x = abs(sin(arange(rows * 100).astype(F32))).reshape({rows, 100});
    const Array w = cos(arange(rows).astype(F32));
    CHECK(allclose(jit(f)(x, w), reference(f, x, w), 1e-5, 1e-6).template item<bool>());
    return count(jit(f).lower(x, w).report(), ": kernel");
  };
  const auto power = [](Array x, Array) { return pow(sum(x, 1), 2.3f); };
  CHECK(kernels(power, 3000) == 2);
  CHECK(kernels(power, 20) == 1);
  CHECK(kernels([](Array x, Array) { return sum(x, 1) * 2.3f; }, 3000) == 1);
  // The rows are read again for the quotients, so the powers stay in their kernel.
  const auto repeated = [](Array x, Array) { return x / pow(sum(x, 1), 2.3f).reshape({-1, 1}); };
  CHECK(kernels(repeated, 3000) == 1);
  // The next sum does not compute the powers again.
  const auto read_twice = [](Array x, Array w) {
    const Array p = pow(sum(x, 1), 2.3f);
    return p * exp(sum(sin(p * w)));
  };
  CHECK(kernels(read_twice, 3000) == 3);
}

TEST_CASE("loops whose lanes end at different times are kernels of their own", "[jit][plan]") {
  const auto root = [](Array x) {
    using Range = std::pair<Array, Array>;
    const auto going = [](Range r) { return r.second - r.first > 1e-3f; };
    const auto halve = [&](Range r) {
      const Array middle = (r.first + r.second) / 2.f, high = middle * middle > x;
      return Range{where(high, r.first, middle), where(high, middle, r.second)};
    };
    return while_loop(going, halve, Range{zeros({}), x + 1.f}).first;
  };
  const auto twice = vmap([&](Array x) { return root(root(x)); });
  const auto kernels = [&](int lanes) {
    const Array x = arange(lanes).astype(F32);
    CHECK(array_equal(jit(twice)(x), reference(twice, x)).item<bool>());
    return count(jit(twice).lower(x).report(), "kernel (loop in the lane)");
  };
  CHECK(kernels(600) == 2);
  // A few vectors are not refilled.
  CHECK(kernels(100) == 1);
}
