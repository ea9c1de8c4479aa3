// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/in_place_test.cpp: carries of loops are updated in place exactly if no later
// equation reads their old values.
#include <fmt/format.h>

#include <functional>
#include <random>

#include "support/check.h"
#include "support/share.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

using Carry = std::tuple<Array, Array, Array>;  // two arrays and a sum

// A random body that reads and updates. It uses integers, so that all orders give the same result.
class Body {
 public:
  Body(unsigned seed, int n, bool step_in_index) : seed_(seed), n_(n), own_(step_in_index) {}
  Carry operator()(Array i, Carry c, Array k) const {
    std::mt19937 g(seed_);
    auto [x, y, s] = c;
    Array late = x * 3 + y;  // it is large, and computed where it is read
    const int steps = 2 + static_cast<int>(g() % 5);
    for (int q = 0; q < steps; ++q) {
      const Array at =
          ((own_ ? i + k : i) * static_cast<int>(1 + g() % 5) + static_cast<int>(g() % 7)) % n_;
      switch (g() % 14) {
        case 0: x = x.at(at).set(s + i); break;
        case 1: x = x.at(at).add(x[at] * 3 - y[at]); break;
        case 2: s = s + x[at] - y[(at + 1) % n_]; break;
        case 3: std::swap(x, y); break;
        case 4: late = x - y * 2; break;
        case 5: s = s + late[at]; break;
        case 6:
          x = lax::dynamic_update_slice(x, lax::dynamic_slice(x, {at}, {3}) + 1, {at % 4});
          break;
        case 7: y = x.at(at).set(y[at]); break;
        case 8: y = y.at(at).set(late[(at * 2) % n_]); break;
        case 9: x = where(s % 3 == 0, x.at(at).set(s + y[at]), x); break;
        case 10:
          y = where(s % 2 == 0, y,
                    lax::dynamic_update_slice(y, lax::dynamic_slice(y, {at}, {4}) * 2, {at % 3}));
          break;
        case 11:
          x = cond(
              s % 2 == 0, [&](Array v) { return v.at(at).add(late[at]); },
              [](Array v) { return v; }, x);
          break;
        case 12:
          y = cond(
              s % 3 != 0, [&](Array v) { return v.at(at).set(v[(at + 1) % n_] + s); },
              [&](Array v) { return v.at(at).add(1).at((at + 2) % n_).set(s); }, y);
          break;
        default:
          x = lax::dynamic_update_slice(x, lax::dynamic_slice(y, {at % 3}, {n_ / 5}), {at % 5});
          break;
      }
    }
    if (g() % 4 == 0) s = s + late.sum();
    if (g() % 4 == 0) x = where(s % 2 == 0, x, y);
    return Carry(x, y, s % 1000);
  }

 private:
  unsigned seed_;
  int n_;
  bool own_;
};

template <class F>
void same(const F& f, const Array& x, const Array& y, const Array& k) {
  const auto numbers = [&](const Carry& c) {
    std::vector<int32_t> all;
    for (const Array& a : {std::get<0>(c), std::get<1>(c), std::get<2>(c)})
      for (int32_t v : a.to_vector<int32_t>()) all.push_back(v);
    return all;
  };
  const auto got = numbers(jit(f)(x, y, k));
  const ReferenceMode reference;
  CHECK(got == numbers(f(x, y, k)));
}

Array some(int64_t n, int seed) { return (arange(static_cast<int>(n)) * 7 + seed) % 23; }

}  // namespace

TEST_CASE("random updates of carries", "[jit][in_place][share]") {
  Share share(5);
  for (unsigned seed = 0; seed < 120; ++seed) {
    if (!share.next()) continue;
    // The loop runs in the lane, and in lockstep.
    const int n = seed % 3 == 0 ? 1500 : 40 + static_cast<int>(seed % 7);
    const Body body(seed, n, seed % 2 == 1);
    const auto loop = [&](Array x, Array y, Array k) {
      return fori_loop(
          0, 6, [&](Array i, Carry c) { return body(i, c, k); }, Carry(x, y, x[0] - y[1]));
    };
    const auto nested = [&](Array x, Array y, Array k) {
      const Carry start(x, y, x[2]);
      return fori_loop(
          0, 3,
          [&](Array i, Carry c) {
            const Array old = std::get<0>(c)[i];
            auto [p, q, s] =
                fori_loop(0, 2, [&](Array j, Carry d) { return body(i + j, d, k); }, c);
            return Carry(p.at(i).add(old), q, s);
          },
          start);
    };
    CAPTURE(seed, n);
    same(loop, some(n, 1), some(n, 5), Array(2));
    same(nested, some(n, 1), some(n, 5), Array(2));
    const Array xs = some(5 * n, 3).reshape({5, n}), ys = some(5 * n, 4).reshape({5, n});
    if (n < 100 || seed % 6 == 0) {
      same(vmap(loop), xs, ys, arange(5));
      same(vmap(nested), xs, ys, arange(5));
    }
  }
}

