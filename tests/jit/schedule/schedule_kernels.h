// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/schedule/schedule_kernels.h: nests of every kind for which schedules are made, with
// memory on which to run them.
#pragma once
#include "jit/emit/compare.h"
#include "jit/emit/control_kernels.h"
#include "jit/emit/speed_kernels.h"
#include "jit/fuse/plan.h"
#include "jit/nests/kernel_nest.h"
#include "jit/pipeline.h"
#include "jit/schedule/product_kernel.h"
#include "weft/weft.h"

namespace weft::compiler {

struct Sample {
  std::string name;
  nest::Kernel kernel;
  Run run;
};

// Returns the only kernel of a program.
inline Sample sample_of(const char* name, const Jaxpr& program) {
  const Jaxpr j = rewritten(program);
  const Program p(j);
  Plan plan = make_plan(p);
  if (plan.steps.size() != 1 || plan.steps[0].kind != Step::Kind::kernel)
    throw std::runtime_error(std::string(name) + " is not a single kernel");
  if (current_target().gpu()) plan.steps[0].kernel.cached.clear();  // as in the pipeline
  VarMap<bool> inputs(*j);
  std::fill_n(inputs.begin(), j->n_in, true);
  KernelNest nest = write_nest(p, plan.steps[0].kernel, inputs);
  Sample s{name, std::move(nest.kernel), {}};
  for (const auto& b : nest.buffers) {
    const Type& t = j->types[static_cast<size_t>(b.var)];
    const auto n = static_cast<size_t>(t.elements());
    const Storage kept = storage_of(t.dtype());
    s.run.contents.push_back(b.written ? zeros(kept, n) : patterns(kept, n, 11));
  }
  const std::vector<int64_t>& axes = nest.grid;
  s.run.range = {0, axes.size() == 2 ? axes[0] : 1, 0, axes.empty() ? 1 : axes.back()};
  return s;
}

// Returns the kernel of f for arrays of the types of x.
template <class F, class... A>
Sample traced(const char* name, F f, const A&... x) {
  return sample_of(name, make_jaxpr(f)(x...).jaxpr);
}

inline std::vector<unsigned char> between(float low, float high, size_t n) {
  std::mt19937 g(5);
  std::vector<float> x(n);
  for (float& v : x) v = std::uniform_real_distribution<float>(low, high)(g);
  return raw(x);
}
// Returns a kernel written by hand, with random inputs from `low` to `high`. Each buffer has
// `width` elements per point.
inline Sample written(const char* name, nest::Kernel k, float low, float high, int64_t points,
                      int64_t width = 1) {
  Sample s{name, std::move(k), {}};
  const auto n = static_cast<size_t>(points * width);
  for (const auto& b : s.kernel.buffers)
    s.run.contents.push_back(b.written ? zeros(b.storage, n) : between(low, high, n));
  s.run.extents = {width, points};
  s.run.range = {0, s.kernel.rank == 2 ? width : 1, 0, points};
  return s;
}
inline Sample written(const char* name, nest::Kernel (*make)(Vector), int64_t n) {
  const nest::Kernel k = make(Vector::grid);
  return {name, k, control_run(k, n)};
}

// One branch is expensive, the other has a few instructions.
inline nest::Kernel branching(Vector v) {
  Unary b("branching", Storage::F32, Storage::F32);
  const auto f = [&](float x) { return b.constant(Kind::F32, std::bit_cast<uint32_t>(x)); };
  const auto op = [&](Opcode o, Id x, Id y) { return b.pure(o, Kind::F32, {x, y}); };
  const auto yes = b.open_branch();
  b.yield({b.pure(Opcode::Sqrt, Kind::F32, {op(Opcode::Div, b.x, f(3))})});
  b.leave();
  const auto no = b.open_branch();
  b.yield({op(Opcode::Mul, op(Opcode::Add, b.x, f(1)), b.x)});
  b.leave();
  return b.done(b.branch(b.test(Opcode::Lt, f(0), b.x), yes, no)[0], v);
}

// One side has a long loop, the other reads another operand.
inline nest::Kernel costly_branch() {
  Builder b("costly_branch");
  const int x = b.buffer(Storage::F32, false), y = b.buffer(Storage::F32, false),
            out = b.buffer(Storage::F32, true);
  const Id i = b.index(0), u = b.load(x, i);
  const auto yes = b.open_branch();
  const auto body = b.open({Kind::I64, Kind::F32});
  b.yield({b.pure(Opcode::Fma, Kind::F32, {b.param(body, 1), b.load(y, i), u})});
  b.leave();
  b.yield({b.loop(b.integer(0), b.integer(500), 1, {u}, body)[0]});
  b.leave();
  const auto no = b.open_branch();
  b.yield({b.load(y, i)});
  b.leave();
  const Id test = b.pure(Opcode::Lt, Kind::Mask, {b.constant(Kind::F32, 0), u});
  b.store(out, i, b.branch(test, yes, no)[0]);
  return b.finish(1, 0, Vector::grid);
}

inline std::vector<Sample> schedule_samples() {
  const auto numbers = [](std::vector<int64_t> shape) { return weft::zeros(shape).astype(F32); };
  std::vector<Sample> all{
      written("elementwise", speed_elementwise(0), -2, 2, 67),
      written("newton", speed_newton(), 1, 5, 67),
      written("rk45", speed_rk45(), 0.5f, 2, 19),
      written("euler", speed_euler(), -1, 1, 67),
      written("cholesky", speed_cholesky(3), 1, 2, 19, 9),
      written("mandelbrot", mandelbrot, 67),
      written("collatz", collatz, 67),
      written("branching", branching, 67),
      written("kinds", kinds, 67),
      written("costly branch", costly_branch(), -2, 2, 67),
      written("each", each, 35),
      traced(
          "softmax", [](Array x) { return nn::softmax(x); }, numbers({5, 300})),
      traced(
          "centred", [](Array x) { return x - mean(x, 1, {.keepdims = true}); }, numbers({5, 300})),
      written("product", product_of_matrices(), -1, 1, 70, 45),
      written("product in any order", product_of_matrices(Storage::BF16, true), -1, 1, 70, 45),
      traced(
          "cumsum of rows", [](Array x) { return cumsum(x, 1); }, numbers({37, 96})),
      traced(
          "cumsum of columns", [](Array x) { return cumsum(x, 0); }, numbers({96, 300})),
      traced(
          "sum of columns", [](Array x) { return x.sum(0); }, numbers({200, 37})),
      traced(
          "transpose", [](Array x, Array y, Array z) { return transpose(x) * y + transpose(z); },
          numbers({35, 70}), numbers({70, 35}), numbers({35, 70})),
      traced(
          "matvec",
          [](Array a, Array x) {
            return vmap([](Array m, Array v) { return matmul(m, v); })(a, x);
          },
          numbers({37, 4, 4}), numbers({37, 4})),
      traced(
          "records",
          [](Array x) {
            return vmap([](Array v) {
              return fori_loop(0, 3, [](Array, Array c) { return roll(c, 1) + c; }, v);
            })(x);
          },
          numbers({67, 3})),
      traced(
          "masks",
          [](Array x) {
            return vmap([](Array v) {
              return fori_loop(
                  0, 3, [](Array, Array c) { return (roll(c, 1) & c) ^ roll(c, 7); }, v > 0);
            })(x);
          },
          numbers({67, 60})),
      traced(
          "f64 sum", [](Array x) { return sin(x).sum(1); }, weft::zeros({5, 200}).astype(F64)),
  };
  all[0].kernel.buffers.back().large_output = true;
  return all;
}

}  // namespace weft::compiler
