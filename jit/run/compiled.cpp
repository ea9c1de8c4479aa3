// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/compiled.cpp: runs the steps of a program and reports on them.
#include "jit/run/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/effects.h"
#include "core/op.h"
#include "jit/fuse/analysis.h"
#include "jit/fuse/cost.h"
#include "jit/run/bound_kernel.h"
#include "runtime/float_state.h"
#include "runtime/ordered_output.h"
#include "runtime/red_zones.h"
#include "weft/buffer.h"
#include "weft/error.h"
#include "weft/stop.h"

namespace weft::compiler {

CompiledProgram::CompiledProgram(Jaxpr j, std::vector<CompiledStep> steps, MemorySpace place)
    : j_(std::move(j)), place_(place) {
  for (CompiledStep& b : steps) {
    loops_ = loops_ || b.step->loops();
    b.workspace = b.step->workspace();
    steps_.push_back(std::move(b.step));
    uses_.push_back(std::move(b));
  }
  plan_ = plan_memory(*j_, uses_);
  ordered_ = effect_of(j_) == Effect::ordered;
  launches_ = count(&RunStep::launches);
  nodes_ = count(&RunStep::nodes);
}

CompiledProgram::~CompiledProgram() = default;

// The same steps with another memory plan.
class CompiledProgram::Donating final : public Executable {
 public:
  Donating(Ref<const CompiledProgram> p, const std::vector<bool>& inputs)
      : program_(std::move(p)), plan_(plan_memory(*program_->j_, program_->uses_, inputs)) {}
  void run(const void* const* in, void* const* out) const override {
    program_->run_planned(plan_, graphs_, in, out);
  }
  int32_t aliased_input(size_t k) const override { return plan_.in_place[k]; }
  bool overwrites_input(size_t input) const override { return plan_.overwritten[input]; }
  int64_t temporaries() const override { return program_->temporaries(plan_); }
  int64_t footprint() const override {
    return 100 * static_cast<int64_t>(program_->j_->types.size());
  }

