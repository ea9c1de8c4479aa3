// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/device_step.cpp: steps that call a library of the device, between programs that are
// generated for it (docs/decisions/0037).
#include <fmt/format.h>

#include <algorithm>

#include "core/text/print.h"
#include "jit/run/memory_space.h"
#include "jit/run/steps.h"

namespace weft::compiler {
namespace {

template <class Bytes, class Pointer>
std::vector<std::span<Bytes>> spans(const std::vector<Pointer>& at, const Types& types) {
  std::vector<std::span<Bytes>> r;
  for (size_t i = 0; i < types.size(); ++i)
    r.emplace_back(static_cast<Bytes*>(at[i]), static_cast<size_t>(types[i].bytes()));
  return r;
}

class DeviceStep final : public RunStep {
 public:
  DeviceStep(Jaxpr j, const Eqn& e, Lowering l, CompiledAdapters adapters)
      : j_(std::move(j)),
        e_(e),
        call_(std::move(l.native)),
        adapters_(std::move(adapters)),
        name_(fmt::format("{}: {} ({})", e.op->name(), l.name, call_.function)) {
    for (const Atom a : e_.in) operands_.push_back(j_->type(a));
    for (int32_t k = 0; k < e_.n_out; ++k) results_.push_back(j_->types[e_.out + k]);
    if (adapters_.before) operands_ = adapters_.before->jaxpr()->out_types();
    if (adapters_.before) own_ = operands_;
    if (!adapters_.after) adapters_.call_results = results_;
    if (adapters_.after)
      own_.insert(own_.end(), adapters_.call_results.begin(), adapters_.call_results.end());
  }
  void run(void* const* ptrs, const int32_t* stop) const override {
    const Literals literals(*this);
    std::vector<const void*> given = literals.operands(ptrs);
    std::vector<void*> results(ptrs + e_.out, ptrs + e_.out + e_.n_out);
    const TempBuffers own(place_, own_);
    std::vector<const void*> operands = given;
    if (adapters_.before) {
      adapters_.before->run_inside(given.data(), own.ptrs.data(), stop);
      operands.assign(own.ptrs.begin(),
                      own.ptrs.begin() + static_cast<std::ptrdiff_t>(operands_.size()));
    }
    std::vector<void*> made = results;
    if (adapters_.after)
      made.assign(own.ptrs.end() - static_cast<std::ptrdiff_t>(adapters_.call_results.size()),
                  own.ptrs.end());
    call_.run({spans<const std::byte>(operands, operands_),
               spans<std::byte>(made, adapters_.call_results),
               &static_cast<cuda::Device&>(place_.device()), adapters_.before != nullptr});
    if (!adapters_.after) return;
    operands.insert(operands.end(), made.begin(), made.end());
    adapters_.after->run_inside(operands.data(), results.data(), stop);
  }
  std::string describe() const override {
    std::string s = name_;
    for (const Atom a : e_.in) s += ' ' + program_type(j_->type(a));
    for (const CompiledProgram* p : inner())
      for (const auto& step : p->steps())
        s += fmt::format("\n      {} it: {}", p == adapters_.before.get() ? "before" : "behind",
                         step->describe());
    return s;
  }
  std::vector<const CompiledProgram*> inner() const override {
    std::vector<const CompiledProgram*> r;
    for (const auto& p : {adapters_.before, adapters_.after})
      if (p) r.push_back(p.get());
    return r;
  }
  // Excludes the library's workspace, whose size is known only when it runs.
  int64_t temporaries() const override {
    int64_t most = 0;
    for (const CompiledProgram* p : inner()) most = std::max(most, p->temporaries());
    return TempBuffers::bytes(own_) + most;
  }
  std::string no_graph() const override {
    return fmt::format("calls {}, which queues work of its own", call_.function);
  }

 private:
  // Literals of the program, which are on the host, as operands on the device.
  class Literals {
   public:
    explicit Literals(const DeviceStep& s) : step_(s), buffers_(s.place_, types_of(s)) {}
    std::vector<const void*> operands(void* const* ptrs) const {
      std::vector<const void*> r;
      for (size_t next = 0; const Atom a : step_.e_.in) {
        const void* at = address(*step_.j_, a, ptrs);
        if (a.is_literal()) {
          step_.place_.write(buffers_.ptrs[next], at, step_.j_->type(a).bytes());
          at = buffers_.ptrs[next++];
        }
        r.push_back(at);
      }
      return r;
    }

   private:
    static Types types_of(const DeviceStep& s) {
      Types r;
      for (const Atom a : s.e_.in)
        if (a.is_literal()) r.push_back(s.j_->type(a));
      return r;
    }
    const DeviceStep& step_;
    const TempBuffers buffers_;
  };

  Jaxpr j_;
  const Eqn& e_;
  NativeCall call_;
  CompiledAdapters adapters_;
  std::string name_;  // of the op, its implementation, and the called function
  Types operands_, results_, own_;
  MemorySpace place_{current_target().device};
};

}  // namespace

std::unique_ptr<RunStep> make_device_call(const Program& p, size_t eqn, CompiledAdapters adapters) {
  return std::make_unique<DeviceStep>(p.j, p.j->eqns[eqn], p.scope.lowering[eqn],
                                      std::move(adapters));
}

}  // namespace weft::compiler
