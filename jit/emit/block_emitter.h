// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/block_emitter.h: walks the blocks of a nest and writes their instructions, the same for
// CPUs and GPUs. It may touch the nest, its schedule and the parts in jit/emit/, not the machines
// in cpu/ and gpu/. A new instruction is added to emit_inst(), as a virtual function where machines
// differ.
#pragma once
#include <functional>
#include <map>
#include <vector>

#include "core/loops/nest_bounds.h"
#include "jit/emit/nest_values.h"
#include "jit/emit/operations.h"
#include "jit/schedule/loops.h"
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

  // Values that a loop carries.
  struct Carry {
    nest::Id init, param, test_param, next, result;
    Variance variance;
  };
  std::vector<Carry> carries(nest::Id v, size_t first_arg, size_t first_param);
  using NestValues::parts;
  // Returns one kind of value of all carries, in order, each in the form in which the carry is
  // held.
  Vs parts(const std::vector<Carry>& cs, nest::Id Carry::* which);
  void bind(const std::vector<Carry>& cs, nest::Id Carry::* which, const Vs& values);
  void set_results(nest::Id v, const Vs& values);
  // The state after a while: the elements that made the last trip and could go on, and the carries.
  struct WhileState {
    Masks active;
    Vs carry;
  };
  WhileState while_trips(nest::Id v, const std::vector<Carry>& cs, const Masks& before, Vs extra,
                         const Vs& init,
                         const std::function<V(const Masks& go, Vs& extra)>& continues);

  // Exits from the kernel if the call was cancelled. `cost` is the estimated number of cycles since
  // the last check.
  void emit_cancellation_check(int64_t cost);
  V decrement_countdown(int64_t cost);  // returns the new value
  // Block `check` resets the countdown and reads the stop flag. Jumps to `go` if it is 0.
  void exit_if_stopped(llvm::BasicBlock* check, llvm::BasicBlock* go);

  // The array of a Local.
  V array_of(nest::Id local) const { return arrays_[local]; }

  std::vector<V> buffers, extents;
  V indices[2] = {nullptr, nullptr};  // of the current point
  Vs index_vectors[2];                // of points that are no neighbours
  bool stop_checks = true;            // false: code that follows does not check the stop flag

 protected:
  // Creates the function and analyses the nest.
  void begin_function(llvm::FunctionType* type, const std::string& name);
  bool has_loops() const;
  // Loops check the stop flag at this address from here on.
  void init_cancellation_checks(V address);
  virtual V stop_flag_of_threads(V flag) { return flag; }
  virtual llvm::BasicBlock* stop_exit() { return b_.exit_block(); }

  virtual void emit_pure(nest::Id v);
  // Memory. The shared code is for values that are uniform.
  virtual void load(nest::Id v) = 0;
  virtual void store(nest::Id v) = 0;
  virtual void local(nest::Id v);
  virtual void local_load(nest::Id v);
  virtual void local_store(nest::Id v);
  void load_uniform(nest::Id v);
  void store_uniform(nest::Id v);
  void set_array(nest::Id local, V array) { arrays_[local] = array; }
  // Loops and branches.
  virtual void fold(nest::Id v);
  virtual void for_each(nest::Id v);
  virtual void loop_while(nest::Id v);
  // Emits a For with a schedule other than unrolling.
  virtual void scheduled_for(nest::Id v, const LoopSchedule& l, const std::vector<Carry>& cs);
  void plain_for(nest::Id v, const std::vector<Carry>& cs);
  // Returns true if hardly any element takes the first side of an If.
  virtual bool is_unlikely(const nest::Inst&) const { return false; }
  // Emits one side of an If. Returns its results, each in the form of the result.
  virtual Vs emit_side(nest::Id v, nest::BlockId b);

  const Schedule& s_;
  Operations ops_;
  V stop_flag_ = nullptr;  // the address of the stop flag

 private:
  void emit_linear(nest::Id v);
  Vs next_carries(const std::vector<Carry>& cs, const Masks& made, const Vs& before);
  void loop_for(nest::Id v);
  void unrolled_for(nest::Id v, const std::vector<Carry>& cs);
  void branch_if(nest::Id v);
  void divergent_if(nest::Id v);
  void unlikely_if(nest::Id v);

  bool mask_registers_;
  std::vector<nest::Range> ranges_;  // by value, computed on first use
  std::vector<V> arrays_;            // by instruction: the array of a Local
  V countdown_ = nullptr;            // the memory of the countdown to the next check
  Constants unrolled_indices_;       // indices of loops that are being unrolled
};

}  // namespace weft::compiler
