// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/hoist_test.cpp: which invariants leave their loops, and that results and effects stay
// the same.
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "jit/pipeline.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "weft/make_jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

bool is_loop(const Eqn& e) { return e.op->name() == "while" || e.op->name() == "scan"; }

// Counts the equations of an op that are in `depth` loops or more.
int count_in_loops(const Jaxpr& j, const std::string& op, int depth = 1) {
  int n = 0;
  for (const Eqn& e : j->eqns) {
    n += depth <= 0 && e.op->name() == op;
    for (const Jaxpr& inner : inner_programs(e.params))
      n += count_in_loops(inner, op, depth - is_loop(e));
  }
  return n;
}
int count_in(const Jaxpr& j, const std::string& op) { return count_in_loops(j, op, 0); }

using Fn = std::function<Array(Array, Array)>;

Jaxpr compiled(const Fn& f, const Array& x, const Array& w) {
  return compiler::rewritten(make_jaxpr(f)(x, w).jaxpr);
}
// Compares the compiled function with the interpreted one.
void check_same(const Fn& f, const Array& x, const Array& w) {
  const Array got = jit(f)(x, w);
  const ReferenceMode reference;
  CHECK(allclose(got, f(x, w), 1e-5, 1e-6));
}
// The number of equations of an op that stay in loops. Also compares the results.
int left(const Fn& f, const Array& x, const Array& w, const std::string& op) {
  check_same(f, x, w);
  const Jaxpr j = compiled(f, x, w);
  INFO(to_string(j));
  REQUIRE(count_in(j, op) > 0);
  return count_in_loops(j, op);
}

Array repeat(const std::function<Array(Array)>& step, const Array& x, int64_t n = 10) {
  return scan([&](Array c) { return std::pair{step(c), none}; }, x, none, {.length = n}).first;
}
// A while whose trips depend on its values.
Array until_large(const std::function<Array(Array)>& step, const Array& x) {
  return while_loop([](Array c) { return max(c) < 100.f; }, step, x);
}

constexpr int64_t n = 40;
Array numbers() { return linspace(0., 1., n); }
Array matrix() { return random::normal(random::key(3), {n, n}) * .1f; }

}  // namespace

TEST_CASE("expensive invariants leave loops", "[jit][hoist]") {
  const Array x = numbers() + 1.f;
  CHECK(left([](Array x, Array w) { return repeat([&](Array c) { return c * .5f + sin(w); }, x); },
             x, numbers(), "sin") == 0);
  CHECK(left([](Array x,
                Array w) { return until_large([&](Array c) { return c * 2.f + exp(w); }, x); },
             x, numbers(), "exp") == 0);
  // The operands of what leaves are computed there, too.
  CHECK(left(
            [](Array x, Array w) {
              return repeat([&](Array c) { return c * .5f + tanh(broadcast_to(w + 1.f, {n, n})); },
                            x);
            },
            matrix(), numbers(), "tanh") == 0);
  // A product; a whole loop; a sort.
  CHECK(left(
            [](Array x, Array w) {
              return repeat([&](Array c) { return c * .5f + matmul(w, w)[0]; }, x, 100);
            },
            x, matrix(), "dot_general") == 0);
  CHECK(left([](Array x, Array w) { return repeat([&](Array c) { return c * .5f + sort(w); }, x); },
             x, numbers(), "sort") == 0);
  const auto inner = [](Array x, Array w) {
    return repeat(
        [&](Array c) { return c * .5f + repeat([](Array v) { return sin(v) + v; }, w, 200); }, x,
        50);
  };
  check_same(inner, x, numbers());
  CHECK(count_in_loops(compiled(inner, x, numbers()), "sin", 2) == 0);
}

TEST_CASE("cheap invariants stay in loops", "[jit][hoist]") {
  const Array x = numbers() + 1.f;
  CHECK(left([](Array x, Array w) { return repeat([&](Array c) { return c * (w + 3.f); }, x); }, x,
             numbers(), "add") == 1);
  CHECK(
      left([](Array x,
              Array w) { return repeat([&](Array c) { return c * broadcast_to(w, {n, n}); }, x); },
           matrix(), numbers(), "broadcast_in_dim") > 0);
  // The steps read few elements of a long table.
  const Array table = linspace(0., 1., 4096);
  CHECK(left(
            [](Array x, Array w) {
              return fori_loop(0, 10, [&](Array i, Array c) { return c * .5f + exp(w)[i]; }, x);
            },
            array(1.), table, "exp") == 1);
  // The products are much more work than the steps, and the loop may make no trip.
  CHECK(left(
            [](Array x, Array w) {
              return until_large(
                  [&](Array c) { return c + matmul(matmul(w, w), w).sum() * 0.f + 30.f; }, x);
            },
            array(1.), random::normal(random::key(1), {200, 200}), "dot_general") > 0);
}

