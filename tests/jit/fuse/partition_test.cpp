// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/fuse/partition_test.cpp: equations over the same lanes are one kernel if that costs
// less. Its numbers are those of the parts.
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

Array matrices(int64_t count, int64_t n) {
  const Array x = random::normal(random::key(3), {count, n, n});
  return matmul(x, swapaxes(x, 1, 2)) + eye(n) * static_cast<float>(n);
}
template <class F, class... X>
int64_t kernels(F f, const X&... x) {
  return count(jit(f).lower(x...).report(), ": kernel");
}
const auto factor = vmap([](Array a) { return linalg::cholesky(a); });
const auto solved = vmap([](Array l, Array b) { return linalg::cho_solve(l, b); });
const auto determinant = vmap([](Array l) { return 2.f * sum(log(diagonal(l))); });

}  // namespace

TEST_CASE("a likelihood of small matrices is one kernel of the same bits as its parts",
          "[jit][partition]") {
  const auto likelihood = [](Array a, Array b) {
    const Array l = factor(a), x = solved(l, b);
    return -0.5f * ((b * x).sum({1}) + determinant(l));
  };
  const auto rest = jit([](Array b, Array x, Array d) { return -0.5f * ((b * x).sum({1}) + d); });
  for (int64_t n : {2, 5, 9})
    for (int64_t count : {1, 15, 16, 600}) {
      INFO(count << " matrices of " << n << " rows");
      const Array a = matrices(count, n), b = random::normal(random::key(4), {count, n});
      const Array l = jit(factor)(a), x = jit(solved)(l, b);
      CHECK(array_equal(jit(likelihood)(a, b), rest(b, x, jit(determinant)(l))).item<bool>());
    }
  const Array a = matrices(600, 5), b = random::normal(random::key(4), {600, 5});
  CHECK(kernels(likelihood, a, b) == 1);
  // The same holds for its gradient.
  const auto slope = [&](Array a, Array b) {
    return grad([&](Array a) { return sum(likelihood(a, b)); })(a);
  };
  CHECK(kernels(slope, a, b) == 1);
}

TEST_CASE("operands and results of a loop are unchanged for other readers", "[jit][partition]") {
  const Array a = matrices(64, 6), b = matrices(64, 6);
  // Two factors meet in the end. The first one is also a result, and there is a sum over all lanes.
  const auto f = [](Array a, Array b) {
    const Array p = factor(a), q = factor(b);
    const Array both = matmul(p, swapaxes(q, 1, 2));
    return Arrays{p, both, sum(both)};
  };
  const Arrays r = jit(f)(a, b);
  const Array p = jit(factor)(a), q = jit(factor)(b);
  CHECK(array_equal(r[0], p).item<bool>());
  CHECK(allclose(r[1], matmul(p, swapaxes(q, 1, 2)), 1e-5, 1e-5).item<bool>());
  CHECK(allclose(r[2], sum(r[1]), 1e-4, 1e-4).item<bool>());
  // One value mixes the lanes: the second loop needs the results of all lanes of the first.
  const auto mixed = [](Array a) {
    const Array p = factor(a);
    return factor(a + sum(p) * eye(6));
  };
  const Array shifted = a + sum(p) * eye(6);
  CHECK(allclose(jit(mixed)(a), jit(factor)(shifted), 1e-5, 1e-5).item<bool>());
}

TEST_CASE("a call has at least the points that its loops need", "[jit][partition]") {
  // There are four matrices, each with 900 systems: the second loop runs over 3,600 points.
  const auto solve = vmap([](Array a, Array b) { return linalg::solve(a, b); });
  const Array a = matrices(4, 3), b = random::normal(random::key(5), {4, 3, 300});
  CHECK(kernels(solve, a, b) > 1);
  const Array many = matrices(600, 3), few = random::normal(random::key(5), {600, 3, 2});
  CHECK(kernels(solve, many, few) == 1);
  const Array x = jit(solve)(many, few);
  CHECK(allclose(matmul(many, x), few, 1e-3, 1e-3).item<bool>());
}

