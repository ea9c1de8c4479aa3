// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/library_step.cpp: steps that call code which is not generated here, and scatters.
#include <fmt/format.h>

#include <cstring>

#include "core/text/print.h"
#include "jit/run/bound_kernel.h"
#include "jit/run/memory_space.h"
#include "jit/run/steps.h"
#include "weft/device/threads.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

std::vector<int32_t> variables(const Eqn& e) {
  std::vector<int32_t> r;
  for (Atom a : e.in)
    if (!a.is_literal()) r.push_back(a.index);
  return r;
}
std::vector<int32_t> results(const Eqn& e) {
  std::vector<int32_t> r;
  for (int32_t k = 0; k < e.n_out; ++k) r.push_back(e.out + k);
  return r;
}

class NativeStep final : public RunStep {
 public:
  NativeStep(Jaxpr j, const Eqn& e, Lowering l)
      : j_(std::move(j)),
        e_(e),
        call_(std::move(l.native)),
        name_(fmt::format("{}: {}", e.op->name(), l.name)) {}
  void run(void* const* ptrs, const int32_t*) const override {
    std::vector<std::span<const std::byte>> in;
    std::vector<std::span<std::byte>> out;
    in.reserve(e_.in.size());
    out.reserve(static_cast<size_t>(e_.n_out));
    for (Atom a : e_.in)
      in.emplace_back(static_cast<const std::byte*>(address(*j_, a, ptrs)),
                      static_cast<size_t>(j_->type(a).bytes()));
    for (int32_t v = e_.out; v < e_.out + e_.n_out; ++v)
      out.emplace_back(static_cast<std::byte*>(ptrs[v]), static_cast<size_t>(j_->types[v].bytes()));
    const SourceScope source(e_.source);
    call_.run({in, out});
  }
  std::string describe() const override {
    std::string s = name_;
    for (Atom a : e_.in) s += ' ' + program_type(j_->type(a));
    return s;
  }
  int64_t temporaries() const override { return call_.workspace ? call_.workspace() : 0; }

 private:
  Jaxpr j_;
  const Eqn& e_;
  NativeCall call_;
  std::string name_;  // of the op and its implementation
};

// ---- steps that only the host can run, in a program of a device: copies operands and results
class OnHost final : public RunStep {
 public:
  OnHost(Jaxpr j, CompiledStep step, MemorySpace place)
      : j_(std::move(j)), step_(std::move(step)), place_(place) {}
  void compile_code() override { step_.step->compile_code(); }
  void run(void* const* ptrs, const int32_t* stop) const override {
    std::vector<int32_t> variables = step_.reads;
    variables.insert(variables.end(), step_.writes.begin(), step_.writes.end());
    Types types;
    for (int32_t v : variables) types.push_back(j_->types[v]);
    const TempBuffers buffers(MemorySpace(nullptr), types);
    std::vector<void*> here(j_->types.size(), nullptr);
    for (size_t i = 0; i < variables.size(); ++i) {
      const size_t v = variables[i];
      here[v] = buffers.ptrs[i];
      if (i < step_.reads.size()) place_.read(here[v], ptrs[v], types[i].bytes());
    }
    step_.step->run(here.data(), stop);
    for (size_t i = step_.reads.size(); i < variables.size(); ++i)
      if (void* to = ptrs[variables[i]]) place_.write(to, buffers.ptrs[i], types[i].bytes());
  }
  std::string describe() const override { return step_.step->describe() + ", on the host"; }

 private:
  Jaxpr j_;
  CompiledStep step_;
  MemorySpace place_;
};

// ---- scatters. The operand is copied, unless the result shares its memory. The updates are then
// combined into it in order. On a GPU each thread has separate elements.
class ScatterStep final : public RunStep {
 public:
  ScatterStep(const Program& p, size_t eqn, KernelNest nest, Schedule schedule)
      : j_(p.j), e_(p.j->eqns[eqn]), bound_(std::move(nest), std::move(schedule), *p.j) {}
  void compile_code() override { bound_.compile(); }
  void run(void* const* ptrs, const int32_t* stop) const override {
    if (bound_.on_gpu()) {
      place_.copy(ptrs[e_.out], *j_, e_.in[0], ptrs);
      return bound_.launch(bound_.gpu().stream(), ptrs);
    }
    copy_by_threads(ptrs[e_.out], address(*j_, e_.in[0], ptrs), j_->types[e_.out].bytes());
    BoundKernel::Run(bound_, ptrs, stop).run_single_point();
  }
  std::string describe() const override { return "kernel (scatter), " + bound_.describe(); }
  const BoundKernel* kernel() const override { return &bound_; }
  int64_t launches() const override {
    return bound_.on_gpu() && !e_.in[0].is_literal() ? 1 + bound_.gpu().has_points() : -1;
  }
  void launch(const LaunchContext& l, void* const* ptrs) const override {
    const void* const from = ptrs[e_.in[0].index];
    if (from != ptrs[e_.out]) l.to.copy_within(ptrs[e_.out], from, j_->types[e_.out].bytes());
    bound_.launch(l.to, ptrs);
  }

 private:
  Jaxpr j_;
  const Eqn& e_;
  BoundKernel bound_;
  MemorySpace place_{current_target().device};
};

}  // namespace

namespace {
CompiledStep built(const Program& p, size_t eqn, std::unique_ptr<RunStep> step) {
  const Eqn& e = p.j->eqns[eqn];
  CompiledStep b;
  b.step = std::move(step);
  b.reads = variables(e);
  b.writes = results(e);
  return b;
}
}  // namespace

void copy_by_threads(void* to, const void* from, int64_t bytes) {
  if (to == from) return;
  parallel_for(bytes, int64_t{1} << 20, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                end - begin);
  });
}

CompiledStep build_native(const Program& p, size_t eqn, CompiledAdapters adapters) {
  if (!p.scope.lowering[eqn].native.function.empty())
    return built(p, eqn, make_device_call(p, eqn, std::move(adapters)));
  CompiledStep b =
      built(p, eqn, std::make_unique<NativeStep>(p.j, p.j->eqns[eqn], p.scope.lowering[eqn]));
  if (!current_target().gpu()) return b;
  return built(p, eqn,
               std::make_unique<OnHost>(p.j, std::move(b), MemorySpace(current_target().device)));
}

CompiledStep build_scatter(const Program& p, size_t eqn, KernelNest nest, Schedule schedule) {
  CompiledStep b =
      built(p, eqn, std::make_unique<ScatterStep>(p, eqn, std::move(nest), std::move(schedule)));
  const Eqn& e = p.j->eqns[eqn];
  if (!e.in[0].is_literal()) b.in_place.emplace_back(e.out, e.in[0].index);
  return b;
}

CompiledStep build_lockstep(const Program& p, const Step& s, Bodies bodies) {
  CompiledStep b = built(p, s.eqn, make_lockstep(p, s, std::move(bodies)));
  const Eqn& e = p.j->eqns[s.eqn];
  const ValueRange carry = p.scope.lowering[s.eqn].loop.operands().carry;
  for (int t = 0; t < carry.size; ++t)
    if (const Atom a = e.in[static_cast<size_t>(carry.first + t)]; !a.is_literal())
      b.in_place.emplace_back(e.out + t, a.index);
  return b;
}

}  // namespace weft::compiler
