// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/compiled.h: a compiled program: its steps, its memory, and what it can tell about itself.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "weft/core/jaxpr.h"
#include "weft/jit/run/codegen.h"
#include "weft/runtime/backend.h"
#include "weft/runtime/usage.h"

namespace weft::compiler {

class CompiledProgram;

// One step of the plan, ready to run. ptrs[v] is the memory of variable v.
class RunStep {
 public:
  virtual ~RunStep() = default;
  // Makes its machine code; called once, before it runs, for all steps of a program side by side.
  virtual void compile_code() {}
  virtual void run(void* const* ptrs, const int32_t* stop) const = 0;
  virtual std::string describe() const = 0;  // a line of the report
  virtual const nest::Kernel* kernel() const { return nullptr; }
  virtual std::shared_ptr<const Code> code() const { return nullptr; }
  virtual std::vector<const CompiledProgram*> inner() const { return {}; }
  virtual int64_t trips() const { return 1; }  // of the inner programs, where that is known
  // Bytes that it takes at once while it runs, those of inner programs included.
  virtual int64_t temporaries() const { return 0; }
  virtual bool loops() const { return false; }
};

// A step, the variables of the program that it reads and writes, and what it writes to the memory
// of an operand if both have one place: (written, operand).
struct Built {
  std::unique_ptr<RunStep> step;
  std::vector<int32_t> reads, writes;
  std::vector<std::pair<int32_t, int32_t>> over;
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
  // j and its steps in order; their code may still be missing.
  CompiledProgram(Jaxpr j, std::vector<Built> steps);
  ~CompiledProgram() override;
  void run(const void* const* in, void* const* out) const override;
  // As a part of a running program, under its stop flag.
  void run_inside(const void* const* in, void* const* out, const int32_t* stop) const;
  const Jaxpr& jaxpr() const { return j_; }  // simplified
  const std::vector<std::unique_ptr<RunStep>>& steps() const { return steps_; }
  // The input whose memory may be that of result k, or -1: all that reads the input is done before
  // the result is written over it.
  int32_t over(size_t k) const { return over_[k]; }
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
  using Pairs = std::vector<std::pair<int32_t, int32_t>>;
  struct StepMemory;
  void share_places(const std::vector<Pairs>& pairs);
  void place_temporaries();
  Jaxpr j_;
  std::vector<std::unique_ptr<RunStep>> steps_;
  std::vector<std::vector<int32_t>> step_reads_, step_writes_;
  std::vector<int32_t> over_;        // by result
  std::vector<int32_t> same_place_;  // by temporary: the result that has its memory, or -1
  std::vector<int64_t> offset_;      // of temporaries in the arena, -1 else
  int64_t arena_ = 0;                // bytes of them
  bool loops_ = false;               // can run long
  std::vector<PassTime> times_;
};

}  // namespace weft::compiler