TEST_CASE("in a long program a call of loops saves more than it costs", "[jit][partition]") {
  // More than 1,000 equations beside what is joined.
  const auto beside = [](Array x) {
    for (int k = 0; k < 600; ++k) x = maximum(x - static_cast<float>(k), .1f);
    return x;
  };
  const auto likelihood = [](Array a, Array b) {
    const Array l = factor(a), x = solved(l, b);
    return Arrays{(b * x).sum({1}) + determinant(l)};
  };
  const auto determined = [](Array a, Array) {
    const Array l = factor(a);
    return Arrays{l, determinant(l)};
  };
  const Array a = matrices(600, 5), b = random::normal(random::key(4), {600, 5});
  const auto calls = [&](auto f, bool is_long) {
    const auto g = [=](Array a, Array b) {
      Arrays r = f(a, b);
      if (is_long) r.push_back(beside(b[0]));
      return r;
    };
    const Array got = jit(g)(a, b)[0], expected = jit(f)(a, b)[0];
    CHECK(array_equal(got, expected).item<bool>());
    return count(jit(g).lower(a, b).optimized(), "name=lane");
  };
  CHECK(calls(likelihood, false) == 1);
  CHECK(calls(likelihood, true) == 1);
  // The factor is a result. A call would only save its launch.
  CHECK(calls(determined, false) == 1);
  CHECK(calls(determined, true) == 0);
}

TEST_CASE("results that a scan writes as it runs are not held in a lane", "[jit][partition]") {
  const auto run = [](Array x) {
    const auto step = [](Array c, Array v) { return std::pair(c * 0.9f + v, sin(c)); };
    return vmap([&](Array row) { return exp(scan(step, Array(0.f), row).second); })(x);
  };
  const auto memory = [&](int64_t trips) {
    const Array x = ones({512, trips}, F32);
    return jit(run).lower(x).optimized();
  };
  CHECK(count(memory(16), "name=lane") == 1);
  CHECK(count(memory(200), "name=lane") == 0);
}

TEST_CASE("rows that lanes write together are not held by each of them", "[jit][partition]") {
  // The inner map shares one argument of the function. Some lanes have fewer trips, and the reverse
  // pass reads residuals that only the other lanes wrote.
  const auto f = [](Array x, Array w) {
    const Arrays r =
        while_loop([](Arrays v) { return v[0] < 2.f; },
                   [w](Arrays v) { return Arrays{v[0] + abs(sin(w * v[1])) + .2f, v[1] * 1.1f}; },
                   Arrays{x, w}, {.max_trips = 9});
    return r[0] * r[0];
  };
  const auto loss = [&](Array w) {
    return vmap(f, {0, none})(array({-1.f, .5f, 1.9f, 3.f}), w).sum();
  };
  const Array w = array({.3f, .7f, 1.2f});
  const Array got = jit(vmap(grad(loss)))(w);
  Array expected;
  {
    const ReferenceMode on;
    expected = vmap(grad(loss))(w);
  }
  CHECK(allclose(got, expected, 1e-5, 1e-5).item<bool>());
}

namespace {

// A chain of products of small matrices that are put together from scalars.
Array turn(Array q, float a) {
  const Array c = cos(q), s = sin(q), z = zeros_like(q), one = ones_like(q);
  return stack({stack({c, -s, z, a * c}), stack({s, c, z, a * s}), stack({z, z, one, one}),
                stack({z, z, z, one})});
}
Array hand(Array q) {
  Array m = turn(q[0], .3f);
  for (int i = 1; i < 4; ++i) m = matmul(m, turn(q[i], .2f));
  return stack({m[{0, 3}], m[{1, 3}], atan2(m[{1, 0}], m[{0, 0}])});
}
// The same kind of program without matrices.
Array hand_by_scalars(Array q) {
  Array x = cos(q[0]), y = sin(q[0]), z = x * y, u = x - y;
  for (int i = 1; i < 4; ++i) {
    const Array c = cos(q[i]), s = sin(q[i]);
    const Array v = x * c + y * s, w = y * c - x * s;
    z = v * .3f + z * w;
    u = u * c - w * v;
    x = v;
    y = w * .5f + z * .2f;
  }
  return stack({x, y, atan2(z, u)});
}
template <class F, class... X>
int64_t temporaries(F f, const X&... x) {
  return jit(f).lower(x...).compile().memory().temporaries;
}

}  // namespace