TEST_CASE("joined weights leave loops that multiply by them", "[jit][hoist]") {
  const auto f = [](Array x, Array w) {
    return repeat(
        [&](Array c) { return tanh(matmul(concatenate({w, 2.f * w}, 1), concatenate({c, c}))); },
        x);
  };
  CHECK(left(f, numbers(), matrix(), "concatenate") == 1);  // that of the carry
}

TEST_CASE("invariants leave nested loops as far as they can", "[jit][hoist]") {
  const Array x = numbers() + 1.f;
  CHECK(left(
            [](Array x, Array w) {
              return repeat(
                  [&](Array c) { return repeat([&](Array d) { return d * .5f + sin(w); }, c); }, x);
            },
            x, numbers(), "sin") == 0);
  // It depends on the outer carry.
  const auto f = [](Array x, Array) {
    return repeat([&](Array c) { return repeat([&](Array d) { return d * .5f + sin(c); }, c); }, x);
  };
  check_same(f, x, x);
  CHECK(count_in_loops(compiled(f, x, x), "sin") == 1);
  CHECK(count_in_loops(compiled(f, x, x), "sin", 2) == 0);
}

TEST_CASE("equal invariants of two loops are computed once", "[jit][hoist]") {
  const auto f = [](Array x, Array w) {
    const Array a = repeat([&](Array c) { return c * .5f + sin(w); }, x);
    return a + repeat([&](Array c) { return c * .25f - sin(w); }, x);
  };
  check_same(f, numbers(), numbers());
  CHECK(count_in(compiled(f, numbers(), numbers()), "sin") == 1);
}

TEST_CASE("invariants of a loop without trips change nothing", "[jit][hoist]") {
  const float inf = std::numeric_limits<float>::infinity();
  const Array x = array({200.f, 1.f}), w = array({inf, -1.f});
  const auto f = [](Array x, Array w) {
    return until_large([&](Array c) { return c + log(w) / (w - w); }, x);
  };
  CHECK(floats(jit(f)(x, w)) == Floats{200, 1});
  const auto counted = [](Array hi, Array w) {
    return fori_loop(Array(0), hi, [&](Array, Array c) { return c + sqrt(w); }, ones({2}));
  };
  CHECK(floats(jit(counted)(Array(0), w)) == Floats{1, 1});
  CHECK(std::isinf(floats(jit(counted)(Array(1), w))[0]));
  CHECK(std::isnan(floats(jit(counted)(Array(1), w))[1]));
  // Lanes with other numbers of trips.
  const auto lanes = jit(vmap([&](Array x, Array w) {
    return while_loop([](Array c) { return c < 100.f; }, [&](Array c) { return c * 2.f + exp(w); },
                      x);
  }));
  const Array starts = array({200.f, 1.f, 60.f}), rates = array({inf, 0.f, 1.f});
  const Array got = lanes(starts, rates);
  CHECK(floats(got)[0] == 200);
  CHECK(floats(got)[1] == 127);
  CHECK(std::abs(floats(got)[2] - (120 + std::exp(1.f))) < 1e-4);
}

TEST_CASE("effects stay in loops, in their order", "[jit][hoist]") {
  std::vector<float> seen;
  const auto note = [&](const Array& v) {
    return io_callback(
        [&](Array a) {
          seen.push_back(a.item<float>());
          return a;
        },
        ShapeDtypeStruct{{}, F32}, v);
  };
  const auto f = [&](Array x, Array w) {
    return repeat([&](Array c) { return note(w) + sin(w) + note(c + 1.f); }, x, 3);
  };
  jit(f)(array(1.f), array(0.f));
  const std::vector<float> got = std::exchange(seen, {});
  {
    const ReferenceMode reference;
    f(array(1.f), array(0.f));
  }
  CHECK(got == seen);
  CHECK(got.size() == 6);
}

