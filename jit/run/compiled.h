// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/compiled.h: a compiled program: its steps, its memory, and its reports.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/var_map.h"
#include "jit/run/graphs.h"
#include "jit/run/memory_plan.h"
#include "jit/run/memory_space.h"
#include "runtime/backend.h"
#include "weft/detail/jaxpr.h"
#include "weft/device/usage.h"

namespace weft::compiler {

class BoundKernel;
class CompiledProgram;

// The target of work that consists only of launches, and memory for temporaries of that work.
struct LaunchContext {
  cuda::Launcher& to;
  std::byte* workspace;
};

// One step of the plan, ready to run. ptrs[v] is the memory of variable v, in the program's place.
class RunStep {
 public:
  virtual ~RunStep() = default;
  // Generates its machine code. Called once before it runs, for all steps of a program in parallel.
  virtual void compile_code() {}
  virtual void run(void* const* ptrs, const int32_t* stop) const = 0;
  // The part of temporaries(), in bytes on the host, that the enclosing program can provide for
  // inner programs, because it does not depend on the number of threads.
  virtual int64_t workspace() const { return 0; }
  // Runs like run, with that workspace.
  virtual void run_in(std::byte* workspace, void* const* ptrs, const int32_t* stop) const {
    (void)workspace;
    run(ptrs, stop);
  }
  virtual std::string describe() const = 0;  // a line of the report
  virtual const BoundKernel* kernel() const { return nullptr; }
  virtual std::vector<const CompiledProgram*> inner() const { return {}; }
  virtual int64_t trips() const { return 1; }  // of the inner programs, where it is known
  // The most bytes that it uses at the same time while it runs, including those of inner programs.
  virtual int64_t temporaries() const { return 0; }
  virtual bool loops() const { return false; }
  // For a step on a GPU that consists only of kernels, copies and clears that are known before it
  // runs: the largest number of them. Else -1.
  virtual int64_t launches() const { return -1; }
  // The same for a graph, in which loops of the device depend on the graph's own conditions.
  virtual int64_t nodes() const { return launches(); }
  // The reason why a step is not such a step, as the end of "step 3 …".
  virtual std::string no_graph() const {
    return "does more than launch kernels, or launches too many";
  }
  // Launches them, in a workspace of temporaries() bytes.
  virtual void launch(const LaunchContext& l, void* const* ptrs) const {
    (void)l;
    (void)ptrs;
  }
};

// A step, and the program's variables that it uses.
struct CompiledStep : StepUse {
  std::unique_ptr<RunStep> step;
};

// The time that a pass of the compiler took, in seconds.
struct PassTime {
  const char* pass;
  double seconds;
};

// In bytes. `temporaries` is the most that live at the same time, in the arena and in the steps.
struct ProgramMemory {
  int64_t arguments = 0, results = 0, temporaries = 0, code = 0;
};

class CompiledProgram final : public Executable {
 public:
  // j and its steps in order, which work in memory of that place. The steps may still lack code.
  CompiledProgram(Jaxpr j, std::vector<CompiledStep> steps, MemorySpace place);
  ~CompiledProgram() override;
  void run(const void* const* in, void* const* out) const override;
  // Runs as a part of a running program, under its stop flag, in `workspace` of arena() bytes if it
  // is not null.
  void run_inside(const void* const* in, void* const* out, const int32_t* stop,
                  std::byte* workspace = nullptr) const;
  int64_t arena() const { return plan_.arena; }
  // See RunStep. Programs with more than max_launches are not launched as a whole.
  static constexpr int64_t max_launches = 1024;
  int64_t launches() const { return launches_; }
  int64_t nodes() const { return nodes_; }
  bool loops() const { return loops_; }  // its kernels may run long
  void launch(const LaunchContext& l, const void* const* in, void* const* out) const {
    launch(plan_, l, in, out);
  }
  const Jaxpr& jaxpr() const { return j_; }  // simplified
  const std::vector<std::unique_ptr<RunStep>>& steps() const { return steps_; }
  bool on_host() const { return place_.on_host(); }
  int32_t aliased_input(size_t k) const override {
    return plan_.in_place[k] >= 0 ? plan_.in_place[k] : plan_.may_alias[k];
  }
  // The same, limited to aliases that save work.
  int32_t in_place(size_t k) const { return plan_.in_place[k]; }
  Ref<const Executable> donating(const std::vector<bool>& inputs) const override;
  ProgramMemory memory() const;
  int64_t temporaries() const override;
  int64_t footprint() const override;
  Cost cost() const;
  std::string report() const;
  // Prints a line for each implementation that was chosen for an op of the program itself.
  std::string implementations() const;
  int64_t without_code() const;
  // Sets what the report says beside the steps (why_stored: see Plan).
  void set_notes(std::vector<PassTime> times, VarMap<const char*> why_stored) {
    times_ = std::move(times);
    why_stored_ = std::move(why_stored);
  }

 private:
  struct StepMemory;
  class Donating;
  void run_planned(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                   void* const* out) const;
  void run_to_completion(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                         void* const* out) const;
  void run_steps(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                 void* const* out, const int32_t* stop, std::byte* workspace = nullptr) const;
  // Returns false, without running anything, if there is no graph for this memory.
  bool run_graph(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                 void* const* out, std::byte* workspace) const;
  void run_launches(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                    void* const* out) const;
  void launch(const MemoryPlan& plan, const LaunchContext& l, const void* const* in,
              void* const* out) const;
  int64_t count(int64_t (RunStep::*of)() const) const;
  std::string graph_report() const;
  // defining_eqn: see core/defining_eqns.h.
  std::set<size_t> equations_of(size_t step, const VarMap<size_t>& defining_eqn) const;
  std::string scopes(size_t step, const VarMap<size_t>& defining_eqn) const;
  std::string stored_values(size_t step) const;
  // Returns the address of each variable.
  std::vector<void*> pointers(const MemoryPlan& plan, const void* const* in, void* const* out,
                              std::byte* arena) const;
  int64_t temporaries(const MemoryPlan& plan) const;
  Jaxpr j_;
  MemorySpace place_;
  std::vector<std::unique_ptr<RunStep>> steps_;
  std::vector<StepUse> uses_;  // by step
  MemoryPlan plan_;            // with nothing donated
  Graphs graphs_;              // of that plan
  bool loops_ = false;         // may run long
  bool ordered_ = false;       // has ordered effects
  int64_t launches_ = -1, nodes_ = -1;
  std::vector<PassTime> times_;
  VarMap<const char*> why_stored_;
};

}  // namespace weft::compiler