TEST_CASE("a fold that reads many elements of a lane is not in a call", "[jit][partition]") {
  const auto f = vmap([](Array x) {
    const Array largest = x.max({0});
    return while_loop([](Array c) { return c < 100.f; }, [](Array c) { return c * 2.f + 1.f; },
                      abs(largest).max());
  });
  for (bool many : {false, true}) {
    const Array x = random::normal(random::key(8), {128, many ? 30 : 4, many ? 300 : 8});
    CHECK((kernels(f, x) == 1) == !many);
    const Array got = jit(f)(x);
    const ReferenceMode on;
    CHECK(array_equal(got, f(x)).item<bool>());
  }
}

TEST_CASE("several calls are found together, and none waits for another in a circle",
          "[jit][partition]") {
  const auto run = vmap(
      [](Array x) { return fori_loop(0, 5, [](Array, Array c) { return sin(c) + c * .5f; }, x); });
  // The loops over y wait for all lanes of x, and the last one for all lanes of y. It is a call
  // with the sum before it.
  const auto f = [&](Array x, Array y) {
    const Array a = run(x), b = run(a * 2.f);
    const Array c = run(y + a.sum()), d = run(c - 1.f);
    return Arrays{run(b + d.sum()), c + d};
  };
  const Array x = random::normal(random::key(8), {600}), y = random::normal(random::key(9), {700});
  CHECK(count(jit(f).lower(x, y).optimized(), "name=lane") == 3);
  const Arrays got = jit(f)(x, y);
  const ReferenceMode on;
  const Arrays expected = f(x, y);
  for (size_t i = 0; i < 2; ++i) CHECK(allclose(got[i], expected[i], 1e-4, 1e-4).item<bool>());
}

TEST_CASE("small matrices without loops are one kernel of scalars", "[jit][partition]") {
  for (int64_t n : {128, 129, 1000}) {
    INFO(n << " lanes");
    const Array q = random::uniform(random::key(7), {n, 4});
    for (bool derivative : {false, true}) {
      const auto f = [&](Array q) {
        return derivative ? vmap(jacfwd(hand))(q) : vmap([](Array q) { return hand(q); })(q);
      };
      CHECK(kernels(f, q) == 1);
      CHECK(temporaries(f, q) == 0);
      Array expected;
      {
        const ReferenceMode on;
        expected = f(q);
      }
      CHECK(allclose(jit(f)(q), expected, 1e-5, 1e-5).item<bool>());
    }
  }
}

TEST_CASE("values that are read at an index known only at run time are arrays",
          "[jit][partition]") {
  const auto f = vmap([](Array board, Array at) {
    for (int i = 0; i < 3; ++i) {
      const Array row = take(board, at, 0), all = board.sum({0});
      board = where(roll(board, 1, 0) > row, board - all, roll(board, 1, 1) * .5f);
    }
    return board;
  });
  const auto operands = [](int64_t n) {
    const Array board = random::normal(random::key(5), {256, n, n});
    return Arrays{board, random::randint(random::key(6), {256}, 0, static_cast<int>(n))};
  };
  const Arrays x = operands(6);
  const Array got = jit(f)(x[0], x[1]);
  const ReferenceMode on;
  CHECK(array_equal(got, f(x[0], x[1])).item<bool>());
  // One selection among the scalars of a board would be a hundred instructions.
  const auto selects = [&](int64_t n) {
    const Arrays x = operands(n);
    return count(jit(f).lower(x[0], x[1]).kernels(), " = select ");
  };
  CHECK(selects(10) < 100);
}

TEST_CASE("a clamped index chooses among the elements of a column only", "[jit][partition]") {
  // The row of a computed matrix at an index that differs between lanes.
  const auto f = vmap([](Array a, Array b, Array at) {
    const Array p = matmul(a, b);
    return outer(take(p, at, 0), p.sum({1}));
  });
  const auto operands = [](int64_t rows) {
    return Arrays{random::normal(random::key(5), {500, rows, 2}),
                  random::normal(random::key(6), {500, 2, 9}),
                  random::randint(random::key(7), {500}, -rows, rows)};
  };
  for (int64_t rows : {2, 4}) {
    const Arrays x = operands(rows);
    Array expected;
    {
      const ReferenceMode on;
      expected = f(x[0], x[1], x[2]);
    }
    CHECK(allclose(jit(f)(x[0], x[1], x[2]), expected, 1e-5, 1e-5).item<bool>());
    const std::string kernels = jit(f).lower(x[0], x[1], x[2]).kernels();
    // One choice for each row but one, and one between the element and the fill value.
    CHECK(count(kernels, " = select f32") <= 9 * rows);
    CHECK(count(kernels, "local") == 0);
  }
}

