// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/compiled.h: a compiled program: its steps, its memory, and what it can tell about itself.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "weft/core/jaxpr.h"
#include "weft/jit/run/graphs.h"
#include "weft/jit/run/memory_plan.h"
#include "weft/jit/run/place.h"
#include "weft/runtime/backend.h"
#include "weft/runtime/usage.h"

namespace weft::compiler {

class BoundKernel;
class CompiledProgram;

// Work that is launches alone: what takes them, and memory for what lives while they run.
struct Launching {
  cuda::Launcher& to;
  std::byte* room;
};

// One step of the plan, ready to run. ptrs[v] is the memory of variable v, in the program's place.
class RunStep {
 public:
  virtual ~RunStep() = default;
  // Makes its machine code; called once, before it runs, for all steps of a program side by side.
  virtual void compile_code() {}
  virtual void run(void* const* ptrs, const int32_t* stop) const = 0;
  // Of temporaries(), on the host: bytes for inner programs that their program can give it, as they
  // do not hang on the number of threads.
  virtual int64_t room() const { return 0; }
  // run, with that room.
  virtual void run_in(std::byte* room, void* const* ptrs, const int32_t* stop) const {
    (void)room;
    run(ptrs, stop);
  }
  virtual std::string describe() const = 0;  // a line of the report
  virtual const BoundKernel* kernel() const { return nullptr; }
  virtual std::vector<const CompiledProgram*> inner() const { return {}; }
  virtual int64_t trips() const { return 1; }  // of the inner programs, where that is known
  // Bytes that it takes at once while it runs, those of inner programs included.
  virtual int64_t temporaries() const { return 0; }
  virtual bool loops() const { return false; }
  // Of a step on a GPU that is nothing but kernels, copies and clears, which are known before it
  // runs: at most how many. Else -1.
  virtual int64_t launches() const { return -1; }
  // The same for a graph, in which loops of the device hang on its own conditions.
  virtual int64_t nodes() const { return launches(); }
  // Of one that is not: why, as the end of "step 3 …".
  virtual std::string no_graph() const { return "is not launches alone, or too many"; }
  // Does so, in room of temporaries() bytes.
  virtual void launch(const Launching& l, void* const* ptrs) const {
    (void)l;
    (void)ptrs;
  }
};

// A step, and the variables of the program that it uses.
struct Built : StepUse {
  std::unique_ptr<RunStep> step;
};

// What a pass of the compiler took, in seconds.
struct PassTime {
  const char* pass;
  double seconds;
};

// Bytes. `temporaries` are the most that live at once, in the arena and in what steps take besides.
struct ProgramMemory {
  int64_t arguments = 0, results = 0, temporaries = 0, code = 0;
};

class CompiledProgram final : public Executable {
 public:
  // j and its steps in order, which work in memory of that place; their code may still be missing.
  CompiledProgram(Jaxpr j, std::vector<Built> steps, Place place);
  ~CompiledProgram() override;
  void run(const void* const* in, void* const* out) const override;
  // As a part of a running program, under its stop flag; in room of arena() bytes, if there is
  // some.
  void run_inside(const void* const* in, void* const* out, const int32_t* stop,
                  std::byte* room = nullptr) const;
  int64_t arena() const { return plan_.arena; }
  // As RunStep has them; more than most_launches are not launched together.
  static constexpr int64_t most_launches = 1024;
  int64_t launches() const { return launches_; }
  int64_t nodes() const { return nodes_; }
  bool loops() const { return loops_; }  // its kernels may run long
  void launch(const Launching& l, const void* const* in, void* const* out) const {
    launch(plan_, l, in, out);
  }
  const Jaxpr& jaxpr() const { return j_; }  // simplified
  const std::vector<std::unique_ptr<RunStep>>& steps() const { return steps_; }
  bool on_host() const { return place_.on_host(); }
  int32_t aliased_input(size_t k) const override {
    return plan_.in_place[k] >= 0 ? plan_.in_place[k] : plan_.may_alias[k];
  }
  // The same, where less work is done if it is so.
  int32_t in_place(size_t k) const { return plan_.in_place[k]; }
  Ref<const Executable> donating(const std::vector<bool>& inputs) const override;
  ProgramMemory memory() const;
  int64_t temporaries() const override;
  int64_t footprint() const override;
  Cost cost() const;
  std::string report() const;
  // A line for each implementation that was chosen for an op of the program itself.
  std::string implementations() const;
  int64_t without_code() const;
  void set_times(std::vector<PassTime> times) { times_ = std::move(times); }

 private:
  struct StepMemory;
  class Donating;
  void run_planned(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                   void* const* out) const;
  void run_to_the_end(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                      void* const* out) const;
  void run_steps(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                 void* const* out, const int32_t* stop, std::byte* room = nullptr) const;
  // False: it has no graph for this memory, and was not run.
  bool run_graph(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                 void* const* out, std::byte* room) const;
  void run_launches(const MemoryPlan& plan, const Graphs& graphs, const void* const* in,
                    void* const* out) const;
  void launch(const MemoryPlan& plan, const Launching& l, const void* const* in,
              void* const* out) const;
  int64_t count(int64_t (RunStep::*of)() const) const;
  std::string graph_report() const;
  // maker: by variable the equation that makes it (core/programs/makers.h).
  std::set<size_t> equations_of(size_t step, const std::vector<size_t>& maker) const;
  std::string scopes(size_t step, const std::vector<size_t>& maker) const;
  // Where each variable lies.
  std::vector<void*> pointers(const MemoryPlan& plan, const void* const* in, void* const* out,
                              std::byte* arena) const;
  int64_t temporaries(const MemoryPlan& plan) const;
  Jaxpr j_;
  Place place_;
  std::vector<std::unique_ptr<RunStep>> steps_;
  std::vector<StepUse> uses_;  // by step
  MemoryPlan plan_;            // with nothing donated
  Graphs graphs_;              // of that plan
  bool loops_ = false;         // can run long
  bool ordered_ = false;       // has effects in an order
  int64_t launches_ = -1, nodes_ = -1;
  std::vector<PassTime> times_;
};

}  // namespace weft::compiler