 private:
  Ref<const CompiledProgram> program_;
  MemoryPlan plan_;
  Graphs graphs_;
};

Ref<const Executable> CompiledProgram::donating(const std::vector<bool>& inputs) const {
  return make_ref<const Donating>(Ref<const CompiledProgram>(this), inputs);
}

// With the address sanitizer: checks that the memory of the variables that step s uses is as large
// as their types. While the step runs, the memory after them may not be accessed.
struct CompiledProgram::StepMemory {
  StepMemory(const CompiledProgram& p, const MemoryPlan& plan, size_t s,
             const std::vector<void*>& ptrs, const std::byte* arena) {
    if (red_zone == 0 || !p.place_.on_host()) return;
    for (const auto* variables : {&p.uses_[s].reads, &p.uses_[s].writes})
      for (const int32_t v : *variables) {
        const auto* at = static_cast<const std::byte*>(ptrs[v]);
        const int64_t bytes = p.j_->types[v].bytes();
        if (!at) continue;  // an unused result
        if (forbidden_in(at, bytes))
          throw InternalError(
              fmt::format("step {} of a program takes {} bytes of memory that has "
                          "fewer: variable {}",
                          s, bytes, v));
        if (!arena || at < arena || at >= arena + plan.arena) continue;
        rests.emplace_back(at + bytes, padded_bytes(bytes) - bytes);
      }
    for (const auto& [at, bytes] : rests) forbid(at, bytes);
  }
  ~StepMemory() {
    for (const auto& [at, bytes] : rests) permit(at, bytes);
  }
  StepMemory(const StepMemory&) = delete;
  std::vector<std::pair<const std::byte*, int64_t>> rests;
};

void CompiledProgram::run(const void* const* in, void* const* out) const {
  run_planned(plan_, graphs_, in, out);
}

void CompiledProgram::run_inside(const void* const* in, void* const* out, const int32_t* stop,
                                 std::byte* workspace) const {
  run_steps(plan_, graphs_, in, out, stop, workspace);
}

void CompiledProgram::run_planned(const MemoryPlan& plan, const Graphs& graphs,
                                  const void* const* in, void* const* out) const {
  if (ordered_) {
    OrderedOutput output;
    run_to_completion(plan, graphs, in, out);
    return output.finish();
  }
  run_to_completion(plan, graphs, in, out);
}

void CompiledProgram::run_to_completion(const MemoryPlan& plan, const Graphs& graphs,
                                        const void* const* in, void* const* out) const {
  const FloatState state;
  if (!loops_) {
    static const int32_t never = 0;
    return run_steps(plan, graphs, in, out, &never);
  }
  const StopFlag flag;
  run_steps(plan, graphs, in, out, flag.word());
  flag.check("a compiled program");
}

std::vector<void*> CompiledProgram::pointers(const MemoryPlan& plan, const void* const* in,
                                             void* const* out, std::byte* arena) const {
  std::vector<void*> ptrs(j_->types.size(), nullptr);
  for (int v = 0; v < j_->n_in; ++v) ptrs[v] = const_cast<void*>(in[v]);
  for (size_t v = 0; plan.has_slots && v < ptrs.size(); ++v)
    if (const MemoryPlan::Slot p = plan.slot[v]; p.at >= 0)
      ptrs[v] = (p.input < 0 ? arena : static_cast<std::byte*>(ptrs[p.input])) + p.at;
  for (size_t k = 0; k < j_->out.size(); ++k)
    if (const Atom a = j_->out[k]; !a.is_literal() && a.index >= j_->n_in && !ptrs[a.index])
      ptrs[a.index] = out[k];
  for (size_t v = 0; v < ptrs.size(); ++v)
    if (plan.aliased_result[v] >= 0) ptrs[v] = ptrs[plan.aliased_result[v]];
  return ptrs;
}

void CompiledProgram::run_steps(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                                void* const* out, const int32_t* stop, std::byte* workspace) const {
  if (launches_ >= 0) return run_launches(plan, graphs, in, out);
  if (nodes_ >= 0) {
    const DeviceAllocation all(place_, temporaries(plan));
    if (run_graph(plan, graphs, in, out, all.data())) return;
  }
  std::optional<DeviceAllocation> own;
  if (!workspace && plan.arena > 0) workspace = own.emplace(place_, plan.arena).data();
  const std::vector<void*> ptrs = pointers(plan, in, out, workspace);
  for (size_t s = 0; s < steps_.size(); ++s) {
    const StepMemory guard(*this, plan, s, ptrs, workspace);
    steps_[s]->run_in(workspace, ptrs.data(), stop);
  }
  // Copies results that no step wrote: inputs, literals, and repeated results.
  for (size_t k = 0; k < j_->out.size(); ++k)
    if (out[k]) place_.copy(out[k], *j_, j_->out[k], ptrs.data());
}

void CompiledProgram::run_launches(const MemoryPlan& plan, const Graphs& graphs,
                                   const void* const* in, void* const* out) const {
  auto& device = static_cast<cuda::Device&>(place_.device());
  std::optional<DeviceAllocation> workspace;
  if (const int64_t bytes = temporaries(plan)) workspace.emplace(place_, bytes);
  std::byte* const at = workspace ? workspace->data() : nullptr;
  if (!run_graph(plan, graphs, in, out, at)) launch(plan, {device.launcher(), at}, in, out);
}

bool CompiledProgram::run_graph(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                                void* const* out, std::byte* workspace) const {
  auto& device = static_cast<cuda::Device&>(place_.device());
  const auto launches = [&](cuda::Launcher& to) { launch(plan, {to, workspace}, in, out); };
  const CallMemory memory{{in, static_cast<size_t>(j_->n_in)}, {out, j_->out.size()}, workspace};
  return nodes_ > 1 && device.has_graphs() && graphs.launch(device, memory, launches);
}

void CompiledProgram::launch(const MemoryPlan& plan, const LaunchContext& l, const void* const* in,
                             void* const* out) const {
  const std::vector<void*> ptrs = pointers(plan, in, out, l.workspace);
  const LaunchContext inner{l.to, l.workspace + plan.arena};
  for (const auto& step : steps_) step->launch(inner, ptrs.data());
  for (size_t k = 0; k < j_->out.size(); ++k)
    if (const void* from = out[k] ? ptrs[j_->out[k].index] : nullptr; from != out[k])
      l.to.copy_within(out[k], from, j_->type(j_->out[k]).bytes());
}

// Returns an upper bound of the launches; -1 if a step does anything but kernels, copies and
// clears, or if there are too many.
int64_t CompiledProgram::count(int64_t (RunStep::*of)() const) const {
  if (on_host()) return -1;
  int64_t n = 0;
  for (const auto& step : steps_) {
    const int64_t each = (*step.*of)();
    if (each < 0) return -1;
    n += each;
  }
  for (const Atom a : j_->out) {
    if (a.is_literal()) return -1;  // the host writes it
    n += a.index < j_->n_in || std::count(j_->out.begin(), j_->out.end(), a) > 1;
  }
  return n > max_launches ? -1 : n;
}

int64_t CompiledProgram::temporaries() const { return temporaries(plan_); }
int64_t CompiledProgram::temporaries(const MemoryPlan& plan) const {
  int64_t most = 0;
  for (const auto& step : steps_) most = std::max(most, step->temporaries() - step->workspace());
  return plan.arena + most;
}

// Approximates measured sizes. A step or an equation takes half a kilobyte, an instruction of a
// nest an eighth of one, and code two pages more than its bytes. Each program that shares code
// counts its part of it.
int64_t CompiledProgram::footprint() const {
  int64_t bytes = 2000 + 500 * static_cast<int64_t>(j_->eqns.size() + steps_.size());
  for (const auto& step : steps_) {
    if (const BoundKernel* k = step->kernel())
      bytes += (k->code_bytes() + 8192 + 128 * static_cast<int64_t>(k->kernel().insts.size())) /
               std::max<int64_t>(1, k->code_users());
    for (const CompiledProgram* p : step->inner()) bytes += p->footprint();
  }
  return bytes;
}

ProgramMemory CompiledProgram::memory() const {
  ProgramMemory m;
  for (int v = 0; v < j_->n_in; ++v) m.arguments += j_->types[v].bytes();
  for (Atom a : j_->out) m.results += j_->type(a).bytes();
  m.temporaries = temporaries();
  for (const auto& step : steps_) {
    if (step->kernel()) m.code += step->kernel()->code_bytes();
    for (const CompiledProgram* p : step->inner()) m.code += p->memory().code;
  }
  return m;
}

// Counts a loop of unknown trip count as one trip.
Cost CompiledProgram::cost() const {
  Cost c;
  c.flops = flops(j_);
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (int32_t v : uses_[s].reads) c.bytes += static_cast<double>(j_->types[v].bytes());
    for (int32_t v : uses_[s].writes) c.bytes += static_cast<double>(j_->types[v].bytes());
    for (const CompiledProgram* p : steps_[s]->inner())
      c.bytes += static_cast<double>(steps_[s]->trips()) * p->cost().bytes;
  }
  return c;
}