TEST_CASE("small systems are solved in the kernel of the products around them",
          "[jit][partition]") {
  const auto f = vmap([](Array a, Array b) {
    return matmul(linalg::solve(matmul(a, a.T()) + eye(a.shape()[0]), b), b.T());
  });
  for (int64_t n : {2, 3, 4}) {
    INFO(n << " rows");
    const Array a = random::normal(random::key(8), {600, n, n}),
                b = random::normal(random::key(9), {600, n, 3});
    CHECK(kernels(f, a, b) == 1);
    CHECK(temporaries(f, a, b) == 0);
    Array expected;
    {
      const ReferenceMode on;
      expected = f(a, b);
    }
    CHECK(allclose(jit(f)(a, b), expected, 1e-3, 1e-3).item<bool>());
  }
}

TEST_CASE("lanes hold values of many short rows in arrays", "[jit][partition]") {
  // A sum of products over two axes and its derivative: 7 x 7 x 7 x 3 elements a lane.
  const auto form = [](Array q) {
    const Array r = cos(outer(q, arange(3).astype(F64) + 1.)), s = sin(r * 2.);
    const Array linear = r[{slice(), newaxis}] * s - s[{slice(), newaxis}] * r;
    return einsum("ija,ika->jk", linear, linear);
  };
  const auto f = [&](Array q) { return std::pair{vmap(form)(q), vmap(jacfwd(form))(q)}; };
  const Array q = random::uniform(random::key(7), {500, 7}).astype(F64);
  CHECK(temporaries(f, q) < 500 * 1029 * 8);
  Array value, slope;
  {
    const ReferenceMode on;
    std::tie(value, slope) = f(q);
  }
  const auto [v, s] = jit(f)(q);
  CHECK(allclose(v, value, 1e-9, 1e-9).item<bool>());
  CHECK(allclose(s, slope, 1e-9, 1e-9).item<bool>());
  // Folds over two axes divide no index.
  const std::string text = jit(f).lower(q).kernels();
  CHECK(count(text, "srem i64") < 20);
}

TEST_CASE("rows of a lane are loops if code for each element leaves out nothing",
          "[jit][partition]") {
  const auto attend = [](Array x, Array v) {
    const Array e = exp(x - x.max({-1}, {.keepdims = true}));
    return matmul(e / e.sum({-1}, {.keepdims = true}), v);
  };
  const auto length = [](auto f, const auto&... x) {
    return count(jit(f).lower(x...).kernels(), "\n");
  };
  const Array x = random::normal(random::key(7), {40, 33, 33}),
              v = random::normal(random::key(8), {40, 33, 3});
  CHECK(length(attend, x, v) < 500);
  Array expected;
  {
    const ReferenceMode on;
    expected = attend(x, v);
  }
  CHECK(allclose(jit(attend)(x, v), expected, 1e-5, 1e-5).item<bool>());
  // Code for each element of a second derivative leaves out most products.
  const auto second = vmap(hessian([](Array q) { return hand(q).sum(); }));
  const Array q = random::uniform(random::key(7), {256, 4});
  CHECK(length(second, q) > 1000);
  CHECK(count(jit(second).lower(q).kernels(), "local") == 0);
}

TEST_CASE("the Jacobian of a program of scalars is one kernel", "[jit][partition]") {
  for (int64_t n : {600, 4099}) {
    INFO(n << " lanes");
    const Array q = random::uniform(random::key(7), {n, 4}).astype(F64), last = transpose(q);
    const auto forward = [](Array q) { return vmap(jacfwd(hand_by_scalars))(q); };
    const auto reverse = [](Array q) { return vmap(jacrev(hand_by_scalars))(q); };
    const auto second = [](Array q) {
      return vmap(hessian([](Array q) { return hand_by_scalars(q).sum(); }))(q);
    };
    // Lanes are the last axis, so each value of the Jacobian is one row.
    const auto transposed = [](Array q) { return vmap(jacfwd(hand_by_scalars), -1, -1)(q); };
    const auto check = [](auto f, const Array& x) {
      CHECK(kernels(f, x) == 1);
      CHECK(temporaries(f, x) == 0);
      Array expected;
      {
        const ReferenceMode on;
        expected = f(x);
      }
      CHECK(allclose(jit(f)(x), expected, 1e-4, 1e-4).template item<bool>());
    };
    check(forward, q);
    check(reverse, q);
    check(second, q);
    check(transposed, last);
    // A lane computes a whole Jacobian, also where lanes are the last axis.
    CHECK(count(jit(transposed).lower(last).report(), "grid [" + std::to_string(n) + "]") == 1);
  }
}