TEST_CASE("a lane updates its array in place", "[jit][in_place]") {
  const int n = 200;
  const auto fill = [&](Array x) {
    return fori_loop(0, 40, [&](Array i, Array c) { return c.at(i).set(c[i] * 2 + 1); }, x);
  };
  const Array xs = some(8 * n, 1).reshape({8, n});
  const auto kernels = [&](auto f) { return jit(vmap(f)).lower(xs).kernels(); };
  // The array is the memory of the result.
  CHECK(count(kernels(fill), "= local ") == 0);
  const auto nested = [&](Array x) {
    return fori_loop(0, 5, [&](Array, Array c) { return fill(c); }, x);
  };
  CHECK(count(kernels(nested), "= local ") == 0);
  // An array that each trip reads as a whole is in the lane. The only loops are those that fill it,
  // run the trips, sum it and store it.
  const auto summed = [&](Array x) {
    return fori_loop(0, 50, [&](Array i, Array c) { return c.at(i).set(c.sum() % 7); }, x);
  };
  CHECK(count(kernels(summed), "= local ") == 1);
  // If the old values of a small part are read, only that part is copied.
  const auto swapped = [&](Array x) {
    return fori_loop(
        0, 5,
        [&](Array i, Array c) {
          const Array old = lax::dynamic_slice(c, {i}, {40});
          return fori_loop(0, 40, [&](Array j, Array d) { return d.at(j).add(old[39 - j]); }, c);
        },
        x);
  };
  CHECK(count(kernels(swapped), "= local ") == 1);
  const auto got = jit(vmap(swapped))(xs).to_vector<int32_t>();
  {
    const ReferenceMode reference;
    CHECK(got == vmap(swapped)(xs).to_vector<int32_t>());
  }
  // A later read requires a copy of the old values.
  const auto later = [&](Array x) {
    return fori_loop(0, 50, [&](Array i, Array c) { return c.at(i).set(c[i] + 1) + c; }, x);
  };
  CHECK(count(kernels(later), "= local ") > 1);
}

TEST_CASE("a condition does not change its carry", "[jit][in_place]") {
  const int n = 100;
  const auto f = [&](Array x) {
    return while_loop([](Array c) { return c.at(3).set(0).sum() < 9000; },
                      [](Array c) { return c + 1; }, x);
  };
  const Array xs = some(6 * n, 1).reshape({6, n});
  const auto got = jit(vmap(f))(xs).to_vector<int32_t>();
  const ReferenceMode reference;
  CHECK(got == vmap(f)(xs).to_vector<int32_t>());
}

