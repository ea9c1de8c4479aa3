// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/equal_axes_test.cpp: values that are equal along an axis are computed once.
#include <functional>

#include "core/loops/axis_classes.h"
#include "core/text/print.h"
#include "jit/pipeline.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "weft/lax.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/dot.h"
#include "weft/make_jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

using Fn = std::function<Array(Array)>;

constexpr int64_t many = 3001;  // an extent that nothing else has

Array values(std::vector<int64_t> shape) { return random::uniform(random::key(3), Shape(shape)); }

// The elements of the largest result of this op, in the program and in those that it holds.
int64_t largest(const Jaxpr& j, const std::string& op) {
  int64_t n = 0;
  any_equation({j}, [&](const JaxprData& p, const Eqn& e) {
    if (e.op->name() == op)
      for (const Type& t : p.out_types(e)) n = std::max(n, t.elements());
    return false;
  });
  return n;
}

// The same for f, as it is compiled. Also checks that the results are those of the interpreter, to
// the bit unless a library computes them.
int64_t largest(const Fn& f, const Array& x, const std::string& op) {
  const Jaxpr j = compiler::rewritten(make_jaxpr(f)(x).jaxpr);
  INFO(to_string(j));
  const Array got = jit(f)(x);
  {
    const ReferenceMode reference;
    const Array want = f(x);
    if (op == "dot_general")
      CHECK(allclose(got, want, 1e-6).item<bool>());
    else
      CHECK(array_equal(got, want, true).item<bool>());
  }
  return largest(j, op);
}

// One more axis, along which the elements of x are equal.
Array repeated(const Array& x, int axis = 0) {
  std::vector<int64_t> shape = x.shape().sizes();
  shape.insert(shape.begin() + axis, many);
  return broadcast_to(expand_dims(x, axis), Shape(shape));
}

Fn after_repeating(const Fn& f, int axis = 0) {
  return [=](Array x) { return f(repeated(x, axis)); };
}

}  // namespace

TEST_CASE("what is equal along an axis is computed once", "[jit][equal_axes]") {
  const Array x = values({17, 19});
  const auto once = [&](const char* op, const Fn& f, int64_t elements, int axis = 0) {
    INFO(op);
    CHECK(largest(after_repeating(f, axis), x, op) == elements);
  };
  once("reduce_sum", [](Array a) { return a.sum(2); }, 17);
  once("reduce_max", [](Array a) { return a.max(0); }, 19, 1);
  once("reduce_sum", [](Array a) { return a.sum(0, {.keepdims = true}); }, 19, 2);
  once("cumsum", [](Array a) { return lax::cumsum(a, 1); }, 17 * 19);
  once("sort", [](Array a) { return sort(a, 2); }, 17 * 19);
  once("dot_general", [](Array a) { return matmul(a, values({19, 23})); }, 17 * 23);
  once("dot_general", [](Array a) { return matmul(a, swapaxes(a, 1, 2)); }, 17 * 17);
  once("tanh", [](Array a) { return tanh(a); }, 17 * 19);
}

TEST_CASE("the axis is followed through cheap equations", "[jit][equal_axes]") {
  const Array x = values({17, 19});
  const auto once = [&](const char* op, const Fn& f, int64_t elements) {
    INFO(op);
    CHECK(largest(after_repeating(f), x, op) == elements);
  };
  // elements that are moved, arithmetic, and axes of size 1 on the way
  once("reduce_sum", [](Array a) { return transpose(a, {2, 0, 1}).sum(2); }, 19);
  once("reduce_sum", [](Array a) { return a.reshape({many, 1, 17, 19}).sum(3); }, 17);
  once("reduce_sum", [](Array a) { return (a * 2.f + 1.f).sum(2); }, 17);
  once("reduce_sum", [](Array a) { return (a - a.sum(2, {.keepdims = true})).sum(1); }, 19);
  once("reduce_sum", [](Array a) { return lax::slice(a, {0, 1, 2}, {many, 9, 8}).sum(2); }, 8);
  once("reduce_sum", [](Array a) { return concatenate({a, a + 1.f}, 1).sum(2); }, 34);
  // two axes
  const Fn twice = [](Array a) {
    const Array b = broadcast_to(a.reshape({1, 17, 1, 19}), {5, 17, many, 19});
    return sin(b).sum(3);
  };
  CHECK(largest(twice, x, "reduce_sum") == 17);
  CHECK(largest(twice, x, "sin") == 17 * 19);
  // Only one operand has the axis.
  const Fn table = [](Array a) { return (repeated(a) * values({17, 19})).sum(2); };
  CHECK(largest(table, x, "reduce_sum") == 17);
  // numbers alone
  const Fn numbers = [](Array a) { return lax::tanh(full({9 * many}, 0.5f)) + a[0][0]; };
  CHECK(largest(numbers, x, "tanh") == 1);
}