TEST_CASE("lanes read a shared operand where it is", "[jit][partition]") {
  // Each lane reads its row of a table twice.
  const auto f = [](Array table, Array i) {
    return vmap(
        [](Array table, Array i) {
          const Array a = table[i], b = table[i + 1];
          const Array m = stack({stack({a[0], b[1]}), stack({a[1], b[0]})});
          return matmul(matmul(m, m), m);
        },
        {none, 0})(table, i);
  };
  const Array table = random::normal(random::key(1), {300, 2}), i = arange(299);
  CHECK(kernels(f, table, i) == 1);
  CHECK(count(jit(f).lower(table, i).kernels(), "local") == 0);
  Array expected;
  {
    const ReferenceMode on;
    expected = f(table, i);
  }
  CHECK(allclose(jit(f)(table, i), expected, 1e-4, 1e-4).item<bool>());
}

TEST_CASE("a product in a lane has the bits of a kernel of its own", "[jit][partition]") {
  // Folds of more than 16 terms have several partial results.
  const auto product = vmap([](Array a, Array b) { return matmul(a, b); });
  const auto both = [&](Array a, Array b) {
    const Array p = product(a, b);
    return std::pair{product(p, swapaxes(p, 1, 2)), vmap([](Array x) { return argmax(x); })(p)};
  };
  for (int64_t k : {3, 16, 17, 40, 64}) {
    INFO(k << " terms");
    const Array a = random::normal(random::key(1), {200, 2, k}),
                b = random::normal(random::key(2), {200, k, 2});
    const auto [whole, most] = jit(both)(a, b);
    const Array p = jit(product)(a, b);
    CHECK(array_equal(whole, jit(product)(p, swapaxes(p, 1, 2))).item<bool>());
    CHECK(array_equal(most, jit(vmap([](Array x) { return argmax(x); }))(p)).item<bool>());
  }
}

TEST_CASE("what mixes lanes, or fills vectors by itself, stays outside", "[jit][partition]") {
  const auto calls = [](auto f, const auto&... x) {
    return count(jit(f).lower(x...).optimized(), "name=lane");
  };
  const auto product = vmap([](Array a, Array b) { return matmul(a, b); });
  const Array a = random::normal(random::key(1), {500, 3, 3});
  // The mean of all lanes is between two products: there are two calls, or none.
  const auto centred = [&](Array a) {
    const Array p = product(product(a, a), a);
    return product(product(p - p.mean(0), a), a);
  };
  CHECK(calls(centred, a) == 2);
  Array expected;
  {
    const ReferenceMode on;
    expected = centred(a);
  }
  CHECK(allclose(jit(centred)(a), expected, 1e-4, 1e-4).item<bool>());
  // So is a running sum over lanes.
  const auto summed = [&](Array a) {
    const Array p = product(product(a, a), a);
    return product(product(p + cumsum(p, 0), a), a);
  };
  CHECK(calls(summed, a) == 2);
  {
    const ReferenceMode on;
    expected = summed(a);
  }
  CHECK(allclose(jit(summed)(a), expected, 1e-3, 1e-3).item<bool>());
  // One product of large matrices, long rows, and elementwise functions.
  CHECK(calls([](Array x) { return matmul(matmul(x, x), x); }, ones({64, 64}, F32)) == 0);
  CHECK(calls([](Array x) { return nn::softmax(nn::softmax(x)); }, ones({512, 512}, F32)) == 0);
  CHECK(calls([](Array x) { return exp(sin(x) * x); }, ones({512, 8}, F32)) == 0);
  // A few lanes do not fill vectors.
  CHECK(calls([&](Array a) { return product(product(a, a), a); }, a[slice(0, 4)]) == 0);
}