TEST_CASE("loop invariants have the value of the first trip", "[jit][in_place]") {
  constexpr int n = 40;
  // These are expensive enough to become an array of the body. An op or an inner loop updates it in
  // the lane.
  const auto expensive = [](Array x) {
    for (int k = 2; k < 12; ++k) x = (x * x + k) % (97 + k) - x % k;
    return x;
  };
  const auto by_op = [](Array d, Array i) { return d.at(i % n).add(i + 1); };
  const auto by_loop = [](Array d, Array i) {
    return fori_loop(0, 4, [i](Array j, Array v) { return v.at(j).add(v[j + 1] + i); }, d);
  };
  const auto by_while = [](Array d, Array i) {
    return while_loop([](Array v) { return v[0] < 1000; },
                      [i](Array v) { return v.at(0).add(abs(v[1]) + i + 90); }, d);
  };
  const auto check = [&](const auto& update) {
    const auto scanned = [&](Array x, Array y, Array) {
      const Array d = expensive(x), steps = arange(5);
      const auto [s, rows] =
          scan([&](Array s, Array i) { return std::pair{s + update(d, i).sum(), update(d, i)[i]}; },
               0, steps);
      return Carry(rows, y, s);
    };
    const auto looped = [&](Array x, Array y, Array k) {
      const Array d = expensive(x);
      const auto [i, s] =
          while_loop([&](std::pair<Array, Array> c) { return c.first < 5; },
                     [&](std::pair<Array, Array> c) {
                       return std::pair{c.first + 1, c.second * 3 + update(d, c.first).sum()};
                     },
                     std::pair{k * 0, y[1]});
      return Carry(x, i, s % 1000);
    };
    const Array xs = some(6 * n, 3).reshape({6, n}), ys = some(6 * n, 4).reshape({6, n});
    same(scanned, xs[0], ys[0], Array(2));
    same(looped, xs[0], ys[0], Array(2));
    same(vmap(scanned), xs, ys, arange(6));
    same(vmap(looped), xs, ys, arange(6));
    same(vmap(looped, {0, 0, none}), xs, ys, Array(2));
    same(vmap(scanned, {0, none, none}), xs, ys[0], Array(2));
  };
  check(by_op);
  check(by_loop);
  check(by_while);
}

namespace {
// The program runs as one kernel that updates so many of its results in memory.
template <class F, class... X>
void updates_in_memory(int results, const F& f, const X&... x) {
  const std::string report = jit(f).lower(x...).report();
  CAPTURE(report);
  CHECK(count(report, fmt::format("{} results updated in place", results)) == 1);
  CHECK(count(report, "lockstep") == 0);
}
}  // namespace

TEST_CASE("loops update buffers in memory", "[jit][in_place]") {
  const auto check = [](int n) {
    CAPTURE(n);
    const Array rows = some(n * 3, 1).reshape({n, 3}), x = some(n, 2);
    const auto loop = [n](auto body) {
      return [n, body](Array c) { return fori_loop(0, n - 1, body, c); };
    };
    const auto set = loop([&](Array i, Array c) { return c.at(i).set(c[i + 1] * 2 + 1); });
    updates_in_memory(1, set, x);
    // The axis of the rows is the grid, or a lane writes all of a row.
    updates_in_memory(1, loop([](Array i, Array c) { return c.at(i + 1).set(c[i] + i); }), rows);
    updates_in_memory(
        1, loop([](Array i, Array c) { return where(i % 2 == 0, c.at(i + 1).set(c[i] + i), c); }),
        rows);
    updates_in_memory(1, loop([](Array i, Array c) {
                        return cond(
                            c[i] > 5, [&](Array v) { return v.at(i + 1).add(1); },
                            [](Array v) { return v; }, c);
                      }),
                      x);
    // The old value is read after the update in the program.
    updates_in_memory(1, loop([](Array i, Array c) {
                        const Array d = c.at(i).set(i);
                        return d.at(i + 1).add(c[i] * 2);
                      }),
                      x);
    const auto two = [n](Array c) {
      return fori_loop(
          0, n,
          [](Array i, std::pair<Array, Array> s) {
            return std::pair(s.first.at(i).set(s.second[i] + i), s.second.at(i).add(s.first[i]));
          },
          std::pair(c, c * 2));
    };
    updates_in_memory(2, two, x);
    const auto by_while = [n](Array c) {
      return while_loop([n](std::pair<Array, Array> s) { return s.first < n - 1; },
                        [](std::pair<Array, Array> s) {
                          const auto [i, d] = s;
                          return std::pair(i + 1 + d[i] % 2, d.at(i + 1).set(d[i] + 1));
                        },
                        std::pair(Array(0), c))
          .second;
    };
    updates_in_memory(1, by_while, x);
    const Array lanes = some(5 * n, 3).reshape({5, n});
    if (n > 1000) {  // more than a lane holds
      updates_in_memory(1, vmap(set), lanes);
      updates_in_memory(1, vmap(by_while), lanes);
    }
    const auto values = [&](auto f, const Array& a) {
      const auto got = jit(f)(a).template to_vector<int32_t>();
      const ReferenceMode reference;
      CHECK(got == f(a).template to_vector<int32_t>());
    };
    values(set, x);
    values(by_while, x);
    values(vmap(set), lanes);
    values(vmap(by_while), lanes);
  };
  check(100);
  check(5000);
}