// Walks back from the variables that the step writes to those that it reads.
std::set<size_t> CompiledProgram::equations_of(size_t step,
                                               const VarMap<size_t>& defining_eqn) const {
  const std::set<int32_t> reads(uses_[step].reads.begin(), uses_[step].reads.end());
  std::set<size_t> seen;
  std::vector<int32_t> todo = uses_[step].writes;
  while (!todo.empty()) {
    const size_t i = defining_eqn[todo.back()];
    todo.pop_back();
    if (i == Program::none || !seen.insert(i).second) continue;
    for (Atom a : j_->eqns[i].in)
      if (!a.is_literal() && !reads.count(a.index)) todo.push_back(a.index);
  }
  return seen;
}

// Counts the equations that the code of no step computes.
int64_t CompiledProgram::without_code() const {
  const VarMap<size_t> defining_eqn = defining_eqns(*j_);
  std::vector<bool> computed(j_->eqns.size(), false);
  int64_t n = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (size_t i : equations_of(s, defining_eqn)) computed[i] = true;
    for (const CompiledProgram* p : steps_[s]->inner()) n += p->without_code();
  }
  for (size_t i = 0; i < computed.size(); ++i)
    n += !computed[i] && j_->eqns[i].n_out > 0;  // an equation without results is a separate step
  return n;
}

std::string CompiledProgram::implementations() const {
  std::map<std::pair<std::string_view, std::string_view>, int> uses;
  for_each_program({j_}, [&](const JaxprData& j) {
    for (const Eqn& e : j.eqns)
      if (!e.implementation.empty()) ++uses[{e.op->name(), e.implementation}];
  });
  std::string s;
  for (const auto& [use, n] : uses)
    s += fmt::format("{}: {}{}\n", use.first, use.second, n > 1 ? fmt::format(" ({})", n) : "");
  return s;
}