namespace {

// The chain of above over scalars: nothing but the results is put together.
Array scalar_hand(Array q) {
  Array x = zeros_like(q[0]), y = x, c = ones_like(x), s = x;
  for (int i = 0; i < 4; ++i) {
    const Array ci = cos(q[i]), si = sin(q[i]);
    const Array u = c * ci - s * si, v = s * ci + c * si;
    c = u, s = v;
    x = x + .3f * c - .1f * s, y = y + .3f * s + .1f * c;
  }
  return stack({x, y, atan2(s, c)});
}

}  // namespace

TEST_CASE("scalars that are put together in the end are one kernel", "[jit][partition]") {
  const Array q = random::uniform(random::key(7), {1000, 4});
  const auto forward = [](Array q) { return vmap(jacfwd(scalar_hand))(q); };
  const auto reverse = [](Array q) { return vmap(jacrev(scalar_hand))(q); };
  const auto lanes_last = [](Array q) { return vmap(jacfwd(scalar_hand), -1, -1)(q.T()); };
  Array expected;
  {
    const ReferenceMode on;
    expected = forward(q);
  }
  for (const std::function<Array(Array)>& f :
       {std::function(forward), std::function(reverse), std::function(lanes_last)}) {
    CHECK(temporaries(f, q) < 1000);  // unit vectors
    const Array r = jit(f)(q);
    CHECK(
        allclose(r.shape()[0] == 1000 ? r : moveaxis(r, -1, 0), expected, 1e-5, 1e-5).item<bool>());
  }
  // The axis that repeats least is the grid, wherever it is.
  CHECK(jit(lanes_last).lower(q).report().find("grid [1000]") != std::string::npos);
}

TEST_CASE("elementwise programs that cross short rows are one kernel of lanes",
          "[jit][partition]") {
  // Its second derivatives are sums of padded rows.
  const auto valley = [](Array x) {
    const Array a = x[slice(0, -1)], b = x[slice(1, none)];
    return (100. * square(b - square(a)) + square(1. - a)).sum();
  };
  const auto f = vmap([&](Array x) { return hessian(valley)(x); });
  for (int64_t n : {5, 8}) {
    INFO("rows of " << n);
    const Array x = random::uniform(random::key(8), {1000, n}).astype(F64);
    CHECK(kernels(f, x) == 1);
    CHECK(count(jit(f).lower(x).report(), "grid [1000]") == 1);
    CHECK(array_equal(jit(f)(x), jit([&](Array x) { return lax::map(hessian(valley), x); })(x))
              .item<bool>());
  }
  // Rows that fill vectors stay elementwise, and so does a sum of neighbours, which is short.
  const Array rows = random::uniform(random::key(8), {1000, 40}).astype(F64);
  CHECK(count(jit(f).lower(rows).report(), "grid [1000]") == 0);
  const auto neighbours = vmap([](Array x) { return x[slice(0, -1)] + x[slice(1, none)]; });
  CHECK(count(jit(neighbours).lower(rows).report(), "grid [1000]") == 0);
}

TEST_CASE("a table that all lanes read is not copied by each of them", "[jit][partition]") {
  const Array table = random::normal(random::key(1), {5000, 3}),
              i = random::randint(random::key(2), {300}, 0, 5000);
  const auto f = [](Array table, Array i) {
    return vmap([&](Array i) {
      const Array x = table[{i, 0}], y = table[{i, 1}], z = table[{i, 2}];
      return stack({stack({x * y, sin(x) * z}), stack({y * z, cos(x) * z})});
    })(i);
  };
  CHECK(jit(f).lower(table, i).kernels().find("local") == std::string::npos);
  Array expected;
  {
    const ReferenceMode on;
    expected = f(table, i);
  }
  CHECK(allclose(jit(f)(table, i), expected, 1e-5, 1e-5).item<bool>());
}