TEST_CASE("loops and branches of equal values run once", "[jit][equal_axes]") {
  const Array x = values({17});
  const Fn loop = after_repeating([](Array a) {
    return while_loop([](const Array& b) { return b.sum() < 1e6f; },
                      [](const Array& b) { return b * 2.f; }, a);
  });
  // The condition combines the elements of all indices.
  CHECK(largest(loop, x, "while") == 17 * many);
  const Fn counted = after_repeating(
      [](Array a) { return fori_loop(0, 9, [](Array, Array b) { return sin(b) + 1.f; }, a); });
  const Jaxpr j = compiler::rewritten(make_jaxpr(counted)(x).jaxpr);
  INFO(to_string(j));
  CHECK(largest(j, "sin") == 17);
  const Fn branch = after_repeating([](Array a) {
    return cond(a[0][0] < 0.5f, [](Array b) { return sin(b); }, [](Array b) { return cos(b); }, a);
  });
  const Jaxpr chosen = compiler::rewritten(make_jaxpr(branch)(x).jaxpr);
  INFO(to_string(chosen));
  CHECK(largest(chosen, "sin") == 17);
}

TEST_CASE("what differs along an axis, or combines it, stays", "[jit][equal_axes]") {
  const Array x = values({17, 19});
  const auto whole = [&](const char* op, const Fn& f, int64_t elements) {
    INFO(op);
    CHECK(largest(after_repeating(f), x, op) == elements);
  };
  // An operand, a coordinate, or a neighbour differs.
  whole("reduce_sum", [](Array a) { return (a * values({many, 1, 19})).sum(2); }, many * 17);
  whole(
      "reduce_sum", [](Array a) { return (a + arange(many).reshape({many, 1, 1})).sum(2); },
      many * 17);
  whole("cumsum", [](Array a) { return lax::cumsum(a, 0); }, many * 17 * 19);
  whole("reduce_sum", [](Array a) { return a.reshape({many * 17, 19}).sum(1); }, many * 17);
  // The sum over the axis is one of many terms.
  whole("reduce_sum", [](Array a) { return (a * 0.5f).sum(0); }, 17 * 19);
  // Cheap equations are computed where they are read.
  whole("add", [](Array a) { return a + 1.f; }, many * 17 * 19);
  // few elements
  const Fn few = [](Array a) { return broadcast_to(a, {4, 17, 19}).sum(2); };
  CHECK(largest(few, x, "reduce_sum") == 4 * 17);
  const Fn none_at_all = [](Array a) { return broadcast_to(a[0], {0, 19}).sum(1); };
  CHECK(largest(none_at_all, x, "reduce_sum") == 0);
}

TEST_CASE("a barrier and what has effects stay whole", "[jit][equal_axes]") {
  const Array x = values({17, 19});
  const Fn barrier = after_repeating([](Array a) { return lax::optimization_barrier(tanh(a)); });
  const Jaxpr j = make_jaxpr(barrier)(x).jaxpr;
  CHECK(largest(j, "optimization_barrier") == many * 17 * 19);
  CHECK(array_equal(jit(barrier)(x), barrier(x)).item<bool>());
}

TEST_CASE("keys that are equal draw equal numbers", "[jit][equal_axes]") {
  const Array lanes = values({many});
  const auto f = [](Array a) {
    return vmap([](Array b) { return random::normal(random::key(7), {64}).sum() + b; })(a);
  };
  CHECK(array_equal(jit(f)(lanes), f(lanes)).item<bool>());
}

TEST_CASE("updates at computed places see all of their target", "[jit][equal_axes]") {
  // The target is equal along the axis in which rows are added, and the result is not.
  const auto scatter = [](Array rows, Array x) {
    return zeros({20, 1024}).at(rows).add(broadcast_to(x.reshape({60, 1}), {60, 1024}));
  };
  const Array rows = arange(60) * 7 % 20, x = values({60});
  const auto add = [](Array target, Array rows, Array x) { return target.at(rows).add(x); };
  const ClosedJaxpr c = make_jaxpr(add)(zeros({20, 1024}), rows, zeros({60, 1024}));
  const AxisClasses an(c.jaxpr);
  const int32_t out = c.jaxpr->out[0].index;
  INFO(to_string(c.jaxpr));
  CHECK(!an.runs_apart(an.top().axis(out, 0)));
  CHECK(an.runs_apart(an.top().axis(out, 1)));
  CHECK(array_equal(jit(scatter)(rows, x), scatter(rows, x)).item<bool>());
}
