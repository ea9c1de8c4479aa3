// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/loop_sums_test.cpp: sums of products in the carries of loops: which of them move out of
// the loop, and that their numbers stay the same.
#include <fmt/format.h>

#include <functional>
#include <random>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using Carry = std::pair<Array, Array>;  // a sum, a state (n)
using Body = std::function<std::pair<Carry, Array>(Carry, Array)>;

constexpr int64_t n = 40, steps = 20;

Array rows() { return random::normal(random::key(1), {steps, n}, {.dtype = F64}); }
Array state(const Array& h, const Array& x) { return sin(h + x); }
// Returns an outer product as the compiler represents it: a product of matrices without a
// contracted axis.
Array outer_product(const Array& a, const Array& b) { return lax::dot_general(a, b, {{}, {}}); }

// Runs the loop step by step.
std::pair<Carry, Array> one_by_one(const Body& f, Carry c, const Array& xs, bool reverse) {
  Arrays ys(static_cast<size_t>(steps));
  for (int64_t s = 0; s < steps; ++s) {
    const int64_t t = reverse ? steps - 1 - s : s;
    std::tie(c, ys[static_cast<size_t>(t)]) = f(c, xs[t]);
  }
  return {c, stack(ys)};
}

// Returns true if the sum has moved out of the loop. The results are compared with those of single
// steps.
bool leaves(const Body& f, Carry start, bool reverse = false, int64_t unroll = 1) {
  const auto loop = [&](Carry c, Array xs) {
    return scan(f, c, xs, {.reverse = reverse, .unroll = unroll});
  };
  const auto got = jit(loop)(start, rows()), want = one_by_one(f, start, rows(), reverse);
  CHECK(allclose(got.first.first, want.first.first, 1e-12, 1e-12));
  CHECK(allclose(got.first.second, want.first.second, 1e-12, 1e-12));
  CHECK(allclose(got.second, want.second, 1e-12, 1e-12));
  const std::string text = jit(loop).lower(start, rows()).optimized();
  INFO(text);
  const bool one = holds(text, "num_carry=1\n"), two = holds(text, "num_carry=2\n");
  CHECK(one != two);
  return one;
}
Carry start() { return {ones({n, n}, F64), linspace(0., 1., n, {.dtype = F64})}; }

}  // namespace

TEST_CASE("sums of products leave loops", "[jit][sums]") {
  const Body outer_of_state = [](Carry c, Array x) {
    const Array h = state(c.second, x);
    return std::pair(Carry{c.first + outer_product(h, x), h}, h);
  };
  CHECK(leaves(outer_of_state, start()));
  CHECK(leaves(outer_of_state, start(), true));
  CHECK(leaves(outer_of_state, start(), false, 3));
  // The factors are in the other order, transposed, reshaped, or repeated. They may depend on the
  // carry itself.
  CHECK(leaves(
      [](Carry c, Array x) {
        return std::pair(Carry{transpose(outer_product(c.second, sin(x))) + c.first, c.second * x},
                         x);
      },
      start()));
  CHECK(leaves(
      [](Carry c, Array x) {
        const Array p = outer_product(x, state(c.second, x)).reshape({n, 5, 8});
        return std::pair(Carry{c.first + p, c.second}, x);
      },
      {zeros({n, 5, 8}, F64), start().second}));
  CHECK(leaves(
      [](Carry c, Array x) {
        const Array p = broadcast_to(outer_product(x, c.second), {2, n, n});
        return std::pair(Carry{c.first + p, cos(c.second)}, x);
      },
      {zeros({2, n, n}, F64), start().second}));
  // There are two terms that share a factor, and a term of matrices.
  CHECK(leaves(
      [](Carry c, Array x) {
        const Array h = state(c.second, x);
        return std::pair(Carry{c.first + outer_product(h, x) + outer_product(cos(x), h), h}, h);
      },
      start()));
  CHECK(leaves(
            [](Carry c, Array x) {
              const Array a = sin(x).reshape({2, n / 2}), b = c.second.reshape({2, n / 2});
              return std::pair(Carry{c.first + lax::dot_general(a, b, {{0}, {0}}), c.second * x},
                               x);
            },
            {zeros({n / 2, n / 2}, F64), start().second}) == false);  // too small
  CHECK(leaves(
      [](Carry c, Array x) {
        const Array a = tile(sin(x), {2, 1}), b = tile(c.second, {2, 1});
        return std::pair(Carry{c.first + lax::dot_general(a, b, {{0}, {0}}), c.second * x}, x);
      },
      start()));
  CHECK(leaves(
      [](Carry c, Array x) {
        const Array a = tile(sin(x), {2, 1}), b = tile(c.second, {2, 1});
        return std::pair(Carry{c.first + swapaxes(lax::dot_general(a, b, {{}, {}, {0}, {0}}), 1, 2),
                               c.second * x},
                         x);
      },
      {zeros({2, n, n}, F64), start().second}));
}

