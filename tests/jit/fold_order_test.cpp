// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/fold_order_test.cpp: reductions and running folds combine their terms in one order
// (core/loops/fold_order.h). The bits are the same from the reference, every schedule, every
// machine and every number of threads. The error hardly grows with the number of terms.
#include <cmath>
#include <functional>

#include "jit/emit/compare.h"
#include "jit/fuse/plan.h"
#include "jit/nests/kernel_nest.h"
#include "jit/pipeline.h"
#include "support/check.h"
#include "support/ill_conditioned_sum.h"
#include "support/share.h"
#include "tracer/eval_trace.h"
#include "weft/device/threads.h"
#include "weft/lax/cumulative.h"
#include "weft/make_jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

using Fn = std::function<Array(const Array&)>;

std::vector<double> numbers(const Array& x) { return x.astype(F64).to_vector<double>(); }
std::vector<double> reference(const Fn& f, const Array& x) {
  const ReferenceMode on;
  return numbers(f(x));
}

Array near_one(const Array& x) { return where(x > 0.f, 1.0013f, .9987f); }
// Returns the index of the first difference, or -1.
int64_t difference(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size()) return static_cast<int64_t>(std::min(x.size(), y.size()));
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i]) return static_cast<int64_t>(i);
  return -1;
}

// These extents are around the edges of partials, runs, blocks and levels.
const std::vector<int64_t> edges{1,    16,   17,    31,    32,    33,    63,    64,         65,
                                 1023, 1024, 1025,  1056,  4095,  4096,  4097,  8191,       8192,
                                 8193, 9300, 32767, 32768, 32769, 32800, 69633, 131072 + 77};

const std::vector<std::pair<const char*, Fn>> reductions{
    {"sum", [](const Array& x) { return x.sum(-1); }},
    {"prod", [](const Array& x) { return near_one(x).prod(-1); }},
    {"max", [](const Array& x) { return x.max(-1); }},
    {"min", [](const Array& x) { return x.min(-1); }},
    {"argmax", [](const Array& x) { return argmax(floor(x), -1); }},
    {"all", [](const Array& x) { return (x > -2.f).all(-1); }},
    {"any", [](const Array& x) { return (x > 3.f).any(-1); }},
    {"var", [](const Array& x) { return var(x, -1); }},
    {"f64", [](const Array& x) { return x.astype(F64).sum(-1); }},
    {"bf16", [](const Array& x) { return x.astype(BF16).sum(-1); }},
    {"int", [](const Array& x) { return (x * 100.f).astype(I32).sum(-1); }},
    {"dot", [](const Array& x) { return vecdot(x, x); }},
};
const std::vector<std::pair<const char*, Fn>> running{
    {"cumsum", [](const Array& x) { return cumsum(x, -1); }},
    {"reverse", [](const Array& x) { return lax::cumsum(x, -1, true); }},
    {"cumprod", [](const Array& x) { return cumprod(near_one(x), -1); }},
    {"cummax", [](const Array& x) { return cummax(x, -1); }},
    {"f64", [](const Array& x) { return cumsum(x.astype(F64), -1); }},
    {"bf16", [](const Array& x) { return cumsum(x.astype(BF16), -1); }},
    {"int", [](const Array& x) { return cumsum((x * 100.f).astype(I32), -1); }},
};

// Checks f of a single row, of rows, of rows stored as columns, and of rows that threads share.
void check_everywhere(const Fn& f, int64_t n) {
  const int before = num_threads();
  const Array x = ill_conditioned({3, n});
  const std::vector<double> want = reference(f, x);
  const Array columns = transpose(x) + 0.f;
  const auto rows = jit([&](Array a) { return f(a); });
  const auto across = jit([&](Array a) { return f(transpose(a)); });
  const auto mapped = jit(vmap([&](Array a) { return f(a); }, 1));
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    CAPTURE(threads);
    CHECK(difference(numbers(rows(x)), want) == -1);
    CHECK(difference(numbers(across(columns)), want) == -1);
    CHECK(difference(numbers(mapped(columns)), want) == -1);
  }
  set_num_threads(before);
  const std::vector<double> alone = numbers(rows(x[1]));
  const auto m = static_cast<std::ptrdiff_t>(alone.size());
  CHECK(difference(alone, {want.begin() + m, want.begin() + 2 * m}) == -1);
}