TEST_CASE("a chunked map that stores no intermediates runs as one map", "[jit][partition]") {
  const Array q = random::uniform(random::key(7), {1000, 4});
  const auto whole = vmap(jacfwd(hand));
  for (int64_t chunk : {1, 128, 250, 300, 999}) {
    INFO(chunk << " lanes");
    const auto f = vmap(jacfwd(hand), 0, 0, {.chunk_size = chunk});
    CHECK(kernels(f, q) == 1);
    CHECK(temporaries(f, q) == 0);
    CHECK(array_equal(jit(f)(q), jit(whole)(q)).item<bool>());
  }
  // A loop over chunks stores the intermediates of a chunk.
  const auto sorted = [](Array x) { return sort(sin(x * arange(200.)))[slice(0, 3)]; };
  const Array x = q[{slice(), 0}];
  CHECK(temporaries(vmap(sorted, 0, 0, {.chunk_size = 100}), x) * 4 < temporaries(vmap(sorted), x));
}

TEST_CASE("running folds of short rows are a part of a lane", "[jit][partition]") {
  // One run of terms is written out, and more are a loop.
  for (int64_t n : {1, 2, 12, 32, 33, 70})
    for (bool reverse : {false, true}) {
      INFO(n << " terms" << (reverse ? ", from the last" : ""));
      const auto sums = [=](Array x) { return lax::cumsum(x, x.ndim() - 1, reverse); };
      const auto path = [=](Array x) {
        const Array p = exp(sums(.01f * x));
        return stack({p.mean(), (sums(p * x)).max(), (p * sums(x)).sum()});
      };
      const Array x = random::normal(random::key(9), {600, n});
      CHECK(kernels(vmap(path), x) == 1);
      CHECK(temporaries(vmap(path), x) == 0);
      const Array p = jit([=](Array x) { return sums(x); })(x);
      CHECK(array_equal(jit(vmap([=](Array x) { return stack({sums(x), sums(sums(x))}); }))(
                            x)[{slice(), 0}],
                        p)
                .item<bool>());
      Array expected;
      {
        const ReferenceMode on;
        expected = vmap(path)(x);
      }
      CHECK(allclose(jit(vmap(path))(x), expected, 1e-4, 1e-4).item<bool>());
    }
  // Rows of matrices, along each of their axes.
  const Array a = random::normal(random::key(10), {300, 3, 5});
  for (int64_t axis : {0, 1}) {
    const auto f = vmap([=](Array m) { return cumsum(cumsum(m, axis) * m, 1 - axis).sum(0); });
    Array expected;
    {
      const ReferenceMode on;
      expected = f(a);
    }
    CHECK(kernels(f, a) == 1);
    CHECK(allclose(jit(f)(a), expected, 1e-4, 1e-4).item<bool>());
  }
}

TEST_CASE("lanes hold the factors of one product of small matrices", "[jit][partition]") {
  const auto product = vmap([](Array a, Array b) { return matmul(a, b); });
  const auto gram = [](Array a) { return einsum("nki,nkj->nij", a, a); };
  for (int64_t n : {3, 4, 6, 8}) {
    INFO(n << " rows");
    const Array a = random::normal(random::key(1), {1000, n, n}),
                b = random::normal(random::key(2), {1000, n, n});
    CHECK(jit(product).lower(a, b).report().find("grid [1000]") != std::string::npos);
    CHECK(jit(gram).lower(a).report().find("grid [1000]") != std::string::npos);
    // A few lanes do not fill vectors, so vectors run over the elements of the results.
    const auto some = slice(0, 100);
    CHECK(array_equal(jit(product)(a, b)[some], jit(product)(a[some], b[some])).item<bool>());
    CHECK(array_equal(jit(gram)(a)[some], jit(gram)(a[some])).item<bool>());
  }
}

TEST_CASE("rows of a product are lanes that share its matrix", "[jit][partition]") {
  const auto attention = vmap(
      [](Array q, Array k, Array v) { return matmul(nn::softmax(matmul(q, k.T()) / 4.f), v); });
  for (const auto& [lanes, rows, features] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{
           {600, 16, 16}, {40, 16, 12}, {200, 9, 7}}) {
    INFO(lanes << " lanes, " << rows << " rows of " << features);
    const auto drawn = [&, lanes = lanes, rows = rows, features = features](int key) {
      return random::normal(random::key(key), {lanes, rows, features});
    };
    const Array q = drawn(1), k = drawn(2), v = drawn(3);
    Array expected;
    {
      const ReferenceMode on;
      expected = attention(q, k, v);
    }
    CHECK(allclose(jit(attention)(q, k, v), expected, 1e-5, 1e-5).item<bool>());
    if (lanes == 600) CHECK(kernels(attention, q, k, v) == 1);
  }
}