TEST_CASE("lanes sum many updates of a few places in an array", "[jit][in_place]") {
  const auto check = [](int64_t places, int64_t updates) {
    INFO(updates << " updates of " << places << " places");
    // The gradient of a model whose observations belong to groups: each step sums over the groups.
    const Array group = random::randint(random::key(6), {updates}, 0, places);
    const Array seen = some(updates, 7).astype(F32) / 8.f;
    const auto loss = [&](Array x) { return square(seen - take(x, group, 0)).sum(); };
    const auto fit = [&](Array x) {
      return fori_loop(0, 4, [&](Array, Array x) { return x - 0.01f * grad(loss)(x); }, x);
    };
    const Array start = some(20 * places, 3).reshape({20, places}).astype(F32) / 4.f;
    const auto f = vmap(fit);
    CHECK(count(jit(f).lower(start).report(), "lockstep") == 0);
    const Array by_one = jit([&](Array x) { return lax::map(fit, x); })(start);
    CHECK(allclose(jit(f)(start), by_one, 1e-5, 1e-5).item<bool>());
  };
  check(3, 20);
  check(6, 60);
  check(8, 128);
}

TEST_CASE("a lane holds a matrix that inner loops read row by row", "[jit][in_place]") {
  const auto eliminate = [](Array a) {
    const int64_t n = a.shape()[0];
    const auto column = [n](Array k, Array a) {
      const auto row = [k](Array j, Array a) {
        return a.at(j).set(a[j] - a[{j, k}] / a[{k, k}] * a[k]);
      };
      return fori_loop(k + 1, n, row, a);
    };
    return fori_loop(0, n, column, a);
  };
  const auto f = vmap(eliminate);
  for (int64_t n : {8, 18}) {
    INFO(n << " rows");
    const Array a = random::uniform(random::key(5), {64, n, n}) + n * eye(n);
    const std::string report = jit(f).lower(a).report();
    CAPTURE(report);
    CHECK(count(report, "updated in place") == 0);
    CHECK(count(report, "lockstep") == 0);
    const Array diagonals = vmap([](Array u) { return diagonal(u); })(jit(f)(a));
    CHECK(allclose(prod(diagonals, {1}), linalg::det(a), 1e-4).item<bool>());
  }
}

TEST_CASE("gradients of loops that write rows update in place", "[jit][in_place]") {
  const int n = 300;
  const auto f = [&](Array x) {
    const Array y = fori_loop(
        0, n, [&](Array i, Array c) { return c.at(i).set(sin(x[i]) * c[i - 1] + x[i]); },
        zeros({n}));
    return (y * y).sum();
  };
  const std::string report = jit(grad(f)).lower(arange(n) * .01).report();
  CAPTURE(report);
  CHECK(count(report, "lockstep") == 0);
}

TEST_CASE("lockstep loops update carries in place", "[jit][in_place]") {
  const int n = 5000;
  const auto report = [&](auto body) {
    // A sort keeps the loop in lockstep.
    const auto stepped = [&](Array i, std::pair<Array, Array> c) {
      return std::pair(body(i, c.first), sort(c.second * 3 % 1000));
    };
    return jit([&](Array x) { return fori_loop(0, 50, stepped, std::pair(x, x + 1)); })
        .lower(some(n, 1))
        .report();
  };
  const auto in_place = [&](auto body) {
    return count(report(body), "1 of 3 carries updated in place");
  };
  CHECK(in_place([](Array i, Array c) { return c.at(i).set(c[i] * 2 + 1); }) == 1);
  CHECK(in_place([](Array i, Array c) {
          return lax::dynamic_update_slice(c, lax::dynamic_slice(c, {i}, {5}) + 1, {i});
        }) == 1);
  CHECK(in_place([](Array i, Array c) {
          const Array old = c[i];
          return c.at(i).set(1).at(i + 1).add(old);
        }) == 1);
  // These are not updated in place: the old values are read after the update, or the result is
  // another array.
  CHECK(in_place([](Array i, Array c) { return c.at(i).set(c[i] + 1) + c; }) == 0);
  CHECK(in_place([](Array i, Array c) { return c.at(i).set(1) * 2; }) == 0);
}