// Runs the kernels of f at x in the interpreter of nests and compiled for each machine.
void check_machines(const Fn& f, int64_t rows, int64_t n, bool transposed) {
  const Shape shape = transposed ? Shape({n, rows}) : Shape({rows, n});
  const auto j =
      make_jaxpr([&](Array a) { return f(transposed ? transpose(a) : a); })(zeros(shape));
  const Jaxpr simple = compiler::rewritten(j.jaxpr);
  const compiler::Program p(simple);
  const compiler::Plan plan = compiler::make_plan(p);
  REQUIRE(plan.steps.size() == 1);
  VarMap<bool> inputs(*simple);
  std::fill_n(inputs.begin(), simple->n_in, true);
  const nest::Kernel k = compiler::write_nest(p, plan.steps[0].kernel, inputs).kernel;
  REQUIRE(k.buffers.size() == 2);
  compiler::Run run{{compiler::raw(floats(ill_conditioned({rows * n}))), {}}, {}, {0, 1, 0, rows}};
  run.contents[1].resize(static_cast<size_t>(rows * n) * 4);
  for (const compiler::TargetInfo& t : compiler::targets()) {
    CAPTURE(t.cpu, rows, n, transposed);
    CHECK(compiler::difference(k, run, t) == "");
  }
}

// Checks how far the sum of n weights of 1/n, and the last of their running sums, are from 1.
void check_error(int64_t n, double most) {
  CAPTURE(n);
  const Array x = full({n}, 1.f / static_cast<float>(n));
  const double exact = static_cast<double>(1.f / static_cast<float>(n)) * static_cast<double>(n);
  CHECK(std::abs(jit([](Array a) { return a.sum(); })(x).item<float>() - exact) < most);
  CHECK(std::abs(jit([](Array a) { return mean(a); })(x).item<float>() * static_cast<double>(n) -
                 exact) < most);
  CHECK(std::abs(jit([](Array a) { return cumsum(a)[-1]; })(x).item<float>() - exact) < most);
  CHECK(std::abs(jit([](Array a) { return vecdot(a, ones_like(a)); })(x).item<float>() - exact) <
        most);
}

}  // namespace

TEST_CASE("reductions have one order", "[jit][fold_order][share]") {
  Share share(4);
  for (const auto& [name, f] : reductions)
    for (int64_t n : edges) {
      if (n > 10000 && std::string(name) != "sum" && std::string(name) != "argmax") continue;
      if (!share.next()) continue;
      CAPTURE(name, n);
      check_everywhere(f, n);
    }
}

TEST_CASE("running folds have one order", "[jit][fold_order][share]") {
  Share share(4);
  for (const auto& [name, f] : running)
    for (int64_t n : edges) {
      if (n > 10000 && std::string(name) != "cumsum") continue;
      if (!share.next()) continue;
      CAPTURE(name, n);
      check_everywhere(f, n);
    }
}

TEST_CASE("reductions over several axes have one order", "[jit][fold_order]") {
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> cases{
      {{5, 7, 150}, {0, 2}},         {{300, 512}, {0, 1}},         {{70, 3, 2000}, {0, 2}},
      {{2000, 2, 70}, {0, 2}},       {{40, 2, 50, 70}, {0, 2, 3}}, {{2, 70, 2000}, {1, 2}},
      {{40, 40, 1, 1100}, {0, 1, 3}}};
  for (const auto& [sizes, axes] : cases) {
    CAPTURE(sizes, axes);
    const AxisList over(axes);
    const Array x = ill_conditioned(sizes);
    for (const Fn& f : {Fn([&](const Array& a) { return a.sum(over); }),
                        Fn([&](const Array& a) { return a.astype(BF16).sum(over); })})
      CHECK(difference(numbers(jit([&](Array a) { return f(a); })(x)), reference(f, x)) == -1);
  }
}

TEST_CASE("the order of folds is the same on every machine", "[jit][fold_order][share]") {
  Share share(3);
  for (bool transposed : {false, true})
    for (int64_t n : {33, 1057, 4097, 8300}) {
      if (!share.next()) continue;
      for (const auto& [name, f] : reductions)
        if (name == std::string("sum") || name == std::string("argmax"))
          check_machines(f, 37, n, transposed);
      for (const auto& [name, f] : running)
        if (name == std::string("cumsum") || name == std::string("reverse"))
          check_machines(f, 37, n, transposed);
    }
}

TEST_CASE("a long sum is as good as a short one", "[jit][fold_order]") {
  for (int64_t n : {1000000, 4000000}) check_error(n, 1e-6);
  // Distinct numbers are compared with sums in F64.
  const Array x = abs(ill_conditioned({3000000}));
  const auto sums = [](Array a) { return cumsum(a); };
  const std::vector<double> near = numbers(jit(sums)(x));
  const std::vector<double> far = numbers(jit(sums)(x.astype(F64)));
  double worst = 0;
  for (size_t i = 0; i < near.size(); ++i)
    worst = std::max(worst, std::abs(near[i] - far[i]) / far[i]);
  CHECK(worst < 1e-6);
  CHECK(std::abs(x.sum().item<float>() / far.back() - 1) < 3e-7);
  const double v = var(x.astype(F64)).item<double>();
  CHECK(std::abs(var(x).item<float>() / v - 1) < 1e-6);
}

TEST_CASE("fifty million weights have the sum 1", "[jit][fold_order][slow]") {
  check_error(10000000, 1e-6);
  check_error(50000000, 1e-6);
}