// Reports how calls with the same memory run.
std::string CompiledProgram::graph_report() const {
  if (on_host()) return {};
  const auto none = [](const std::string& why) { return fmt::format("graph: none, {}\n", why); };
  for (size_t s = 0; s < steps_.size(); ++s)
    if (steps_[s]->nodes() < 0) return none(fmt::format("step {} {}", s, steps_[s]->no_graph()));
  if (nodes_ < 0) return none("a result is a constant, or it has too many launches");
  if (!static_cast<cuda::Device&>(place_.device()).has_graphs())
    return none("the driver knows none");
  if (nodes_ < 2) return none("there are fewer than two launches");
  if (const std::string why = graphs_.failure_reason(); !why.empty()) return none(why);
  // The addresses are invented, because nothing is launched.
  struct Counting final : cuda::Launcher {
    int64_t n = 0, loops = 0, branches = 0;
    void launch(const cuda::Function&, const cuda::Launch& l, void**, const char*) override {
      n += l.blocks > 0;
    }
    void copy_within(void*, const void*, int64_t bytes) override { n += bytes > 0; }
    void clear(void*, int64_t bytes) override { n += bytes > 0; }
    void conditional(bool again, const cuda::Condition&,
                     FunctionRef<void(Launcher&)> body) override {
      n += again ? 2 : 1;  // the setter of its condition
      ++(again ? loops : branches);
      body(*this);
    }
  } counting;
  uintptr_t last = 0;
  const auto somewhere = [&] { return std::bit_cast<std::byte*>(last += uintptr_t{1} << 40); };
  std::vector<const void*> in;
  std::vector<void*> out;
  for (int v = 0; v < j_->n_in; ++v) in.push_back(somewhere());
  for (const Atom a : j_->out) out.push_back(a.index < j_->n_in ? nullptr : somewhere());
  try {
    launch(plan_, {counting, somewhere()}, in.data(), out.data());
  } catch (const DeviceError& e) {  // making a graph would raise it too
    return none(e.what());
  }
  const auto some = [](int64_t k, const char* one, const char* many) {
    return k == 0 ? "" : fmt::format(", {} {} on the device", k, k == 1 ? one : many);
  };
  return fmt::format("graph: {} launches{}{}\n", counting.n, some(counting.loops, "loop", "loops"),
                     some(counting.branches, "branch", "branches"));
}

// Returns the scopes (named_scope) of the equations that the step computes, ", of a, b", or
// nothing.
std::string CompiledProgram::scopes(size_t step, const VarMap<size_t>& defining_eqn) const {
  std::vector<const char*> r;
  const auto note = [&](const Eqn& e) {
    if (*e.source.scope && std::find(r.begin(), r.end(), e.source.scope) == r.end())
      r.push_back(e.source.scope);
  };
  for (size_t i : equations_of(step, defining_eqn)) {
    note(j_->eqns[i]);
    any_equation(inner_programs(j_->eqns[i].params), [&](const JaxprData&, const Eqn& inner) {
      note(inner);
      return false;
    });
  }
  return r.empty() ? "" : fmt::format(", of {}", fmt::join(r, ", "));
}

// Returns what the step stores for later steps, a line for values of one type that have the same
// readers and reason.
std::string CompiledProgram::stored_values(size_t step) const {
  std::map<std::tuple<std::string, std::vector<size_t>, std::string>, int> values;
  for (int32_t v : uses_[step].writes) {
    std::vector<size_t> readers;
    for (size_t i = step + 1; i < steps_.size(); ++i)
      if (std::ranges::find(uses_[i].reads, v) != uses_[i].reads.end()) readers.push_back(i);
    if (!readers.empty() && why_stored_[v])
      ++values[{to_string(j_->types[v]), std::move(readers), why_stored_[v]}];
  }
  std::string r;
  for (const auto& [key, n] : values) {
    const auto& [type, readers, why] = key;
    r += fmt::format("     stores {}{} for {}: {}\n", n > 1 ? fmt::format("{} x ", n) : "", type,
                     fmt::join(readers, ", "), why);
  }
  return r;
}

std::string CompiledProgram::report() const {
  std::string s;
  if (const weft::detail::Device& d = place_.device(); !place_.on_host())
    s = fmt::format("device: {} ({})\n", d.name(), d.describe());
  s += fmt::format("equations: {}\nequations interpreted: {}\nsteps: {}\n", count_equations(j_),
                   without_code(), steps_.size());
  const VarMap<size_t> defining_eqn = defining_eqns(*j_);
  for (size_t i = 0; i < steps_.size(); ++i)
    s += fmt::format("  {}: {}{}\n{}", i, steps_[i]->describe(), scopes(i, defining_eqn),
                     stored_values(i));
  s += graph_report();
  s += implementations();
  const ProgramMemory m = memory();
  s += fmt::format("memory: arguments {} bytes, results {} bytes, temporaries {} bytes\n",
                   m.arguments, m.results, m.temporaries);
  s += "passes:";
  for (const PassTime& t : times_)
    s += fmt::format("{} {} {:.2f} ms", &t == times_.data() ? "" : ",", t.pass, 1e3 * t.seconds);
  return s + "\n";
}

}  // namespace weft::compiler