TEST_CASE("invariants leave gradients and maps of loops", "[jit][hoist]") {
  const Array x = numbers() + 1.f;
  const auto loss = [](Array w, Array x) {
    return repeat([&](Array c) { return c * .5f + c * sin(w); }, x).sum();
  };
  const Fn g = [&](Array x, Array w) { return grad([&](Array w) { return loss(w, x); })(w); };
  CHECK(left(g, x, numbers(), "sin") == 0);
  CHECK(left(g, x, numbers(), "cos") == 0);
  const Fn mapped = [&](Array x, Array w) {
    return vmap([](Array x, Array w) {
      return until_large([&](Array c) { return c * 2.f + exp(w) + 1.f; }, x);
    })(x, w);
  };
  CHECK(left(mapped, random::uniform(random::key(5), {7, n}),
             random::uniform(random::key(6), {7, n}), "exp") == 0);
}

TEST_CASE("a loop whose condition is never true vanishes", "[jit][hoist]") {
  const Fn f = [](Array x, Array w) {
    return while_loop([](Array) { return Array(false); }, [&](Array c) { return c * w; }, x);
  };
  CHECK(floats(jit(f)(array(2.f), array(3.f))) == Floats{2});
  CHECK(count_in(compiled(f, array(2.f), array(3.f)), "while") == 0);
}

// The number of carries of the only while in a program. Without a while, it is -1.
int carries_in(const Jaxpr& j) {
  for (const Eqn& e : j->eqns) {
    if (e.op->name() == "while") return e.n_out;
    for (const Jaxpr& inner : inner_programs(e.params))
      if (const int n = carries_in(inner); n >= 0) return n;
  }
  return -1;
}
int carries(const Fn& f, const Array& x, const Array& w) {
  check_same(f, x, w);
  const Jaxpr j = compiled(f, x, w);
  INFO(to_string(j));
  return carries_in(j);
}

TEST_CASE("long carries that all lanes share become constants", "[jit][hoist]") {
  using Pair = std::pair<Array, Array>;
  const auto step = [](const Pair& c) { return Pair{c.first * 2.f + c.second, c.second}; };
  const Fn body_reads = [&](Array x, Array w) {
    const Pair r = while_loop([](Pair c) { return max(c.first) < 100.f; }, step, Pair{x, w});
    return r.first + r.second;
  };
  const Fn both_read = [&](Array x, Array w) {
    const Pair r =
        while_loop([](Pair c) { return max(c.first) < 100.f + max(c.second); }, step, Pair{x, w});
    return r.first * r.second;
  };
  const Fn test_reads = [&](Array x, Array w) {
    const Pair r = while_loop([](Pair c) { return max(c.first) < 100.f + max(c.second); },
                              [](Pair c) { return Pair{c.first * 2.f, c.second}; }, Pair{x, w});
    return r.first + r.second;
  };
  const Fn none_reads = [&](Array x, Array w) {
    const Pair r = while_loop([](Pair c) { return max(c.first) < 100.f; },
                              [](Pair c) { return Pair{c.first * 2.f, c.second}; }, Pair{x, w});
    return r.first + r.second;
  };
  const Array x = random::uniform(random::key(1), {5, 40}) + 1.f,
              w = random::uniform(random::key(2), {5, 40});
  const std::vector<Fn> all{body_reads, both_read, test_reads, none_reads};
  for (const Fn& f : all) {
    // All lanes share a long carry, or a short one, or each has its own.
    const auto shared = [&](int64_t n) -> Fn {
      return [&f, n](Array a, Array b) {
        return vmap([&](Array row) { return f(row, b[0][slice(0, n)]); })(
            a[{slice(), slice(0, n)}]);
      };
    };
    CHECK(carries(shared(40), x, w) == 1);
    // Readers take a carry that no step changes or reads from before the loop.
    const int left = &f == &all.back() ? 1 : 2;
    CHECK(carries(shared(20), x, w) == left);
    const Fn mapped = [&](Array a, Array b) { return vmap(f)(a, b); };
    CHECK(carries(mapped, x, w) == left);
    CHECK(carries(f, x, w) == left);
  }
  // A loop that changes nothing ends if it never runs.
  const Fn nothing = [](Array a, Array b) {
    return while_loop([](Pair c) { return max(c.first) > 100.f; }, [](Pair c) { return c; },
                      Pair{a, b})
        .first;
  };
  check_same(nothing, x, w);
}

TEST_CASE("the indices of a scatter get their shape before the loop", "[jit][hoist]") {
  const Array x = zeros({300, 3}), w = (random::uniform(random::key(3), {200}) * 300.f);
  const Fn f = [](Array x, Array w) {
    const Array places = w.astype(I32);
    return repeat([&](Array c) { return c.at(places).add(lax::slice(c, {0, 0}, {200, 3})); }, x);
  };
  CHECK(left(f, x, w, "broadcast_in_dim") == 0);
}
