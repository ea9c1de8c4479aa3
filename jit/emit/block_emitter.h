// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/block_emitter.h: walks the blocks of a nest and writes their instructions, the same for
// CPUs and GPUs. It may touch the nest, its schedule and the parts in jit/emit/, not the machines
// in cpu/ and gpu/. A new instruction is added to emit_inst(), as a virtual function where machines
// differ.
#pragma once
#include <vector>

#include "core/loops/nest_bounds.h"
#include "jit/emit/loops.h"
#include "jit/emit/nest_values.h"
#include "jit/emit/operations.h"
#include "jit/emit/stop_checks.h"
#include "jit/schedule/schedule.h"

namespace weft::compiler {

class BlockEmitter : public NestValues {
 public:
  // The differences between machines that are not code.
  struct Machine {
    Operations::Features features;
    ArrayLimits arrays;
    bool has_vectors, mask_registers;
  };
  // The schedule must have been verified.
  BlockEmitter(const nest::Kernel& kernel, const Schedule& schedule, llvm::Module& module,
               const Machine& machine);
  BlockEmitter(const BlockEmitter&) = delete;
  virtual ~BlockEmitter() = default;

  const Schedule& schedule() const { return s_; }
  Operations& ops() { return ops_; }
  bool mask_registers() const { return mask_registers_; }

  // Blocks, and parts of them at the current indices.
  void emit_block(nest::BlockId b);
  void emit_inst(nest::Id v);
  void emit_level(int level);   // the instructions of the top block with this level
  void emit_slice(nest::Id v);  // those of the top block that compute v
  void emit_offset(nest::Id v, nest::BlockId body);  // those of the body that compute v
  // Emits the body of a loop whose iterations threads may share.
  virtual void emit_iteration(nest::BlockId body) { emit_block(body); }
  const nest::Range& range(nest::Id v);
  bool fits_int32(nest::Id v) { return range(v).within({INT32_MIN, INT32_MAX}); }

  Loops& loops() { return loops_; }
  StopChecks& stop_checks() { return stop_checks_; }
  // Returns what the threads that exit together know of the stop flag, and where they exit.
  virtual V stop_flag_of_threads(V flag) { return flag; }
  virtual llvm::BasicBlock* stop_exit() { return b_.exit_block(); }

  // Emits a For with a schedule other than unrolling.
  virtual void scheduled_for(nest::Id v, const LoopSchedule& l, const std::vector<Carry>& cs);
  // Returns true if hardly any element takes the first side of an If.
  virtual bool is_unlikely(const nest::Inst&) const { return false; }
  // Emits one side of an If. Returns its results, each in the form of the result.
  virtual Vs emit_side(nest::Id v, nest::BlockId b);

  // The array of a Local.
  V& array_of(nest::Id local) { return arrays_[local]; }

  std::vector<V> buffers, extents;
  V indices[2] = {nullptr, nullptr};  // of the current point
  Vs index_vectors[2];                // of points that are not neighbours

 protected:
  // Creates the function and analyses the nest.
  void begin_function(llvm::FunctionType* type, const std::string& name);
  bool has_loops() const;

  virtual void emit_pure(nest::Id v);
  // Memory. The shared code is for values that are uniform.
  virtual void load(nest::Id v) = 0;
  virtual void store(nest::Id v) = 0;
  virtual void local(nest::Id v);
  virtual void local_load(nest::Id v);
  virtual void local_store(nest::Id v);
  void load_uniform(nest::Id v);
  void store_uniform(nest::Id v);
  virtual void fold(nest::Id v);
  virtual void for_each(nest::Id v) { loops_.emit_for_each(v); }
  virtual void loop_while(nest::Id v) { loops_.emit_while(v); }

  const Schedule& s_;
  Operations ops_;
  Loops loops_;
  StopChecks stop_checks_;

 private:
  void emit_linear(nest::Id v);

  bool mask_registers_;
  std::vector<nest::Range> ranges_;  // by value, computed on first use
  std::vector<V> arrays_;            // by instruction: the array of a Local
};

}  // namespace weft::compiler