TEST_CASE("sums that the loop reads, or that are no sums, stay", "[jit][sums]") {
  CHECK(!leaves(
      [](Carry c, Array x) {  // a result of each step
        const Array s = c.first + outer_product(c.second, x);
        return std::pair(Carry{s, c.second * x}, s[0]);
      },
      start()));
  CHECK(!leaves(
      [](Carry c, Array x) {  // the state reads it
        return std::pair(Carry{c.first + outer_product(c.second, x), state(c.first[0], x)}, x);
      },
      start()));
  CHECK(!leaves(
      [](Carry c, Array x) {  // not a sum
        return std::pair(Carry{c.first * outer_product(c.second, x), state(c.second, x)}, x);
      },
      start()));
  CHECK(!leaves(
      [](Carry c, Array x) {  // twice the carry itself
        return std::pair(Carry{c.first + c.first + outer_product(c.second, x), state(c.second, x)},
                         x);
      },
      start()));
  CHECK(!leaves(
      [](Carry c, Array x) {  // a term that is not a product
        return std::pair(Carry{c.first + exp(outer_product(c.second, x)), state(c.second, x)}, x);
      },
      start()));
  CHECK(!leaves(  // the factors have as many elements as the sum
      [](Carry c, Array x) {
        return std::pair(Carry{c.first + outer_product(c.second, x) * sum(x), state(c.second, x)},
                         x);
      },
      start()));
  const Array same = start().second;
  CHECK(!leaves(
      [=](Carry c, Array x) {  // a factor that is the same in all steps
        return std::pair(Carry{c.first + outer_product(same, x), state(c.second, x)}, x);
      },
      start()));
}

TEST_CASE("rows that need more memory than they save stay products", "[jit][sums]") {
  const auto carries = [](int64_t length) {
    const auto f = [=](Array s, Array a) {
      return fori_loop(
          0, length,
          [&](Array i, Array c) {
            const Array t = a * i.astype(F32);
            return c + outer_product(sin(t), cos(t));
          },
          s);
    };
    const std::string text = jit(f).lower(zeros({n, n}), ones({n})).optimized();
    return holds(text, fmt::format("f32[{},{}] = scan", n, n)) ||
           holds(text, fmt::format("f32[{},{}] = while", n, n));
  };
  CHECK(carries(4));
  CHECK(!carries(100));
  CHECK(carries(1000));
}

TEST_CASE("sums of updates leave loops", "[jit][sums]") {
  // This is the derivative of reading an element, a row, a window, or rows at several indices.
  const auto of_rows = [](const std::function<Array(Array, Array)>& read, bool leaves) {
    const Array table = random::normal(random::key(0), {steps, 64}),
                numbers = random::randint(random::key(1), {steps}, -3, steps + 3);
    const auto loop = [&](Array table, Array numbers) {
      return sum(scan(
                     [&](Array h, Array i) {
                       const Array next = sin(h * 0.5 + read(table, i).sum());
                       return std::pair(next, next);
                     },
                     Array(0.25F), numbers)
                     .second);
    };
    const auto written_out = [&](Array table, Array numbers) {
      Array h = 0.25F, s = 0.F;
      for (int64_t t = 0; t < steps; ++t)
        s = s + (h = sin(h * 0.5 + read(table, numbers[t]).sum()));
      return s;
    };
    const auto g = jit(grad(loop));
    CHECK(allclose(g(table, numbers), grad(written_out)(table, numbers), 1e-4, 1e-5));
    const std::string text = g.lower(table, numbers).optimized();
    INFO(text);
    const std::string scan = text.substr(text.rfind("= scan"));
    CHECK(holds(scan, "num_carry=1\n") == leaves);
    const Array many = random::randint(random::key(2), {5, steps}, 0, steps);
    const auto each = jit(vmap(grad(loop), {none, 0}));
    const Array got = each(table, many);
    for (int64_t l = 0; l < 5; ++l)
      CHECK(allclose(got[l], grad(written_out)(table, many[l]), 1e-4, 1e-5));
  };
  of_rows([](Array t, Array i) { return t[i]; }, true);
  of_rows([](Array t, Array i) { return t[{i, 3}]; }, true);
  of_rows([](Array t, Array i) { return lax::dynamic_slice(t, {i, i + 1}, {2, 5}); }, true);
  of_rows([](Array t, Array i) { return take(t, stack({i, i + 2, i}), 0, {.mode = "clip"}); },
          true);
  of_rows([](Array t, Array i) { return t.at(i).get({.mode = "fill", .fill_value = 0.}); }, true);
}

