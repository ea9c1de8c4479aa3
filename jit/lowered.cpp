// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/lowered.cpp: the texts of a program at each stage of its compilation.
#include "weft/jit/lowered.h"

#include <fmt/format.h>

#include <set>

#include "core/param.h"
#include "jit/emit/compile/image.h"
#include "jit/forced.h"
#include "jit/gpu_program.h"
#include "jit/pipeline.h"
#include "jit/program.h"
#include "jit/run/bound_kernel.h"
#include "runtime/cuda/device.h"
#include "tracer/concrete.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

class CompiledView final : public weft::detail::CompiledImpl {
 public:
  CompiledView(Ref<const weft::detail::Program> traced, Ref<const CompiledProgram> p)
      : traced_(std::move(traced)), program_(std::move(p)) {}
  weft::MemoryUse memory() const override {
    weft::MemoryUse m;
    const JaxprData& j = *traced_->closed.jaxpr;
    for (int v = 0; v < j.n_in; ++v)
      (v < j.n_const ? m.constants : m.arguments) += j.types[v].bytes();
    const ProgramMemory p = program_->memory();
    m.outputs = p.results;
    m.temporaries = p.temporaries;
    m.code = p.code;
    if (traced_->donated.empty()) return m;
    const Ref<const Executable> d = program_->donating(traced_->donated_memory());
    m.temporaries = d->temporaries();
    for (size_t k = 0; k < j.out.size(); ++k)
      if (d->aliased_input(k) >= 0) m.aliased += j.type(j.out[k]).bytes();
    return m;
  }
  Cost cost() const override { return program_->cost(); }
  Arrays run(const Arrays& x) const override {
    weft::detail::LeafList leaves;
    for (const Array& a : x) {
      (void)concrete(a);  // raises ConcretizationError inside a trace
      leaves.add(&a);
    }
    Arrays out(traced_->n_out);
    traced_->call(leaves, out.data());
    return out;
  }

 private:
  Ref<const weft::detail::Program> traced_;
  Ref<const CompiledProgram> program_;
};

// Collects the ops without a batching rule, which run for one lane after another.
void lane_loops(const Jaxpr& j, std::set<std::string>* ops) {
  any_equation({j}, [&](const JaxprData&, const Eqn& e) {
    if (const auto op = param_field<std::string>(e.params, "lane_loop_of"); op && !op->empty())
      ops->insert(*op);
    return false;
  });
}

// Returns the program and its inner programs, at all depths.
std::vector<const CompiledProgram*> with_inner(const CompiledProgram& p) {
  std::vector<const CompiledProgram*> all{&p};
  for (size_t i = 0; i < all.size(); ++i)
    for (const auto& step : all[i]->steps())
      for (const CompiledProgram* inner : step->inner()) all.push_back(inner);
  return all;
}

class LoweredView final : public weft::detail::LoweredImpl {
 public:
  LoweredView(Ref<const weft::detail::Program> p, weft::detail::Device* elsewhere)
      : traced_(std::move(p)), device_(elsewhere) {}
  std::string jaxpr() const override { return to_string(closed().jaxpr); }
  std::string optimized() const override { return to_string(program()->jaxpr()); }
  std::string kernels() const override {
    std::string s;
    const Ref<const CompiledProgram> keep = program();
    for (const CompiledProgram* p : with_inner(*keep)) s += p->implementations();
    for (const BoundKernel* k : kernels_of(*keep)) {
      s += fmt::format("{}schedule {}\n{}", nest::print(k->kernel()), nest_hash(k->kernel()),
                       to_string(k->schedule()));
      if (k->on_gpu()) s += fmt::format("# {}\n", k->gpu().shape());
    }
    return s;
  }
  std::string llvm_ir() const override {
    const Ref<const CompiledProgram> keep = program();
    if (!keep->on_host()) return gpu_llvm_ir(codes(*keep), gpu());
    std::string s;
    for (const BoundKernel* k : kernels_of(*keep)) s += k->code()->llvm_ir();
    return s;
  }
  std::string assembly() const override {
    const Ref<const CompiledProgram> keep = program();
    if (!keep->on_host()) return gpu_image(codes(*keep), gpu());
    std::string s;
    for (const BoundKernel* k : kernels_of(*keep)) s += k->code()->assembly();
    return s;
  }
  std::string ptx() const override {
    if (const Ref<const CompiledProgram> keep = device_ ? program() : nullptr;
        keep && !keep->on_host())
      return gpu_image(codes(*keep), gpu());
    return gpu_program(traced_->written.jaxpr, "sm_80").ptx;
  }
  const ClosedJaxpr& closed() const override { return traced_->closed; }
  std::string report() const override {
    std::string s = program()->report();
    if (*traced_->options.name) s = fmt::format("program {}\n{}", traced_->options.name, s);
    std::set<std::string> ops;
    lane_loops(closed().jaxpr, &ops);
    for (const std::string& op : ops)
      s += fmt::format("one lane after another: '{}' has no batching rule\n", op);
    return s;
  }
  Ref<const weft::detail::CompiledImpl> compile(const weft::CompileOptions& o) const override {
    if (o.schedules.empty() && o.implementations.empty())
      return Ref<const weft::detail::CompiledImpl>(new CompiledView(traced_, program()));
    const Forced forced{{o.schedules, "schedules of compile()"},
                        {o.implementations, "implementations of compile()"}};
    const ForcedScope scope(forced);
    const Ref<const CompiledProgram> p = program();
    forced.schedules.require_used();
    return Ref<const weft::detail::CompiledImpl>(new CompiledView(traced_->run_by(p, device_), p));
  }

 private:
  // Compiles for the device if it has a compiler, else for the host.
  Ref<const CompiledProgram> program() const {
    const Jaxpr& j = traced_->written.jaxpr;
    if (!device_) return compile_program(j);
    const Ref<const Executable> e = device_->compile(j);
    const auto* const p = dynamic_cast<const CompiledProgram*>(e.get());
    return p ? Ref<const CompiledProgram>(p) : compile_program(j);
  }
  // Returns the kernels of all steps, including those of inner programs.
  static std::vector<const BoundKernel*> kernels_of(const CompiledProgram& all) {
    std::vector<const BoundKernel*> r;
    for (const CompiledProgram* p : with_inner(all))
      for (const auto& step : p->steps())
        if (step->kernel()) r.push_back(step->kernel());
    return r;
  }
  static std::vector<GpuKernelCode> codes(const CompiledProgram& p) {
    std::vector<GpuKernelCode> r;
    for (const BoundKernel* k : kernels_of(p)) r.push_back({k->kernel(), k->schedule()});
    return r;
  }
  // The target of the generated texts. It is never an emulated GPU.
  TargetInfo gpu() const {
    return gpu_target(static_cast<const cuda::Device&>(*device_).architecture());
  }
  Ref<const weft::detail::Program> traced_;
  weft::detail::Device* device_;  // null: the host
};

}  // namespace
}  // namespace weft::compiler

namespace weft::detail {

Ref<const LoweredImpl> make_lowered(const Ref<const Program>& p, Device* elsewhere) {
  return Ref<const LoweredImpl>(new compiler::LoweredView(p, elsewhere));
}
Ref<const LoweredImpl> make_lowered(const ClosedJaxpr& c) {
  return make_lowered(make_ref<const Program>(c, true, CallOptions{.name = ""}),
                      default_elsewhere());
}

}  // namespace weft::detail