TEST_CASE("the gradient of a loop's weights is a product behind it", "[jit][sums]") {
  const Array w = random::normal(random::key(0), {n, n}) * 0.1,
              xs = random::normal(random::key(1), {3, steps, n});
  const auto loop = [](Array w, Array xs) {
    return sum(square(scan(
                          [&](Array h, Array x) {
                            const Array next = tanh(dot(w, h) + x);
                            return std::pair(next, next);
                          },
                          zeros({n}), xs)
                          .second));
  };
  const auto written_out = [](Array w, Array xs) {
    Array h = zeros({n}), s = 0.;
    for (int64_t t = 0; t < steps; ++t) {
      h = tanh(dot(w, h) + xs[t]);
      s = s + sum(square(h));
    }
    return s;
  };
  const auto each = jit(vmap(grad(loop), {none, 0}));
  CHECK(allclose(each(w, xs), vmap(grad(written_out), {none, 0})(w, xs), 1e-4, 1e-4));
  CHECK(!holds(each.lower(w, xs).optimized(), fmt::format("f32[3,{},{}] = add", n, n)));
  const auto together =
      jit(grad([&](Array w, Array xs) { return sum(vmap(loop, {none, 0})(w, xs)); }));
  CHECK(allclose(together(w, xs), sum(each(w, xs), 0), 1e-4, 1e-4));
}

TEST_CASE("random sums of products are what single steps give", "[jit][sums]") {
  int left = 0;
  for (unsigned seed = 0; seed < 80; ++seed) {
    std::mt19937 number(seed);
    const auto pick = [&](int64_t k) {
      return static_cast<int64_t>(number() % static_cast<unsigned>(k));
    };
    struct Drawn {
      int64_t factor[2], kind, after;
    };
    std::vector<Drawn> terms(1 + static_cast<size_t>(pick(2)));
    for (Drawn& d : terms) d = {{pick(5), pick(5)}, pick(7), 0};
    for (Drawn& d : terms) d.kind = terms[0].kind;
    const int64_t after = pick(4);
    const auto product = [&](const Drawn& d, const Array& h, const Array& x) {
      const auto factor = [&](int64_t k) {
        return Arrays{x, h, sin(x), x * h, flip(x)}[static_cast<size_t>(k)];
      };
      const Array a = factor(d.factor[0]), b = factor(d.factor[1]), m = a.reshape({5, 8}),
                  w = b.reshape({5, 8});
      Array p;
      switch (d.kind) {
        case 0: p = outer_product(a, b); break;
        case 1: p = a[{slice(), none}] * b[{none, slice()}]; break;
        case 2: p = a[{none, slice()}] * b[{slice(), none}]; break;
        case 3: p = einsum("ij,kl->ikjl", m, w); break;
        case 4: p = einsum("ij,kj->ikj", m, tile(w, {6, 1})); break;
        case 5: p = einsum("ij,ik->kj", tile(m, {1, 5}), tile(w, {1, 5})); break;
        default:
          p = m[{slice(), none, slice(), none}] * transpose(w)[{none, slice(), none, slice()}];
          break;
      }
      if (after == 1) p = transpose(p);
      if (after == 2) p = p.reshape({-1});
      if (after == 3) p = stack({p, p});
      return p;
    };
    const Body body = [&](Carry c, Array x) {
      const Array h = state(c.second, x);
      Array s = c.first;
      for (const Drawn& d : terms) s = pick(2) ? s + product(d, h, x) : product(d, c.second, x) + s;
      return std::pair(Carry{s, h}, h * x);
    };
    const Array h = linspace(0., 1., n, {.dtype = F64});
    const Shape shape = product(terms[0], h, h).shape();
    CAPTURE(seed);
    const unsigned again = static_cast<unsigned>(number());
    const auto fixed = [&](const Body& f) -> Body {
      return [&, f](Carry c, Array x) {
        number.seed(again);
        return f(c, x);
      };
    };
    left += leaves(fixed(body), {full(shape, 0.5, F64), h}, pick(2) == 1, 1 + pick(3));
  }
  CHECK(left > 25);
}
